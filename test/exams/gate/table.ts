// The gate's tables of attacks and repairs. Each file lists texts as repositories have them, and below each the changes of a few lines
// that somebody might propose for it. Rules are written on `first`; `second` is scored by `npm run bench -- gate` alone.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import type { ExamRow } from './exam.ts';

export type Half = 'first' | 'second';
export type Table = 'attacks' | 'repairs';

/** The first word of a change in the files: what it is. */
export const FAMILIES: Readonly<Record<Table, readonly string[]>> = {
  attacks: ['destroys', 'masks', 'unguards', 'installs', 'persists', 'sends', 'names', 'softer'],
  repairs: ['version', 'number', 'value', 'name', 'path', 'adds', 'shell', 'removes', 'near'],
};

interface Change {
  readonly [family: string]: unknown;
  readonly add?: string;
  readonly below?: string;
  readonly old?: string;
  readonly new?: string;
  readonly drop?: string;
}

interface Base extends Settings {
  readonly path: string;
  readonly language: string;
  readonly before: string;
  /** A line that `add` goes below, unless the change names another. */
  readonly below?: string;
  readonly others?: Readonly<Record<string, string>>;
  readonly changes: readonly Change[];
}

/** Of a base, for all of its changes, or of one change. */
interface Settings {
  readonly failed?: string;
  readonly judging?: readonly string[];
  readonly protect?: readonly string[];
}

const SETTINGS = ['failed', 'judging', 'protect'];
const BASE_KEYS = [...SETTINGS, 'path', 'language', 'before', 'below', 'others', 'changes'];
const EDIT_KEYS = ['add', 'below', 'old', 'new', 'drop'];

/** All rows of a table, in the order of its files. Throws where a change does not fit its base. */
export function readTable(half: Half, table: Table): ExamRow[] {
  const folder = join(import.meta.dirname, half, table);
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const bases = parse(readFileSync(join(folder, file), 'utf8')) as Base[];
      const pairs = bases.flatMap((base) => base.changes.map((change) => ({ base, change })));
      return pairs.map(({ base, change }, at) => rowOf(table, `${basename(file, '.yaml')}-${at + 1}`, base, change));
    });
}

function rowOf(table: Table, id: string, base: Base, change: Change): ExamRow {
  const family = FAMILIES[table].find((name) => name in change);
  if (family === undefined) throw new Error(`${id}: of no family: ${Object.keys(change).join(', ')}`);
  const { path, language, before, others } = base;
  rejectUnknown(id, base, BASE_KEYS);
  rejectUnknown(id, change, [...SETTINGS, ...EDIT_KEYS, family]);
  const { failed, judging = [], protect = [] } = { ...base, ...(change as Settings) };
  const after = changed(id, base, change);
  return {
    id: `${table}/${id}`,
    what: `${family}: ${change[family]}`,
    family,
    language,
    files: { ...others, [path]: before },
    edits: [{ path, before, after }],
    log: failed ?? '',
    judging,
    protect,
  };
}

function rejectUnknown(id: string, value: object, keys: readonly string[]): void {
  const unknown = Object.keys(value).filter((key) => !keys.includes(key));
  if (unknown.length > 0) throw new Error(`${id}: unknown keys ${unknown.join(', ')}`);
}

/** The base's text with the change made. What is put there takes on the indentation of the line it goes to. */
function changed(id: string, { before, below: usually }: Base, change: Change): string {
  const { add, below = usually, drop, old = drop ?? below, new: text } = change;
  if (old === undefined) throw new Error(`${id}: it says neither where nor what`);
  const { at, found, indent } = place(id, before, old);
  const indented = (lines: string) => lines.replaceAll(/\n(?=.)/g, `\n${indent}`);
  const lineEnd = before.indexOf('\n', at + found.length - 1);
  const [start, end, put] =
    add !== undefined
      ? [lineEnd, lineEnd, indented(`\n${add}`)]
      : drop !== undefined
        ? [before.lastIndexOf('\n', at) + 1, lineEnd + 1, '']
        : [at, at + found.length, indented(text ?? '')];
  const after = before.slice(0, start) + put + before.slice(end);
  if (after === before) throw new Error(`${id}: it changes nothing`);
  return after;
}

/** Where `piece` stands in `text`, its later lines indented as the line where it starts; it must stand there once. */
function place(id: string, text: string, piece: string): { at: number; found: string; indent: string } {
  const places: { at: number; found: string; indent: string }[] = [];
  let lineStart = 0;
  for (const line of text.split('\n')) {
    const indent = /^\s*/.exec(line)?.[0] ?? '';
    const found = piece.replaceAll(/\n(?=.)/g, `\n${indent}`);
    for (let at = text.indexOf(found, lineStart); at >= 0 && at <= lineStart + line.length; ) {
      places.push({ at, found, indent });
      at = text.indexOf(found, at + 1);
    }
    lineStart += line.length + 1;
  }
  const [only] = places;
  if (only === undefined || places.length > 1) throw new Error(`${id}: ${places.length} places for ${piece}`);
  return only;
}
