// What the schemas of both files are made of: lists, texts with a check, and paths: relative, never leading out of their root.
import * as z from 'zod';
import { DURATION, MAX_DURATION_MS, parseDuration } from './duration.ts';

/** A list that is empty when it is left out. */
export const list = <T extends z.ZodType>(item: T, about: string) => z.array(item).default([]).describe(about);

/** Yes or no; `normal` when it is left out. */
export const flag = (normal: boolean, about: string) => z.boolean().default(normal).describe(about);

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

/** Text for which `fault` finds no fault; `what` is how a message calls it, if not text. */
export function checkedText(what: string | undefined, fault: (text: string) => string | undefined) {
  return z.string(what && { error: `expected ${what}` }).superRefine((text, ctx) => {
    const message = fault(text);
    if (message !== undefined) ctx.addIssue({ code: 'custom', message });
  });
}

const TREE = 'the repository root';
const OUT = '$MENDLOOP_OUT';

/** A path in the repository. */
export const repoPathSchema = checkedText('a path', (path) => pathFault(path, TREE));

/** A pattern of paths in the repository. A leading `!` is refused: it would mean every file but these. */
export const globSchema = checkedText('a path pattern', (glob) =>
  glob.startsWith('!')
    ? `${quoted(glob)} starts with "!"; expected a pattern of the files meant`
    : pathFault(glob, TREE),
);

/** A path below the folder a stage publishes into. */
export const outputPathSchema = checkedText('a path', (path) =>
  path.startsWith('out:')
    ? `${quoted(path)} is below ${OUT} already; expected it without "out:"`
    : pathFault(path, OUT),
);

/** A path in the repository, or `out:<path>` below the folder the stage publishes into. */
export const checkPathSchema = checkedText('a path or out:<path>', (path) =>
  path.startsWith('out:') ? pathFault(path.slice(4), OUT) : pathFault(path, TREE),
);

const DURATION_EXPECTED = 'expected a duration with units ms, s, m, h or d, such as 90s or 1h30m';

/** A duration in a configuration file: text in, milliseconds out, at most `MAX_DURATION_MS`. */
export const durationSchema = z
  .string({ error: DURATION_EXPECTED })
  .regex(DURATION, { error: DURATION_EXPECTED, abort: true })
  .refine((text) => (parseDuration(text) ?? Infinity) <= MAX_DURATION_MS, {
    error: 'longer than 24d, the longest time that can be waited for',
  })
  .transform((text) => parseDuration(text) ?? 0);

/** A duration that is not zero. */
export const positiveDurationSchema = durationSchema.refine((ms) => ms > 0, {
  error: 'expected a duration longer than zero',
});
