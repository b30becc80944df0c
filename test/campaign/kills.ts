// The loop is killed, at each moment that differs from all others, alone or with all that it started; or the power goes. By name:
//   kill/<scenario>/event:<type>:<n> (it is synced), fsync:<n>, random:<n>
//   git/<scenario>/<before, inside or after>/<how>/<n>:<words of the nth such call>, moved/<how>/<n>:<the ref that the call moves>
//   cut/<scenario>/written:<type>:<n> (it is not synced yet), after:<n>:<words>, end
import type { GitMoment } from './git-moments.ts';
import { type Case, hit, type Learned } from './hit.ts';

const HOW = ['alone', 'whole'] as const;
const wholeEnv = (how: string) => (how === 'whole' ? { FAULT_WHOLE: '1' } : {});

export function kill(name: string, moment: string, how: string): Case {
  const env = { FAULT_AT: moment, ...wholeEnv(how) };
  // Projections are synced more or less often, as time goes by.
  const mayEnd = moment.startsWith('fsync:') ? { mayEnd: true as const } : {};
  return { id: `kill/${name}/${moment}/${how}`, run: hit(name, { env, ...mayEnd }) };
}

const gitEnv = ({ side, words, nth }: GitMoment) => ({
  FAULT_GIT: side,
  FAULT_GIT_CALL: words,
  FAULT_GIT_NTH: String(nth),
});

export function gitKill(name: string, moment: GitMoment, how: string): Case {
  const { side, nth, words } = moment;
  const env = { ...gitEnv(moment), ...wholeEnv(how) };
  return { id: `git/${name}/${side}/${how}/${nth}:${words}`, run: hit(name, { env }) };
}

/** Kills after the first and the last event of each type, at each fsync, and at times that `drawn` decides. */
export function kills(name: string, of: Learned, drawn: (text: string) => number, times: number): Case[] {
  const { events, fsyncs, ms } = of;
  const moments = [
    ...firstAndLast(events).map((event) => `event:${event}`),
    ...Array.from({ length: fsyncs }, (_, i) => `fsync:${i + 1}`),
  ];
  const chosen = moments.flatMap((moment) => HOW.map((how) => kill(name, moment, how)));
  const atRandom = Array.from({ length: times }, (_, i): Case => {
    const how = HOW[i % 2] as string;
    const killAfterMs = Math.round(50 + drawn(`${name} ${i}`) * ms);
    return {
      id: `kill/${name}/random:${i}:${killAfterMs}ms/${how}`,
      run: hit(name, { killAfterMs, whole: how === 'whole', mayEnd: true }),
    };
  });
  return [...chosen, ...atRandom];
}

/** `<type>:<n>` of the first and the last event of each type. */
function firstAndLast(events: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const type of events) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].flatMap(([type, count]) => [...new Set([1, count])].map((n) => `${type}:${n}`));
}

/**
 * Kills around each call of git that is not equal to another one, and of git itself inside of each that changes something; and that
 * whatever moves a branch is synced.
 */
export function gitKills(name: string, { git, unsynced }: Learned): Case[] {
  const around = git.flatMap((moment) => HOW.map((how) => gitKill(name, moment, how)));
  const inside = git
    .filter(({ side }) => side === 'after')
    .map((moment) => gitKill(name, { ...moment, side: 'inside' }, 'whole'));
  return [...around, ...inside, { id: `git/${name}/what moves a branch is synced`, run: async () => unsynced }];
}

export function powerCut(name: string, moment: string): Case {
  return { id: `cut/${name}/${moment}`, run: hit(name, { env: { FAULT_AT: moment }, powerCut: true }) };
}

/** The power goes when an event is written and not yet synced, after a call of git that changed something, and at the end. */
export function powerCuts(name: string, { events, git }: Learned): Case[] {
  const afterGit = git
    .filter(({ side }) => side === 'after')
    .map(
      (moment): Case => ({
        id: `cut/${name}/after:${moment.nth}:${moment.words}`,
        run: hit(name, { env: gitEnv(moment), powerCut: true }),
      }),
    );
  const atEnd = { id: `cut/${name}/end`, run: hit(name, { powerCut: true, mayEnd: true }) };
  return [...firstAndLast(events).map((event) => powerCut(name, `written:${event}`)), ...afterGit, atEnd];
}
