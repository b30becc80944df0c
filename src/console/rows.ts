// One row for each stage: the cells of a matrix are told as one, with counts, and by name where something is wrong with them.
import { groupBy } from '../io/group-by.ts';
import { cellNames } from '../plan/matrix.ts';
import type { FailureView } from './failure-lines.ts';
import { NO_CHECKS, type StepView, type Tally } from './tally.ts';

/** A stage as it is shown; `cells`: of a matrix, as far as they began. */
export interface Row extends StepView {
  cells: readonly StepView[];
  /** One of each failure that it ended with. */
  failures: readonly FailureView[];
}

/** A step that still holds is green. */
export const shownStatus = ({ status }: StepView) => (status === 'fresh' ? 'green' : status);

/** Which status of its cells a stage shows first. */
const WORST = ['running', 'failed', 'interrupted', 'waiting', 'skipped', 'green', 'fresh'] as const;

export function rowsOf({ steps }: Tally): Row[] {
  const stages = new Map<string, StepView[]>();
  for (const view of steps.values()) {
    const views = stages.get(view.stage);
    if (views) views.push(view);
    else stages.set(view.stage, [view]);
  }
  return [...stages].map(([stage, views]) => rowOf(stage, views));
}

function rowOf(stage: string, views: readonly StepView[]): Row {
  const [first] = views as [StepView];
  const failed = views.filter((view) => view.status === 'failed');
  const failures = failed.flatMap(({ failure }) => failure ?? []);
  const distinct = [...new Map(failures.map((failure) => [failure.fingerprint, failure])).values()];
  if (first.step === stage) return { ...first, cells: [], failures: distinct };
  const status = WORST.find((one) => views.some((view) => view.status === one)) ?? 'waiting';
  const since = Math.min(...views.map((view) => view.since));
  const counts = countCells(views.map((view) => ({ step: view.step, status: shownStatus(view) })));
  // Failures have lines of their own.
  const why = /skipped|interrupted/.test(status) ? views.find((view) => view.status === status)?.reason : undefined;
  const again = lossTexts(views.filter((view) => shownStatus(view) === 'green')).map((text) => `; made again: ${text}`);
  const isBlind = views.every(({ reason }) => reason === NO_CHECKS);
  const busy = views.find((view) => view.busy)?.busy;
  const pause = views.find((view) => view.pause)?.pause;
  return {
    step: stage,
    stage,
    status,
    since,
    took: Math.max(...views.map((view) => view.since + (view.took ?? 0))) - since,
    reason: counts + again.join('') + (why ? ` (${why})` : '') + (isBlind ? ` ${NO_CHECKS}` : ''),
    cells: views,
    failures: distinct.map((failure) => withCells(failure, failed)),
    ...(busy && { busy }),
    ...(pause && { pause }),
  };
}

/** Why cells failed of which no attempt was recognised, each reason once; those that were lost alike together, with their nodes. */
export function otherReasons({ cells }: Row): string[] {
  const failed = cells.filter(({ status, failure }) => status === 'failed' && !failure);
  const groups = groupBy(failed, ({ loss, reason = '' }) => loss?.what ?? reason);
  return [...groups.values()].map((alike) => {
    const [{ loss, reason = '' }] = alike as [StepView];
    const [text] = loss && alike.length > 1 ? lossTexts(alike) : [];
    return text ? `${text}; the first: ${reason}` : `${cellNames(alike.map(({ step }) => step))}: ${reason}`;
  });
}

/** `h1 h2: was lost with its node, on n1 n3`, for each way in which some of these were lost. */
function lossTexts(views: readonly StepView[]): string[] {
  const lost = views.flatMap(({ step, loss }) => (loss ? [{ step, ...loss }] : []));
  return [...groupBy(lost, ({ what }) => what)].map(([what, alike]) => {
    const hosts = [...new Set(alike.flatMap(({ host }) => host || []))].sort();
    return `${cellNames(alike.map(({ step }) => step))}: ${what}${hosts.length > 0 ? `, on ${hosts.join(' ')}` : ''}`;
  });
}

/** The failure with the names of all cells that have it; the same object when it has them already. */
function withCells(failure: FailureView, failed: readonly StepView[]): FailureView {
  const alike = failed.filter((view) => view.failure?.fingerprint === failure.fingerprint);
  const cells = cellNames(alike.map(({ step }) => step));
  return cells === failure.cells ? failure : { ...failure, cells };
}

/** Status of a cell → its word, in the order in which they are told; those with a name list who they are. */
const WORDS: Readonly<Record<string, { word: string; named?: true }>> = {
  green: { word: 'green' },
  running: { word: 'running' },
  waiting: { word: 'to do' },
  idle: { word: 'to do' },
  skipped: { word: 'skipped' },
  interrupted: { word: 'interrupted', named: true },
  give_up: { word: 'given up', named: true },
  failed: { word: 'failed', named: true },
};

/** `37 green, 3 failed: h03 h11 h29`. */
export function countCells(cells: readonly { step: string; status: string }[]): string {
  const parts = Object.entries(WORDS).flatMap(([status, { word, named }]) => {
    const steps = cells.filter((cell) => cell.status === status).map(({ step }) => step);
    if (steps.length === 0) return [];
    return [`${steps.length} ${word}${named ? `: ${cellNames(steps)}` : ''}`];
  });
  return parts.join(', ');
}
