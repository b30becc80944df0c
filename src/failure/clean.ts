// Raw log text → lines as a person would have seen them: no colours, no overwritten progress, no leading time stamps.
// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what this removes

/** A log, or its end: `cut` when the first line is only the rest of a longer one. */
export interface LogEnd {
  text: string;
  cut: boolean;
}

/** Longest line that is looked at; of a longer one head and tail count, and of one cut at its front the end. */
export const MAX_LINE_CHARS = 4096;

const HEAD_SHARE = 0.6;
const GAP = ' … ';
/** Behind a plain word, so that no tail begins inside a value, or with one whose key was left out. */
const TAIL_BEGINS = /\s(?!\S*(?:pass|pw|secret|token|key|bearer|basic|auth|data))[a-z]{2,16}[,.;)]? +(?=\S)/i;

/**
 * `text` in at most `max` characters: of a longer one the head and, for Go and Ansible put the cause there, the tail.
 * Without a safe place for the tail to begin, the head alone, with `mark` at its end.
 */
export function clipMiddle(text: string, max: number, mark = ''): string {
  if (text.length <= max) return text;
  const head = Math.ceil(max * HEAD_SHARE);
  const tail = text.slice(head + GAP.length - max);
  const begins = TAIL_BEGINS.exec(tail);
  if (!begins) return text.slice(0, max - mark.length) + mark;
  return text.slice(0, head) + GAP + tail.slice(begins.index + begins[0].length);
}

const ESCAPES =
  /\u001b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\u0007\u001b]{0,512}(?:\u0007|\u001b\\)|[ -/]{1,2}[0-~]|[0-~])/g;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\ufeff]/g;

const ZONE = String.raw`(?: ?(?:Z|UTC|GMT|CES?T|[ECMP][SD]T|BST|[+-]\d\d:?\d\d))?`;
const DAY_NAME = '(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?';
const MONTH =
  '(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:tember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)';
const CLOCK = String.raw`\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?`;

/** Every way a moment is written that this version knows; one source, for stripping and for masking. */
export const MOMENT = [
  String.raw`\d{4}[-/]\d\d[-/]\d\d[T _]\d\d[:_]\d\d[:_]\d\d(?:[.,_]\d{1,9})?${ZONE}`,
  String.raw`\d{1,2}/${MONTH}/\d{4}:${CLOCK}(?: [+-]\d{4})?`,
  String.raw`(?:${DAY_NAME},? )?\d{1,2} ${MONTH} \d{4} {1,2}${CLOCK}${ZONE}`,
  String.raw`(?:${DAY_NAME} )?${MONTH} [ \d]\d ${CLOCK}${ZONE}(?: \d{4})?`,
  String.raw`\d{4}-\d\d-\d\d`,
  CLOCK,
].join('|');

const LEADING = new RegExp(
  String.raw`^(?:\[ *\d+\.\d{3,6}\]|[[(]?(?:time=|ts=)?"?(?:${MOMENT})"?[\])]?)(?: ?[|:-])?(?:\s|$)`,
);

/** Characters that no text has, but for those that colour and move it. */
const NO_TEXT = /[\u0000-\u0006\u000e-\u001a\u001c-\u001f\ufffd]/g;

/** Whether the log is bytes rather than text: then only a clear error in it means anything. */
export function isBinary({ text }: LogEnd): boolean {
  return (text.match(NO_TEXT)?.length ?? 0) * 20 > text.length;
}

/** The lines of a log, cleaned, in order, blank ones left in as ''. Never throws. */
export const cleanLines = (log: LogEnd): string[] => rawLines(log).map(cleanLine);

/** The same, the last one first, each cleaned when somebody asks for it. */
export function* cleanLinesFromEnd(log: LogEnd): Generator<string, void> {
  for (const line of rawLines(log).reverse()) yield cleanLine(line);
}

function rawLines({ text, cut }: LogEnd): string[] {
  const lines = text.split('\n');
  if (cut && lines.length > 1) lines.shift();
  if (cut) lines[0] = (lines[0] as string).slice(-MAX_LINE_CHARS);
  return lines;
}

/** One line, cleaned. */
export function cleanLine(line: string): string {
  const shown = lastShown(withoutMiddle(line).replace(ESCAPES, ''));
  return withoutMoment(clipMiddle(shown.replace(CONTROLS, '').trimEnd(), MAX_LINE_CHARS));
}

/** Of a huge line only the ends are looked at: progress bars write megabytes into one line, and the last words count. */
const withoutMiddle = (line: string): string =>
  line.length > 4 * MAX_LINE_CHARS ? line.slice(0, 2 * MAX_LINE_CHARS) + line.slice(-2 * MAX_LINE_CHARS) : line;

/** What a terminal shows of text that returns to the start of its line: what was written last. */
function lastShown(line: string): string {
  if (!line.includes('\r')) return line;
  const parts = line.split('\r');
  for (let i = parts.length - 1; i > 0; i--) if ((parts[i] as string).trim() !== '') return parts[i] as string;
  return parts[0] as string;
}

/** A time stamp in front goes, up to two of them (a collector adds its own before the program's). */
function withoutMoment(line: string): string {
  return line.replace(LEADING, '').replace(LEADING, '');
}
