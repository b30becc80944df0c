// Which fixes a person means by a word or by a run, among all that the AI branch ever had. Pure.
import { fail } from '../errors.ts';
import type { CommittedFix } from '../worktree/find-fix.ts';

export interface KnownFix extends CommittedFix {
  /** Was taken back, and by which commit. */
  readonly takenBack: CommittedFix | undefined;
}

/** Shorter beginnings would soon mean another commit. */
const SHORTEST = 7;

/** Fixes with what took them back, in the order given. One that came to the base by a rebase as well is one fix. */
export function knownFixes(found: readonly CommittedFix[]): KnownFix[] {
  const reverts = new Map(found.map((fix) => [fix.trailers.get('Reverts'), fix]));
  const known = new Map<string, KnownFix>();
  for (const fix of found.filter(({ trailers }) => !trailers.has('Reverts'))) {
    const same = known.get(story(fix));
    const takenBack = same?.takenBack ?? reverts.get(fix.commit);
    known.set(story(fix), { ...(same ?? fix), takenBack });
  }
  return [...known.values()];
}

const story = ({ trailers }: CommittedFix): string =>
  JSON.stringify(['Stage', 'Fingerprint', 'Patch', 'Run'].map((name) => trailers.get(name)));

/** The fix that `word` begins the commit or the hash of. Throws E_UNKNOWN_FIX or E_AMBIGUOUS_FIX. */
export function fixNamed(all: readonly CommittedFix[], word: string): KnownFix {
  if (word.length < SHORTEST) {
    fail('E_UNKNOWN_FIX', {
      what: `${JSON.stringify(word)} is too short: give ${SHORTEST} letters of the commit or more`,
    });
  }
  const back = all.find(({ commit, trailers }) => commit.startsWith(word) && trailers.has('Reverts'));
  if (back) fail('E_UNKNOWN_FIX', { what: `${word} is no fix; it took ${back.trailers.get('Reverts')} back` });
  const sameStory = new Map(all.map((fix) => [fix.commit, story(fix)]));
  const named = all.filter(
    ({ commit, trailers }) =>
      !trailers.has('Reverts') && (commit.startsWith(word) || trailers.get('Patch')?.startsWith(word) === true),
  );
  const stories = new Set(named.map(({ commit }) => sameStory.get(commit)));
  const meant = knownFixes(all).filter((fix) => stories.has(story(fix)));
  // The same change may have come and gone before; the one that is there is meant.
  const standing = meant.filter(({ takenBack }) => !takenBack);
  const [one, ...more] = standing.length > 0 ? standing : meant.slice(0, 1);
  if (!one) fail('E_UNKNOWN_FIX', { what: `no fix of this branch begins with ${JSON.stringify(word)}` });
  if (more.length > 0) {
    fail(
      'E_AMBIGUOUS_FIX',
      { word },
      [one, ...more].map(({ commit, trailers, note }) => `${commit} ${trailers.get('Stage')}: ${note.fix}`),
    );
  }
  return one;
}

/** All fixes of a run, in the order given. Throws E_UNKNOWN_FIX when there is none. */
export function fixesOfRun(all: readonly CommittedFix[], run: string): KnownFix[] {
  const fixes = knownFixes(all).filter(({ trailers }) => trailers.get('Run') === run);
  if (fixes.length === 0) fail('E_UNKNOWN_FIX', { what: `no fix of this branch is of run ${JSON.stringify(run)}` });
  return fixes;
}
