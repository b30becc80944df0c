// One item of the work queue: `ai/backlog/NN-<slug>.md` → scope, steps, what accepts it. A person's prose is left alone: only
// known headings count, under the names that people give them.
import type { WiderLimits } from '../config/context-map.ts';
import { pathMatcher } from '../config/paths.ts';
import type { Problem } from '../config/problem.ts';
import { didYouMean, nearest } from '../config/suggest.ts';

export interface Step {
  readonly text: string;
  readonly done: boolean;
  /** Of its checkbox, from 0. */
  readonly line: number;
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
  readonly limits: WiderLimits;
  /** A path of the scope or a command → where it stands, from 0. */
  readonly lines: Readonly<Record<string, number>>;
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

/** Reports a problem; lines and columns count from 0. */
type Say = (line: number, message: string, column?: number) => void;

/** Reads an item; what is wrong with it has its place. `file` is its path from the root. Never throws. */
export function parseItem(file: string, text: string): { item: Item; problems: Problem[] } {
  const problems: Problem[] = [];
  const say: Say = (line, message, column = 0) =>
    problems.push({ file, line: line + 1, column: column + 1, path: '', message });
  const { title, sections } = split(text, (line, name) => {
    const meant = nearest(name, WRITTEN);
    if (meant !== undefined)
      say(line, `no part of an item is called ${JSON.stringify(name)}; did you mean ${JSON.stringify(meant)}?`);
  });
  const part = (name: Section) => sections.get(name)?.lines ?? [];
  const where = (name: Section) => sections.get(name)?.at ?? 0;
  const scope = globsIn(part('scope'));
  const acceptance = commandsIn(part('acceptance'), say);
  const tests = commandsIn(part('tests'), () => {});
  const steps = part('steps').flatMap(({ text: row, line }) => {
    const [, , mark, , what = ''] = CHECKBOX.exec(row) ?? [];
    return mark === undefined ? [] : [{ text: what.trim(), done: mark !== ' ', line }];
  });
  if (title === '') say(0, 'no title: begin the file with "# " and what is to be done');
  if (scope.length === 0) say(where('scope'), 'no scope: list the paths that may be changed under "## Scope"');
  for (const { text: glob, line } of scope.filter(reachesLoop))
    say(line, `${glob} reaches ai/, which is nobody's to change but yours`);
  if (acceptance.length === 0)
    say(
      where('acceptance'),
      'nothing could accept it: list commands under "## Acceptance" that succeed when it is done',
    );
  const why = [...part('why'), ...part('scope').filter((row) => globsIn([row]).length === 0)];
  const item: Item = {
    number: ITEM_FILE.exec(file.split('/').at(-1) ?? '')?.[1] ?? '',
    file,
    title,
    scope: textsOf(scope),
    why: why
      .map(({ text: row }) => row.trim())
      .join(' ')
      .trim(),
    steps,
    acceptance: textsOf(acceptance),
    tests: textsOf(tests),
    limits: limitsIn(part('limits'), say),
    lines: Object.fromEntries([...scope, ...tests, ...acceptance].map(({ text: of, line }) => [of, line])),
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
        const part = sections.get(section) ?? { at: line, lines: [] };
        sections.set(section, part);
        open = part.lines;
      }
    }
  }
  return { title, sections };
}

const textsOf = (lines: readonly Line[]): string[] => lines.map(({ text }) => text);

/**
 * Commands: each fenced block is one, and so is each entry of a list; in a sentence, what stands in backticks. A sentence beside
 * commands is for people to read; where there is nothing else it must have been meant as one.
 */
function commandsIn(lines: readonly Line[], say: Say): Line[] {
  const commands: Line[] = [];
  const sentences: (() => void)[] = [];
  let block: string[] | undefined;
  for (const { text, line } of lines) {
    if (FENCE.test(text)) {
      if (block?.some((row) => row.trim() !== ''))
        commands.push({ text: block.join('\n').trim(), line: line - block.length });
      block = block === undefined ? [] : undefined;
    } else if (block !== undefined) block.push(text);
    else {
      const [, entry] = BULLET.exec(text) ?? [];
      if (entry === undefined) continue;
      const [, quoted] = /`([^`]+)`/.exec(entry) ?? [];
      if (quoted !== undefined) commands.push({ text: quoted.trim(), line });
      else if (isSentence(entry))
        sentences.push(() => say(line, 'reads like a sentence: put the command in `backticks`', text.indexOf(entry)));
      else if (entry.trim() !== '') commands.push({ text: entry.trim(), line });
    }
  }
  if (commands.length === 0) for (const complain of sentences) complain();
  return commands;
}

const isSentence = (text: string): boolean => /^[A-Z][a-z]* [a-z]/.test(text) || /[a-z]\.$/.test(text.trim());

/** Patterns of paths: entries of a list, and whatever stands in backticks. */
function globsIn(lines: readonly Line[]): Line[] {
  const words = lines.flatMap(({ text, line }) => {
    const quoted = [...text.matchAll(/`([^`\s]+)`/g)].map(([, word = '']) => word);
    const [, entry = ''] = BULLET.exec(text) ?? [];
    const globs = quoted.length > 0 ? quoted : /\s/.test(entry.trim()) ? entry.split(/\s*,\s*/) : [entry.trim()];
    return globs
      .filter((glob) => glob !== '' && !/\s/.test(glob) && /[/*.]|^\w+$/.test(glob))
      .map((glob) => ({ text: glob, line }));
  });
  return words.filter(({ text }, i) => words.findIndex((one) => one.text === text) === i);
}

/** What a pattern would match if it reached the loop's own folder. */
const IN_LOOP = ['ai/backlog/00-index.md', 'ai/context_map.yaml', 'ai/loop.yaml', 'ai/state/stages.json'];

const reachesLoop = ({ text: glob }: Line): boolean =>
  /^(?:\.\/)?(?:ai(?:\/|$)|\.?$)/.test(glob) || IN_LOOP.some(pathMatcher([glob]));

const NUMBERS = ['files', 'lines', 'new_folders'] as const;

function limitsIn(lines: readonly Line[], say: Say): WiderLimits {
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
      say(line, `no limit is called ${JSON.stringify(key)}${didYouMean(name, [...NUMBERS, 'programs'], 'limits are')}`);
    else if (!/^\d{1,4}$/.test(value))
      say(line, `expected a whole number, got ${JSON.stringify(value)}`, text.indexOf(value));
    else limits[name] = Number(value);
  }
  return limits;
}
