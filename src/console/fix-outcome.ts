// What became of a fix, in the words of people.
const OUTCOMES: Readonly<Record<string, string>> = {
  verified: 'verified: the stage was green with it',
  holds: 'its stage is green with it; others that it changed are not yet',
  provisional: 'kept for now: another failure came in its place',
  applied: 'not judged yet',
  no_effect: 'taken back: it had no effect',
  broke: 'taken back: it broke something',
  withdrawn: 'taken back unjudged; comes again with its failure',
  declined: 'rolled back by you; does not come again by itself',
  superseded: 'dropped: you wrote another text in its place; does not come again by itself',
  landed: 'landed: your branch has it',
  unknown: 'the ledger knows nothing of it',
};

const BY_EXIT_CODE = 'verified by its exit code alone (the stage has no checks)';

interface Outcome {
  readonly outcome: string;
  readonly on_base?: true;
  readonly left?: string;
  readonly unchecked?: true;
}

export function outcomeText({ outcome, left, unchecked }: Outcome): string {
  const usual = outcome === 'verified' && unchecked ? BY_EXIT_CODE : (OUTCOMES[outcome] ?? outcome);
  return `${usual}${left ? `, but for ${left}` : ''}`;
}

/** By which repairs it ran before its owner had seen it. */
export const repairLines = (shapes: readonly string[] = [], indent: string): string[] =>
  shapes.map((shape) => `${indent}repair: ${shape}`);

/** One line, and another where the owner's branch still has what was taken back. */
export const fixOutcome = (fix: Outcome): string[] => [
  outcomeText(fix),
  ...(fix.on_base ? ['your branch still has it; to undo it there: mendloop promote'] : []),
];
