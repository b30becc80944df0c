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
  superseded: 'taken back: you wrote another text in its place; does not come again by itself',
  landed: 'landed: your branch has it',
  unknown: 'the ledger knows nothing of it',
};

const CAME_AGAIN = 'taken back unjudged; came again with its failure, above';

interface Outcome {
  readonly outcome: string;
  readonly came_again?: true;
  readonly on_base?: true;
  readonly left?: string;
}

export const outcomeText = ({ outcome, came_again, left }: Outcome): string =>
  `${came_again ? CAME_AGAIN : (OUTCOMES[outcome] ?? outcome)}${left ? `, but for ${left}` : ''}`;

/** One line, and another where the owner's branch still has what was taken back. */
export const fixOutcome = (fix: Outcome): string[] => [
  outcomeText(fix),
  ...(fix.on_base ? ['your branch still has it; to undo it there: mendloop promote'] : []),
];
