// One item of the work queue: `ai/backlog/NN-<slug>.md` → scope, steps, what accepts it. A person's prose is left alone: only
// known headings count, under the names that people give them.
import type { Problem } from '../config/problem.ts';
import { didYouMean, nearest } from '../config/suggest.ts';

export interface Step {
  readonly text: string;
  readonly done: boolean;
  /** Of its checkbox, from 0. */
  readonly line: number;
}

/** What an item may do beyond the limits of the loop. */
export interface ItemLimits {
  readonly files?: number;
  readonly lines?: number;
  /** Programs that are not new for this item. */
  readonly programs?: readonly string[];
}

export interface Item {
  /** As in its file's name: `03`. */
  readonly number: string;
  readonly file: string;
  readonly title: string;
  readonly scope: readonly string[];
  readonly why: string;
  readonly steps: readonly Step[];
  /** Commands that must all succeed for it to be done. */
  readonly acceptance: readonly string[];
  /** Commands that must succeed before and after each change. */
  readonly tests: readonly string[];
  readonly limits: ItemLimits;
}

type Section = 'scope' | 'why' | 'steps' | 'acceptance' | 'tests' | 'limits' | 'log';

/** What people call the parts of an item. */
const HEADINGS: readonly (readonly [Section, RegExp])[] = [
  ['scope', /^(?:scope|files)\b/],
  ['why', /^(?:why|rationale|context|background|motivation)\b/],
  ['steps', /^(?:steps|(?:concrete )?implementation(?: steps)?|tasks|to ?do)\b/],
  ['acceptance', /^accept(?:ance|ed)?\b/],
  ['tests', /^(?:tests?|required tests)\b/],
  ['limits', /^limits?\b/],
  ['log', /^(?:progress|log)\b/],
];
const WRITTEN = ['Scope', 'Why', 'Steps', 'Acceptance', 'Tests', 'Limits', 'Progress log'];

export const ITEM_FILE = /^(\d{2,4})-([a-z0-9][a-z0-9._-]*)\.md$/i;
export const CHECKBOX = /^(\s*(?:[-*+]|\d{1,4}[.)])\s+\[)([ xX])(\]\s+)(.*)$/;
const BULLET = /^\s*(?:[-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*\s*$/;
const FENCE = /^\s*(`{3,}|~{3,})/;

/** The section that a heading opens, or undefined for one of the writer's own. */
export const sectionOf = (heading: string): Section | undefined =>
  HEADINGS.find(([, name]) => name.test(heading.toLowerCase().trim()))?.[0];

interface Line {
  readonly text: string;
  readonly line: number;
}

/** Reads an item; what is wrong with it has its place. `file` is its path from the root. Never throws. */
export function parseItem(file: string, text: string): { item: Item; problems: Problem[] } {
  const problems: Problem[] = [];
  const say = (line: number, column: number, message: string) =>
    problems.push({ file, line: line + 1, column: column + 1, path: '', message });
  const { title, sections } = split(text, (line, name) => {
    const meant = nearest(name, WRITTEN);
    if (meant !== undefined)
      say(line, 0, `no part of an item is called ${JSON.stringify(name)}; did you mean ${JSON.stringify(meant)}?`);
  });
  const part = (name: Section) => sections.get(name)?.lines ?? [];
  const where = (name: Section) => sections.get(name)?.at ?? 0;
  const scope = globsIn(part('scope'));
  const acceptance = commandsIn(part('acceptance'), say);
  const steps = part('steps').flatMap(({ text: row, line }) => {
    const [, , mark, , what = ''] = CHECKBOX.exec(row) ?? [];
    return mark === undefined ? [] : [{ text: what.trim(), done: mark !== ' ', line }];
  });
  if (title === '') say(0, 0, 'no title: begin the file with "# " and what is to be done');
  if (scope.length === 0) say(where('scope'), 0, 'no scope: list the paths that may be changed under "## Scope"');
  for (const glob of scope.filter(reachesLoop))
    say(where('scope'), 0, `${glob} reaches ai/, which is nobody's to change but yours`);
  if (acceptance.length === 0)
    say(
      where('acceptance'),
      0,
      'nothing could accept it: list commands under "## Acceptance" that succeed when it is done',
    );
  const why = [
    ...part('why'),
    ...part('scope').filter(({ text: row }) => globsIn([{ text: row, line: 0 }]).length === 0),
  ];
  const item: Item = {
    number: ITEM_FILE.exec(file.split('/').at(-1) ?? '')?.[1] ?? '',
    file,
    title,
    scope,
    why: why
      .map(({ text: row }) => row.trim())
      .join(' ')
      .trim(),
    steps,
    acceptance,
    tests: commandsIn(part('tests'), () => {}),
    limits: limitsIn(part('limits'), say),
  };
  return { item, problems };
}

/** The lines of each section, without what stands in a comment. */
function split(text: string, unknown: (line: number, name: string) => void) {
  const sections = new Map<Section, { at: number; lines: Line[] }>();
  let title = '';
  let open: Line[] | undefined;
  let fence = '';
  for (const [line, row] of text.split(/\r?\n/).entries()) {
    const mark = FENCE.exec(row)?.[1]?.slice(0, 3) ?? '';
    if (mark !== '' && (fence === '' || fence === mark)) fence = fence === '' ? mark : '';
    const [, level = '', name = ''] = (fence === '' && HEADING.exec(row)) || [];
    if (level === '') open?.push({ text: row, line });
    else if (level === '#') title ||= name.replace(/^\d{2,4}[\s:.–—-]+/, '');
    else {
      const section = sectionOf(name);
      open = undefined;
      if (section === undefined) unknown(line, name);
      else {
        const found = sections.get(section) ?? { at: line, lines: [] };
        sections.set(section, found);
        open = found.lines;
      }
    }
  }
  return { title, sections };
}

/** Commands: each fenced block is one, and so is each entry of a list; in a sentence, what stands in backticks. */
function commandsIn(lines: readonly Line[], say: (line: number, column: number, message: string) => void): string[] {
  const commands: string[] = [];
  let block: string[] | undefined;
  for (const { text, line } of lines) {
    if (FENCE.test(text)) {
      if (block?.some((row) => row.trim() !== '')) commands.push(block.join('\n').trim());
      block = block === undefined ? [] : undefined;
    } else if (block !== undefined) block.push(text);
    else {
      const [, entry] = BULLET.exec(text) ?? [];
      if (entry === undefined) continue;
      const [, quoted] = /`([^`]+)`/.exec(entry) ?? [];
      if (quoted !== undefined) commands.push(quoted.trim());
      else if (isSentence(entry))
        say(line, text.indexOf(entry), 'reads like a sentence: put the command in `backticks`');
      else if (entry.trim() !== '') commands.push(entry.trim());
    }
  }
  return commands;
}

const isSentence = (text: string): boolean => /^[A-Z][a-z]* [a-z]/.test(text) || /[a-z]\.$/.test(text.trim());

/** Patterns of paths: entries of a list, and whatever stands in backticks. */
function globsIn(lines: readonly Line[]): string[] {
  const words = lines.flatMap(({ text }) => {
    const quoted = [...text.matchAll(/`([^`\s]+)`/g)].map(([, word = '']) => word);
    const [, entry = ''] = BULLET.exec(text) ?? [];
    return quoted.length > 0 ? quoted : /\s/.test(entry.trim()) ? entry.split(/\s*,\s*/) : [entry.trim()];
  });
  return [...new Set(words.filter((word) => word !== '' && !/\s/.test(word) && /[/*.]|^\w+$/.test(word)))];
}

const reachesLoop = (glob: string): boolean => /^(?:\.\/)?(?:ai(?:\/|$)|\*{1,2}\/?$|\.?$)/.test(glob);

const NUMBERS = ['files', 'lines'] as const;

function limitsIn(lines: readonly Line[], say: (line: number, column: number, message: string) => void): ItemLimits {
  const limits: Record<string, unknown> = {};
  for (const { text, line } of lines) {
    const [, key = '', value = ''] = /^\s*(?:[-*+]\s+)?`?([\w ]+?)`?\s*:\s*(.+?)\s*$/.exec(text) ?? [];
    const name = key.trim().replaceAll(' ', '_');
    if (key === '') continue;
    if (name === 'programs')
      limits.programs = value
        .replaceAll('`', '')
        .split(/[\s,]+/)
        .filter(Boolean);
    else if (!(NUMBERS as readonly string[]).includes(name))
      say(
        line,
        0,
        `no limit is called ${JSON.stringify(key)}${didYouMean(name, [...NUMBERS, 'programs'], 'limits are')}`,
      );
    else if (!/^\d{1,4}$/.test(value))
      say(line, text.indexOf(value), `expected a whole number, got ${JSON.stringify(value)}`);
    else limits[name] = Number(value);
  }
  return limits;
}
