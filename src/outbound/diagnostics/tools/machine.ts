// The machine (services, their journal, network, disks, names), its hypervisor and its repository. None of these follows,
// writes or reads a file's text.
import {
  ADDRESS,
  BELOW,
  either,
  flags,
  HOST,
  listOf,
  matching,
  NAME,
  oneOf,
  operands,
  PRIVATE_ADDRESS,
  type Tool,
  type VerbParts,
  verbsWith,
} from '../grammar.ts';

const UNIT = matching('a unit', /^[A-Za-z0-9][\w.@:\\-]{0,200}$/);
const PLAIN = '--no-pager -l --full -a --all -q --quiet --no-legend --plain';
// Not Environment, not ExecStart: their values may be secrets.
const PROPERTIES = oneOf(
  'ActiveState SubState Result LoadState UnitFileState ExecMainStatus ExecMainCode NRestarts MainPID Id Names Description FragmentPath StateChangeTimestamp ActiveEnterTimestamp InactiveEnterTimestamp MemoryCurrent TasksCurrent',
);

const verb = verbsWith({
  properties: listOf(PROPERTIES),
  count: matching('a count of at most 10', /^(?:[1-9]|10)$/),
  limit: matching('at most 30', /^(?:[1-9]|[12]\d|30)$/),
  columns: matching('columns', /^[A-Z,-]{1,200}$/),
  // %G runs a program.
  pretty: matching('a format without signatures', /^(?!.*%[<>|+ -]*G)[ -~]{1,200}$/),
});

const SYSTEMCTL: Tool = {
  name: 'systemctl',
  before: flags('--no-pager'),
  verbs: [
    verb('status', `${PLAIN}, -n --lines <number>`, { operand: UNIT }),
    verb('is-active, is-enabled, is-failed', '-q --quiet', operands(UNIT, 1, 8)),
    verb('list-units, list-unit-files, list-timers, list-jobs', `${PLAIN} --failed, -t --type --state <names>`, {
      operand: matching('a unit or pattern', /^[A-Za-z0-9*][\w.@:*\\-]{0,200}$/),
    }),
    verb('show', '--no-pager --value, -p --property <properties>', { operand: UNIT, needs: [['-p', '--property']] }),
    verb('is-system-running'),
  ].flat(),
};

const IP_OBJECTS = ['a', 'addr', 'address', 'link', 'route', 'neigh', 'rule'];

const IP: Tool = {
  name: 'ip',
  wholeWords: true,
  before: flags('-4 -6 -br -brief -s -d -o -j -json -details'),
  verbs: [
    verb(IP_OBJECTS.join(', ')),
    verb(
      IP_OBJECTS.flatMap((object) => [`${object} show`, `${object} list`]).join(', '),
      '',
      operands(matching('an interface, or dev, table, up', /^[a-z0-9][\w.@:-]{0,30}$/), 0, 4),
    ),
    verb('route get', '', operands(ADDRESS, 1, 1)),
  ].flat(),
};

const RECORD = oneOf('A AAAA CNAME MX NS SOA SRV TXT PTR CAA');
const DIG_WORD = matching('+short and the like', /^\+(?:short|noall|answer|(?:time|tries)=[1-5])$/);
const DIG_SERVER = {
  what: '@ and a private IPv4 address',
  takes: (text: string) => text.startsWith('@') && PRIVATE_ADDRESS.takes(text.slice(1)),
};

const DIG: Tool = {
  name: 'dig',
  wholeWords: true,
  verbs: verb('', '-x <address>', {
    ...operands(either(HOST, RECORD, DIG_WORD, DIG_SERVER), 0, 6),
    // More names would carry more out.
    check: ({ operands: words }) =>
      words.filter((word) => !/^[+@]/.test(word) && !RECORD.takes(word)).length > 1
        ? 'dig may be asked for one name at a time'
        : undefined,
  }),
};

/** A tool without verbs. */
const alone = (name: string, usage?: string, parts?: VerbParts): Tool => ({ name, verbs: verb('', usage, parts) });

export const MACHINE: readonly Tool[] = [
  SYSTEMCTL,
  alone(
    'journalctl',
    `-u --unit -t --identifier -p --priority <name>, -n --lines <number>, -g --grep <text>, -S --since -U --until <moment>,
     -o --output <short|short-iso|short-precise|cat|json>,
     --no-pager -k --dmesg -b --boot -r --reverse -q --quiet --utc --no-hostname`,
    { needs: [['-n', '--lines', '-S', '--since']] },
  ),
  IP,
  alone('ss', '-t -u -l -n -p -a -s -4 -6 -x --tcp --udp --listening --numeric --processes --summary'),
  alone('ping', '-c <count>, -W -w <limit>, -4 -6 -n -q', { ...operands(HOST, 1, 1), needs: [['-c']] }),
  DIG,
  alone('nslookup', '', {
    ...operands(HOST, 1, 2),
    check: ({ operands: [, server] }) =>
      server === undefined || PRIVATE_ADDRESS.takes(server)
        ? undefined
        : 'nslookup may only ask a private IPv4 address',
  }),
  { name: 'getent', verbs: verb('hosts, ahosts, ahostsv4, ahostsv6', '', operands(HOST, 1, 1)) },
  alone('df', '-h -T -i -a -l -k -m -P --human-readable --inodes --local --print-type', {
    operand: matching('a path', /^[\w./][\w./@+-]{0,200}$/),
  }),
  alone('ls', '-l -a -A -h -1 -t -r -S -d -n -R --all --human-readable', { operand: BELOW }),
  alone('free', '-b -k -m -g -h -w -t --human --wide --total'),
  alone('uptime', '-p -s --pretty --since'),
  alone('uname', '-a -s -n -r -v -m -o --all'),
  alone('hostname', '-f -I -s'),
  alone('date', '-u --utc'),
  alone('nproc', '--all'),
  alone('lscpu', '-J'),
  { name: 'timedatectl', verbs: [verb(''), verb('status, timesync-status', '--no-pager')].flat() },
  alone('lsblk', '-f -a -b -d -l -p -J, -o --output <columns>'),
  alone('findmnt', '-l -D -J --df --list'),
  alone('which', '-a', operands(matching('the name of a program', /^[A-Za-z0-9][\w.+-]{0,60}$/), 1, 8)),
];

// Proxmox: its API is read at a few paths; others reach into guests.
const VMID = operands(matching('the number of a VM', /^\d{3,9}$/), 1, 1);
const NODE = '/nodes/[A-Za-z0-9][A-Za-z0-9-]{0,62}';
const API_PATH = matching(
  'a path such as /cluster/resources or /nodes/<node>/qemu/<vmid>/config',
  new RegExp(
    `^(?:/version|/nodes|/storage|/pools|/cluster/(?:status|resources|tasks|ha/status/current|options)|${NODE}/(?:status|version|qemu|lxc|` +
      'storage|network|services|tasks|time|disks/list)|' +
      `${NODE}/(?:qemu|lxc)/\\d{3,9}/(?:config|pending|status/current|snapshot)|` +
      `${NODE}/tasks/UPID:[\\w.:@!-]{1,150}/(?:status|log))$`,
  ),
);

const proxmox = (name: string, ...verbs: Tool['verbs'][]): Tool => ({ name, wholeWords: true, verbs: verbs.flat() });
const guests = (name: string): Tool =>
  proxmox(name, verb('list'), verb('status', '--verbose', VMID), verb('config, pending, listsnapshot', '', VMID));

export const PROXMOX: readonly Tool[] = [
  guests('qm'),
  guests('pct'),
  proxmox('pvesh', verb('get', '--output-format <json|json-pretty|yaml|text>', operands(API_PATH, 1, 1))),
  proxmox('pvesm', verb('status'), verb('list', '', operands(NAME, 1, 1))),
  proxmox('pvecm', verb('status, nodes')),
  proxmox('pveversion', verb('', '-v --verbose')),
  { name: 'zpool', verbs: verb('status, list', '-v -x', { operand: matching('a pool', /^[A-Za-z][\w.-]*$/) }) },
  { name: 'zfs', verbs: verb('list', '-r -H', { operand: matching('a dataset', /^[A-Za-z][\w./-]*$/) }) },
];

// git: which commits and which files, never what is in them. A textconv driver would decrypt what the owner keeps encrypted,
// and a diff shows files that the stage's case does not.
// No colon, which names a file in a commit; no blob can be shown by git log or in a summary.
const REVISION = matching('a revision', /^(?!.*\/\.\.(?:\/|$))[A-Za-z0-9@][\w./~^-]{0,100}$/);
const HEAD = matching('HEAD, HEAD~1, …', /^HEAD(?:[~^]\d{0,4})*$/);
const SUMMARY = '--stat --shortstat --numstat --name-only --name-status --summary';
const PATHS = { path: BELOW };

export const GIT: Tool = {
  name: 'git',
  before: flags('--no-pager'),
  verbs: [
    verb('status', '-s --short -b --branch --porcelain, --untracked-files=<no|normal|all>', PATHS),
    verb(
      'log',
      `${SUMMARY} --oneline --graph --decorate --all --merges --no-merges --follow --first-parent -s --no-patch
       --no-color --reverse -NUMBER, -n --max-count <number>, --since=<moment>, --until=<moment>, --after=<moment>,
       --format=<pretty>, --pretty=<pretty>, --date=<short|iso|relative>`,
      { ...operands(REVISION, 0, 2), ...PATHS },
    ),
    verb('show', `${SUMMARY} -s --no-patch --oneline --no-color`, {
      ...operands(HEAD, 0, 1),
      needs: [[...SUMMARY.split(' '), '-s', '--no-patch']],
    }),
    verb('diff', `${SUMMARY} --cached --staged --no-color`, {
      ...operands(REVISION, 0, 2),
      needs: [SUMMARY.split(' ')],
      ...PATHS,
    }),
    verb('ls-files', '-m --modified -o --others -d --deleted --exclude-standard', PATHS),
    verb('rev-parse', '--short --abbrev-ref --verify --show-toplevel --is-inside-work-tree', operands(REVISION, 0, 2)),
    verb('version'),
  ].flat(),
};
