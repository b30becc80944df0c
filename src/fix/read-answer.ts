// What a model said → what it asks for. An answer is read as the form it is in, whatever form was asked for.
import { type Change, type Note, type OrRefusal, refuse, TWO_FORMS } from './edit.ts';
import {
  isPath,
  looksChanged,
  pathOfInfo,
  pathOfLine,
  type Stretch,
  stretches,
  withoutCommand,
  withPath,
} from './formats/fences.ts';
import { labelOf, patchIn, readData, readLabels, readTags } from './formats/old-and-new.ts';
import { hasSearchReplace, outsideBlocks, readSearchReplace } from './formats/search-replace.ts';
import { readSentences, readSubstitutions } from './formats/substitutions.ts';
import { readUnifiedDiff } from './formats/unified-diff.ts';

/** Longest answer that is looked at. */
export const MAX_ANSWER_CHARS = 1024 * 1024;
/** Longest Fix or Reason that is kept. */
const MAX_NOTE_CHARS = 600;

type ReadChanges = OrRefusal<{ changes: Change[] }>;
/** `mentions` are words of the prose that may be paths. */
type ReadAnswer = OrRefusal<{ changes: Change[]; note?: Note; mentions: string[] }>;

interface Hint {
  /** The file of an answer that names none. */
  readonly path?: string | undefined;
  /** Files that may be changed: alone on a line, the name of one is a path, whatever it looks like. */
  readonly files?: readonly string[];
}

/** Never throws. */
export function readAnswer(text: string, hint: Hint = {}): ReadAnswer {
  if (text.length > MAX_ANSWER_CHARS) {
    return refuse('too_large', `the answer has ${text.length} characters; at most ${MAX_ANSWER_CHARS} are read`);
  }
  const plain = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  const lines = withoutThoughts(plain.split('\n'));
  if (lines.every((line) => line.trim() === '')) return refuse('no_change', 'the answer is empty');
  const files = new Set(hint.files);
  const parts = partsOf(lines, files).map((part) => (part.kind === 'block' ? withoutCommand(part) : part));
  const read = readForm(lines, parts, files);
  if (!read.ok) return read;
  if (read.changes.length === 0) return refuse('unreadable', HOW);
  if (offersChoice(parts, read.changes)) return refuse('unreadable', ONE_ONLY);
  const named = (change: Change): Change => ({ ...change, path: change.path ?? hint.path });
  const changes = read.changes.map((change) => (change.form === 'beside' ? change : named(change)));
  const note = noteOf(parts);
  return { ok: true, changes, mentions: mentionsIn(parts), ...(note ? { note } : {}) };
}

const partsOf = (lines: readonly string[], files: ReadonlySet<string>): Stretch[] =>
  stretches(lines).map((part) => ({ ...part, above: withPath(part.above, files) }));

const ONE_ONLY = 'the answer gives more than one way to mend it; decide for one of them, and write only that';
const CHOICE =
  /^\W*(?:option|alternative|candidate|approach|solution|choice|variant|possibility)s?\b[\s#]*(?:\d|[A-D]\b|one\b|two\b)|^\W*alternative(?:ly)?\b|^\W*or\b[\s,:]*(?:you (?:can|could|may)|if you prefer|instead|alternatively)?\W*$|\bor (?:you (?:can|could)|instead|alternatively)\b/i;

/** Whether the answer leaves it to its reader which of its changes is made. */
function offersChoice(parts: readonly Stretch[], changes: readonly Change[]): boolean {
  const asked = changes.filter(({ form }) => form !== 'beside').flatMap(partsOfChange);
  // Lines of a diff without a fence are the file's words, not the answer's.
  const prose = parts
    .filter(({ kind }) => kind === 'prose')
    .flatMap((part) => (isDiff(part) ? part.lines.filter((line) => !/^[ +\-@\\]/.test(line)) : part.lines));
  return new Set(asked).size > 1 && prose.some((line) => CHOICE.test(line));
}

function partsOfChange(change: Change): string[] {
  if (change.form === 'diff') return change.hunks.map((hunk) => JSON.stringify(hunk));
  return change.form === 'search-replace' ? change.blocks.map((block) => JSON.stringify(block)) : [change.text];
}

/** Words outside of blocks, and behind their fences, that look like paths. */
function mentionsIn(parts: readonly Stretch[]): string[] {
  const lines = parts.flatMap(({ kind, lines: body, info }) => (kind === 'prose' ? body : [info]));
  const words = lines.flatMap((line) => line.slice(0, 500).split(/[\s"'`*()[\]<>,;=]+/));
  return [...new Set(words.map((word) => word.replace(/^[:#]+|[.:!?]+$/g, '')).filter(isPath))].slice(0, 200);
}

const NO_CHANGE = 'the answer holds no change, only words';
const HOW = 'answer with a unified diff, with search/replace blocks, or with the whole file in one fenced block';

function readForm(
  lines: readonly string[],
  parts: readonly Stretch[],
  files: ReadonlySet<string>,
  depth = 0,
): ReadChanges {
  if (hasSearchReplace(lines)) {
    const others = partsOf(outsideBlocks(lines), files);
    const diffs = readDiffs(others.filter(isDiff));
    const second = !diffs.ok || diffs.changes.length > 0;
    return second ? refuse('unreadable', TWO_FORMS) : withBeside(readSearchReplace(lines, files), others);
  }
  const patch = depth === 0 ? patchIn(lines.join('\n')) : undefined;
  if (patch !== undefined) return readForm(patch.split('\n'), partsOf(patch.split('\n'), files), files, 1);
  const data = readData(lines, parts);
  if (data.length > 0) return { ok: true, changes: data };
  const diffs = parts.filter(isDiff);
  if (diffs.length > 0) {
    const lost = parts.some((part) => part.kind === 'prose' && !diffs.includes(part) && part.lines.some(looksChanged));
    const why = 'changed lines stand outside of the diff; put all of it into one fenced block';
    return lost ? refuse('unreadable', why) : withBeside(readDiffs(diffs), parts);
  }
  const blocks = parts.filter(({ kind }) => kind === 'block');
  const prose = parts.filter(({ kind }) => kind === 'prose').flatMap((part) => part.lines);
  const readers = [
    () => readTags(lines.join('\n')),
    () => readSubstitutions(parts.flatMap(commandLines), files),
    () => (blocks.length > 0 ? [] : readLabels(lines)),
  ];
  for (const read of readers) {
    const changes = read();
    if (changes.length > 0) return { ok: true, changes };
  }
  const texts = blocks.length > 0 ? readTexts(blocks) : undefined;
  if (texts && (!texts.ok || texts.changes.length > 0)) return texts;
  const sentences = readSentences(prose);
  if (sentences.length > 0) return { ok: true, changes: sentences };
  return blocks.length > 0 ? refuse('unreadable', HOW) : readBare(prose, files);
}

/** What stands beside `s` commands that are to be run: comments, the editor that is started, and how it is left. */
const EDITORS_OWN = /^\s*(?:$|#(?!!)|(?:cd|sed|perl|ed|ex|vim?)\s|[wq]{1,2}$|EOF$)/;

/**
 * Where an `s` command is one to be run, and not a line of a file: in prose, and in a block that holds nothing else.
 */
function commandLines({ kind, lines }: Stretch): readonly string[] {
  const isOther = (line: string): boolean => !EDITORS_OWN.test(line) && readSubstitutions([line]).length === 0;
  return kind === 'prose' || !lines.some(isOther) ? lines : [];
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

/** What an answer says of itself, also where its change cannot be read. */
export const noteIn = (text: string): Note | undefined =>
  text.length > MAX_ANSWER_CHARS ? undefined : noteOf(partsOf(text.split(/\r?\n/), new Set()));

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

/** Blocks without marks: files, excerpts of files, old and new texts. Commands to be run are none of them. */
function readTexts(blocks: readonly Stretch[]): ReadChanges {
  const texts = blocks.flatMap((block): { block: Stretch; change: Extract<Change, { form: 'whole-file' }> }[] => {
    const commands = NO_FILE.test(block.info) && blocks.length > 1 && !block.lines[0]?.startsWith('#!');
    const named = pathOfInfo(block.info) ?? pathOfLine(block.above);
    const label = labelOf(block.above);
    if (commands && named === undefined && label === undefined) return [];
    const comment = named === undefined ? pathOfComment(block.lines[0] ?? '') : undefined;
    const lines = comment === undefined ? block.lines : block.lines.slice(1);
    const path = named ?? comment;
    const text = lines.map((line) => `${line}\n`).join('');
    return [{ block, change: { form: 'whole-file', path, text, ...(label && { label }) } }];
  });
  const open = texts.find(({ block }) => !block.closed);
  if (open) {
    const what = open.change.path === undefined ? 'the last block' : `the block of ${open.change.path}`;
    return refuse('unreadable', `${what} does not end: the answer was cut off; write less around the change`);
  }
  const full = texts.filter(({ change }) => change.text.trim() !== '').map(({ change }) => change);
  if (full.length === 0 && texts.length > 0) {
    return refuse('no_change', `the block of ${texts[0]?.change.path ?? 'the answer'} is empty`);
  }
  // Others than those with a path or a label are shown for another reason.
  const meant = full.filter(({ path, label }) => path !== undefined || label !== undefined);
  return { ok: true, changes: meant.some(({ path }) => path !== undefined) ? meant : full };
}

/** The path in a comment that is nothing else: `# conf/x.yaml`, `// file: conf/x.ts`. */
function pathOfComment(line: string): string | undefined {
  const words = /^\s*(?:#|\/\/|--|;|<!--|\/\*)+\s*(.+?)\s*(?:-->|\*\/)?\s*$/.exec(line)?.[1];
  const path = words === undefined ? undefined : pathOfLine(words);
  return path !== undefined && /[/\\]/.test(path) ? path : undefined;
}

/** A part of a sentence that the code below it ends: what remains may be no text of a file. */
const UNENDED = /^(?:to|with|into|becomes|[A-Z].*\b(?:change|replace|modify|update|edit|the lines?|the following))$/;
const SAYS = /^(?:[A-Z].*\s\S+\s\S+.*[.!:?]$|\W*(?:Fix|Reason|Note|Explanation)\b[^:]{0,30}:|#+ )/;

/** Whether lines without a mark of code are sentences: of an editor's commands most are shorter. */
const isProse = (lines: readonly string[]): boolean => {
  const full = lines.filter((line) => line.trim() !== '');
  const isWords = (line: string) => full.length === 1 || line.trim().split(/\s+/).length > 2;
  return full.every((line) => isWords(line) && !/^[-+@]/.test(line));
};

/** Lines that are neither fenced nor marked: removed and added ones, or an excerpt, between sentences. */
function readBare(prose: readonly string[], files: ReadonlySet<string>): ReadChanges {
  const isMarked = prose.some((line) => /^-\S|^- {2,}/.test(line)) && prose.some((line) => line.startsWith('+'));
  if (isMarked) {
    const from = prose.findIndex((line) => /^[+-]/.test(line));
    const to = prose.findLastIndex((line) => /^[+-]/.test(line));
    return readUnifiedDiff(
      ['@@', ...prose.slice(from, to + 1)],
      true,
      pathOfLine(withPath(prose.slice(0, from).findLast((line) => line.trim() !== '') ?? '', files)),
    );
  }
  const code = prose.map((line) => (SAYS.test(line) ? '' : line));
  const [from, to] = [code.findIndex((line) => line.trim() !== ''), code.findLastIndex((line) => line.trim() !== '')];
  if (code.some((line) => UNENDED.test(line))) return refuse('unreadable', HOW);
  if (from < 0) return refuse('no_change', NO_CHANGE);
  const [first = '', ...rest] = code.slice(from, to + 1);
  const path = pathOfComment(first) ?? pathOfLine(withPath(first, files));
  const lines = path === undefined ? [first, ...rest] : rest;
  const isCode = lines.some((line) => /[:=]\s*\S|[:{[]$|^\s+\S|^- /.test(line));
  if (!isCode) return isProse(lines) ? refuse('no_change', NO_CHANGE) : refuse('unreadable', HOW);
  return { ok: true, changes: [{ form: 'whole-file', path, text: `${lines.join('\n')}\n`, bare: true }] };
}
