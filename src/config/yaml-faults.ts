// What a YAML parser complains of, in the words of somebody who did not mean to write YAML there.

interface Complaint {
  readonly code: string;
  readonly message: string;
  /** The line it is about, as it is written. */
  readonly line: string;
}

type Rule = readonly [code: string, message: RegExp, says: (part: LinePart, message: string) => string | undefined];

/** A line without its indent and dashes: `key: value`, or only a value. */
interface LinePart {
  readonly key: string | undefined;
  readonly value: string;
}

const quoteIt = ({ key }: LinePart): string =>
  key === undefined ? 'quote it' : `quote it, or write ${key}: | and the text in the next line, indented`;

/** A value that begins with what YAML reads as something else than text. */
const opens = (part: LinePart): string | undefined =>
  /^[@`%!&*|>[\]{}"']/.test(part.value)
    ? `begins with ${part.value.startsWith('{{') ? '{{' : part.value.charAt(0)}, which YAML reads as its own: ${quoteIt(part)}`
    : undefined;

const RULES: readonly Rule[] = [
  ['TAB_AS_INDENT', /^/, () => 'tab used for indentation; use spaces'],
  ['MULTIPLE_DOCS', /^/, () => 'a second document starts here; expected only one'],
  [
    'BLOCK_AS_IMPLICIT_KEY',
    /^/,
    (part) => opens(part) ?? (/: /.test(part.value) ? `has ": " in it: ${quoteIt(part)}` : undefined),
  ],
  ['BAD_INDENT', /must start at the same column/, () => 'is indented otherwise than the lines it belongs to'],
  ['BAD_INDENT', /must be sufficiently indented and end with a (.)/, (_, message) => unclosed(message)],
  ['MISSING_CHAR', /must be sufficiently indented and end with a (.)/, (_, message) => unclosed(message)],
  ['MISSING_CHAR', /^Missing closing/, () => 'a quote that was opened is not closed'],
  [
    'MISSING_CHAR',
    /^Implicit map keys/,
    () => 'is neither "key: value" nor "- item": a space belongs behind the colon or dash',
  ],
  ['', /^/, opens],
];

const unclosed = (message: string): string =>
  `a list or mapping that was opened before is not closed; ${message.at(-1)} is missing`;

/** One sentence, without the place. */
export function plainFault({ code, message, line }: Complaint): string {
  const [, key, value = ''] = /^\s*(?:- +)*(?:([\w-]+): +)?(.*)$/.exec(line) ?? [];
  for (const [of, form, says] of RULES) {
    const plain = (of === '' || of === code) && form.test(message) && says({ key, value }, message);
    if (plain) return plain;
  }
  return `not valid YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
}
