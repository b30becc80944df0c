// A notice as it is told: its own words and nothing else of the context, within bounds.
import type { Notice } from '../../src/plugin/contract.ts';

export interface Told {
  readonly reason: Notice['reason'];
  readonly stage?: string;
  readonly run: string;
  readonly title: string;
  readonly text: string;
}

const LONGEST_TITLE = 250;

/** `most` bytes of text at most. */
export function toldOf(notice: Notice, most: number): Told {
  const { reason, stage, run, title, text } = notice;
  return {
    reason,
    ...(stage === undefined ? {} : { stage }),
    run,
    title: cut(title.replaceAll(/\s+/g, ' ').trim(), LONGEST_TITLE),
    text: cut(text, most),
  };
}

/** At most `most` bytes, a character never halved. */
export function cut(text: string, most: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= most) return text;
  let end = most - 3;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${bytes.subarray(0, end).toString('utf8')}…`;
}
