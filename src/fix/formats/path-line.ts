// A path that an answer names in prose or behind a fence.

const PATH = String.raw`[\w.@+~/\\-]*[\w+-]\.?[\w.+-]*`;
/** A word before the path, apart from it: `infrastructure/…` begins with a path's own letters, not with "in". */
const LABEL = String.raw`(?:file(?:name)?|path|update|edit|in|title)(?:\s*[:=]\s*|\s+|(?=[\x60*"']))`;
const ALONE = new RegExp(String.raw`^[#>*\-\s]*(?:${LABEL})?[\x60*"']*(${PATH})[\x60*"']*\s*:?\s*[*\x60]*$`, 'i');
const QUOTED = new RegExp(String.raw`[\x60*"](${PATH})[\x60*"]`, 'g');

const isPath = (word: string): boolean => /[/\\]/.test(word) || /\w\.[a-z][\w-]*$/i.test(word) || /^\.\w/.test(word);

/** The path that a line is, or that it names as its only quoted one; undefined when it names none. */
export function pathOfLine(line: string): string | undefined {
  if (line.length > 300) return undefined;
  const alone = ALONE.exec(line.trim())?.[1];
  if (alone && isPath(alone)) return alone;
  const quoted = [...line.matchAll(QUOTED)].map((match) => match[1] as string).filter(isPath);
  return new Set(quoted).size === 1 ? quoted[0] : undefined;
}

/** The path behind an opening fence: `yaml path/x.yaml`, `path/x.yaml`, `yaml title="path/x.yaml"`, `yaml:path/x.yaml`. */
export function pathOfInfo(info: string): string | undefined {
  const words = info.split(/[\s=]+|(?<=^\w+):/).map((word) => word.replace(/^["'{(]+|["'}),]+$/g, ''));
  return words.find((word) => word.length < 300 && isPath(word));
}
