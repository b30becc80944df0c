// The last runs as bars: height by duration, colour by outcome. Hidden from screen readers: the list of runs says the same.
import { spell } from '../console/words.ts';
import type { RunSummary } from '../journal/summary.ts';
import { type Html, html, percent } from './html.ts';
import { stateOf } from './states.ts';

const HEIGHT = 56;
const SIGN_HEIGHT = 16;

/** Oldest first; `hrefOf` leads to one of them. */
export function runStrip(runs: readonly RunSummary[], hrefOf: (run: string) => string): Html {
  const slot = 100 / Math.max(runs.length, 1);
  // Logarithmic, so that short runs beside long ones are visible.
  const tall = (ms: number) => Math.log(1 + ms / 1000);
  const tallest = Math.max(1, ...runs.map(({ duration_ms = 0 }) => tall(duration_ms)));
  const bars = runs.map(({ run, outcome, duration_ms = 0 }, i) => {
    const { sign, look, word } = stateOf('run', outcome);
    const height = Math.max(4, Math.round((tall(duration_ms) / tallest) * HEIGHT));
    const at = (share: number) => percent((i + share) * slot);
    return html`<a href="${hrefOf(run)}" tabindex="-1"><g class="${look}"><title>${`${run}: ${word}, ${spell(duration_ms)}`}</title>
<rect class="slot" x="${at(0)}" y="0" width="${percent(slot)}" height="${HEIGHT + SIGN_HEIGHT}"/><rect class="bar" x="${at(0.15)}" y="${HEIGHT - height}" width="${percent(slot * 0.7)}" height="${height}" rx="2"/>
${look !== 'good' && html`<text class="end" x="${at(0.5)}" y="${HEIGHT + 13}">${sign}</text>`}</g></a>
`;
  });
  return html`<svg class="strip" width="100%" height="${HEIGHT + SIGN_HEIGHT}" aria-hidden="true" focusable="false">${bars}</svg>`;
}
