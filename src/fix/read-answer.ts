// What a model said → what it asks for. An answer is read as the form it is in, whatever form was asked for.
import { type Change, type Note, type OrRefusal, refuse, TWO_FORMS } from './edit.ts';
import { looksChanged, pathOfInfo, pathOfLine, type Stretch, stretches } from './formats/fences.ts';
import { hasSearchReplace, outsideBlocks, readSearchReplace } from './formats/search-replace.ts';
import { readUnifiedDiff } from './formats/unified-diff.ts';

/** Longest answer that is looked at. */
export const MAX_ANSWER_CHARS = 1024 * 1024;
/** Longest Fix or Reason that is kept. */
const MAX_NOTE_CHARS = 600;

type ReadChanges = OrRefusal<{ changes: Change[] }>;
type ReadAnswer = OrRefusal<{ changes: Change[]; note?: Note }>;

/** Never throws. `hint.path` is the file of an answer that names none. */
export function readAnswer(text: string, hint: { path?: string | undefined } = {}): ReadAnswer {
  if (text.length > MAX_ANSWER_CHARS) {
    return refuse('too_large', `the answer has ${text.length} characters; at most ${MAX_ANSWER_CHARS} are read`);
  }
  const plain = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  const lines = withoutThoughts(plain.split('\n'));
  if (lines.every((line) => line.trim() === '')) return refuse('no_change', 'the answer is empty');
  const parts = stretches(lines);
  const read = readForm(lines, parts, hint.path);
  if (!read.ok) return read;
  if (read.changes.length === 0) return refuse('unreadable', HOW);
  const named = (change: Change): Change => ({ ...change, path: change.path ?? hint.path });
  const changes = read.changes.map((change) => (change.form === 'beside' ? change : named(change)));
  const note = noteOf(parts);
  return { ok: true, changes, ...(note ? { note } : {}) };
}

const HOW = 'answer with a unified diff, with search/replace blocks, or with the whole file in one fenced block';

function readForm(lines: readonly string[], parts: readonly Stretch[], hint: string | undefined): ReadChanges {
  if (hasSearchReplace(lines)) {
    const others = stretches(outsideBlocks(lines));
    const diffs = readDiffs(others.filter(isDiff));
    const second = !diffs.ok || diffs.changes.length > 0;
    return second ? refuse('unreadable', TWO_FORMS) : withBeside(readSearchReplace(lines), others);
  }
  const diffs = parts.filter(isDiff);
  if (diffs.length > 0) {
    const lost = parts.some((part) => part.kind === 'prose' && !diffs.includes(part) && part.lines.some(looksChanged));
    const why = 'changed lines stand outside of the diff; put all of it into one fenced block';
    return lost ? refuse('unreadable', why) : withBeside(readDiffs(diffs), parts);
  }
  const blocks = parts.filter(({ kind }) => kind === 'block');
  return blocks.length > 0 ? readWholeFile(blocks, hint) : refuse('unreadable', HOW);
}

const NO_FILE = /^(?:sh|bash|shell|zsh|console|shell-?session|te?xt|plaintext|output|logs?)\b/i;

/** The change, and the blocks that are no part of it: whether one is a second form is told by the file it is about. */
function withBeside(read: ReadChanges, parts: readonly Stretch[]): ReadChanges {
  if (!read.ok || read.changes.length === 0) return read;
  const isText = ({ kind, closed, lines }: Stretch): boolean =>
    kind === 'block' && closed && lines.some((line) => line.trim() !== '');
  const blocks = parts.filter((part) => isText(part) && !isDiff(part));
  const beside = blocks.map(({ lines, info, above }): Change => {
    // Commands to be run, and what they print, stand below the names of files that they are not.
    const commands = NO_FILE.test(info) && !lines[0]?.startsWith('#!');
    const path = commands ? undefined : (pathOfInfo(info) ?? pathOfLine(above));
    return { form: 'beside', path, text: lines.map((line) => `${line}\n`).join('') };
  });
  return { ok: true, changes: [...read.changes, ...beside] };
}

/** A diff by its headers, by what its fence says, or by lines that begin with a plus. */
function isDiff({ kind, lines, info }: Stretch): boolean {
  if (kind === 'block' && /^(?:diff|patch|udiff)\b/i.test(info)) return true;
  return lines.some(
    (line, i) =>
      line.startsWith('@@') ||
      line.startsWith('diff --git ') ||
      /^\*\*\* (?:Update|Add|Delete) File: /.test(line) ||
      (line.startsWith('--- ') && (lines[i + 1] ?? '').startsWith('+++ ')) ||
      (kind === 'block' && line.startsWith('+')),
  );
}

function readDiffs(parts: readonly Stretch[]): ReadChanges {
  const changes: Change[] = [];
  for (const { kind, lines, info, above } of parts) {
    const named = kind === 'block' ? (pathOfInfo(info) ?? pathOfLine(above)) : undefined;
    const read = readUnifiedDiff(lines, kind === 'block', named ?? changes.at(-1)?.path);
    if (!read.ok) return read;
    changes.push(...read.changes);
  }
  return { ok: true, changes };
}

/** What a reasoning model thought before its answer is no part of it. */
function withoutThoughts(lines: readonly string[]): string[] {
  const end = lines.findLastIndex((line) => /^[^ +-].*<\/think(?:ing)?>/.test(line) || /^<\/think/.test(line));
  const rest = lines.slice(end + 1);
  const open = rest.findIndex((line) => /^<think(?:ing)?>/.test(line));
  return open < 0 ? rest : rest.slice(0, open);
}

function noteOf(parts: readonly Stretch[]): Note | undefined {
  const prose = parts.filter(({ kind }) => kind === 'prose').flatMap(({ lines }) => lines);
  const after = (word: string): string => {
    const pattern = new RegExp(String.raw`^[\s>*_#-]{0,8}${word}[*_]{0,3}:[*_]{0,3}\s*(.+)$`, 'i');
    const texts = prose.flatMap((line) => pattern.exec(line.slice(0, 4 * MAX_NOTE_CHARS))?.[1] ?? []);
    return (texts.at(-1) ?? '').trim().slice(0, MAX_NOTE_CHARS);
  };
  const note = { fix: after('Fix'), reason: after('Reason') };
  return note.fix === '' && note.reason === '' ? undefined : note;
}

/** The block that is a file: the only one with a path, or the only one at all, which is then for `hint`. */
function readWholeFile(blocks: readonly Stretch[], hint: string | undefined): ReadChanges {
  const named = blocks.flatMap((block) => {
    const path = pathOfInfo(block.info) ?? pathOfLine(block.above);
    return path === undefined ? [] : [{ block, path }];
  });
  const only = blocks.length === 1 ? (blocks[0] as Stretch) : undefined;
  const picked = named.length === 1 ? named[0] : only ? { block: only, path: hint } : undefined;
  if (!picked) {
    return refuse('unreadable', `the answer has ${blocks.length} fenced blocks and does not say which one is the file`);
  }
  const { block, path } = picked;
  if (path === undefined) return refuse('no_path', 'write the path of the file on the line above the block');
  if (!block.closed) return refuse('unreadable', `the block of ${path} does not end: the answer was cut off`);
  if (block.lines.every((line) => line.trim() === '')) return refuse('no_change', `the block of ${path} is empty`);
  return { ok: true, changes: [{ form: 'whole-file', path, text: block.lines.map((line) => `${line}\n`).join('') }] };
}
