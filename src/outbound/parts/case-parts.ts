// The parts of a case, each able to say itself in as much room as it gets. Whatever comes from outside stands as data.
import { cleanLine } from '../../failure/clean.ts';
import type { CaseFacts, CaseTry } from '../case-file/facts.ts';
import type { PromptFacts } from '../context.ts';
import { clipLine, estimateTokens, fenced, linesWithin, oneLine, plainLine, plainPath } from '../text.ts';
import { diagnosticLines } from './diagnostics.ts';
import { filePart } from './files.ts';
import { memoSections } from './memo.ts';
import { partsOf as promptParts } from './prompt-parts.ts';
import { type Suspect, suspects } from './suspects.ts';

export interface CasePart {
  readonly heading: string;
  /** Of the budget, as long as others want room too. */
  readonly share: number;
  /** In at most `room` tokens, without the heading; '' when there is nothing to say, or nothing of use fits. */
  say(room: number): string;
}

const FENCE_ROOM = 40;

/** In the order in which they are read. */
export function caseParts(facts: CaseFacts): CasePart[] {
  const { nonce, stage, failure, files, notes = [], diagnostics = [] } = facts;
  const borrowed = promptParts(asPrompt(facts));
  const fromPrompt = (name: string, room: number): string => {
    const said = borrowed.find((part) => part.name === name)?.say(room) ?? '';
    return said.split('\n').slice(2).join('\n').trimEnd();
  };
  const command = typeof stage.command === 'string' ? stage.command : stage.command.join(' ');
  const named = files.map(({ path, text }) => ({ path: plainPath(path), text }));
  const ranked = suspects(named, {
    error_lines: failure.error_lines,
    log: facts.log.slice(-20_000).split('\n'),
    command,
  });
  return [
    { heading: 'The failure', share: 0.1, say: (room) => errorLines(facts, room) },
    { heading: 'The stage', share: 0.08, say: (room) => linesWithin(stageLines(facts), room).join('\n') },
    { heading: 'The end of the log', share: 0.2, say: (room) => fromPrompt('log', room) },
    { heading: 'Diagnostics', share: 0.3, say: (room) => diagnosticLines(diagnostics, nonce, room).join('\n') },
    { heading: 'Earlier attempts', share: 0.2, say: (room) => attempts(fromPrompt('earlier attempts', room - 15)) },
    { heading: 'The files', share: 0.3, say: (room) => fileLines(ranked, nonce, room).join('\n') },
    { heading: 'What is known about this homelab', share: 0.1, say: (room) => memo(facts, room) },
    { heading: 'Notes', share: 0.05, say: (room) => noteLines(notes, nonce, room).join('\n') },
  ];
}

/** Log and attempts are told as in a prompt. */
function asPrompt({ stage, failure, log, tries = [], limits, nonce }: CaseFacts): PromptFacts {
  return {
    ...{ instructions: '', stage, failure: { class: failure.class, error_lines: [] }, log, files: [] },
    ...{ tries: tries.map(asPromptTry), limits, format: 'diff', nonce },
  };
}

function asPromptTry({ tier, refused = [], ...one }: CaseTry): CaseTry {
  const reasons = refused.map(({ code, reasons }) => `refused (${code}): ${reasons.join('; ')}`);
  const why = [...(one.why === undefined ? [] : [one.why]), ...reasons].join(' · ');
  return { ...one, tier, plugin: `${one.plugin} (${tier} tier)`, ...(why === '' ? {} : { why }) };
}

/** The latest are told first when there is no room for all: says how many are missing before them. */
function attempts(said: string): string {
  const first = Number(/^Attempt (\d+), by /m.exec(said)?.[1] ?? 1);
  return first > 1 ? `${said}\n\n(${first - 1} earlier not shown)` : said;
}

function errorLines({ failure, nonce }: CaseFacts, room: number): string {
  const clean = failure.error_lines.map((line) => clipLine(cleanLine(line))).filter((line) => line !== '');
  const lines = linesWithin(clean, room - FENCE_ROOM);
  return lines.length === 0 ? '' : fenced(nonce, 'error lines', lines).join('\n');
}

function stageLines({ stage, step }: CaseFacts): string[] {
  const { name, description = '', command, needs = [], files = [], success_criteria: criteria = [] } = stage;
  const said = typeof command === 'string' ? command : command.join(' ');
  return [
    `- Stage: ${name}${description === '' ? '' : `, ${oneLine(description)}`}`,
    ...(step === undefined || step === name ? [] : [`- Step: ${oneLine(step)}`]),
    `- Runs: ${oneLine(said)}`,
    ...(needs.length === 0 ? [] : [`- Needs: ${oneLine(needs.join(', '))}`]),
    `- Files it may change: ${files.length === 0 ? 'none' : oneLine(files.join(', '))}`,
    ...criteria.map((line) => `- Succeeds when: ${oneLine(line)}`),
  ];
}

function fileLines(ranked: readonly Suspect[], nonce: string, room: number): string[] {
  if (ranked.length === 0) return [];
  const intro = 'These may be changed, and no others. The numbers before the lines are not part of them.';
  const names = Math.min(300, 40 + ranked.length * 15);
  const hidden: string[] = [];
  const blocks: string[] = [];
  let left = room - estimateTokens(intro) - names;
  for (const file of ranked) {
    const lines = filePart(file, nonce, blocks.length === 0 ? left * 0.8 : left * 0.6);
    if (lines === undefined) {
      hidden.push(clipLine(plainLine(file.path)));
      continue;
    }
    const block = lines.join('\n');
    left -= estimateTokens(block) + 1;
    blocks.push(block);
  }
  const listed = linesWithin(hidden, names - FENCE_ROOM);
  const more = hidden.length - listed.length;
  if (more > 0) listed.push(`and ${more} more`);
  if (blocks.length === 0 && listed.length === 0) return [];
  const also = hidden.length === 0 ? [] : ['', ...fenced(nonce, 'files not shown here', listed)];
  return [intro, ...blocks.flatMap((block) => ['', block]), ...also];
}

function memo({ memo: text = '', keywords = {}, stage }: CaseFacts, room: number): string {
  const found = memoSections(text, stage.architecture_sections ?? [], keywords);
  const lines = found.flatMap((one, i) => [...(i > 0 ? [''] : []), ...one.replace(/^#/gm, '##').split('\n')]);
  return linesWithin(lines, room).join('\n').trimEnd();
}

function noteLines(notes: readonly string[], nonce: string, room: number): string[] {
  const lines = notes.flatMap((note) => note.split('\n').map((line) => clipLine(plainLine(line))));
  const kept = linesWithin(lines, room - FENCE_ROOM);
  return kept.length === 0 ? [] : fenced(nonce, 'notes', kept);
}
