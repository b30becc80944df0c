// One call about a case: asked, read, and asked once more when the answer is none and time is left. Whoever answered is never
// at fault like one that could not be reached: what is of no use is passed over, and the call is spent.
import type { Context, Escalation } from '../../../src/plugin/contract.ts';
import { readReply } from './read.ts';
import { notTaken, REMINDER, unreadable } from './words.ts';

export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** An answer: its text; or why it is none, though one came (`wrong` is worth asking again, `refuses` is not). */
export type Said = { readonly text: string; readonly wrong?: string } | { readonly refuses: string };

export interface Consultation {
  /** Who is asked, for people. */
  readonly who: string;
  /** Throws when they cannot be reached. */
  ask(turns: readonly Turn[]): Promise<Said>;
  /** Whether there is time for a second answer. */
  mayAskAgain(): boolean;
}

type About = Pick<Context<'escalate'>, 'case' | 'refused' | 'say' | 'mask'>;

/** Throws only what the first `ask` throws. */
export async function consult(about: About, consultation: Consultation): Promise<Escalation> {
  const { who, ask, mayAskAgain } = consultation;
  const turns = opening(about, who);
  const said = await ask(turns);
  if ('refuses' in said) return { pass: `${who} ${said.refuses}` };
  const first = read(said);
  if ('reply' in first) return kept(about, who, said.text, first.reply);
  if (!mayAskAgain()) return { pass: `${who}: ${first.wrong}` };
  about.say(`asks ${who} once more: ${first.wrong}`);
  try {
    // An empty turn is refused by some hosts.
    const before: Turn = { role: 'assistant', content: about.mask(said.text).trim() || '(nothing)' };
    const again = await ask([...turns, before, { role: 'user', content: unreadable(first.wrong) }]);
    if ('refuses' in again) return { pass: `${who} ${again.refuses}` };
    const second = read(again);
    return 'reply' in second ? kept(about, who, again.text, second.reply) : { pass: `${who}: ${second.wrong}` };
  } catch (error) {
    // The first answer did come.
    return { pass: `${who}: ${first.wrong}; asked once more: ${(error as Error).message}` };
  }
}

const read = (said: { text: string; wrong?: string }) =>
  said.wrong === undefined ? readReply(said.text) : { wrong: said.wrong };

const KEPT_AT_MOST = 16;

/** The latest change that was proposed, by whom and case: shown again when it was not taken. */
const proposed = new Map<string, string>();

const keyOf = ({ case: { name, version } }: About, who: string): string => `${who}\n${name}\n${version}`;

function kept(about: About, who: string, text: string, reply: Escalation): Escalation {
  if ('answer' in reply) {
    proposed.set(keyOf(about, who), about.mask(text));
    const [oldest] = proposed.size > KEPT_AT_MOST ? proposed.keys() : [];
    if (oldest !== undefined) proposed.delete(oldest);
  }
  return reply;
}

function opening(about: About, who: string): Turn[] {
  const content = `${about.case.text.trimEnd()}\n\n${REMINDER}\n`;
  if (about.refused.length === 0) return [{ role: 'user', content }];
  const before = proposed.get(keyOf(about, who));
  const why = notTaken(about.refused);
  if (before === undefined) return [{ role: 'user', content: `${content}\n${why}\n` }];
  return [
    { role: 'user', content },
    { role: 'assistant', content: before },
    { role: 'user', content: why },
  ];
}
