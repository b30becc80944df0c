// What people and scripts hand in: an answer in a file or on stdin, and JSON Lines that are answered one by one.
import { suggestion } from '../config/suggest.ts';
import { EXIT, failUsage } from '../errors.ts';
import { fileFacts } from '../io/files.ts';
import type { Output } from '../io/output.ts';
import { readStreamEnd, stdinLines } from '../io/stdin.ts';
import { readText } from '../io/store.ts';
import { type Check, type Checked, isMapping, optional, orNull } from '../shape.ts';

/** What the word behind a command means, by the table of such words. Throws E_USAGE for one that is not in it. */
export const meantBy = <T>(command: string, word: string, table: Readonly<Record<string, T>>, next: string): T =>
  (Object.hasOwn(table, word) ? table[word] : undefined) ??
  failUsage(`${command} does not know ${word}${suggestion(word, Object.keys(table))}`, next);

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** The text of `file`, - for stdin. Throws E_USAGE for what cannot be an answer. */
export async function readAnswerText(file: string): Promise<string> {
  const refuse = (what: string, next = 'name a file with the answer, or - for stdin') => failUsage(what, next);
  if (file === '-') {
    if (process.stdin.isTTY) refuse('stdin is this terminal', 'pipe the answer in, or name a file');
    const { end, cut } = await readStreamEnd(MAX_ANSWER_BYTES);
    return cut ? refuse(`the answer has more than ${MAX_ANSWER_BYTES} bytes`) : end.toString('utf8');
  }
  const facts = fileFacts(file) ?? refuse(`there is no file ${file}`);
  if (facts.isFolder) refuse(`${file} is a folder`);
  if (facts.size > MAX_ANSWER_BYTES) refuse(`${file} has more than ${MAX_ANSWER_BYTES} bytes`);
  return readText(file) ?? '';
}

type Id = string | number;

/** Field → what is expected, and the check for that. */
type Fields = Readonly<Record<string, readonly [expected: string, check: Check]>>;
type ValueOf<F extends Fields> = { [K in keyof F]: Checked<F[K][1]> };

/** What a line holds, or what is wrong with it, with its id when it has one. */
type ReadLine<T> = { value: T & { id: Id } } | { problem: string; id?: Id };

/** The object in one line, its fields checked: every problem at once. Never throws. */
export function readFields<F extends Fields>(text: string, fields: F): ReadLine<ValueOf<F>> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    return { problem: `not JSON: ${(error as Error).message}` };
  }
  if (!isMapping(value)) return { problem: 'expected an object' };
  const { id } = value;
  if (typeof id !== 'string' && typeof id !== 'number') return { problem: 'id: expected a text or a number' };
  const problems = Object.entries(fields).flatMap(([name, [expected, check]]) =>
    check(value[name]) ? [] : [`${name}: expected ${expected}`],
  );
  if (problems.length > 0) return { problem: problems.join('; '), id };
  const values = Object.keys(fields).map((name) => [name, value[name] ?? undefined]);
  return { value: { ...(Object.fromEntries(values) as ValueOf<F>), id } };
}

/** Also sound when it is left out or null; both are read as undefined. */
export const maybe = <T>(check: Check<T>) => optional(orNull(check)) as Check<T | undefined>;

/** One line out for each line of stdin, in order; a line that cannot be read is answered with its problem. Resolves to the exit code. */
export async function answerLines<T>(
  out: Output,
  maxLineBytes: number,
  read: (text: string) => ReadLine<T>,
  answer: (value: T) => object | Promise<object>,
): Promise<number> {
  let exit: number = EXIT.ok;
  let number = 0;
  for await (const line of stdinLines(maxLineBytes)) {
    number++;
    const result = 'text' in line ? read(line.text) : { problem: `longer than ${maxLineBytes} bytes` };
    if ('problem' in result) {
      exit = EXIT.usage;
      out.jsonLine({ id: result.id ?? null, error: { code: 'E_JSON_LINE', line: number, message: result.problem } });
    } else out.jsonLine({ id: result.value.id, ...(await answer(result.value)) });
  }
  return exit;
}
