// When a run looked for what is old, and what it left: with retention it looks once a day and leaves nothing, without it once a week,
// and `status` tells what gc would free where it is worth a line.
import type { Layout } from '../io/layout.ts';
import { leaveInPlace, readChecked, writeAtomic } from '../io/store.ts';
import { type Checked, count, shaped, text } from '../shape.ts';
import { listRuns } from './runs.ts';

/** As `mendloop init` writes it. */
export const USUAL = { days: 90, keep_runs: null, max_mb: 2000 };
export const USUAL_COMMAND = `mendloop gc --days ${USUAL.days} --max-mb ${USUAL.max_mb}`;

const DAY_MS = 24 * 60 * 60 * 1000;
/** Less is not worth a line. */
const MIN_BYTES = 100 * 1024 * 1024;

const isReclaimable = shaped({ time: count, bytes: count, what: text });
type Reclaimable = Checked<typeof isReclaimable>;

function read({ reclaimable }: Layout): Reclaimable | undefined {
  const read = readChecked(reclaimable, isReclaimable, leaveInPlace);
  return read.found ? read.value : undefined;
}

/** Whether it is time to look again: ten thousand files take a second. Of a home's first run nothing is old. */
export function isToLook(layout: Layout, now: number, hasRetention: boolean): boolean {
  if (listRuns(layout).length < 2) return false;
  const { time = 0, bytes = 0 } = read(layout) ?? {};
  return Math.abs(now - time) > (hasRetention ? DAY_MS : 7 * DAY_MS) || (hasRetention && bytes > 0);
}

/** Throws MendError when the disk refuses. */
export const writeReclaimable = (layout: Layout, note: Reclaimable): void =>
  writeAtomic(layout.reclaimable, `${JSON.stringify(note)}\n`);

/** The notice of it; none where it is little. */
export function reclaimableNotes(layout: Layout): string[] {
  const { bytes = 0, what } = read(layout) ?? {};
  if (bytes < MIN_BYTES) return [];
  return [`${USUAL_COMMAND} would free ${megabytes(bytes)} (${what}); retention in ai/loop.yaml does that by itself`];
}

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
