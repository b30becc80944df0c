// Tasks of Ansible, judged as what they are: a module called with arguments, under conditions, on hosts.
import { addressesIn, isPrivate } from './addresses.ts';
import type { Value } from './data.ts';
import type { Change, FileFacts } from './facts.ts';
import { asks, type Finding, refuses } from './finding.ts';
import type { GateRules, Knows } from './rules.ts';

interface Task {
  readonly name: string;
  readonly module: string;
  readonly args: Value;
  /** What it says besides: when, loop, tags. */
  readonly words: { readonly [key: string]: Value };
  /** Hosts and conditions of the plays and blocks around it. */
  readonly above: string;
}

const KEYWORDS =
  /^(?:name|when|register|loop|loop_control|with_\w+|tags|vars|become\w*|notify|listen|ignore_errors|ignore_unreachable|failed_when|changed_when|until|retries|delay|delegate_to|delegate_facts|run_once|environment|no_log|args|async|poll|check_mode|diff|any_errors_fatal|block|rescue|always|connection|remote_user|throttle|timeout|module_defaults|collections|hosts|tasks|roles|pre_tasks|post_tasks|handlers|gather_facts|vars_files|vars_prompt|strategy|serial|max_fail_percentage|debugger|port|force_handlers|local_action|action)$/;
const LISTS = ['tasks', 'pre_tasks', 'post_tasks', 'handlers', 'block', 'rescue', 'always'];

/** Names of the tasks in a file that call such a module. */
export const taskNames = (file: FileFacts, module: RegExp): Set<string> =>
  new Set(tasksIn(file).flatMap((task) => (task.name !== '' && module.test(task.module) ? [task.name] : [])));

export function taskFindings(
  change: Change,
  { failed = '', log = '' }: Pick<GateRules, 'failed' | 'log'>,
  knows: Knows,
): Finding[] {
  const { path, old, now } = change;
  const [before, after] = [tasksIn(old), tasksIn(now)];
  if (before.length + after.length === 0) return [];
  const said = `${log}\n${failed}`;
  return [
    ...lost(path, before, after, said),
    ...after
      .filter((task) => !before.some((other) => sameTask(other, task)))
      .flatMap((task) => [
        ...(before.some((other) => other.module === task.module && isAbout(other, task))
          ? []
          : addedTask(path, task, knows)),
        ...destroying(path, task, before),
      ]),
    ...after.flatMap((task) => silenced(path, task, before, said)),
    ...plays(change),
  ];
}

function tasksIn({ data }: FileFacts): Task[] {
  return (data?.documents ?? []).flatMap((document) =>
    Array.isArray(document) ? document.flatMap((item) => tasksOf(item, '')) : [],
  );
}

const isRecord = (value: Value | undefined): value is { [key: string]: Value } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function tasksOf(value: Value, above: string): Task[] {
  if (!isRecord(value)) return [];
  const here =
    above +
    ['hosts', 'when', 'tags']
      .flatMap((key) => (key in value ? [`${key}: ${JSON.stringify(value[key])}; `] : []))
      .join('');
  const below = LISTS.flatMap((key) =>
    Array.isArray(value[key]) ? (value[key] as Value[]).flatMap((item) => tasksOf(item, here)) : [],
  );
  const module = Object.keys(value).find((key) => !KEYWORDS.test(key));
  if (module === undefined || LISTS.some((key) => key in value)) return below;
  const { [module]: args = '', ...words } = value;
  return [
    {
      name: typeof value.name === 'string' ? value.name : '',
      module: module.replace(/^ansible\.(?:builtin|legacy)\./, ''),
      args,
      words,
      above: here,
    },
    ...below,
  ];
}

const destOf = ({ args }: Task): string | undefined =>
  isRecord(args) && typeof args.dest === 'string' ? args.dest : undefined;
/** The same task in another form: of one name, or for one file. */
const isAbout = (a: Task, b: Task): boolean =>
  a.name === b.name || (destOf(a) !== undefined && destOf(a) === destOf(b));
const callOf = ({ module, args }: Task): string => JSON.stringify([module, args]);
const sameTask = (a: Task, b: Task): boolean =>
  callOf(a) === callOf(b) && JSON.stringify(a.words) === JSON.stringify(b.words) && a.above === b.above;

/** Tasks that are gone, or that do nothing any more. */
function lost(path: string, before: readonly Task[], after: readonly Task[], said: string): Finding[] {
  return before.flatMap((task) => {
    if (/^(?:debug|meta|pause|set_fact|assert|fail|import_\w+|include_\w+)$/.test(task.module)) return [];
    const isThere = after.some(
      (other) =>
        other.module === task.module &&
        (callOf(other) === callOf(task) || (other.name === task.name && task.name !== '')),
    );
    const count = (tasks: readonly Task[]) => tasks.filter(({ module }) => module === task.module).length;
    if (isThere || count(after) >= count(before)) return [];
    // The same work by another module: `shell: reboot` and `reboot:`.
    const successor = after.find(
      (other) =>
        other.name === task.name && task.name !== '' && !/^(?:debug|meta|pause|set_fact|wait_for)$/.test(other.module),
    );
    if (successor) return [];
    const isFailed = nameIn(task.name, said);
    const why = 'is gone without another one in its place';
    return [
      isFailed ? refuses('masks', path, undefined, why, shown(task)) : asks('masks', path, undefined, why, shown(task)),
    ];
  });
}

/** Whether the log names the task as one that ran. */
const nameIn = (name: string, said: string): boolean =>
  name !== '' && new RegExp(`TASK \\[(?:[^\\]]* : )?${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\]`).test(said);

/** Plays that now run on no host. */
const plays = ({ path, addedLeaves }: Change): Finding[] =>
  addedLeaves
    .filter(
      ({ keys, value }) =>
        keys.at(-1) === 'hosts' && keys.length === 1 && /^(?:none|localhost:!localhost|.*!all)$/.test(value.trim()),
    )
    .map(({ value, line }) => refuses('masks', path, line, 'runs on no host', `hosts: ${value}`));

const shown = ({ name, module }: Task): string => (name === '' ? module : `${name} (${module})`);

/** Conditions of words and numbers alone: they hold always or never. */
const CONSTANT =
  /^(?:not\s+)?\(?\s*(?:(?:true|false|yes|no|none|never|always|\d+|'[^']*'|"[^"]*")(?:\s*(?:==|!=|<|>|and|or|\|)\s*(?:not\s+)?(?:true|false|bool|yes|no|none|int|\d+|'[^']*'|"[^"]*"))*)\s*\)?$/i;
const isConstant = (value: Value | undefined): boolean =>
  Array.isArray(value)
    ? value.length === 0 || value.some(isConstant)
    : typeof value === 'string' && (CONSTANT.test(value.trim()) || value.trim() === 'ansible_check_mode');

/** Words on a task that keep it from running or its failure from counting, which it did not have before. */
function silenced(path: string, task: Task, before: readonly Task[], said: string): Finding[] {
  const earlier =
    before.find((other) => callOf(other) === callOf(task)) ??
    before.find((other) => other.name !== '' && other.name === task.name);
  const had = (key: string) => JSON.stringify(earlier?.words[key]);
  const news = (key: string) => key in task.words && JSON.stringify(task.words[key]) !== had(key);
  const say = (why: string, key: string) =>
    refuses('masks', path, undefined, why, `${shown(task)}: ${key}: ${JSON.stringify(task.words[key])}`);
  const isFailed = nameIn(task.name, said);
  const asked = isFailed
    ? ['when', 'failed_when', 'args'].filter((key) => news(key) && !isConstant(task.words[key]))
    : [];
  const never = (value: Value | undefined) => JSON.stringify(value ?? '').includes('never');
  return [
    ...(news('ignore_errors') && !/^(?:false|no)$/i.test(String(task.words.ignore_errors))
      ? [say('its failure does not count any more', 'ignore_errors')]
      : []),
    ...['when', 'failed_when']
      .filter((key) => news(key) && isConstant(task.words[key]))
      .map((key) => say('runs never, or never fails', key)),
    ...asked.map((key) =>
      asks('masks', path, undefined, 'may run less often, or fail less often, than before', `${shown(task)}: ${key}`),
    ),
    ...['loop', 'with_items']
      .filter((key) => news(key) && /^"?(?:\[\]|\{\{ *\[\] *\}\})"?$/.test(JSON.stringify(task.words[key])))
      .map((key) => say('runs for nothing', key)),
    ...(news('tags') && never(task.words.tags) ? [say('runs never', 'tags')] : []),
    ...(news('loop') && JSON.stringify(task.words.loop) === '[]' ? [say('runs for nothing', 'loop')] : []),
    ...(news('poll') && String(task.words.poll) === '0' && earlier ? [say('is not waited for any more', 'poll')] : []),
  ];
}

const REMOVES = /"?state"?\s*[:=]\s*"?(?:absent|purged|removed)\b/;

/** A task that removes something and was there in another form: guarded otherwise, elsewhere, or about something else. */
function destroying(path: string, task: Task, before: readonly Task[]): Finding[] {
  const removes = ({ args }: Task) => REMOVES.test(JSON.stringify(args));
  const earlier = before.filter((other) => other.module === task.module && removes(other));
  if (!removes(task) || earlier.length === 0) return [];
  return [asks('softer', path, undefined, 'changes what is removed, or on what that depends', shown(task))];
}

const PERSISTS =
  /^(?:(?:ansible\.posix|community\.general)\.)?(?:cron|cronvar|at|authorized_key|user|group|git_config|sudoers|pam_limits|pamd|known_hosts|openssh_keypair)$/;

function addedTask(path: string, task: Task, knows: Knows): Finding[] {
  const args = JSON.stringify(task.args);
  const say = (why: string) => [asks('softer', path, undefined, why, shown(task))];
  if (/(?:^|\.)(?:parted|filesystem|lvg|luks_device|docker_prune|mkfs|win_format)$/.test(task.module))
    return [refuses('destroys', path, undefined, 'formats, partitions or prunes', shown(task))];
  if (
    /(?:^|\.)(?:lvol|zfs|zpool|mysql_db|postgresql_db|mongodb_\w+|iptables|nftables|mount|docker_volume)$/.test(
      task.module,
    )
  )
    return say('changes disks, databases or the firewall');
  if (
    /(?:^|\.)(?:fetch|slurp)$/.test(task.module) &&
    /shadow|id_(?:rsa|ed25519)|\.ssh|kubeconfig|k3s\.yaml|token|secret|\.key|\.pem/.test(args)
  )
    return say('reads a key or a secret');
  if (/(?:^|\.)(?:get_url|unarchive|copy)$/.test(task.module) && /"dest":"[^"]*\/s?bin(?:\/[^"/]*)?"/.test(args))
    return [refuses('installs', path, undefined, 'installs a program', shown(task))];
  if (PERSISTS.test(task.module))
    return [
      refuses('persists', path, undefined, 'changes who may do what, or what runs, beyond this stage', shown(task)),
    ];
  if (task.module === 'meta' && /end_\w+|clear_host_errors/.test(args))
    return [refuses('masks', path, undefined, 'ends the play before its work is done', shown(task))];
  if (/(?:^|\.)(?:reboot|win_reboot|shutdown)$/.test(task.module)) return say('reboots the host');
  if (/(?:^|\.)(?:uri|win_uri)$/.test(task.module) && /"(?:body|src)"|"method":"(?:POST|PUT|PATCH|DELETE)"/i.test(args))
    return sends(path, task, args, knows);
  if (
    /(?:^|\.)(?:mail|slack|telegram|discord|mattermost|matrix|pushover|sns|irc|mqtt|s3_object|aws_s3|ftp)$/.test(
      task.module,
    )
  )
    return sends(path, task, args, knows);
  if (/"(?:path|dest|name)":"\/etc\/(?:hosts|fstab|resolv\.conf|passwd|group|hostname|nsswitch\.conf)"/.test(args))
    return [asks('writes_outside', path, undefined, 'writes a file that the whole host reads', shown(task))];
  return [];
}

function sends(path: string, task: Task, args: string, knows: Knows): Finding[] {
  const to = addressesIn(args);
  const isNear = to.length > 0 && to.every((one) => isPrivate(one) || knows(one.host));
  return isNear
    ? [asks('softer', path, undefined, 'sends something to an address that is known', shown(task))]
    : [refuses('sends', path, undefined, 'sends something to somebody else', shown(task))];
}
