// The parts of a prompt, each able to say itself in as much room as it gets.
import { cleanLine, cleanLines } from '../../failure/clean.ts';
import type { PromptFacts, PromptTry } from '../context.ts';
import { clipLine, estimateTokens, fenced, linesWithin } from '../text.ts';
import { filePart } from './files.ts';
import { memoSections, withoutSection } from './memo.ts';
import { type Suspect, suspects } from './suspects.ts';

/** `say` gives the part in at most `room` tokens, or '' when nothing of use fits. */
export interface Part {
  readonly name: string;
  /** Of the budget, as long as others want room too. */
  readonly share: number;
  say(room: number): string;
}

const LOG_LINES = 100;
const LOG_CHARS = 400_000;
const FENCE_ROOM = 40;

/** In the order in which they are worth their room. */
export function partsOf(facts: PromptFacts): Part[] {
  const log = logLines(facts.log);
  const { command } = facts.stage;
  const said = typeof command === 'string' ? command : command.join(' ');
  const ranked = suspects(facts.files, { error_lines: facts.failure.error_lines, log, command: said });
  return [
    { name: 'error lines', share: 0.15, say: (room) => errorLines(facts, room) },
    { name: 'instructions', share: 0.25, say: (room) => instructions(facts, room) },
    { name: 'files', share: 0.45, say: (room) => files(ranked, facts.nonce, room) },
    { name: 'log', share: 0.25, say: (room) => logEnd(log, facts.nonce, room) },
    { name: 'earlier attempts', share: 0.15, say: (room) => tries(facts, room) },
    { name: 'success criteria', share: 0.05, say: (room) => criteria(facts, room) },
    { name: 'memo', share: 0.15, say: (room) => memo(facts, room) },
  ];
}

/** The order in which they stand in the prompt. */
export const READING_ORDER: readonly string[] = [
  'instructions',
  'success criteria',
  'memo',
  'earlier attempts',
  'log',
  'files',
  'error lines',
];

function section(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `# ${heading}\n\n${lines.join('\n')}\n`;
}

function errorLines({ failure, nonce }: PromptFacts, room: number): string {
  const { class: found, ended, error_lines } = failure;
  const intro = `Class: ${found}${ended === undefined ? '' : ` · ended with ${ended}`}`;
  const lines = linesWithin(
    error_lines.map((line) => clipLine(cleanLine(line))),
    room - FENCE_ROOM,
  );
  return section('The failure', lines.length === 0 ? [intro] : [intro, '', ...fenced(nonce, 'error lines', lines)]);
}

function instructions(facts: PromptFacts, room: number): string {
  const lines = withoutSection(facts.instructions, 'The answer').split('\n');
  return `${linesWithin(lines, room).join('\n').trimEnd()}\n`;
}

function files(ranked: readonly Suspect[], nonce: string, room: number): string {
  if (ranked.length === 0) return '';
  const intro = 'You may change these files and no others. The numbers before the lines are not part of them.';
  const hidden: string[] = [];
  const blocks: string[] = [];
  // What follows the files: the names of those that are not shown.
  const names = Math.min(150, ranked.length * 12);
  let left = room - estimateTokens(intro) - 20 - names;
  for (const file of ranked) {
    const lines = filePart(file, nonce, blocks.length === 0 ? left * 0.8 : left * 0.6);
    if (lines === undefined) {
      hidden.push(file.path);
      continue;
    }
    const block = lines.join('\n');
    left -= estimateTokens(block) + 1;
    blocks.push(block);
  }
  const listed = linesWithin(
    hidden.map((path) => `- ${path}`),
    names - 15 - FENCE_ROOM,
  );
  const rest = hidden.length - listed.length;
  if (rest > 0) listed.push(`- and ${rest} more`);
  // A name is anybody's to choose, so it is data like the rest.
  const also =
    hidden.length === 0 ? [] : ['', 'Also yours to change, but not shown here:', ...fenced(nonce, 'names', listed)];
  if (blocks.length === 0 && listed.length === 0) return '';
  return section('The files', [intro, ...blocks.map((block) => `\n${block}`), ...also]);
}

/** The last lines of the log, cleaned, a line that repeats said once. */
function logLines(log: string): string[] {
  const cut = log.length > LOG_CHARS;
  const lines = cleanLines({ text: cut ? log.slice(-LOG_CHARS) : log, cut }).filter((line) => line !== '');
  const kept: string[] = [];
  let times = 1;
  for (let i = lines.length - 1; i >= 0 && kept.length < LOG_LINES; i--) {
    if (lines[i] === lines[i - 1]) {
      times++;
      continue;
    }
    kept.push(times > 1 ? `${clipLine(lines[i] as string)} (${times} times)` : clipLine(lines[i] as string));
    times = 1;
  }
  return kept.reverse();
}

function logEnd(log: readonly string[], nonce: string, room: number): string {
  const lines = linesWithin([...log].reverse(), room - FENCE_ROOM).reverse();
  const what = lines.length === 1 ? 'the last line' : `the last ${lines.length} lines`;
  return lines.length === 0 ? '' : section('The end of the log', fenced(nonce, what, lines));
}

const OUTCOMES: Readonly<Record<string, string>> = {
  refused: 'refused before it was applied',
  applied: 'applied, not judged yet',
  provisional: 'applied; the failure became another one',
  verified: 'applied, and the stage succeeded at that time',
  no_effect: 'applied without effect: the same failure came back, and the change was taken back',
  broke: 'applied, broke something, and was taken back',
  withdrawn: 'taken back unjudged',
  declined: 'a person did not want it',
  passed: 'proposed no change',
};

const TRY_LINES = 40;

function tries({ tries: all = [], nonce }: PromptFacts, room: number): string {
  const intro = 'Do not propose any of these again; they show what does not help.';
  const told: string[] = [];
  let left = room - estimateTokens(intro) - 20;
  for (let i = all.length - 1; i >= 0; i--) {
    const block = oneTry(all[i] as PromptTry, i + 1, nonce, left);
    if (block === undefined) break;
    left -= estimateTokens(block) + 1;
    told.unshift(block);
  }
  return told.length === 0 ? '' : section('Earlier attempts', [intro, '', told.join('\n\n')]);
}

function oneTry(one: PromptTry, number: number, nonce: string, room: number): string | undefined {
  const { plugin, outcome, why, note, diff } = one;
  const head = `Attempt ${number}, by ${plugin}: ${OUTCOMES[outcome] ?? outcome}`;
  const said = [why && `Why: ${why}`, note && `Fix: ${note.fix}`, note && `Reason: ${note.reason}`];
  const words = said.flatMap((line) => (line ? [clipLine(line.replaceAll('\n', ' '))] : []));
  const change =
    diff === undefined
      ? []
      : diff
          .trimEnd()
          .split('\n')
          .slice(0, TRY_LINES)
          .map((line) => clipLine(line));
  const full = [head, ...fenced(nonce, `attempt ${number}`, [...words, ...change])].join('\n');
  if (estimateTokens(full) <= room) return full;
  const short = words.length === 0 ? head : [head, ...fenced(nonce, `attempt ${number}`, words)].join('\n');
  return estimateTokens(short) <= room ? short : undefined;
}

function criteria({ stage }: PromptFacts, room: number): string {
  const lines = (stage.success_criteria ?? []).map((line) => `- ${clipLine(line)}`);
  return section('The stage succeeds when', linesWithin(lines, room - 10));
}

function memo({ memo: text = '', keywords = {}, stage }: PromptFacts, room: number): string {
  const found = memoSections(text, stage.architecture_sections ?? [], keywords);
  const lines = found.flatMap((one, i) => [...(i > 0 ? [''] : []), ...one.replace(/^#/gm, '##').split('\n')]);
  return section('What is known about this homelab', linesWithin(lines, room - 15));
}
