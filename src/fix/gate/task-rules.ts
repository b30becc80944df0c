// Tasks of Ansible, judged as what they are: a module called with arguments, under conditions, on hosts.
import type { RefusalCode } from '../edit.ts';
import { addressesIn, isPrivate } from './addresses.ts';
import { editDistance } from './changed-lines.ts';
import { partsOf } from './conditions.ts';
import type { Value } from './data.ts';
import type { Change } from './facts.ts';
import { asks, type Finding, refuses } from './finding.ts';
import { mentions } from './mentions.ts';
import { START_FILES } from './persist-rules.ts';
import type { GateRules, Knows, Tree } from './rules.ts';
import { taskScopeFindings } from './task-scope-rules.ts';
import {
  bare,
  callText,
  counterpart,
  fileOf,
  isForgiven,
  isNamedIn,
  isQuestion,
  plainWord,
  shown,
  type Task,
} from './tasks.ts';

export function taskFindings(
  change: Change,
  { failed = '', log = '' }: Pick<GateRules, 'failed' | 'log'>,
  knows: Knows,
  tree: Tree,
): Finding[] {
  const { path, old, now } = change;
  const [before, after] = [old.tasks, now.tasks];
  if (before.length + after.length === 0) return [];
  const logText = `${log}\n${failed}`;
  return [
    ...lost(path, before, after, logText),
    ...after.flatMap((task) => [
      ...newCall(change, task, knows),
      ...removal(path, task, before),
      ...silenced(path, task, before, logText),
      ...weakened(path, task, before, logText),
    ]),
    ...lostAssertions(change, logText),
    ...guardValues(change),
    ...taskScopeFindings(change, knows, tree),
  ];
}

/** Words that decide whether, where and for what a task runs, besides `when`; `with_items` is another name of `loop`. */
const SCOPE_WORD = /^(?:loop|with_\w+|delegate_to|run_once|vars|tags)$/;
/** The order of a list does not matter. */
const scopeText = ({ words }: Task): string =>
  JSON.stringify(
    Object.entries(words)
      .filter(([key]) => SCOPE_WORD.test(key))
      .map(([key, value]) => [key.replace(/^with_(?:items|list)$/, 'loop'), value])
      .sort(),
    (_, value) => (Array.isArray(value) ? value.map((item) => JSON.stringify(item)).sort() : value),
  );
/** The conditions that must all hold. */
const conditionsOf = ({ words: { when = [] } }: Task): string[] => [when].flat().map(String).flatMap(partsOf);
/** It does what one of `tasks` does, for the same things, and under no condition less. */
const isIn = (task: Task, tasks: readonly Task[]): boolean =>
  tasks.some(
    (other) =>
      callText(other) === callText(task) &&
      scopeText(other) === scopeText(task) &&
      other.above === task.above &&
      conditionsOf(other).every((text) => conditionsOf(task).includes(text)),
  );
const FORGIVES = /^(?:ignore_errors|failed_when)$/;
/** A condition that the run decides. */
const isOpen = (value: Value): boolean => /^\{\{(?=.*\.)(?!.*\b(?:true|or)\b).*\}\}$/i.test(String(value).trim());
/** Modules that look, say or wait; without them nothing is left undone. */
const ASKS_ONLY =
  /^(?:debug|meta|pause|set_fact|assert|fail|stat|find|slurp|getent|setup|service_facts|package_facts|wait_for|reboot|import_\w+|include_\w+)$/;
const IDLE = /^(?:debug|meta|pause|set_fact|wait_for)$/;

/** It runs only after others, if it was told so or they failed. */
const isLate = ({ above }: Task): boolean => /handlers; |rescue; /.test(above);

/** Tasks that are gone, or that do nothing any more. */
function lost(path: string, before: readonly Task[], after: readonly Task[], logText: string): Finding[] {
  return before.flatMap((task) => {
    const isFailed = isNamedIn(task.name, logText);
    if (!isFailed && (ASKS_ONLY.test(task.module) || removes(task) || isQuestion(task))) return [];
    // What failed and would only run late is gone from where it stood.
    const left = isFailed && !isLate(task) ? after.filter((other) => !isLate(other)) : after;
    const isNamed = ({ name }: Task) => name !== '' && name === task.name;
    const isSame = (other: Task) => callText(other) === callText(task) || isNamed(other);
    const count = (tasks: readonly Task[]) => tasks.filter(({ module }) => module === task.module).length;
    if (left.some((other) => other.module === task.module && isSame(other)) || count(left) >= count(before)) return [];
    // The same work by another module: `shell: reboot` and `reboot:`.
    if (left.some((other) => isNamed(other) && !IDLE.test(other.module))) return [];
    const isNew = (other: Task) => !before.some((one) => callText(one) === callText(other));
    if (!isFailed && after.some((other) => isNew(other) && !IDLE.test(other.module) && sharesArguments(task, other)))
      return [];
    const why = 'is gone without another one in its place';
    if (isFailed) return [refuses('masks', path, undefined, why, shown(task))];
    return isForgiven(task) ? [] : [asks('masks', path, undefined, why, shown(task))];
  });
}

const argumentWords = ({ args }: Task): string[] => [...new Set(JSON.stringify(args).match(/[\w./-]{4,}/g) ?? [])];
/** Half of the words that one task is given are those of the other. */
function sharesArguments(task: Task, other: Task): boolean {
  const words = argumentWords(task);
  const shared = argumentWords(other).filter((word) => words.includes(word)).length;
  return shared > 0 && shared * 2 >= Math.min(words.length, argumentWords(other).length);
}

/** Conditions of words and numbers alone: they hold always or never. */
const CONSTANT =
  /^(?:not\s+)?\(?\s*(?:(?:true|false|yes|no|none|never|always|\d+|'[^']*'|"[^"]*")(?:\s*(?:==|!=|<|>|and|or|\|)\s*(?:not\s+)?(?:true|false|bool|yes|no|none|int|\d+|'[^']*'|"[^"]*"))*)\s*\)?$/i;
const isConstant = (value: Value | undefined): boolean =>
  Array.isArray(value)
    ? value.length === 0 || value.some(isConstant)
    : typeof value === 'string' && (CONSTANT.test(value.trim()) || value.trim() === 'ansible_check_mode');
const isNothing = (value: Value): boolean => /^"?(?:\[\]|\{\{ *\[\] *\}\})"?$/.test(JSON.stringify(value));

/** Words that keep a task from running or its failure from counting: which values do, and why that is wrong. */
const SILENCES: readonly (readonly [key: RegExp, (value: Value) => boolean, why: string])[] = [
  [/^ignore_errors$/, (value) => !/^(?:false|no)$/i.test(String(value)), 'its failure does not count any more'],
  [/^failed_when$/, isConstant, 'never fails'],
  [/^when$/, isConstant, 'runs never, or always'],
  [/^(?:loop|with_\w+)$/, isNothing, 'runs for nothing'],
  [/^tags$/, (value) => JSON.stringify(value).includes('never'), 'runs never'],
];
/** Of a task that was there. */
const SILENCES_OLD: typeof SILENCES = [
  [/^until$/, (value) => isConstant(value) || /^\w+ is defined$/.test(String(value)), 'is not waited for any more'],
  [/^poll$/, (value) => String(value) === '0', 'is not waited for any more'],
];

/** Its `until` is about what it registers. */
const asksItself = ({ words: { register, until } }: Task): boolean =>
  new RegExp(`\\b${String(register).replace(/\W/g, '.')}\\b`).test(String(until));

/** It waited for something else, and for no mistaken name; one more condition is waited for longer. */
const waitsLess = (task: Task, earlier: Task | undefined): boolean =>
  earlier?.words.until !== undefined &&
  (asksItself(earlier) || !asksItself(task)) &&
  !isLonger(String(task.words.until), String(earlier.words.until));
const isLonger = (until: string, before: string): boolean =>
  until.startsWith(`${before} and `) && !/\b(?:or|if|else)\b/.test(until.slice(before.length));

/** Words on a task that it did not have before. */
function silenced(path: string, task: Task, before: readonly Task[], logText: string): Finding[] {
  const earlier = counterpart(task, before);
  // What was forgiven in other words is no news.
  const isOld = (key: string) =>
    plainWord(task.words[key]) === plainWord(earlier?.words[key]) ||
    (FORGIVES.test(key) && earlier !== undefined && isForgiven(earlier));
  const news = Object.keys(task.words).filter((key) => !isOld(key));
  const isFailed = isNamedIn(task.name, logText);
  return news.flatMap((key): Finding[] => {
    const value = task.words[key] as Value;
    const row = [...SILENCES, ...(earlier ? SILENCES_OLD : [])].find(([keys, test]) => keys.test(key) && test(value));
    const words = `${shown(task)}: ${key}: ${JSON.stringify(value)}`;
    const isOtherQuestion = key === 'ignore_errors' && isOpen(value) && isOpen(earlier?.words[key] ?? '');
    if (row && !isOtherQuestion) return [refuses('masks', path, task.line, row[2], words)];
    if (row) return [asks('masks', path, task.line, 'its failure counts under another condition', words)];
    const isSkipped = key === 'args' && /"(?:creates|removes)"/.test(JSON.stringify(value));
    const isLess =
      isFailed && (/^(?:when|failed_when)$/.test(key) || isSkipped || (key === 'until' && waitsLess(task, earlier)));
    return isLess ? [asks('masks', path, task.line, 'may run less often, or fail less often, than before', words)] : [];
  });
}

/** Folders and files of every host: what would make them is never done. */
const ALWAYS_THERE =
  /^\/(?:\w+|usr\/(?:s?bin|lib|local))?\/?$|^\/(?:etc\/(?:passwd|group|hosts|hostname|fstab|os-release|profile|shells)|(?:usr\/)?s?bin\/\w+|(?:proc|sys|dev)\/.*)$/;

/** Arguments by which a module tells of a failure, and which values tell of fewer; `args`: all that it is given now. */
const WEAKER: readonly (readonly [module: RegExp, key: string, (value: string, args: Task['args']) => boolean])[] = [
  [/^(?:uri|win_uri)$/, 'status_code', (value) => /(?<!\d)5\d\d\b|-1\b|range|\{\{/.test(value)],
  [
    /^(?:template|copy|lineinfile|blockinfile|replace|assemble)$/,
    'validate',
    (value) => /^$|^\S*\b(?:true|:)(?:\s|$)/.test(value),
  ],
  [/^(?:command|shell|script)$/, 'creates', (value) => ALWAYS_THERE.test(value)],
  [/^(?:command|shell|script)$/, '_raw_params', (value) => ALWAYS_THERE.test(/\bcreates=(\S+)/.exec(value)?.[1] ?? '')],
  [/^assert$/, 'that', (value) => isConstant(value) || /\bor\s+(?:true|not\s+false|1)\b/i.test(value)],
  [/^wait_for$/, 'port', (value, { path }) => value === '' && path === undefined],
  [/^wait_for$/, 'path', (value, { port }) => value === '' && port === undefined],
];

/** The same module was told to look more closely. */
function weakened(path: string, task: Task, before: readonly Task[], logText: string): Finding[] {
  const earlier = counterpart(task, before);
  if (earlier?.module !== task.module) return [];
  const text = (value: Value | undefined) => (value === undefined ? '' : [value].flat().map(String).join(' '));
  return WEAKER.filter(([module, key, isWeak]) => {
    const [was, is] = [text(earlier.args[key]), text(task.args[key])];
    return module.test(bare(task)) && was !== is && isWeak(is, task.args) && !isWeak(was, earlier.args);
  }).map(([, key]) => {
    const words = `${shown(task)}: ${key}: ${text(task.args[key])}`;
    const say = isNamedIn(task.name, logText) ? refuses : asks;
    return say('masks', path, task.line, 'no longer fails where it did', words);
  });
}

/** What must hold, by all asserts of a file: one of several says less when it is gone. */
function lostAssertions({ path, old, now }: Change, logText: string): Finding[] {
  const asserts = (tasks: readonly Task[]) =>
    tasks
      .filter((task) => bare(task) === 'assert')
      .flatMap((task) => [task.args.that ?? []].flat().map((that) => ({ task, that: String(that) })));
  const [was, is] = [asserts(old.tasks), asserts(now.tasks)];
  // Two of them may have become one.
  const [lost] = was.filter(({ that }) => !is.some((other) => other.that.includes(that)));
  if (!lost || is.length >= was.length) return [];
  const say = isNamedIn(lost.task.name, logText) ? refuses : asks;
  return [say('masks', path, undefined, 'need no longer hold', lost.that)];
}

const REMOVES = /"?state"?\s*[:=]\s*"?(?:absent|purged|removed)\b/;
const removes = ({ args }: Task): boolean => REMOVES.test(JSON.stringify(args));

/** A task that removes something and was there in another form: guarded otherwise, elsewhere, or about something else. */
function removal(path: string, task: Task, before: readonly Task[]): Finding[] {
  const isChanged = removes(task) && !isIn(task, before);
  return isChanged && before.some((other) => other.module === task.module && removes(other))
    ? [asks('softer', path, task.line, 'changes what is removed, or on what that depends', shown(task))]
    : [];
}

/** Variables on which it depends whether something is removed, with another value. */
function guardValues({ path, old, addedLeaves, goneLeaves }: Change): Finding[] {
  const guarded = old.tasks.filter((task) => removes(task) || DELETES.test(String(task.args._raw_params ?? '')));
  const guards = guarded.map((task) => `${conditionsOf(task).join(' ')} ${task.above}`).join(' ');
  return addedLeaves
    .filter(({ keys }) => keys.includes('vars') && mentions(guards, keys.at(-1) ?? ''))
    .filter(({ keys }) => goneLeaves.some((leaf) => leaf.keys.join() === keys.join()))
    .map(({ keys, value, line }) =>
      asks('softer', path, line, 'changes on what it depends that something is removed', `${keys.at(-1)}: ${value}`),
    );
}

const DELETES = /\b(?:rm|wipefs|mkfs\S*|dd|reset|destroy|delete|purge|zap|uninstall)\b/;

type Row = readonly [modules: RegExp, args: RegExp, verdict: 'softer' | 'writes_outside' | RefusalCode, why: string];

const BEYOND = 'changes who may do what, or what runs, beyond this stage';
/** Modules with such arguments, as JSON. */
const CALLS: readonly Row[] = [
  [
    /^(?:parted|filesystem|lvg|luks_device|docker_prune|mkfs|win_format)$/,
    /./,
    'destroys',
    'formats, partitions or prunes',
  ],
  [/^replace$/, /"regexp":"[\^(]*\.[*+][)$]*".*"replace":""/, 'destroys', 'empties a file'],
  [/^(?:copy|template)$/, /"src":"\/dev\/null"/, 'destroys', 'empties a file'],
  // With `force: no` it only makes a file that is missing.
  [
    /^copy$/,
    /^(?!.*"force":"(?:no|false)").*"content":"\s*(?:\{\{\s*(?:''|"")\s*\}\})?\s*"/i,
    'destroys',
    'empties a file',
  ],
  [
    /^(?:lvol|zfs|zpool|mysql_db|postgresql_db|mongodb_\w+|iptables|nftables|mount|docker_volume)$/,
    /./,
    'softer',
    'changes disks, databases or the firewall',
  ],
  [
    /^(?:fetch|slurp)$/,
    /shadow|id_(?:rsa|ed25519)|\.ssh|kubeconfig|\/(?:admin|super-admin)\.conf|k3s\.yaml|token|secret|\.key|\.pem/,
    'softer',
    'reads a key or a secret',
  ],
  [/^(?:get_url|unarchive|copy)$/, /"dest":"[^"]*\/s?bin(?:\/[^"/]*)?"/, 'installs', 'installs a program'],
  [
    /^(?:cron|cronvar|at|authorized_key|user|group|git_config|sudoers|pam_limits|pamd|known_hosts|openssh_keypair)$/,
    /./,
    'persists',
    BEYOND,
  ],
  [/^meta$/, /end_\w+|clear_host_errors/, 'masks', 'ends the play before its work is done'],
  [/^(?:reboot|win_reboot|shutdown)$/, /./, 'softer', 'reboots the host'],
  [
    /^debug$/,
    /"(?:var|msg|_raw_params)":"(?:[^"]*[^\w"])?(?:\w*(?:token|passw(?:or)?d|secret|api_?key|private_key)\b(?! is\b)|hostvars\[?[^.\]]*\]?\W*"|vars\W*")/i,
    'softer',
    'prints a variable that may hold a secret',
  ],
  [
    /^(?:systemd|systemd_service|service|sysvinit|openrc)$/,
    /"enabled":"(?:true|yes)"/i,
    'softer',
    'starts a service by itself from now on',
  ],
  [/^(?:import|include)_\w+$/, /"(?:_raw_params|file|name)":"\//, 'softer', 'runs what is not in the repository'],
  [
    /./,
    /"(?:path|dest|name)":"\/etc\/(?:hosts|fstab|resolv\.conf|passwd|group|hostname|nsswitch\.conf)"/,
    'writes_outside',
    'writes a file that the whole host reads',
  ],
];
const SENDERS: readonly (readonly [modules: RegExp, args: RegExp])[] = [
  [/^(?:uri|win_uri)$/, /"(?:body|src)"|"method":"(?:POST|PUT|PATCH|DELETE)"/i],
  [/^(?:uri|win_uri|get_url)$/, /(?:lookup|query|q)\(\s*\\?["'](?:file|env|password|vars|pipe)\\?["']/],
  [/^(?:mail|slack|telegram|discord|mattermost|matrix|pushover|sns|irc|mqtt|s3_object|aws_s3|ftp)$/, /./],
];

const hits = (task: Task, [modules, args]: readonly [RegExp, RegExp, ...unknown[]]): boolean =>
  modules.test(bare(task)) && args.test(JSON.stringify(task.args));

/** A call that was not there, or with arguments that matter and were not there. */
function newCall({ path, old: { tasks: before, commands }, now }: Change, task: Task, knows: Knows): Finding[] {
  if (before.some((other) => callText(other) === callText(task))) return [];
  const earlier = counterpart(task, before);
  const row = CALLS.find(
    (one) => hits(task, one) && !(earlier && hits(earlier, one) && !isOtherPayload(task, earlier)),
  );
  const isGone = (other: Task) => !now.tasks.some((one) => callText(one) === callText(other));
  const say = (code: Row[2], why: string) =>
    code === 'softer' || code === 'writes_outside'
      ? asks(code, path, task.line, why, shown(task))
      : refuses(code, path, task.line, why, shown(task));
  const file = fileOf(task);
  if (file !== undefined && START_FILES.test(file) && !before.some((other) => fileOf(other) === file)) {
    // A folder alone starts nothing and lets nobody in.
    const isFolder = bare(task) === 'file' && task.args.state === 'directory';
    return [say(isFolder || START_FILES.test((earlier && fileOf(earlier)) ?? '') ? 'softer' : 'persists', BEYOND)];
  }
  const wasDone =
    row?.[2] === 'softer' &&
    (before.some((other) => hits(other, row) && isAboutSame(other, task)) ||
      // The module's name was misspelled, or of another collection.
      (earlier?.name === task.name &&
        editDistance([...bare(earlier)], [...bare(task)], 2) <= 2 &&
        JSON.stringify(earlier.args) === JSON.stringify(task.args)) ||
      (row[0].test('reboot') && commands.some(({ program }) => /^(?:reboot|shutdown)$/.test(program))));
  // In the place of another one of its kind it adds nothing of a new kind.
  const isReplacement = row?.[2] === 'persists' && before.some((other) => hits(other, row) && isGone(other));
  // The name of an argument may have been wrong.
  const valuesOf = ({ args }: Task) => JSON.stringify(Object.values(args).map(String).sort());
  const isPlacedAgain =
    row?.[2] === 'installs' &&
    before.some((other) => fileOf(other) === file || (earlier === other && valuesOf(other) === valuesOf(task)));
  return [
    ...(row && !wasDone && !isPlacedAgain ? [say(isReplacement ? 'softer' : row[2], row[3])] : []),
    ...(SENDERS.some((one) => hits(task, one)) ? sends(path, task, earlier, knows) : []),
  ];
}

/** What is run, or who is let in, and not when or under which name. */
const PAYLOAD = /^(?:job|key|password|groups?|shell|value|cron_file|special_time|commands|_raw_params)$/;
const isOtherPayload = ({ args }: Task, { args: old }: Task): boolean =>
  Object.keys({ ...args, ...old }).some(
    (key) => PAYLOAD.test(key) && JSON.stringify(args[key]) !== JSON.stringify(old[key]),
  );

/** Of the same name, and for the same file or from the same one. */
const isAboutSame = (other: Task, task: Task): boolean =>
  plainWord(other.args.name) === plainWord(task.args.name) &&
  (fileOf(other) === fileOf(task) || srcOf(other) === srcOf(task));

const srcOf = ({ args }: Task): Value | undefined => args.src ?? args.unit;

function sends(path: string, task: Task, earlier: Task | undefined, knows: Knows): Finding[] {
  const [to, was] = [task, earlier].map((one) => addressesIn(JSON.stringify(one?.args ?? '')));
  const names = (list: typeof to) => JSON.stringify(list);
  if (earlier && SENDERS.some((one) => hits(earlier, one)) && names(to) === names(was)) return [];
  const isNear = to !== undefined && to.length > 0 && to.every((one) => isPrivate(one) || knows(one.host));
  return isNear
    ? [asks('softer', path, task.line, 'sends something to an address that is known', shown(task))]
    : [refuses('sends', path, task.line, 'sends something to somebody else', shown(task))];
}
