// An answer's lines → stretches of prose and fenced blocks, in order; and the path that a line or a fence names.

export interface Stretch {
  kind: 'prose' | 'block';
  lines: string[];
  /** What stands behind the opening fence. */
  info: string;
  /** The last line with text before the block. */
  above: string;
  /** False: the answer ended inside the block. */
  closed: boolean;
}

const OPENING = /^( {0,3})(`{3,}|~{3,})[ \t]*([^`]*)$/;
const DIFF_BEGINS = /^(?:@@|\+\+\+ |diff --git )/;

/** A line of prose does not begin like this: a list entry has a space and a word. */
export const looksChanged = (line: string): boolean => /^(?:\+|-(?! ?[\w*`"'([])|@@)/.test(line);

/** Every line but the fences themselves is in exactly one stretch. In a diff without fences a fence is content. */
export function stretches(lines: readonly string[]): Stretch[] {
  const parts: Stretch[] = [];
  const proseAfter = (): Stretch => ({ kind: 'prose', lines: [], info: '', above: '', closed: true });
  let above = '';
  let prose = proseAfter();
  const lastChanged = lines.findLastIndex(looksChanged);
  let inDiff = false;
  let i = 0;
  while (i < lines.length) {
    const line = lines[i] as string;
    inDiff ||= DIFF_BEGINS.test(line);
    const opening = inDiff && (i < lastChanged || line.startsWith(' ')) ? null : OPENING.exec(line);
    if (!opening) {
      prose.lines.push(line);
      if (line.trim() !== '') above = line.trim();
      i++;
      continue;
    }
    if (prose.lines.length > 0) parts.push(prose);
    const [, indent = '', fence = '', info = ''] = opening;
    const end = closing(lines, i + 1, indent, fence);
    const body = lines.slice(i + 1, end);
    parts.push({ kind: 'block', lines: body, info: info.trim(), above, closed: end < lines.length });
    prose = proseAfter();
    above = '';
    i = end + 1;
  }
  if (prose.lines.length > 0) parts.push(prose);
  return parts;
}

const HERE_DOCUMENT = /^(?:\$ )?([^<]*)<<-?\s*(["']?)(\w+)\2(.*)$/;

/** A block that only hands lines to a command, as `patch <<EOF` and `cat > file <<EOF` do, is these lines. */
export function withoutCommand(part: Stretch): Stretch {
  const first = part.lines.findIndex((line) => line.trim() !== '');
  const [, before = '', , word, behind = ''] = HERE_DOCUMENT.exec(part.lines[first] ?? '') ?? [];
  const end = word === undefined ? -1 : part.lines.findIndex((line) => line.trim() === word);
  if (end < 0 || part.lines.slice(end + 1).some((line) => line.trim() !== '')) return part;
  const path = /(?:>|\btee\b)\s*["']?([^\s"'|;]+)/.exec(`${before} ${behind}`)?.[1] ?? '';
  return { ...part, lines: part.lines.slice(first + 1, end), info: path };
}

/** Where the block ends. In a diff of a Markdown file a fence may be content: then changed lines follow it. */
function closing(lines: readonly string[], from: number, indent: string, fence: string): number {
  let isDiff = false;
  let end = -1;
  for (let i = from; i < lines.length; i++) {
    const line = lines[i] as string;
    isDiff ||= DIFF_BEGINS.test(line);
    if (end >= 0 && OPENING.test(line) && !line.startsWith(' ')) return end;
    if (end >= 0 && looksChanged(line)) end = -1;
    if (end >= 0 || !line.startsWith(indent + fence)) continue;
    if (line.trim().replaceAll(fence[0] as string, '') !== '') continue;
    if (!isDiff) return i;
    end = i;
  }
  return end < 0 ? lines.length : end;
}

const PATH = String.raw`[\w.@+~/\\-]*[\w+-]\.?[\w.+-]*`;
/** A word before the path, apart from it: `infrastructure/…` begins with a path's own letters, not with "in". */
const LABEL = String.raw`(?:file(?:name)?|path|update|edit|in|title)(?:\s*[:=]\s*|\s+|(?=[\x60*"']))`;
const ALONE = new RegExp(String.raw`^[#>*\-\s]*(?:${LABEL})?[\x60*"']*(${PATH})[\x60*"']*\s*:?\s*[*\x60]*$`, 'i');
const QUOTED = new RegExp(String.raw`[\x60*"](${PATH})[\x60*"]`, 'g');

export const isPath = (word: string): boolean =>
  /[/\\]/.test(word) || /\w\.[a-z][\w-]*$/i.test(word) || /^\.\w/.test(word);

/** A line that is only the name of one of `files`, which may look like any word, as a path: `Makefile` is `./Makefile`. */
export function withPath(line: string, files: ReadonlySet<string>): string {
  const alone = line.length > 300 ? undefined : ALONE.exec(line.trim())?.[1];
  return alone !== undefined && files.has(alone) && !isPath(alone) ? `./${alone}` : line;
}

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
