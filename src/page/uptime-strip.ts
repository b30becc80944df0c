// How one stage ended in the last runs, a bar each, as one small drawing. Hidden from screen readers: the list of runs says the same.
import type { RunSummary, StageSummary } from '../journal/summary.ts';
import { type Html, html } from './html.ts';

const WIDTH = 5;
const HEIGHT = 14;

type Look = 'good' | 'warn' | 'bad' | 'idle';

/** Oldest first. Nothing for a stage that none of the runs had to do with. */
export function uptimeStrip(stage: string, runs: readonly RunSummary[]): Html | false {
  const ends = runs.map(({ stages }) => stages.find((one) => one.stage === stage));
  if (!ends.some(Boolean)) return false;
  const looks = ends.map(lookOf);
  const bars = (look: Look) =>
    looks.map((each, i) => (each === look ? `M${i * WIDTH} ${each === 'bad' ? 0 : 4}h4V${HEIGHT}h-4z` : '')).join('');
  const paths = (['good', 'warn', 'bad', 'idle'] as const).map((look) => ({ look, d: bars(look) }));
  return html`<svg class="uptime" width="${runs.length * WIDTH}" height="${HEIGHT}" aria-hidden="true" focusable="false">${paths.map(({ look, d }) => d !== '' && html`<path class="${look}" d="${d}"/>`)}</svg>`;
}

/** `warn`: it failed or drifted on the way, and was green in the end. */
function lookOf(end: StageSummary | undefined): Look {
  if (!end || /^(?:skipped|interrupted|open|idle)$/.test(end.end)) return 'idle';
  if (/^(?:failed|give_up)$/.test(end.end)) return 'bad';
  return end.attempts > 1 || end.drift !== undefined ? 'warn' : 'good';
}
