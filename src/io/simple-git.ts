// Runs git where it may run the owner's hooks or hang on a network: through simple-git, with a timeout. Apart from io/git.ts,
// because most commands do not need to load it.
import { type SimpleGitOptions, simpleGit } from 'simple-git';

/** How a git ended, and all that it printed. */
export interface Ended {
  /** -1 when a signal ended it, -2 when there is no git to start. */
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

interface Place {
  readonly dir: string;
  readonly config: string[];
  /** Ends a git that says nothing for so long. */
  readonly quietMs: number | undefined;
}

/** How git ended, when everything that holds its output has ended. */
export async function askSimpleGit(place: Place, args: string[], input?: string | Buffer): Promise<Ended> {
  const { dir, config, quietMs } = place;
  let answer: Ended | undefined;
  const settings: Partial<SimpleGitOptions> = {
    baseDir: dir,
    config,
    completion: { onClose: true, onExit: false },
    unsafe: { allowUnsafeHooksPath: true, allowUnsafeConfigPaths: true, allowUnsafeFsMonitor: true },
    ...(quietMs ? { timeout: { block: quietMs } } : {}),
    ...(input?.length ? { input: () => input } : {}),
  };
  const git = simpleGit({
    ...settings,
    errors(error, { exitCode, stdOut, stdErr }) {
      if (exitCode > 9000) return error; // refused by simple-git itself: a bug of ours
      answer = { code: exitCode ?? -1, stdout: Buffer.concat(stdOut), stderr: Buffer.concat(stdErr) };
      return undefined;
    },
  });
  // simple-git waits 50 ms for more when a command printed nothing at all.
  git.outputHandler((_command, stdout) => {
    stdout.once('end', () => stdout.emit('data', Buffer.alloc(0)));
  });
  await git.raw(args);
  if (!answer) throw new Error(`simple-git gave no answer to git ${args.join(' ')}`);
  return answer;
}
