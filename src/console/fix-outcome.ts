// What became of a fix, in the words of people.
const OUTCOMES: Readonly<Record<string, string>> = {
  kept: 'kept: the stage was green with it',
  applied: 'being tried',
  no_effect: 'undone: it had no effect',
  broke: 'undone: it broke something',
  undone: 'undone with its trial',
  declined: 'declined by you; does not come again by itself',
  superseded: 'superseded: you wrote another text in its place',
  landed: 'landed: your branch has it',
  unknown: 'the ledger knows nothing of it',
};

const BY_EXIT_CODE = 'kept by its exit code alone (the stage has no checks)';

interface Outcome {
  readonly outcome: string;
  readonly on_base?: true;
  readonly left?: string;
  readonly unchecked?: true;
}

export function outcomeText({ outcome, left, unchecked }: Outcome): string {
  const usual = outcome === 'kept' && unchecked ? BY_EXIT_CODE : (OUTCOMES[outcome] ?? outcome);
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
