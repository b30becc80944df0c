// Where things stand, in the words that status and page share: the newest run, a stage, safe mode.
import { EXIT } from '../errors.ts';
import { cutOffText, type LoadedStages, openRun } from '../journal/load-stages.ts';
import type { StageRecord } from '../journal/stages.ts';
import type { SafeMode } from '../mend/safe-mode.ts';
import type { DayUsage } from '../triage/ledger.ts';
import { counted } from '../triage/words.ts';
import { countCells } from './rows.ts';
import { ago, moneyText, spell } from './words.ts';

/** How the newest run stands; `atWork`: the process that is at it, `stages`: how many are known. */
export function headline(
  loaded: LoadedStages,
  stages: number,
  atWork: { pid: number; isCertain: boolean } | undefined,
  now: number,
): string {
  if (!loaded.latest && stages === 0) return 'no run yet, and no stage is known; what to do: mendloop validate';
  if (!loaded.latest) return `no run yet; ${counted(stages, 'stage')} in ai/context_map.yaml; to start one: mendloop`;
  const { run, events } = loaded.latest;
  const [first] = events;
  const simulated = first?.type === 'run.started' && first.data.lab === 'simulated' ? '  (simulated lab)' : '';
  const open = openRun(loaded);
  if (open && atWork && !atWork.isCertain)
    return `run ${run} has not ended, as far as can be seen from here${simulated}`;
  if (open && atWork) return `run ${run} is at work (pid ${atWork.pid})${simulated}`;
  if (open) return `${cutOffText(open, now)}${simulated}`;
  const last = events.at(-1);
  const exit = last?.type === 'run.ended' ? last.data.exit : undefined;
  const how = exit === EXIT.interrupted ? 'interrupted' : last?.status;
  return `run ${run} ended: ${how}, ${ago(last?.time ?? '', now)}${simulated}`;
}

/** How a step that began and has no end stands. */
const runningWord = (atWork: { isCertain: boolean } | undefined): string =>
  atWork === undefined ? 'cut off' : atWork.isCertain ? 'running' : 'unclear';

/** The state of a stage, or of a cell, and what else is worth a few words. */
export function stageWords(
  name: string,
  record: StageRecord | undefined,
  atWork: { isCertain: boolean } | undefined,
): { state: string; about: string } {
  if (!record) return { state: 'idle', about: 'never run' };
  const cells = Object.entries(record.cells ?? {}).map(([cell, { status }]) => ({ step: `${name}[${cell}]`, status }));
  const counts = record.cells ? [countCells(cells)] : [];
  const took = record.last?.duration_ms === undefined ? [] : [`took ${spell(record.last.duration_ms)}`];
  const tries = record.attempts > 1 ? [counted(record.attempts, 'attempt')] : [];
  const steps = Object.values(record.cells ?? { record });
  const unchecked = record.status === 'green' && steps.every((step) => step.unchecked) ? ['nothing to check'] : [];
  const why = /^(?:idle|skipped)$/.test(record.status) && record.reason ? [record.reason] : [];
  return {
    state: record.status === 'running' ? runningWord(atWork) : record.status,
    about: [...counts, ...took, ...tries, ...unchecked, ...why].join(', '),
  };
}

/** Since when it is on, why, and how to leave it; no line when it is off. */
export function safeModeLines(mode: SafeMode | undefined, now: number): string[] {
  if (!mode) return [];
  const by = mode.by === 'hand' ? 'by hand' : mode.run ? `by itself, in run ${mode.run}` : 'by itself';
  return [
    `safe mode is on since ${ago(mode.since, now)} (${by}): ${mode.why}`,
    '  the AI changes nothing; to leave it: mendloop safe-mode off',
  ];
}

/** What models were asked and used on this UTC day; nothing on a day without. */
export function usedLines({ tries, prompts = 0, tokens, dollars }: DayUsage): string[] {
  if (tries === 0 && tokens === 0) return [];
  const cost = dollars === undefined ? [] : [moneyText(dollars)];
  const parts = [counted(tries, 'try', 'tries'), counted(prompts, 'prompt'), counted(tokens, 'token'), ...cost];
  return [`used today (UTC): ${parts.join(', ')}`];
}
