// What changes between two runs of the same failure goes; what would need a different fix stays. An ordered table:
// each mask sees what the ones before it left.
import { clipMiddle, LINE_CHARS, MOMENT } from './clean.ts';

/** One replacement a mask made, for whoever asks why. */
export interface Masked {
  mask: string;
  text: string;
}

interface Mask {
  name: string;
  /** Why it goes. */
  why: string;
  pattern: RegExp;
  /** What it becomes; the text itself when it stays. `before` is what stands in front of it. */
  becomes: string | ((text: string, around: Around, groups: readonly string[]) => string);
}

interface Around {
  before: string;
  after: string;
}

/** Longest template; of a longer one head and tail stay. */
export const TEMPLATE_CHARS = 1200;

/** Services that listen in the range from which the kernel gives out ports: Talos, WireGuard, Tailscale, gRPC. */
const SERVICE_PORTS = new Set(['50000', '50001', '50051', '51820', '51821', '41641']);

/** Endings of files that programs and people write; `registry.lan:5000` is a host and its port. */
const SOURCE = [
  'sh|bash|zsh|ks|py|pyx|js|mjs|cjs|jsx|ts|tsx|go|rs|rb|pl|pm|php|java|kt|scala|c|cc|cpp|h|hpp|cs|swift|lua|s|S|sql',
  'ya?ml|json|toml|tf|tfvars|hcl|ini|conf|cfg|env|properties|mk|nix|j2|tpl|tmpl|xml|html|css|md|txt|service|rules|cue|rego',
].join('|');

const stable = (port: string) => Number(port) < 32768 || SERVICE_PORTS.has(port);

/** A number after one of these needs a different fix when it is another number. */
const TELLING = new RegExp(
  [
    String.raw`\b(?:exit(?:ed)?(?: with| code| status)?|code|status|statuscode|errno|err(?:or)?|signal|rc|ret)\W{0,3}`,
    String.raw`\b(?:code|status|signal) (?:is |was |of |with )`,
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
/** `redis:`; a port may follow. */
const SERVICE_BEFORE = /(?:^|[\s"'/@(=>])[a-z][a-z0-9]*:$/;

/** One pattern out of several. */
const either = (flags: string, ...patterns: readonly RegExp[]): RegExp =>
  new RegExp(patterns.map(({ source }) => source).join('|'), flags);

/** Letters that Kubernetes makes up names from: no vowels, no 0, 1 and 3. */
const MADE_UP = '[bcdf-hj-np-tv-xz2-9]';

const MASKS: readonly Mask[] = [
  { name: 'mac', why: 'a hardware address', pattern: /\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b/gi, becomes: '<mac>' },
  {
    name: 'time',
    why: 'when it happened',
    pattern: new RegExp(`(?<!\\w)(?:${MOMENT})(?!\\w)`, 'g'),
    becomes: '<time>',
  },
  {
    name: 'klog',
    why: 'time and thread of a Kubernetes log line',
    pattern: /(?<!\S)[IWEF]\d{4} (?:<time> )?\s*\d+ (?=[\w.-]+:\d+\])/g,
    becomes: (text) => `${text[0]} `,
  },
  {
    name: 'uuid',
    why: 'an id made anew each time',
    pattern: /(?<![0-9a-z])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-z])/gi,
    becomes: '<uuid>',
  },
  {
    name: 'task',
    why: 'a Proxmox task id',
    pattern: /\bUPID:[\w.-]+:[0-9A-F]{8}:[0-9A-F]{8}:[0-9A-F]{8}:(\w+):([\w.-]*):\S*/g,
    becomes: (_text, _around, [kind, id]) => `task ${kind} of VM ${id}`,
  },
  {
    name: 'temporary path',
    why: 'a temporary name made anew each time',
    pattern:
      /(?:\/private)?\/(?:var\/folders\/[\w+/]{1,60}?\/T|var\/tmp|tmp|run\/user\/\d+|dev\/shm)\/([^\s/'":,;)\]]+)/g,
    becomes: (text, _around, [name]) => temporary(text, name as string),
  },
  {
    name: 'random name',
    why: 'a part of a path that nobody would choose',
    pattern: /(?<=\/)(?=[A-Za-z]*\d)(?=[\da-z]*[A-Z])(?=[\dA-Z]*[a-z])[A-Za-z0-9]{8,40}(?=\/)/g,
    becomes: '#',
  },
  {
    name: 'temporary name',
    why: 'a temporary name made anew each time',
    pattern: either(
      'g',
      /(?<![\w/])(?:tmp|temp)[._-][A-Za-z0-9]{6,12}\b/,
      /(?<=\btemporary (?:file|directory) ['"‘]?[^\s'"]{0,100}\/)[^\s/'"’:]+(?=['"’:\s]|$)/,
    ),
    becomes: '<tmp>',
  },
  { name: 'process folder', why: 'the number of a process', pattern: /\/proc\/\d+/g, becomes: '/proc/#' },
  {
    name: 'connection',
    why: 'the local end of a connection',
    pattern: /(?:\[[0-9a-f:]{2,39}\]|\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}(?= ?->)/gi,
    becomes: '<local>',
  },
  {
    name: 'address',
    why: 'an address that may be given anew',
    pattern: /(?<![\w.])\d{1,3}(?:[.]\d{1,3}){3}(?![\w-]|\.\d)/g,
    becomes: (text) => (/^(?:127\.|0\.0\.0\.0)/.test(text) ? text : '<ip>'),
  },
  // Said as a name, so that the port behind it is read as one.
  { name: 'loopback', why: 'this machine', pattern: /(?<![\w:])\[?::1\]?(?!\w)/g, becomes: 'ip6-localhost' },
  {
    name: 'address',
    why: 'an address that may be given anew',
    pattern: either(
      'gi',
      /(?<![\w:])(?=[0-9a-f]*:[0-9a-f:]*[:\d])(?:[0-9a-f]{1,4}:){2,7}(?::?[0-9a-f]{1,4}){1,7}(?![\w:])/,
      /\bf[ed][0-9a-f]{2}::[0-9a-f:]+/,
    ),
    becomes: (text) => (text.includes('::') || text.split(':').length === 8 ? '<ip>' : text),
  },
  {
    name: 'port',
    why: 'a port that was free at that moment',
    pattern:
      /(?:(?:<ip>\]?|localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|(?<![a-z])[a-z][\w-]*(?:\.[\w-]+)+):|\bport[ :=])(\d{5})\b/g,
    becomes: (text, _around, [port]) => (stable(port as string) ? text : text.replace(port as string, '<port>')),
  },
  {
    name: 'pod',
    why: 'the part of a name that Kubernetes makes up',
    pattern: new RegExp(`-(?=[a-z]*\\d)(?:${MADE_UP}{8,10}-)?${MADE_UP}{5}(?![A-Za-z0-9-])`, 'g'),
    becomes: '-<pod>',
  },
  {
    name: 'hex',
    why: 'an address in memory or an id',
    pattern: /\b0x[0-9a-f]+\b/gi,
    becomes: (text, { before }) => (/\b(?:code|error|status|errno|result)\W{0,3}$/i.test(before) ? text : '#'),
  },
  {
    name: 'hash',
    why: 'a hash or an id made anew each time',
    pattern: either(
      'g',
      /(?<![A-Za-z0-9])(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,128}(?![A-Za-z0-9])/,
      /(?<![A-Za-z0-9])(?=[0-9A-F]*[0-9])(?=[0-9A-F]*[A-F])[0-9A-F]{8,128}(?![A-Za-z0-9])/,
    ),
    becomes: '#',
  },
  {
    name: 'random word',
    why: 'letters and digits in a mix that nobody would choose; a public key of age stays',
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{10,64}(?![A-Za-z0-9])/g,
    becomes: (text) => (isRandom(text) && !text.startsWith('age1') ? '#' : text),
  },
  {
    name: 'pod',
    why: 'the part of a name that Kubernetes makes up',
    pattern: /-#-(?:<pod>|[a-z0-9]{5}(?![A-Za-z0-9-]))/g,
    becomes: '-<pod>',
  },
  {
    name: 'duration',
    why: 'how long it took',
    pattern: either(
      'g',
      /(?<![\w.-])\d+(?:\.\d+)?(?:h\d+m(?:[\d.]+s)?|m[\d.]+s)/,
      /(?<![\w.-])\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|m|h|secs?|mins?|(?:micro|milli)?seconds?|minutes?|hours?)(?![\w-])/,
    ),
    becomes: '<duration>',
  },
  {
    name: 'size',
    why: 'how much was moved',
    pattern: /(?<![\w.-])\d+(?:\.\d+)? ?(?:[KMGTkmgt]i?)?(?:B|bytes?|bit)(?:\/s)?(?!\w)|(?<![\w.])\d+(?:\.\d+)?%/g,
    becomes: '<size>',
  },
  {
    name: 'position',
    why: 'a line that moves when the file is edited',
    pattern: either(
      'g',
      /\b(?:[Ll]ines?|[Cc]olumn|col|char|offset|position|row)[ :=]{1,2}\d+(?:[-:]\d+)?/,
      new RegExp(String.raw`(?:\.(?:${SOURCE})"?|Makefile|<stdin>|\[eval\]|<string>)(?::\d+){1,2}(?!\d)`),
      /\(\d+:\d+\)|^\s*\d+:\d+(?=\s)/,
    ),
    becomes: (text) => text.replace(/\d+/g, '#').replace(/#(?::#)*/g, '#'),
  },
  {
    name: 'count',
    why: 'how often or how many so far',
    pattern: either(
      'gi',
      /(?<![\w./])\d+ ?\/ ?\d+(?![\w/.])|\bx\d+(?= over\b)|^Err:\d+/,
      /\b(?:attempt|retry|try|tries|iteration|round)s?[ #:=]{0,2}\d+/,
    ),
    becomes: (text) => text.replace(/\d+/g, '#'),
  },
  {
    name: 'process',
    why: 'the number of a process or thread',
    pattern: /(?<=^ERROR )\d+(?= --- )|\b(?:pid|tid|ppid|process|thread|child)[ =:#]{0,2}\d+|(?<=[\w)])\[\d+\](?=:)/gi,
    becomes: (text) => text.replace(/\d+/g, '#'),
  },
  {
    name: 'peer',
    why: 'whoever knocked from outside',
    pattern: either(
      'gi',
      /(?<=\b(?:rhost|rip)=)[\w.<>:#-]+|(?<=\binvalid user )\S+|(?<=\bfrom <ip> port )\d+/,
      /(?<=\bfrom <ip> \()[^()]*(?=\))|(?<=\bgetaddrinfo for )[\w<>.-]+(?= \[<ip>\])/,
    ),
    becomes: '<peer>',
  },
  { name: 'core dump', why: 'a file named after a process', pattern: /\bcore\.\d+\b/g, becomes: 'core.#' },
  {
    name: 'long number',
    why: 'an id or a moment in digits',
    pattern: /(?<![\d.]|0x)-?(?:\d{6,}|0\d{4,})(?:\.\d+)?(?!\d)/g,
    becomes: '#',
  },
  {
    name: 'number',
    why: 'a number that no rule names as telling',
    pattern: /(?<![\w/@#-]|(?<!\.)\.)-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w/@-]|\.\w|:\/\/)/g,
    becomes: (text, around) => (isTelling(text, around) ? text : '#'),
  },
  {
    name: 'id',
    why: 'the rest of an id of which a part was masked',
    pattern: /(?<![\w#])[\w#]*#[\w#]*/g,
    becomes: (text) => text.replace(/\d+/g, '#'),
  },
  { name: 'id', why: 'the rest of an id of which a part was masked', pattern: /(?<=-)\d+(?=-#)/g, becomes: '#' },
];

/** The template of an error: `text` with everything masked, spaces evened out. */
export function template(text: string, onMask?: (masked: Masked) => void): string {
  let out = clipMiddle(text, LINE_CHARS);
  for (const { name, pattern, becomes } of MASKS) {
    out = out.replace(pattern, (found: string, ...rest: unknown[]) => {
      const at = rest.findIndex((value) => typeof value === 'number');
      const start = rest[at] as number;
      const end = start + found.length;
      const around = { before: out.slice(Math.max(0, start - 40), start), after: out.slice(end, end + 40) };
      const put = typeof becomes === 'string' ? becomes : becomes(found, around, rest.slice(0, at) as string[]);
      if (put !== found) onMask?.({ mask: name, text: found });
      return put;
    });
  }
  return clipMiddle(out.replace(/\s+/g, ' ').trim(), TEMPLATE_CHARS);
}

/** Why each mask is there, by its name. */
export const maskReasons: ReadonlyMap<string, string> = new Map(MASKS.map(({ name, why }) => [name, why]));

/** The random part of a path below a temporary folder goes; a name that a person chose stays. */
function temporary(text: string, name: string): string {
  const random =
    /^(?:tmp|temp)[._-]?\w{4,}/i.test(name) ||
    /(?:^|[._-])(?=[A-Za-z0-9_]*(?:\d[A-Za-z_]|[A-Za-z_]\d|[a-z][A-Z]|[A-Z][a-z]|\d{6}|[A-Z]{6}))[A-Za-z0-9_]{6,}$/.test(
      name.replace(/\.\w{1,5}$/, ''),
    );
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
  const status =
    /^[1-5]\d\d$/.test(text) && (/^ [A-Z][a-z]/.test(after) || /(?:returned|response|got|HTTP) $/i.test(before));
  return (
    status ||
    IMAGE_BEFORE.test(before) ||
    (/^\d{2,5}$/.test(text) &&
      (HOST_BEFORE.test(before) || (/^(?:22|25|53|80|443|\d{4,5})$/.test(text) && SERVICE_BEFORE.test(before))))
  );
}
