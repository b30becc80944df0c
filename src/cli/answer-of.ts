// An answer that a person gives: a file, or stdin.
import { fail } from '../errors.ts';
import { fileFacts } from '../io/files.ts';
import { readStreamEnd } from '../io/stdin.ts';
import { readText } from '../io/store.ts';

const MOST_ANSWER_BYTES = 4 * 1024 * 1024;

/** The text of `file`, - for stdin. Throws E_USAGE for what cannot be one. */
export async function answerOf(file: string): Promise<string> {
  const next = 'name a file with the answer, or - for stdin';
  if (file === '-') {
    if (process.stdin.isTTY)
      fail('E_USAGE', { what: 'stdin is this terminal', next: 'pipe the answer in, or name a file' });
    const { end, cut } = await readStreamEnd(MOST_ANSWER_BYTES);
    if (cut) fail('E_USAGE', { what: `the answer has more than ${MOST_ANSWER_BYTES} bytes`, next });
    return end.toString('utf8');
  }
  const facts = fileFacts(file);
  if (!facts) fail('E_USAGE', { what: `there is no file ${file}`, next });
  if (facts.isFolder) fail('E_USAGE', { what: `${file} is a folder`, next });
  if (facts.size > MOST_ANSWER_BYTES)
    fail('E_USAGE', { what: `${file} has more than ${MOST_ANSWER_BYTES} bytes`, next });
  return readText(file) ?? '';
}
