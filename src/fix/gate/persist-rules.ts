// Added text that stays beyond the stage: schedules, units, start files, keys, users, rights, git's configuration, and
// variables that decide which programs run.
import { assignmentsOf } from '../shell/unwrap.ts';
import { Arguments, verbOf } from './arguments.ts';
import { isRecord, type Leaf } from './data.ts';
import type { Change, Fact, FileFacts } from './facts.ts';
import { asks, type Finding, refuses } from './finding.ts';
import { shownWords } from './shown.ts';
import { strings } from './texts.ts';
import { writtenPaths } from './written-paths.ts';

const WHY = 'changes what runs or who may do what beyond this stage';

const any = () => true;
const TABLE: readonly (readonly [programs: RegExp, test: (args: Arguments) => boolean])[] = [
  [/^crontab$/, (args) => !args.has('l')],
  [
    /^(?:at|batch|useradd|adduser|usermod|passwd|chpasswd|gpasswd|visudo|ssh-copy-id|update-rc\.d|chkconfig|rc-update|newusers|addgroup|vipw|pveum|smbpasswd|htpasswd)$/,
    any,
  ],
  [
    /^systemctl$/,
    (args) => args.verb(/^(?:enable|link|preset|set-default|edit|reenable|add-wants|set-property|unmask)$/, 2),
  ],
  [/^systemd-run$/, (args) => args.any(/^--(?:on-|timer|unit)/)],
  [/^loginctl$/, (args) => args.verb(/^enable-linger$/)],
  [
    /^git$/,
    (args) =>
      args.verb(/^config$/, 2) && !args.has('l', 'list', 'get', 'get-all', 'get-regexp') && args.operands.length > 2,
  ],
  [
    /^git$/,
    (args) =>
      args.verbs(/^remote$/, /^(?:add|set-url)$/) ||
      args.words[0] === '-c' ||
      args.verbs(/^credential\S*$/, /^(?:approve|store)$/),
  ],
  [
    /^(?:kubectl|k|oc)$/,
    (args) =>
      args.verbs(/^create$/, /^(?:clusterrolebinding|rolebinding|clusterrole|role|token|serviceaccount|sa)$/) ||
      args.verbs(/^(?:certificate)$/, /^approve$/) ||
      args.verb(/^(?:adm|policy)$/, 1) ||
      args.verbs(/^auth$/, /^reconcile$/),
  ],
  [
    /^(?:setcap|setfacl|sysctl|update-initramfs|grub-mkconfig|efibootmgr|ld|ldconfig|kexec|bpftool|auditctl|setenforce|ufw|firewall-cmd)$/,
    (args) => !args.has('', 'list-all', 'state') && !args.verb(/^(?:status|get)$/),
  ],
  [/^chmod$/, (args) => args.operands.some((word) => /^[ug]*\+s$|^[2-7][0-7]{3}$/.test(word))],
  [/^(?:ngrok|cloudflared|localtunnel|lt|bore|frpc|chisel|autossh|tmate|ttyd|gotty)$/, any],
];

/** Folders where anybody may put a program. */
export const OPEN_TO_ALL = /^\/(?:tmp|var\/tmp|dev\/shm)\//;

/** Places that are read when somebody logs in, a machine starts or git runs. */
export const START_FILES =
  /(?:^|\/)(?:\.(?:bashrc|bash_profile|bash_login|bash_aliases|profile|zshrc|zshenv|zprofile|inputrc|netrc|gitconfig|pam_environment|xinitrc)|authorized_keys2?|rc\.local|ld\.so\.preload|crontab|sudoers)$|^\/etc\/(?:cron[\w.]*|sudoers\.d|profile(?:\.d|$)|bash\.bashrc|environment|init\.d|systemd\/(?:system|user)|pam\.d|ssh|passwd|shadow|group|ld\.so|modules|security(?!\/limits\b)|xdg\/autostart|apt\/(?:sources|trusted)|udev|NetworkManager\/dispatcher|rc\d?\.d)(?:\/|$|-)|^\/(?:var\/spool\/cron|lib\/systemd|usr\/lib\/systemd|var\/lib\/cloud)(?:\/|$)|(?:^|\/)\.(?:ssh|config\/(?:systemd|autostart|git)|git\/(?:hooks|config)|local\/share\/systemd|gnupg|aws|docker\/config)(?:\/|$)|(?:^|\/)\.git\/(?:hooks|config)|(?:\}\}|\ue000|\$\w+|\$\(…\))\/(?:etc\/)?(?:cron\.\w+|sudoers\.d|profile\.d|systemd\/system|init\.d)\/|\/hooks\/(?:pre|post|commit|prepare|update|applypatch)[\w-]*$/;

/** Variables that decide which programs run, or what they load. */
const RULING =
  /^(?:PATH|LD_\w+|BASH_ENV|ENV|SHELLOPTS|PROMPT_COMMAND|PS[0-4]|GIT_CONFIG\w*|GIT_SSH|GIT_SSH_COMMAND|GIT_EXEC_PATH|PYTHONSTARTUP|NODE_OPTIONS|PERL5OPT|RUBYOPT|DYLD_\w+)$/;

/** Variables that name where programs find their parts: a path of this machine is for the owner to decide. */
const LOADING =
  /^(?:PYTHONPATH|PYTHONHOME|NODE_PATH|PERL5LIB|RUBYLIB|CLASSPATH|HELM_PLUGINS|KUBECTL_PLUGINS_PATH|ANSIBLE_(?:CONFIG|LIBRARY|\w*PLUGINS)|TF_CLI_CONFIG_FILE|DOCKER_(?:HOST|CONFIG)|CDPATH|GOPATH|XDG_CONFIG_HOME)$/;

/** Variables that name a program which others start. */
const STARTED =
  /^(?:KUBECTL_EXTERNAL_DIFF|(?:KUBE_)?EDITOR|VISUAL|PAGER|MANPAGER|GIT_(?:PAGER|EDITOR|SEQUENCE_EDITOR|ASKPASS|EXTERNAL_DIFF|PROXY_COMMAND)|(?:SSH|SUDO)_ASKPASS|LESSOPEN|RSYNC_RSH)$/;

/** A program that no system brings, or one that finds no difference between anything. */
const isOwnProgram = (name: string, value: string): boolean =>
  STARTED.test(name) &&
  (/^(?:[~$]|\S*\/)/.test(value.replace(/^\/(?:usr\/)?(?:local\/)?s?bin\//, '')) ||
    (/DIFF$/.test(name) && /^(?:\/\S*\/)?(?:true|:|echo|printf)\b/.test(value)));

export function persistFindings(change: Change): Finding[] {
  return [
    ...commandFindings(change),
    ...variableFindings(change),
    ...fileFindings(change),
    ...rightFindings(change),
    ...programFindings(change),
  ];
}

/** An endless loop in the background. */
const isLeftRunning = ({ around }: Fact): boolean =>
  around.some(({ kind }) => kind === 'background') &&
  around.some(
    (frame) =>
      frame.kind === 'branch' &&
      /^(?:while (?:true|:|sleep \S+|\[ 1 \])|until false|for \(\(\s*;\s*;)/.test(frame.guard),
  );

export const MAKES_USERS = /^(?:useradd|adduser|usermod|addgroup)$/;

/** Where the last `cd` before a command went. */
const folderOf = (fact: Fact, { commands }: FileFacts): string =>
  commands
    .slice(0, commands.indexOf(fact))
    .findLast(({ program, text }) => /^(?:cd|pushd)$/.test(program) && text === fact.text)
    ?.args.find(({ text }) => !text.startsWith('-'))
    ?.text.replace(/\/+$/, '') ?? '';

/** How many bindings of roles commands are given to read. */
const bindingsIn = (facts: readonly Fact[]): number =>
  facts
    .flatMap(({ document, fedBy }) => [document?.text ?? '', ...fedBy.map((one) => one.document?.text ?? '')])
    .join('\n')
    .match(/(?:^\s*|["{,]\s*)kind["']?:\s*["']?(?:Cluster)?RoleBinding\b/gm)?.length ?? 0;

/** Verbs of systemctl for units that are not to run. */
const STOPS = /^(?:disable|mask|stop|kill)$/;

function commandFindings({ path, added, gone, old, now }: Change): Finding[] {
  return added.flatMap((fact): Finding[] => {
    // The users of an image are not the host's.
    if (fact.role === 'container' || (now.language === 'docker' && MAKES_USERS.test(fact.program))) return [];
    const args = new Arguments(fact.args);
    const say = (why: string) => [refuses('persists', path, fact.line, why, shownWords(fact))];
    const folder = folderOf(fact, now);
    const file = writtenPaths(fact)
      .map((one) => (folder !== '' && !/^[/~$]/.test(one) ? `${folder}/${one}` : one))
      .find((one) => START_FILES.test(one));
    if (file !== undefined && !old.commands.some((other) => writtenPaths(other).includes(file))) return say(WHY);
    const named =
      /^(?:read|mapfile|readarray|getopts)$/.test(fact.program) ||
      (fact.program === 'printf' && args.words[0] === '-v');
    if (named && args.words.some((word) => RULING.test(word)))
      return say('sets a variable that decides which programs run');
    if (isLeftRunning(fact)) return say('leaves something running that nobody ends');
    if (bindingsIn([fact]) > 0 && bindingsIn(now.commands) > bindingsIn(old.commands))
      return say('binds a role in the cluster');
    if (!TABLE.some(([programs, test]) => programs.test(fact.program) && test(args))) return [];
    const unit = args.operands.at(-1) ?? '';
    const ofSystemctl = (facts: readonly Fact[], test: (other: Fact) => boolean) =>
      fact.program === 'systemctl' && facts.some((other) => other.program === 'systemctl' && test(other));
    const isNamed = ofSystemctl(
      old.commands,
      (other) => !STOPS.test(verbOf(other)) && other.args.some(({ text }) => text === unit),
    );
    const isInPlace = ofSystemctl(gone, (other) => verbOf(other) === verbOf(fact));
    if (isNamed && isInPlace) return [];
    return isNamed || isInPlace
      ? [asks('softer', path, fact.line, 'starts a service by itself from now on', shownWords(fact))]
      : say(WHY);
  });
}

const SETS_RULING =
  /\b(?:environ|env|ENV)\s*(?:\[\s*["']|\.)(?:PATH|LD_\w+|BASH_ENV|PYTHONSTARTUP|NODE_OPTIONS)["']?\s*\]?\s*=(?!=)/;

/** Start files that a program in another language names. */
const programFindings = ({ path, lines, now: { language } }: Change): Finding[] =>
  language !== 'program'
    ? []
    : lines.added
        .filter(
          ({ text }) =>
            !/^\s*(?:#|\/\/)/.test(text) &&
            (strings(text).some((one) => START_FILES.test(one)) || SETS_RULING.test(text)),
        )
        .map(({ text, number }) => refuses('persists', path, number, WHY, text.trim()));

function variableFindings(change: Change): Finding[] {
  const { path, added, old, now, addedLeaves } = change;
  const say = (line: number, name: string, value: string) =>
    refuses(
      'persists',
      path,
      line,
      'sets a variable that decides which programs run or what they load',
      `${name}=${value}`,
    );
  const before = new Set(
    old.commands.flatMap((fact) => assignmentsOf(fact).map(({ name, values }) => `${name}=${values[0]?.text}`)),
  );
  const assigned = added
    .filter(({ role }) => role === 'run')
    .flatMap((fact) =>
      assignmentsOf(fact).map(({ name, values }) => ({ name, value: values[0]?.text ?? '', line: fact.line })),
    );
  const set = assigned.filter(({ name }) => RULING.test(name));
  const loaded = added
    .filter(({ role }) => role === 'run')
    .flatMap((fact) =>
      assignmentsOf(fact)
        .filter(({ name, values }) => LOADING.test(name) && /^(?:\/|~|tcp:|ssh:)/.test(values[0]?.text ?? ''))
        .map(({ name }) => asks('softer', path, fact.line, `sets ${name} to a path of this machine`, shownWords(fact))),
    );
  const env = added
    .filter(({ program, role }) => /^(?:env|sudo)$/.test(program) && role === 'run')
    .flatMap((fact) =>
      fact.args
        .flatMap(({ text }) => /^(\w+)=(.*)$/s.exec(text)?.slice(1, 3) ?? [])
        .flatMap((name, i, all) =>
          i % 2 === 0 && RULING.test(name) ? [{ name, value: all[i + 1] ?? '', line: fact.line }] : [],
        ),
    );
  // A file of the stage's environment; what a container is given concerns that alone.
  const isLoaded =
    now.language === 'settings' ||
    now.language === 'toml' ||
    !(now.data?.documents ?? []).some((value) => isRecord(value) && 'kind' in value);
  const nameOf = ({ keys, value }: Leaf) =>
    keys.at(-1) === 'Environment'
      ? ([...value.matchAll(/(?:^|[\s"])(\w+)=/g)]
          .map(([, name]) => name as string)
          .find((name) => RULING.test(name)) ?? '')
      : (keys.at(-1) ?? '');
  const isStrange = ({ keys, value }: Leaf) =>
    /(?:interpreter|executable)$/.test(keys.at(-1) ?? '') && OPEN_TO_ALL.test(value);
  const leaves = isLoaded ? addedLeaves.filter((leaf) => RULING.test(nameOf(leaf)) || isStrange(leaf)) : [];
  const given = isLoaded ? addedLeaves.map(({ keys, value, line }) => ({ name: keys.at(-1) ?? '', value, line })) : [];
  const started = [...assigned, ...given].filter(({ name, value }) => isOwnProgram(name, value));
  return [
    ...[...set, ...env]
      // Of ENV a shell reads a file; `ENV=prod` names none.
      .filter(({ name, value }) => !before.has(`${name}=${value}`) && (name !== 'ENV' || /[/~$]/.test(value)))
      .map(({ name, value, line }) => say(line, name, value)),
    ...loaded,
    ...started.map(({ name, value, line }) =>
      asks('softer', path, line, `has others start ${value || 'nothing'} by ${name}`, `${name}=${value}`),
    ),
    ...leaves.map(({ keys, value, line }) => say(line, keys.at(-1) ?? '', value)),
    ...(now.language === 'shell'
      ? change.lines.added
          .filter(({ text }) => OTHERWISE.test(text) && !/^\s*#/.test(text))
          .map(({ text, number }) => say(number, '', text.trim()))
      : []),
    ...recipeVariables(change).map(({ name, value, line }) => say(line, name, value)),
  ];
}

/** Other ways to set them: a loop, a default, a reference. */
const OTHERWISE =
  /\bfor\s+(?:PATH|LD_\w+|BASH_ENV)\s+in\b|\$\{(?:PATH|LD_\w+|BASH_ENV|PROMPT_COMMAND):?=|\b(?:declare|local|typeset)\s+-\w*n\w*\s+\w+=["']?(?:PATH|LD_|BASH_ENV)/;

/** Lines of a makefile by which every shell sees ENV. */
const EXPORTS_ENV = /^export(?:\s+ENV\b|\s*$)|^\.EXPORT_ALL_VARIABLES\b/m;
/** Options by which a shell runs a text, and at most stops more often. */
const STRICT_FLAGS =
  /^(?:--no(?:profile|rc)\s+|-[eux]+\s+|-[eux]*[oO]\s+(?:pipefail|errexit|nounset|inherit_errexit)\s+)*-[eux]*c$/;
/** A shell that every system has, at most told to stop more often. */
const SYSTEM_SHELL =
  /^(?:\/usr)?(?:\/bin\/)?(?:env )?(?:ba|da|z|k)?sh(?: -[eux]+(?:o pipefail)?)*$|^\$\(shell (?:which|command -v) (?:ba|z)?sh\)$/;

/** What a shell with these options stops at. */
const stopsAt = (flags: string): string[] =>
  (flags.match(/pipefail|errexit|nounset|-[a-z]+/g) ?? []).flatMap((word) =>
    word.startsWith('-') ? [...word.replace(/[-cox]/g, '')] : [word],
  );

/** `export PATH := …` of make and just. */
function recipeVariables({
  now: { language },
  lines,
  before,
  after,
}: Change): { name: string; value: string; line: number }[] {
  if (language !== 'make' && language !== 'just') return [];
  const stopped = [...(before ?? '').matchAll(/^(?:\.SHELLFLAGS|SHELL)\s*[:?+!]{0,3}=(.*)$/gm)].flatMap(
    ([, flags = '']) => stopsAt(flags),
  );
  return lines.added.flatMap(({ text, number }) => {
    const [, target, name, value] =
      /^([^\s#:=][^:=#]*:\s*)?(?:(?:export|override|private)\s+)*([A-Z_.]+)\s*[:?+!]{0,3}=\s*(.*)$/.exec(text) ?? [];
    const usual = name === 'SHELL' ? SYSTEM_SHELL : STRICT_FLAGS;
    const isStrict =
      target === undefined &&
      usual.test((value ?? '').trim()) &&
      stopped.every((what) => stopsAt(value ?? '').includes(what));
    // Unless it is exported, no shell sees make's own ENV.
    const isSeen = name !== 'ENV' || /\bexport\b/.test(text) || EXPORTS_ENV.test(after);
    const isRuling =
      name !== undefined && ((RULING.test(name) && isSeen) || (/^(?:SHELL|\.SHELLFLAGS)$/.test(name) && !isStrict));
    return isRuling ? [{ name, value: value as string, line: number }] : [];
  });
}

/** A program that ssh runs to reach a host; `ssh -W` goes over another host. */
const RUNS_TO_CONNECT = /-o\s*["']?(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ](?!\s*["']?(?:ssh|none)\b)/i;

const CONNECT_COMMAND = /\b(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ](?:"[^"]*"|'[^']*'|.*)/i;

/** Keys that may log in to a machine when it is made. */
const LETS_IN = /^(?:.*\.)?(?:ssh[_-]?)?authorized[_-]?keys(?:\.key(?:s|Files))?$/i;

/** Settings of a machine that let people in by a password, or as root. */
const LETS_ALL_IN =
  /^(?:chpasswd\b.*|ssh_pwauth: (?:true|yes)|disable_root: (?:false|no)|security\.(?:sudo|doas|pam)\..*|(?:.*\.)?users\.users\.[^.]+\.(?:is(?:Normal|System)User|\w*password\w*|extraGroups|uid):.*|(?:.*\.)?PermitRootLogin: yes|services\.cron\..*|users\.(?:(?:hashed_|plain_text_)?passwd:.*|lock_passwd: false|groups: (?:sudo|wheel|root|docker|admin))|(?:programs|environment)\..*ShellInit:.*)$/is;

/** A service or timer of Nix that was not there. */
function isNewUnit(keys: readonly string[], { data }: FileFacts): boolean {
  const at = keys.findIndex((key, i) => /^(?:services|timers)$/.test(key) && keys.slice(0, i).includes('systemd'));
  const unit = keys.slice(0, at + 2).join('\0');
  return at !== -1 && !data?.leaves.some((leaf) => leaf.keys.slice(0, at + 2).join('\0') === unit);
}

/** Start files that data has written, and who it lets in: by a machine's configuration, or when it is made. Tasks have their own rules. */
const fileFindings = ({ path, old, now, addedLeaves }: Change): Finding[] =>
  now.tasks.length > 0
    ? []
    : addedLeaves
        .filter(
          ({ keys, value }) =>
            LETS_IN.test(keys.slice(-2).join('.')) ||
            LETS_ALL_IN.test(`${keys.join('.')}: ${value}`) ||
            (keys.at(-1) === 'sudo' && /\bALL\b/.test(value)) ||
            isNewUnit(keys, old) ||
            (keys[1] === 'etc' && START_FILES.test(`/etc/${keys[2]}`)) ||
            RUNS_TO_CONNECT.test(value) ||
            (keys.length > 1 && /^(?:dest|path|name|file)$/.test(keys.at(-1) ?? '') && START_FILES.test(value)),
        )
        .filter(({ keys, value }) => {
          const command = CONNECT_COMMAND.exec(value)?.[0];
          const isSame = (leaf: Leaf) =>
            leaf.value === value && (value.includes(' ') || leaf.keys.join() === keys.join());
          const isOld = (leaf: Leaf) => isSame(leaf) || (command !== undefined && leaf.value.includes(command));
          return !old.data?.leaves.some(isOld);
        })
        .map(({ value, line }) => refuses('persists', path, line, WHY, value));

/** Flags of an API server or kubelet that let whoever comes do everything. */
const OPENS_API = /^(?:.*\.)?(?:--)?(?:authorization-mode[:=] ?.*\bAlwaysAllow\b.*|insecure-port[:=] ?[1-9]\d*)$/i;

const WRITES = /^(?:create|update|patch|delete|deletecollection|\*|escalate|bind|impersonate|approve|sign|use)$/;
const READS = /^(?:get|list|watch)$/;

/** Roles and their bindings in a cluster. */
function rightFindings({ path, addedLeaves, old, now }: Change): Finding[] {
  const kinds = (file: FileFacts) =>
    (file.data?.documents ?? []).flatMap((document) =>
      isRecord(document) && typeof document.kind === 'string' ? [document.kind] : [],
    );
  const bindings = (file: FileFacts) => kinds(file).filter((kind) => /^(?:Cluster)?RoleBinding$/.test(kind)).length;
  const hasRole =
    kinds(now).some((kind) => /^(?:Cluster)?Role$/.test(kind)) ||
    addedLeaves.some(({ keys }) => keys.includes('rules') || keys.includes('rbac'));
  const verbs = hasRole ? addedLeaves.filter(({ keys }) => keys.at(-1) === 'verbs') : [];
  const secrets = hasRole
    ? addedLeaves.filter(
        ({ keys, value }) =>
          (keys.at(-1) === 'resources' && /^(?:secrets|\*)$/.test(value)) ||
          (keys.at(-1) === 'apiGroups' && value === '*'),
      )
    : [];
  const subjects =
    bindings(now) > 0
      ? addedLeaves.filter(
          ({ keys }) => keys.includes('subjects') || (keys.includes('roleRef') && keys.at(-1) === 'name'),
        )
      : [];
  const admin = addedLeaves.filter(
    ({ keys, value }) =>
      value === 'cluster-admin' ||
      (keys.at(-1) === 'clusterAdmin' && /^true$/i.test(value)) ||
      /\bkind:\s*["']?(?:Cluster)?RoleBinding\b/.test(value) ||
      (keys.at(-1) === 'kind' && /^(?:Cluster)?RoleBinding$/.test(value) && keys.length > 1),
  );
  const opened = addedLeaves.filter(
    ({ keys, value }) => OPENS_API.test(value) || OPENS_API.test(`${keys.at(-1)}: ${value}`),
  );
  const joined = addedLeaves.filter(({ keys }) =>
    keys.some((key) => /^aggregationRule$|^rbac\.authorization\.k8s\.io\/aggregate-to-/.test(key)),
  );
  const mounts = addedLeaves.filter(
    ({ keys, value }) =>
      keys.includes('hostPath') &&
      keys.at(-1) === 'path' &&
      /^\/(?:$|etc|root|var\/run|var\/lib\/kubelet|proc|sys)?(?:\/|$)/.test(value),
  );
  return [
    ...(bindings(now) > bindings(old) ? [refuses('persists', path, undefined, 'binds a role in the cluster')] : []),
    ...verbs
      .filter(({ value }) => WRITES.test(value))
      .map(({ value, line }) => refuses('persists', path, line, 'gives a role a verb that writes', value)),
    ...secrets.map(({ value, line }) => refuses('persists', path, line, 'gives a role more than it needs', value)),
    ...subjects.map(({ value, line }) =>
      refuses('persists', path, line, 'gives somebody else the rights of a role', value),
    ),
    ...verbs
      .filter(({ value }) => READS.test(value))
      .map(({ value, line }) => asks('softer', path, line, 'lets a role read more than before', value)),
    ...admin.map(({ value, line }) => refuses('persists', path, line, 'binds a role in the cluster', value)),
    ...joined.map(({ value, line }) => refuses('persists', path, line, 'joins the rights of other roles', value)),
    ...opened.map(({ value, line }) => refuses('persists', path, line, 'lets anybody in', value)),
    ...mounts.map(({ value, line }) => asks('softer', path, line, "mounts a folder of the host's own", value)),
  ];
}
