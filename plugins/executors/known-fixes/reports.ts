// What tools say of a word that they do not know: one table of their sentences. Each row reads one sentence of one tool
// into the wrong word, its kind, and what the tool says of its place and of the right ones. Pure.
import { errorLines } from './complaints.ts';
import type { RepairFacts } from './repair.ts';
import { FIELDS } from './vocabulary.ts';

export type Kind =
  | 'variable'
  | 'attribute'
  | 'filter'
  | 'handler'
  | 'role'
  | 'module'
  | 'keyword'
  | 'key'
  | 'value'
  | 'group'
  | 'section'
  | 'object'
  | 'patch'
  | 'required'
  | 'repository'
  | 'target'
  | 'stage'
  | 'kind'
  | 'version'
  | 'resource'
  | 'python'
  | 'zone'
  | 'image'
  | 'cron';

export interface Report {
  readonly kind: Kind;
  /** '' when the tool names only the place. */
  readonly word: string;
  /** What was looked for: a section of a file, the kind of a Kubernetes object. */
  readonly type?: string;
  /** The key path of the place, list positions left out. */
  readonly path?: readonly string[];
  readonly file?: string;
  /** All that the tool would take there. */
  readonly given?: readonly string[];
  /** What the tool takes it for. */
  readonly hint?: string;
}

const TOOLS: readonly (readonly [Kind, RegExp])[] = [
  // Ansible and Jinja
  ['variable', /(?<!\w)'(?<word>[A-Za-z_]\w*)' is undefined/g],
  ['variable', /map has no entry for key "(?<word>\w+)"/g],
  ['variable', /undefined variable ["'`]\$?(?<word>\w+)["'`]/g],
  ['attribute', /'dict object' has no attribute '(?<word>\w+)'/g],
  ['filter', /No filter named '(?<word>\w+)'/g],
  ['filter', /Could not load "(?<word>[\w.]+)": '/g],
  ['handler', /The requested handler '(?<word>[^'\n]+)' was not found/g],
  ['role', /the role '(?<word>[^'\n]+)' was not found/g],
  ['module', /couldn't resolve module\/action '(?<word>[\w.]+)'/g],
  ['module', /this task '(?<word>[\w.]+)' has extra params/g],
  ['keyword', /'(?<word>\w+)' is not a valid attribute for a \w+/g],
  ['keyword', /conflicting action statements: [\w.]+, (?<word>[\w.]+)/g],
  ['key', /Unsupported parameters for \(\S+\) module: (?<word>\w+)\. Supported parameters include: (?<given>[^\n.]+)/g],
  ['value', /value of (?<path>\w+) must be one of: (?<given>[^\n]+?),? got: (?<word>[\w-]+)/g],
  ['value', /'(?<word>\w+)' is not a valid boolean\.\s+Valid booleans include: (?<given>[^\n]+)/g],
  ['group', /Could not match supplied host pattern, ignoring: (?<word>[\w-]+)/g],
  // docker compose
  ['section', /depends on undefined (?<type>service) "?(?<word>[\w.-]+)"?/g],
  ['section', /depends on (?<type>service) '(?<word>[\w.-]+)' which is undefined/g],
  ['section', /refers to undefined (?<type>network|volume|secret|config) "?(?<word>[\w.-]+)"?/g],
  ['section', /no such (?<type>service): (?<word>[\w.-]+)/g],
  ['key', /(?<path>[\w.()-]+) Additional property (?<word>[\w-]+) is not allowed/g],
  ['key', /(?<path>[\w.()-]+) additional properties '(?<word>[\w-]+)' not allowed/g],
  ['key', /Unsupported config option for (?<path>[\w.-]+): '(?<word>[\w-]+)'/g],
  ['section', /Named (?<type>volume) "(?<word>[\w.-]+)[:"][^\n]* no declaration was found/g],
  ['variable', /[Tt]he \\?"(?<word>\w+)\\?" variable is not set/g],
  ['variable', /required variable (?<word>\w+) is missing a value/g],
  // Flux
  ['variable', /variable not set \(strict mode\): "(?<word>\w+)"/g],
  ['object', /\b(?<type>[a-zA-Z]+)\.[\w.]+\.(?:io|com|sh|dev)(?:\/\w+)? "(?<word>[\w.-]+)" not found/g],
  ['object', /unable to get '(?:[\w-]+\/)?(?<word>[\w.-]+)' dependency: (?<type>Kustomization|HelmRelease)/gi],
  // Kubernetes, kustomize, Helm
  [
    'object',
    /(?<![\w.])(?<type>configmap|secret|serviceaccount|persistentvolumeclaim|service|namespace)s? "(?<word>[\w.-]+)" not found/gi,
  ],
  ['object', /(?<![\w.])(?<type>[a-z]+)\.(?:apps|batch) "(?<word>[\w.-]+)" not found/g],
  ['repository', /\brepo (?<word>[\w-]+) not found/g],
  ['patch', /no matches for Id (?<type>\w+)\.[\w.]+\/(?<word>[\w.-]+)\.\[/g],
  ['key', /ValidationError\((?<path>[\w.[\]]+)\): unknown field "(?<word>\w+)"/g],
  ['key', /(?<!\): )unknown field "(?<path>(?:\w+(?:\[\d+\])?\.)*)(?<word>\w+)"/g],
  ['key', /additional properties '(?<word>\w+)' not allowed/g],
  ['key', /Additional property (?<word>\w+) is not allowed/g],
  ['key', /additionalProperties '(?<word>[\w-]+)' not allowed/g],
  ['kind', /no matches for kind "(?<word>\w+)" in version/g],
  ['version', /no matches for kind "\w+" in version "(?<word>[\w./]+)"/g],
  ['value', /(?<path>[\w.[\]-]+): Unsupported value: "(?<word>[^"]+)": supported values: (?<given>[^\n]+)/g],
  ['value', /(?:- |at ')(?<path>[\w./-]+)'?: .*?must be one of(?: the following:)? (?<given>['"][^\n]+)/g],
  ['filter', /function "(?<word>\w+)" not defined/g],
  // go-yaml, Terraform, make, just, Taskfile
  ['key', /field (?<word>\w+) not found in type/g],
  ['key', /An argument named "(?<word>\w+)" is not expected here/g],
  ['key', /Blocks of type "(?<word>\w+)" are not expected here/g],
  ['variable', /(?:input variable|local value) with the name "(?<word>\w+)" has not been declared/g],
  ['resource', /A (?:managed|data) resource "(?<type>\w+)" "(?<word>\w+)" has not been declared/g],
  ['target', /No rule to make target '(?<word>[\w.-]+)'/g],
  ['target', /\bTask "(?<word>[\w:.-]+)" does not exist/g],
  ['target', /(?:unknown dependency|does not contain recipe) `(?<word>[\w-]+)`/g],
  ['variable', /[Vv]ariable `(?<word>\w+)` not defined/g],
  ['variable', /missing required variables?: (?<word>\w+)$/gm],
  ['attribute', /This object does not have an attribute named "(?<word>\w+)"/g],
  // Images
  ['stage', /--from=(?<word>[\w.-]+) [^\n]*no stage or image found/g],
  ['stage', /docker\.io\/library\/(?<word>[\w.-]+):latest: (?:pull access denied|not found)/g],
  // What other tools keep in sections of a file
  ['section', /undefined (?<type>receiver|\w+ interval) "(?<word>[\w.-]+)"/g],
  ['section', /\b(?<type>middleware|service|entryPoint|router) "(?<word>[\w-]+)(?:@file)?" does(?:n't| not) exist/gi],
  // Programs that name what they take, and Python
  ['value', /invalid choice: '(?<word>[^'\n]+)' \(choose from (?<given>[^\n)]+)\)/g],
  ['value', /'(?<word>[^'\n]+)' is not one of \[(?<given>[^\n\]]+)\]/g],
  [
    'value',
    /(?:unknown|invalid|unsupported) [\w ]+?:? ['"](?<word>[^'"\n]+)['"],? \((?:allowed|valid|one of|must be|expected|choose)[^:\n)]*:? (?<given>[^\n)]+)\)/gi,
  ],
  ['value', /one of:? [[(]?(?<given>[^\n]*?)[\])]?,? (?:but )?(?:got|found|was):? ["'`]?(?<word>[\w.-]+)/g],
  [
    'value',
    /["'`](?<word>[\w./-]+)["'`][^"'`\n]{0,40}?\b(?:one of|possible values|valid \w+ are|supported \w+:)[:\s[]*(?<given>[^\n]+)/gi,
  ],
  ['value', /invalid value '(?<word>[^'\n]+)' for [^\n]*\n?\s*\[possible values: (?<given>[^\]\n]+)\]/g],
  ['key', /(?:unrecognized|unknown) directive:? "?(?<word>[\w-]+)/g],
  [
    'key',
    /unknown (?:keyword|option|key|parameter|setting|property|argument|lvalue|key name)s?:? ["'`](?<word>[\w-]+)["'`]/gi,
  ],
  ['key', /field not found, node: (?<word>\w+)/g],
  ['key', /[['](?<word>\w+)[\]'] is an invalid option for/g],
  ['required', /["'](?<word>\w+)["'] is (?:a )?required\b/g],
  ['required', /missing required arguments?: (?<word>\w+)$/gm],
  ['python', /NameError: name '(?<word>\w+)' is not defined/g],
  ['python', /has no attribute '(?<word>\w+)'\. Did you mean/g],
  [
    'zone',
    /(?:unknown time zone|No time zone found with key|not installed time zone) ['"]?(?<word>\w+(?:\/[\w+-]+)*)/gi,
  ],
  [
    'image',
    /(?:image|reference|parse)s? (?:name |stage name |reference )?\\?["'](?<word>[^"'\n\\]+)\\?["'][^\n]*invalid reference format/gi,
  ],
  ['image', /(?<word>)invalid reference format/g],
  ['cron', /(?:schedule|cron)\w*: Invalid value: "(?<word>[^"\n]+)"/gi],
  ['cron', /cron (?:expression|spec|schedule)[^"'\n]*["'](?<word>[^"'\n]+)["']/gi],
  ['cron', /expected exactly 5 fields, found \d+: \[(?<word>[^\]\n]+)\]/g],
];

const HINT = /Did you mean:? ["'`](?<word>[^"'`\n]+)["'`]/;
/** Where the tool says that it was. */
const FILES = [/(?:^|to be )in '([^'\n]+)': line \d+/m, /\bon (\S+\.tf) line \d+/, /File "([^"\n]+)", line \d+/];

/** The error lines as one text, what JSON escaped readable again, frames and log prefixes of tools left out. */
export function errorText(facts: RepairFacts): string {
  const text = errorLines(facts)
    .map((line) => line.replace(/^[│╷╵|]\s?/, ''))
    .join('\n');
  return text.replaceAll('\\n', '\n').replaceAll('\\t', '\t').replaceAll('\\"', '"');
}

/** What Talos prints: the way down to a key that it does not know, and what stands below that. */
const TALOS = /unknown keys found during decoding:\s+((?:[\w-]+:\s+)+)/;

function talosReport(text: string): Report[] {
  const way = TALOS.exec(text)?.[1]?.match(/[\w-]+/g) ?? [];
  const word = way.find((key) => !FIELDS.talos.includes(key));
  return word === undefined ? [] : [{ kind: 'key', word }];
}

/** Every word that the errors call wrong, each once: the first row that reads it decides. */
export function reportsIn(text: string): Report[] {
  const hint = HINT.exec(text)?.groups?.word;
  const file = FILES.map((pattern) => pattern.exec(text)?.[1]).find((name) => name !== undefined);
  const reports = TOOLS.flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)].map(({ groups = {} }): Report => {
      const { word = '', type, path, given } = groups as Partial<Record<string, string>>;
      return {
        kind,
        word,
        ...(type && { type: type.toLowerCase() }),
        ...(path && { path: segments(path) }),
        ...(file && { file }),
        ...(given && { given: listed(given) }),
        ...(hint && { hint }),
      };
    }),
  );
  reports.push(...talosReport(text));
  // The same word is often reported twice, with more and with less detail.
  return reports.filter((one, i) => {
    const isSame = (other: Report) => other.kind === one.kind && (other.word === one.word || one.word === '');
    return !reports.slice(0, i).some(isSame);
  });
}

const listed = (text: string): string[] => text.match(/[\w./-]+/g) ?? [];

/** The keys of `spec.containers[0].image` and `/spec/containers/0/image`, without positions and the root. */
export const segments = (path: string): string[] =>
  path.split(/[./[\]]+/).filter((part) => part !== '' && part !== '(root)' && !/^\d+$/.test(part));
