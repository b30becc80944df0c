// A unified diff as HTML: each file with its lines numbered, and what was added or removed told by sign, colour and element.
import { type Html, html } from './html.ts';

/** Longer diffs are cut. */
const MAX_LINES = 2000;

interface DiffLine {
  readonly kind: 'add' | 'del' | 'same' | 'hunk' | 'note';
  readonly text: string;
  /** In the file as it is after the change; of what was removed, as it was before. */
  readonly number?: number;
}

interface DiffFile {
  readonly path: string;
  readonly lines: DiffLine[];
}

/** The files of what `git diff` or `git show` prints. Never throws: what is no diff is shown as notes. */
export function parseDiff(text: string): DiffFile[] {
  const files: DiffFile[] = [];
  let left = 0;
  let right = 0;
  /** Lines that the hunk has still to come: `--- a` may be a removed line. */
  let lefts = 0;
  let rights = 0;
  const last = (): DiffFile => {
    const file = files.at(-1) ?? { path: '', lines: [] };
    if (files.length === 0) files.push(file);
    return file;
  };
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const named = /^\+\+\+ (?:b\/)?(.+)$/.exec(line);
    const begins = /^diff --git "?a\/.*? "?b\/(.*?)"?$/.exec(line);
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    const isInHunk = lefts > 0 || rights > 0;
    if (begins && !isInHunk) files.push({ path: begins[1] as string, lines: [] });
    else if (named && !isInHunk && files.at(-1)?.path !== named[1]) files.push({ path: named[1] as string, lines: [] });
    else if (hunk && !isInHunk) {
      [left, right] = [Number(hunk[1]), Number(hunk[3])];
      [lefts, rights] = [Number(hunk[2] ?? 1), Number(hunk[4] ?? 1)];
      last().lines.push({ kind: 'hunk', text: line });
    } else if (isInHunk && line.startsWith('+')) {
      last().lines.push({ kind: 'add', text: line.slice(1), number: right++ });
      rights--;
    } else if (isInHunk && line.startsWith('-')) {
      last().lines.push({ kind: 'del', text: line.slice(1), number: left++ });
      lefts--;
    } else if (isInHunk && !line.startsWith('\\')) {
      last().lines.push({ kind: 'same', text: line.slice(1), number: right++ });
      left++;
      lefts--;
      rights--;
    } else if (!/^(?:index|---|\+\+\+) /.test(line) && line !== '') last().lines.push({ kind: 'note', text: line });
  }
  return files;
}

/** The diff, file by file; nothing for a text without any. */
export function diffHtml(text: string): Html {
  let room = MAX_LINES;
  const files = parseDiff(text).map(({ path, lines }) => {
    const shown = lines.slice(0, Math.max(0, room));
    room -= lines.length;
    const more = lines.length - shown.length;
    return html`<figure class="diff">
<figcaption>${path || 'a change'}</figcaption>
<div class="lines" role="region" aria-label="${`change of ${path || 'a file'}`}" tabindex="0">${shown.map(lineHtml)}</div>
${more > 0 && html`<p class="muted">and ${more} more lines: git has them all</p>`}
</figure>`;
  });
  return html`${files}`;
}

function lineHtml({ kind, text, number }: DiffLine): Html {
  if (kind === 'hunk' || kind === 'note') return html`<div class="line ${kind}">${text}</div>`;
  const words = html`<span class="number">${number}</span><span class="mark">${MARKS[kind]}</span>${text}`;
  if (kind === 'add') return html`<ins class="line add">${words}</ins>`;
  return kind === 'del' ? html`<del class="line del">${words}</del>` : html`<div class="line">${words}</div>`;
}

const MARKS = { add: '+', del: '-', same: ' ' } as const;
