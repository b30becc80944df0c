// Path patterns as the context map writes them, as one yes-or-no question.
import picomatch from 'picomatch';

const LONGEST = 4096;

/** Whether a path (relative, normalised) matches any of `globs`. A trailing `/` means the tree below; dot files count. Never throws. */
export function pathMatcher(
  globs: readonly string[],
  options: { readonly ignoreCase?: boolean } = {},
): (path: string) => boolean {
  const patterns = globs
    .map((glob) => glob.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '/**'))
    // picomatch throws on these; neither can be the name of anything.
    .filter((pattern) => pattern !== '' && pattern.length <= LONGEST);
  if (patterns.length === 0) return () => false;
  return picomatch(patterns, { dot: true, nonegate: true, nocase: options.ignoreCase ?? false });
}
