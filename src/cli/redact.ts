// `mendloop redact`: stdin → stdout through the filter that everything passes before it is sent to a model.
import { once } from 'node:events';
import { LOOP_FILE, MAP_FILE } from '../config/files.ts';
import { parseContextMap, parseLoopConfig } from '../config/parse.ts';
import { splitCarry } from '../config/paths.ts';
import { failConfig } from '../config/problem.ts';
import { EXIT, fail, failUsage } from '../errors.ts';
import { plainText } from '../io/plain-text.ts';
import { secretsFrom } from '../io/secrets.ts';
import { readText } from '../io/store.ts';
import { createRedactor, type Redactor } from '../outbound/redact/redactor.ts';
import { ownerPatterns } from '../outbound/redact/rule.ts';
import { RedactionError } from '../outbound/redact/secret.ts';
import { redactStream } from '../outbound/redact/stream.ts';
import { checkoutFiles } from '../worktree/read.ts';
import { type CommandInput, checkoutOf } from './command.ts';

const NEXT = '… | mendloop redact, or: mendloop redact <log';

export async function run({ words, home }: CommandInput): Promise<number> {
  if (words.length > 0) failUsage('redact reads stdin and nothing else', NEXT);
  if (process.stdin.isTTY) failUsage('redact reads a text from stdin', NEXT);
  // process.stdout.destroyed stays false when the reader has gone.
  let isRead = true;
  process.stdout.once('error', () => {
    isRead = false;
  });
  try {
    const stream = redactStream((await redactorOf(home)).redact);
    const decoder = new TextDecoder();
    for await (const chunk of process.stdin) {
      if (!isRead) return EXIT.ok;
      await written(stream.push(decoder.decode(chunk as Buffer, { stream: true })));
    }
    await written(stream.push(decoder.decode()) + stream.end());
    return EXIT.ok;
  } catch (error) {
    if (error instanceof RedactionError) fail('E_REDACT', { what: error.message, next: error.next });
    throw error;
  }
}

/** Knows the carried files and the patterns of the working tree; outside of a repository only the environment. */
async function redactorOf(home: () => string): Promise<Redactor> {
  const root = checkoutOf(home);
  if (root === undefined) return createRedactor(secretsFrom({ home: process.cwd(), carry: [], env: process.env }));
  const mapText = readText(`${root}/${MAP_FILE}`);
  const map = mapText === undefined ? undefined : parseContextMap(mapText, MAP_FILE);
  const loop = parseLoopConfig(readText(`${root}/${LOOP_FILE}`), LOOP_FILE);
  // Without both files it is unknown what must be masked.
  if (map?.ok === false || !loop.ok) {
    return failConfig([map, loop].flatMap((parsed) => (!parsed || parsed.ok ? [] : parsed.problems)));
  }
  const secrets = secretsFrom({ home: root, ...splitCarry(map?.value ?? { carry: [] }), env: process.env });
  const paths = (await checkoutFiles(root))?.files.keys() ?? [];
  return createRedactor({ ...secrets, rules: ownerPatterns(loop.value.redact), paths });
}

/** Resolves when more may be written, or nobody reads it. */
async function written(text: string): Promise<void> {
  const { stdout } = process;
  if (text !== '' && !stdout.write(stdout.isTTY ? plainText(text) : text)) {
    const other = new AbortController();
    const { signal } = other;
    await Promise.race(['drain', 'close'].map((event) => once(stdout, event, { signal }))).catch(() => {});
    other.abort();
  }
}
