// The machine itself: services, their journal, network, disks, names. None of these follows, writes or reads a file's text.
import {
  ADDRESS,
  BELOW,
  either,
  HOST,
  listOf,
  MOMENT,
  matching,
  NAME,
  NUMBER,
  on,
  oneOf,
  PRIVATE_ADDRESS,
  TEXT,
  type Tool,
  taking,
  verbs,
} from '../grammar.ts';

const UNIT = { operand: matching('a unit', /^[A-Za-z0-9][\w.@:\\-]{0,200}$/) };
const PLAIN = on('--no-pager -l --full -a --all -q --quiet --no-legend --plain');
// Not Environment, not ExecStart: their values may be secrets.
const PROPERTIES = oneOf(
  'ActiveState SubState Result LoadState UnitFileState ExecMainStatus ExecMainCode NRestarts MainPID Id Names Description FragmentPath StateChangeTimestamp ActiveEnterTimestamp InactiveEnterTimestamp MemoryCurrent TasksCurrent',
);

const SYSTEMCTL: Tool = {
  name: 'systemctl',
  before: on('--no-pager'),
  verbs: [
    { words: 'status', flags: { ...PLAIN, ...taking(NUMBER, '-n --lines') }, ...UNIT },
    ...verbs('is-active is-enabled is-failed', { flags: on('-q --quiet'), ...UNIT, count: [1, 8] }),
    ...verbs('list-units list-unit-files list-timers list-jobs', {
      flags: { ...PLAIN, ...on('--failed'), ...taking(listOf(NAME), '-t --type --state') },
      operand: matching('a unit or pattern', /^[A-Za-z0-9*][\w.@:*\\-]{0,200}$/),
    }),
    {
      words: 'show',
      ...{ flags: { ...on('--no-pager --value'), ...taking(listOf(PROPERTIES), '-p --property') }, ...UNIT },
      needs: [['-p', '--property']],
    },
    { words: 'is-system-running' },
  ],
};

const JOURNALCTL: Tool = {
  name: 'journalctl',
  verbs: [
    {
      words: '',
      flags: {
        ...{
          ...taking(NAME, '-u --unit -t --identifier'),
          ...taking(NUMBER, '-n --lines'),
          ...taking(TEXT, '-g --grep'),
        },
        ...{ ...taking(MOMENT, '-S --since -U --until'), ...taking(NAME, '-p --priority') },
        ...taking(oneOf('short short-iso short-precise cat json'), '-o --output'),
        ...on('--no-pager -k --dmesg -b --boot -r --reverse -q --quiet --utc --no-hostname'),
      },
      needs: [['-n', '--lines', '-S', '--since']],
    },
  ],
};

const SHOW = {
  operand: matching('an interface, or dev, table, up', /^[a-z0-9][\w.@:-]{0,30}$/),
  count: [0, 4] as const,
};

const IP: Tool = {
  name: 'ip',
  wholeWords: true,
  before: on('-4 -6 -br -brief -s -d -o -j -json -details'),
  verbs: [
    ...verbs('a addr address link route neigh rule'),
    ...['a', 'addr', 'address', 'link', 'route', 'neigh', 'rule'].flatMap((object) =>
      ['show', 'list'].map((verb) => ({ words: `${object} ${verb}`, ...SHOW })),
    ),
    { words: 'route get', operand: ADDRESS, count: [1, 1] },
  ],
};

const RECORD = oneOf('A AAAA CNAME MX NS SOA SRV TXT PTR CAA');
const DIG_WORD = matching('+short and the like', /^\+(?:short|noall|answer|(?:time|tries)=[1-5])$/);
const DIG_SERVER = {
  what: '@ and a private IPv4 address',
  takes: (text: string) => text.startsWith('@') && PRIVATE_ADDRESS.takes(text.slice(1)),
};

const alone = (name: string, flags: string): Tool => ({
  name,
  verbs: [{ words: '', flags: flags === '' ? {} : on(flags) }],
});

export const MACHINE: readonly Tool[] = [
  ...[SYSTEMCTL, JOURNALCTL, IP],
  {
    name: 'ss',
    verbs: [
      { words: '', flags: on('-t -u -l -n -p -a -s -4 -6 -x --tcp --udp --listening --numeric --processes --summary') },
    ],
  },
  {
    name: 'ping',
    verbs: [
      {
        words: '',
        flags: {
          ...taking(matching('a count of at most 10', /^(?:[1-9]|10)$/), '-c'),
          ...{ ...taking(matching('at most 30', /^(?:[1-9]|[12]\d|30)$/), '-W -w'), ...on('-4 -6 -n -q') },
        },
        ...{ operand: HOST, count: [1, 1], needs: [['-c']] },
      },
    ],
  },
  {
    name: 'dig',
    wholeWords: true,
    verbs: [
      {
        words: '',
        flags: taking(ADDRESS, '-x'),
        operand: either(HOST, RECORD, DIG_WORD, DIG_SERVER),
        count: [0, 6],
        // More names would carry more out.
        check: ({ operands }) =>
          operands.filter((word) => !/^[+@]/.test(word) && !RECORD.takes(word)).length > 1
            ? 'dig may be asked for one name at a time'
            : undefined,
      },
    ],
  },
  {
    name: 'nslookup',
    verbs: [
      {
        words: '',
        ...{ operand: HOST, count: [1, 2] },
        check: ({ operands: [, server] }) =>
          server === undefined || PRIVATE_ADDRESS.takes(server)
            ? undefined
            : 'nslookup may only ask a private IPv4 address',
      },
    ],
  },
  { name: 'getent', verbs: verbs('hosts ahosts ahostsv4 ahostsv6', { operand: HOST, count: [1, 1] }) },
  {
    name: 'df',
    verbs: [
      {
        words: '',
        flags: on('-h -T -i -a -l -k -m -P --human-readable --inodes --local --print-type'),
        operand: matching('a path', /^[\w./][\w./@+-]{0,200}$/),
      },
    ],
  },
  {
    name: 'ls',
    verbs: [{ words: '', flags: on('-l -a -A -h -1 -t -r -S -d -n -R --all --human-readable'), operand: BELOW }],
  },
  alone('free', '-b -k -m -g -h -w -t --human --wide --total'),
  alone('uptime', '-p -s --pretty --since'),
  alone('uname', '-a -s -n -r -v -m -o --all'),
  alone('hostname', '-f -I -s'),
  alone('date', '-u --utc'),
  alone('nproc', '--all'),
  alone('lscpu', '-J'),
  { name: 'timedatectl', verbs: [{ words: '' }, ...verbs('status timesync-status', { flags: on('--no-pager') })] },
  {
    name: 'lsblk',
    verbs: [
      {
        words: '',
        flags: { ...on('-f -a -b -d -l -p -J'), ...taking(matching('columns', /^[A-Z,-]{1,200}$/), '-o --output') },
      },
    ],
  },
  { name: 'findmnt', verbs: [{ words: '', flags: on('-l -D -J --df --list') }] },
  {
    name: 'which',
    verbs: [
      {
        words: '',
        flags: on('-a'),
        operand: matching('the name of a program', /^[A-Za-z0-9][\w.+-]{0,60}$/),
        count: [1, 8],
      },
    ],
  },
];
