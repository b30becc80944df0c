// Safe mode in words: since when, why, and how to leave it.
import type { SafeMode } from '../triage/safe-mode.ts';
import { ago } from './words.ts';

/** No line when it is off. */
export function safeModeLines(mode: SafeMode | undefined, now: number): string[] {
  if (!mode) return [];
  const by = mode.by === 'hand' ? 'by hand' : mode.run ? `by itself, in run ${mode.run}` : 'by itself';
  return [
    `safe mode is on since ${ago(mode.since, now)} (${by}): ${mode.why}`,
    '  the AI changes nothing; to leave it: mendloop safe-mode off',
  ];
}
