// What a killed command left open between its intent and its end, in words: what it was, and what to type.
import type { Ledger } from '../triage/ledger.ts';
import type { StageState } from './stages.ts';

/** Nothing is open when it is empty. Pure. */
export function openIntents({ landing }: StageState, { move }: Ledger): { what: string; next: string }[] {
  const short = (commit: string) => commit.slice(0, 12);
  return [
    ...(landing
      ? [
          {
            what: `${short(landing.to)} was about to land on ${landing.base} when that was cut off; the next command finishes it, or says what is left`,
            next: `mendloop promote --accept ${landing.tip}`,
          },
        ]
      : []),
    ...(move
      ? [
          {
            what: `${move.branch} was about to be moved to ${short(move.to)} when that was cut off; the next start closes that`,
            next: 'mendloop',
          },
        ]
      : []),
  ];
}
