// What the errors reject: the words that a message calls unknown, missing or wrong, and what it names in their place. Pure.
import { errorLines } from './complaints.ts';
import type { RepairFacts } from './repair.ts';

export interface Rejection {
  readonly word: string;
  /** The message, with what belongs to it on the lines below. */
  readonly message: string;
  /** The names that the message gives in place of the word. */
  readonly offered: readonly string[];
  /** All other words of the errors. */
  readonly others: readonly string[];
}

const REJECTS = new RegExp(
  [
    'un(?:known|defined|recogni[sz]ed|supported|expected|bound|declared)|invalid|missing|required|one of|ignoring:|extra params',
    'no \\w+ or \\w+ found|no (?:such|matches|rule|filter|declaration|entry|host|module|attribute|task|recipe|\\w+ file)',
    'not (?:\\w+ ){0,4}(?:found|exist|known|defined|declared|set|allowed|supported|valid|expected|installed|match|one|have)',
    "does ?n[o']t exist|could(?:n't| not) (?:resolve|load|find|be found|open)|can(?:'t|not) (?:open|read|find|stat)",
    'does not point|conflicting action|has no (?:entry|attribute)|KeyError|access denied|unable to (?:get|parse)|TemplateNotFound',
  ]
    .map((phrases) => `\\b(?:${phrases})`)
    .join('|'),
  'i',
);
/** Up to what was found instead. */
const OFFERS = new RegExp(
  String.raw`\b(?:did you mean:?|choose from|one of|(?:supported|valid|allowed|possible|available|known)(?: \w+){0,2}(?: are| include|:))` +
    String.raw`([^\n]*?)(?=,? (?:but )?(?:got|found|was)\b|\n|$)`,
  'gi',
);
const HINT = /did you mean/i;

/** Between quotes of one kind; an apostrophe opens nothing. */
const QUOTED = [
  /["'`‘“](\w[^\s"'`’”]*)["'`’”]/g,
  /(?<!\w)'([^'\n]*)'(?!\w)/g,
  /"([^"\n]*)"/g,
  /`([^`'\n]*)[`']/g,
  /[‘“]([^’”\n]*)[’”]/g,
];
const MAX_WORD = 80;
const BARE = [
  /[:,=([]\s*([\w./@-]+)(?=[\s:;.,)\]"']|$)/g,
  /\$\{?(\w+)/g,
  /\b(?:variable|network|volume|service|secret|config|field|key|option|directive|argument|target|repo|name|file|hosts?|group|attribute|zone|column|type|got) ([\w./@-]+)/gi,
  /([\w./@-]+)(?: is| was)? (?:not (?:found|set|defined|declared|known)|undefined|missing)/g,
];

/** The error lines as one text, what JSON escaped readable again, frames and log prefixes of tools left out. */
export function errorText(facts: RepairFacts): string {
  const text = errorLines(facts)
    .map((line) => line.replace(/^(?:[│╷╵|]\s?|mendloop: (?:verify|requires): )/, ''))
    .join('\n');
  return text.replaceAll('\\n', '\n').replaceAll('\\t', '\t').replaceAll('\\"', '"');
}

/** Says of a path that it leads to nothing. */
export const MISSING_FILE =
  /no such file|not found|does not exist|could not (?:find|be found|open)|can't (?:open|read)|cannot (?:find|stat|open)|unable to parse|no rule to make|no \w+ ?file|does not point|TemplateNotFound|no taskfile|ENOENT/i;

/** How many lines below an announcement belong to it. */
const MAX_BELOW = 8;

/** Each word that a message of the errors may be about, once a message; which of them are wrong is for the repository to say. */
export function rejectionsIn(text: string): Rejection[] {
  const lines = text.split('\n');
  const all = [...new Set(text.match(/[A-Za-z][\w-]{2,}/g) ?? [])];
  const hint = lines.find((line) => HINT.test(line)) ?? '';
  return lines.flatMap((line, i) => {
    if (!REJECTS.test(line)) return [];
    const below = line.endsWith(':') ? lines.slice(i + 1, i + 1 + MAX_BELOW) : [];
    const message = [line, ...below].join('\n');
    const lists = [...`${message}\n${hint}`.matchAll(OFFERS)].map(([, list = '']) => list);
    const offered = [...new Set(lists.flatMap((list) => list.match(/[\w.:/-]*\w/g) ?? []))];
    const keys = below.flatMap((one) => /^\s*([\w-]{3,}):/.exec(one)?.[1] ?? []);
    // What is offered is not what is rejected.
    const words = [...new Set([...wordsOf(line), ...keys])].filter((word) => !offered.includes(word));
    return words.map((word) => ({ word, message, offered, others: all.filter((one) => one !== word) }));
  });
}

/** Quoted words, and bare ones where messages name things; of those with dots, slashes and brackets each part, too. */
function wordsOf(line: string): string[] {
  const found = [...QUOTED, ...BARE].flatMap((pattern) => [...line.matchAll(pattern)].map(([, word = '']) => word));
  const whole = found.filter((word) => word.length <= MAX_WORD).map((word) => word.replace(/^[.@]+|[.:,@]+$/g, ''));
  // Of a path, parts are folders; of `spec.ports[0]`, `data:/var`, `auth@file` and `Deployment.apps/web.[noNs]` they are names.
  const parts = whole.flatMap((word) =>
    /\s/.test(word) || (word.includes('/') && MISSING_FILE.test(line)) ? [] : word.split(/[./:[\]@]+/),
  );
  return [...whole, ...parts].filter((word) => /^\S.+\S$/.test(word) && !/^\d+$/.test(word));
}
