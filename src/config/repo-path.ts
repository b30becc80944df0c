// Paths and path patterns that may stand in a configuration file: relative, and never leading out of their root.
import { z } from 'zod';

const quoted = (text: string): string => JSON.stringify(text);

/** Why `path` may not be used, or undefined when it may. `root` names what it must be relative to. */
function pathFault(path: string, root: string): string | undefined {
  if (path.trim() === '') return `expected a path relative to ${root}, got ${quoted(path)}`;
  if (path.length > 1024) return 'a path of more than 1024 characters';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
  if (/[\x00-\x1f\x7f]/.test(path)) return `${quoted(path)} has a control character`;
  if (/^(?:\/|~|[A-Za-z]:[\\/])/.test(path)) return `${quoted(path)} is absolute; expected a path relative to ${root}`;
  if (path.split(/[/\\{},()|]/).includes('..')) return `${quoted(path)} has a ".." part; expected a path below ${root}`;
  if (/^(?:\.\/*)+$/.test(path)) return `${quoted(path)} is ${root} itself; expected a path below it`;
  return undefined;
}

function checked(what: string, fault: (path: string) => string | undefined) {
  return z.string({ error: `expected ${what}` }).superRefine((path, ctx) => {
    const message = fault(path);
    if (message !== undefined) ctx.addIssue({ code: 'custom', message });
  });
}

const TREE = 'the repository root';
const OUT = '$MENDLOOP_OUT';

/** A path in the repository. */
export const repoPathSchema = checked('a path', (path) => pathFault(path, TREE));

/** A pattern of paths in the repository. A leading `!` is refused: it would mean every file but these. */
export const globSchema = checked('a path pattern', (glob) =>
  glob.startsWith('!')
    ? `${quoted(glob)} starts with "!"; expected a pattern of the files meant`
    : pathFault(glob, TREE),
);

/** A path below the folder a stage publishes into. */
export const outputPathSchema = checked('a path', (path) =>
  path.startsWith('out:')
    ? `${quoted(path)} is below ${OUT} already; expected it without "out:"`
    : pathFault(path, OUT),
);

/** A path in the repository, or `out:<path>` below the folder the stage publishes into. */
export const checkPathSchema = checked('a path or out:<path>', (path) =>
  path.startsWith('out:') ? pathFault(path.slice(4), OUT) : pathFault(path, TREE),
);
