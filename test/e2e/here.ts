// Command lines in this process: starting one costs more than most of what it does. What a process of its own is for (being killed,
// two at once, a terminal) is started as one, and ways-in.test.ts holds that both say the same.
import { PassThrough, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** How a command line ended, and all that it printed. */
export interface Done {
  exit: number | null;
  stdout: string;
  stderr: string;
}

let last: Promise<unknown> = Promise.resolve();

/** What a process of a command is given besides its words. */
export interface Given {
  /** What is piped into it. */
  readonly stdin?: string | Buffer | undefined;
  /** Its output goes to a terminal of 40 lines and 120 columns, both kinds to the same. */
  readonly terminal?: boolean;
  /** Somebody is at that terminal, and types `keys` once `question` is there; of several, the next each time. */
  readonly typed?: Typed | undefined;
}

export interface Typed {
  readonly question: string;
  readonly keys: string | readonly string[];
}

/** What a process in `cwd` with `env` would do. One after the other: they share this process. */
export function runHere(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  given: Given = {},
): Promise<Done> {
  const next = last.then(() => inPlace(args, cwd, env, given));
  last = next.catch(() => {});
  return next;
}

async function inPlace(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  { stdin = '', terminal = false, typed }: Given,
): Promise<Done> {
  const { main } = await import('../../src/cli/main.ts');
  const before = {
    cwd: process.cwd(),
    env: { ...process.env },
    out: process.stdout.write,
    error: process.stderr.write,
    stdin: Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor,
  };
  const done: Done = { exit: null, stdout: '', stderr: '' };
  const keyboard = typed ? Object.assign(new PassThrough(), { isTTY: true }) : undefined;
  const toType = [typed?.keys ?? []].flat();
  let asked = 1;
  const into = (key: 'stdout' | 'stderr') =>
    ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      done[key] += chunk.toString();
      if (typed && toType.length > 0 && done[key].split(typed.question).length > asked) {
        asked++;
        keyboard?.write(toType.shift());
      }
      for (const callback of rest) if (typeof callback === 'function') callback();
      return true;
    }) as typeof process.stdout.write;
  process.chdir(cwd);
  become(env);
  Object.defineProperty(process, 'stdin', {
    configurable: true,
    value: keyboard ?? Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)], { objectMode: false }),
  });
  process.stdout.write = into('stdout');
  process.stderr.write = into(terminal ? 'stdout' : 'stderr');
  const screen = { isTTY: true, columns: 120, rows: 40 };
  if (terminal) for (const stream of [process.stdout, process.stderr]) Object.assign(stream, screen);
  try {
    done.exit = await main(args);
    // What is written at the end may be written a turn later.
    await sleep(0);
  } finally {
    process.chdir(before.cwd);
    become(before.env);
    process.stdout.write = before.out;
    process.stderr.write = before.error;
    Object.defineProperty(process, 'stdin', before.stdin);
    // Each adds its own, for a process of its own.
    for (const stream of [process.stdout, process.stderr]) {
      stream.removeAllListeners('error');
      if (terminal) for (const key of Object.keys(screen)) delete (stream as unknown as Record<string, unknown>)[key];
    }
  }
  return done;
}

/** The object that is there stays: modules hold it. */
function become(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}
