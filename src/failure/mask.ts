// What changes between two runs of the same failure goes; what would need a different fix stays. An ordered table:
// each mask sees what the ones before it left.
import { clipMiddle, MAX_LINE_CHARS, MOMENT } from './clean.ts';

type MaskName = keyof typeof MASK_REASONS;

/** One replacement a mask made, for whoever asks why. */
export interface Masked {
  mask: MaskName;
  text: string;
}

/** What belongs to one place only, and what stands for it: where the checkout lies, the values of a matrix cell. */
export interface LocalMask {
  pattern: RegExp;
  becomes: string;
}

/** What a masked text becomes; the text itself when it stays. */
type Becomes = string | ((text: string, around: Around, groups: readonly string[]) => string);

interface Around {
  before: string;
  after: string;
}

/** Longest template; of a longer one head and tail stay. */
export const MAX_TEMPLATE_CHARS = 1200;

/** Services that listen in the range from which the kernel gives out ports: Talos, WireGuard, Tailscale, gRPC. */
const SERVICE_PORTS = new Set(['50000', '50001', '50051', '51820', '51821', '41641']);

/** Endings of files that programs and people write; `registry.lan:5000` is a host and its port. */
export const SOURCE = [
  'sh|bash|zsh|ks|py|pyx|js|mjs|cjs|jsx|ts|tsx|go|rs|rb|pl|pm|php|java|kt|scala|c|cc|cpp|h|hpp|cs|swift|lua|s|S|sql',
  'ya?ml|json|toml|tf|tfvars|hcl|ini|conf|cfg|env|properties|mk|nix|j2|tpl|tmpl|xml|html|css|md|txt|service|rules|cue|rego',
].join('|');

const stable = (port: string) => Number(port) < 32768 || SERVICE_PORTS.has(port);

/** A number after one of these needs a different fix when it is another number. */
const TELLING = new RegExp(
  [
    String.raw`\b(?:exit(?:ed)?(?: with| code| status)?|code|status|statuscode|errno|err(?:or)?|signal|rc|ret)\W{0,3}`,
    String.raw`\b(?:code|status|signal) (?:is |was |of |with )|\b(?:invalid|illegal|bad|wrong) (?:value|port|number)\W{0,3}`,
    String.raw`\b(?:https?|ports?|vm|ct|vmid|ctid|qm \w+|pct \w+|lxc|guest|container|vlan|tag|manifest|uid|gid|mode|version|release)\W{0,3}`,
    String.raw`HTTP\/\d(?:\.\d)?"? |[=~<>!]=`,
  ]
    .map((source) => `(?:${source})$`)
    .join('|'),
  'i',
);
/** `registry.lan:`, `<ip>:`; a port follows. */
const HOST_BEFORE = /(?:^|[\s"'/@(=>[])(?:<ip>\]?|[A-Za-z0-9][A-Za-z0-9-]*[.-][A-Za-z0-9.-]*[A-Za-z0-9]|localhost):$/;
/** `ghcr.io/lab/dns:`; the tag of an image follows. */
const IMAGE_BEFORE = /[\w.-]\/[\w.-]+:$/;
/** `redis:`, or ` :` where somebody listens; a port may follow. */
const SERVICE_BEFORE = /(?:^|[\s"'/@(=>])(?:[a-z][a-z0-9]*|\*)?:$/;

/** One pattern out of several. */
const either = (flags: string, ...patterns: readonly RegExp[]): RegExp =>
  new RegExp(patterns.map(({ source }) => source).join('|'), flags);

const withoutDigits = (text: string): string => text.replace(/\d+/g, '#');

/** Letters that Kubernetes makes up names from: no vowels, no 0, 1 and 3. */
const MADE_UP = '[bcdf-hj-np-tv-xz2-9]';

/** Why each mask is there, by its name. */
export const MASK_REASONS = {
  checkout: 'where the repository lies',
  mac: 'a hardware address',
  time: 'when it happened',
  klog: 'time and thread of a Kubernetes log line',
  uuid: 'an id made anew each time',
  task: 'a Proxmox task id',
  'temporary path': 'a temporary name made anew each time',
  'random name': 'a part of a path that nobody would choose',
  'temporary name': 'a temporary name made anew each time',
  'process folder': 'the number of a process',
  connection: 'the local end of a connection',
  address: 'an address that may be given anew',
  loopback: 'this machine',
  port: 'a port that was free at that moment',
  pod: 'the part of a name that Kubernetes makes up',
  hex: 'an address in memory or an id',
  hash: 'a hash or an id made anew each time',
  'random word': 'letters and digits in a mix that nobody would choose; a public key of age stays',
  duration: 'how long it took',
  size: 'how much was moved',
  position: 'a line that moves when the file is edited',
  count: 'how often or how many so far',
  process: 'the number of a process or thread',
  peer: 'whoever knocked from outside',
  'core dump': 'a file named after a process',
  'long number': 'an id or a moment in digits',
  number: 'a number that no rule names as telling',
  id: 'the rest of an id of which a part was masked',
} as const;

const WORKTREE = /(?:\/[^\s/'"`:,;()[\]=]+)+\/ai\/worktree(?:\/|(?![\w-]))/g;

/** Name, what is looked for, what it becomes: each mask sees what the ones before it left. */
const MASKS: readonly (readonly [name: MaskName, pattern: RegExp, becomes: Becomes])[] = [
  ['checkout', WORKTREE, ''],
  ['mac', /\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b/gi, '<mac>'],
  ['time', new RegExp(`(?<!\\w)(?:${MOMENT})(?!\\w)`, 'g'), '<time>'],
  ['klog', /(?<!\S)[IWEF]\d{4} (?:<time> )?\s*\d+ (?=[\w.-]+:\d+\])/g, (text) => `${text[0]} `],
  ['uuid', /(?<![0-9a-z])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-z])/gi, '<uuid>'],
  [
    'task',
    /\bUPID:[\w.-]+:[0-9A-F]{8}:[0-9A-F]{8}:[0-9A-F]{8}:(\w+):([\w.-]*):\S*/g,
    (_text, _around, [kind, id]) => `task ${kind} of VM ${id}`,
  ],
  [
    'temporary path',
    /(?:\/private)?\/(?:var\/folders\/[\w+/]{1,60}?\/T|var\/tmp|tmp|run\/user\/\d+|dev\/shm)\/([^\s/'":,;)\]]+)/g,
    (text, _around, [name]) => temporary(text, name as string),
  ],
  ['random name', /(?<=\/)(?=[A-Za-z]*\d)(?=[\da-z]*[A-Z])(?=[\dA-Z]*[a-z])[A-Za-z0-9]{8,40}(?=\/)/g, '#'],
  [
    'temporary name',
    either(
      'g',
      /(?<![\w/])(?:tmp|temp)[._-][A-Za-z0-9]{6,12}\b/,
      /(?<=\btemporary (?:file|directory) ['"‘]?[^\s'"]{0,100}\/)[^\s/'"’:]+(?=['"’:\s]|$)/,
    ),
    '<tmp>',
  ],
  ['process folder', /\/proc\/\d+/g, '/proc/#'],
  ['connection', /(?:\[[0-9a-f:]{2,39}\]|\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}(?= ?->)/gi, '<local>'],
  [
    'address',
    /(?<![\w.])\d{1,3}(?:[.]\d{1,3}){3}(?![\w-]|\.\d)/g,
    (text) => (/^(?:127\.|0\.0\.0\.0)/.test(text) ? text : '<ip>'),
  ],
  // Said as a name, so that the port behind it is read as one.
  ['loopback', /(?<![\w:])\[?::1\]?(?!\w)/g, 'ip6-localhost'],
  [
    'address',
    either(
      'gi',
      /(?<![\w:])(?=[0-9a-f]*:[0-9a-f:]*[:\d])(?:[0-9a-f]{1,4}:){2,7}(?::?[0-9a-f]{1,4}){1,7}(?![\w:])/,
      /\bf[ed][0-9a-f]{2}::[0-9a-f:]+/,
    ),
    (text) => (text.includes('::') || text.split(':').length === 8 ? '<ip>' : text),
  ],
  [
    'port',
    /(?:(?:<ip>\]?|localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|(?<![a-z])[a-z][\w-]*(?:\.[\w-]+)+):|\bport[ :=])(\d{5})\b/g,
    (text, _around, [port]) => (stable(port as string) ? text : text.replace(port as string, '<port>')),
  ],
  ['pod', new RegExp(`-(?=[a-z]*\\d)(?:${MADE_UP}{8,10}-)?${MADE_UP}{5}(?![A-Za-z0-9-])`, 'g'), '-<pod>'],
  [
    'hex',
    /\b0x[0-9a-f]+\b/gi,
    (text, { before }) => (/\b(?:code|error|status|errno|result)\W{0,3}$/i.test(before) ? text : '#'),
  ],
  [
    'hash',
    either(
      'g',
      /(?<![A-Za-z0-9])(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,128}(?![A-Za-z0-9])/,
      /(?<![A-Za-z0-9])(?=[0-9A-F]*[0-9])(?=[0-9A-F]*[A-F])[0-9A-F]{8,128}(?![A-Za-z0-9])/,
    ),
    '#',
  ],
  [
    'random word',
    /(?<![A-Za-z0-9])[A-Za-z0-9]{10,64}(?![A-Za-z0-9])/g,
    (text) => (isRandom(text) && !text.startsWith('age1') ? '#' : text),
  ],
  ['pod', /-#-(?:<pod>|[a-z0-9]{5}(?![A-Za-z0-9-]))/g, '-<pod>'],
  [
    'duration',
    either(
      'g',
      // How often Kubernetes has seen an event, and for how long.
      /(?<![\w.-])\d+[\dhms]*[hms] \(x\d+ over \d+[\dhms]*[hms]\)/,
      /(?<![\w.-])\d+(?:\.\d+)?(?:h\d+m(?:[\d.]+s)?|m[\d.]+s)/,
      /(?<![\w.-])\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|m|h|secs?|mins?|(?:micro|milli)?seconds?|minutes?|hours?)(?![\w-])/,
    ),
    '<duration>',
  ],
  [
    'size',
    /(?<![\w.-])\d+(?:\.\d+)? ?(?:[KMGTkmgt]i?)?(?:B|bytes?|bit)(?:\/s)?(?!\w)|(?<![\w.])\d+(?:\.\d+)?%/g,
    '<size>',
  ],
  [
    'position',
    either(
      'g',
      /\b(?:[Ll]ines?|[Cc]olumn|col|char|offset|position|row)[ :=]{1,2}\d+(?:[-:]\d+)?/,
      new RegExp(String.raw`(?:\.(?:${SOURCE})"?|Makefile|<stdin>|\[eval\]|<string>)(?::\d+){1,2}(?!\d)`),
      /\(\d+:\d+\)|^\s*\d+:\d+(?=\s)/,
    ),
    (text) => withoutDigits(text).replace(/#(?::#)*/g, '#'),
  ],
  [
    'count',
    either(
      'gi',
      /(?<![\w./])\d+ ?\/ ?\d+(?![\w/.])|\bx\d+(?= over\b)|^Err:\d+/,
      /\b(?:attempt|retry|try|tries|iteration|round)s?[ #:=]{0,2}\d+/,
    ),
    withoutDigits,
  ],
  // Whoever has a lock that apt wants.
  ['process', /(?<=\bheld by process )\d+(?: \([^)]{1,40}\))?/g, '#'],
  [
    'process',
    /(?<=^ERROR )\d+(?= --- )|\b(?:pid|tid|ppid|process|thread|child)[ =:#]{0,2}\d+|(?<=[\w)])\[\d+\](?=:)/gi,
    withoutDigits,
  ],
  [
    'peer',
    either(
      'gi',
      /(?<=\b(?:rhost|rip)=)[\w.<>:#-]+|(?<=\binvalid user {1,2})\S+|(?<=\bfrom <ip> port )(?:\d+|<port>)/,
      // Also the name that was tried.
      /(?<=\bFailed (?:password|none|publickey) for )(?!invalid user)\S+(?= from <ip>)/,
      /(?<=\bfrom <ip> \()[^()]*(?=\))|(?<=\bgetaddrinfo for )[\w<>.-]+(?= \[<ip>\])/,
    ),
    '<peer>',
  ],
  ['core dump', /\bcore\.\d+\b/g, 'core.#'],
  ['long number', /(?<![\d.]|0x)-?(?:\d{6,}|0\d{4,})(?:\.\d+)?(?!\d)/g, '#'],
  [
    'number',
    /(?<![\w/@#-]|(?<!\.)\.)-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w/@-]|\.\w|:\/\/)/g,
    (text, around) => (isTelling(text, around) ? text : '#'),
  ],
  ['id', /(?<![\w#])[\w#]*#[\w#]*/g, withoutDigits],
  ['id', /(?<=-)\d+(?=-#)/g, '#'],
];

/** The template of an error: `text` with everything masked, spaces evened out. */
export function template(text: string, onMask?: (masked: Masked) => void, local: readonly LocalMask[] = []): string {
  let out = clipMiddle(text, MAX_LINE_CHARS);
  for (const { pattern, becomes } of local) out = out.replace(pattern, becomes);
  for (const [name, pattern, becomes] of MASKS) {
    out = out.replace(pattern, (match: string, ...rest: unknown[]) => {
      const at = rest.findIndex((value) => typeof value === 'number');
      const start = rest[at] as number;
      const end = start + match.length;
      const around = { before: out.slice(Math.max(0, start - 40), start), after: out.slice(end, end + 40) };
      const put = typeof becomes === 'string' ? becomes : becomes(match, around, rest.slice(0, at) as string[]);
      if (put !== match) onMask?.({ mask: name, text: match });
      return put;
    });
  }
  return clipMiddle(out.replace(/\s+/g, ' ').trim(), MAX_TEMPLATE_CHARS);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Masks for a place of the checkout and a cell's values; short values and numbers are too common to be meant. */
export function localMasks(checkout: string | undefined, values: readonly string[] = []): LocalMask[] {
  const root = checkout?.replace(/\/+$/, '');
  const below = root && `(?<![\\w.-])${escaped(root)}(?:/(?:ai/worktree(?:/|(?![\\w-])))?|(?![\\w.-]))`;
  const telling = values
    .filter((value) => value.length >= 3 && !/^\d+$/.test(value))
    .sort((a, b) => b.length - a.length);
  return [
    ...(below ? [{ pattern: new RegExp(below, 'g'), becomes: '' }] : []),
    ...telling.map((value) => ({ pattern: new RegExp(`(?<!\\w)${escaped(value)}(?!\\w)`, 'g'), becomes: '<cell>' })),
  ];
}

/** A line without the place where the checkout lies; another text stays as it is. */
export const withoutCheckout = (line: string, local: readonly LocalMask[]): string =>
  local
    .filter(({ becomes }) => becomes === '')
    .reduce((text, { pattern }) => text.replace(pattern, ''), line)
    .replace(WORKTREE, '');

const RANDOM_END =
  /(?:^|[._-])(?=[A-Za-z0-9_]*(?:\d[A-Za-z_]|[A-Za-z_]\d|[a-z][A-Z]|[A-Z][a-z]|\d{6}|[A-Z]{6}))[A-Za-z0-9_]{6,}$/;

/** The random part of a path below a temporary folder goes; a name that a person chose stays. */
function temporary(text: string, name: string): string {
  const random = /^(?:tmp|temp)[._-]?\w{4,}/i.test(name) || RANDOM_END.test(name.replace(/\.\w{1,5}$/, ''));
  const extension = /\.[A-Za-z]{1,5}$/.exec(name)?.[0] ?? '';
  return random ? `<tmp>${extension}` : text;
}

/** Names change between letters and digits rarely, and between small and capital letters once a word. */
function isRandom(word: string): boolean {
  const digits = word.match(/\d[A-Za-z]|[A-Za-z]\d/g)?.length ?? 0;
  const turns = word.match(/(?<=\d)(?=\D)|(?<=\D)(?=\d)|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[a-z])/g)?.length ?? 0;
  return digits >= 4 || (word.length >= 12 && turns >= 0.4 * word.length);
}

/** Whether another number there would need a different fix. */
function isTelling(text: string, { before, after }: Around): boolean {
  if (TELLING.test(before))
    return /^-?\d{1,5}(?:\.\d+)?$/.test(text) && !(text.length > 4 && /error\W{0,3}$/i.test(before));
  // `curl: (7) …`, `open (13: Permission denied)`
  if (/: \($/.test(before) ? after.startsWith(')') : before.endsWith('(') && after.startsWith(': ')) return true;
  if (/^[45]\d\d$/.test(text) && /\($/.test(before) && after.startsWith(')')) return true;
  if (/^[45]\d\d$/.test(text) && /\w: $/.test(before) && /^ [a-z]/i.test(after)) return true;
  const answers = /^ {1,2}[A-Z][a-z]/.test(after) || /(?:returned|response|got|HTTP) $/i.test(before);
  if ((/^[1-5]\d\d$/.test(text) && answers) || IMAGE_BEFORE.test(before)) return true;
  if (/^\d{2,5}$/.test(text) && HOST_BEFORE.test(before)) return true;
  return /^(?:22|25|53|80|443|\d{4,5})$/.test(text) && SERVICE_BEFORE.test(before);
}
