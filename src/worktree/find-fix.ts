// Fixes on the AI branch, found again by the trailers of their commits.
import type { Fix } from '../events.ts';
import { fields, type Git, hashText } from '../io/git.ts';
import { type TreePlace, treeGit } from './tree.ts';

/** A commit that brings a fix, or takes one back. Fields without a trailer are empty; without a tier it is the executors'. */
export interface CommittedFix extends Fix {
  readonly time: string;
  readonly paths: readonly string[];
  readonly class: string;
  readonly run: string;
  /** By which it is known, whatever its commit; empty for what takes one back. */
  readonly id: string;
  /** The repairs that it consists of: the shape of each, and why. */
  readonly shapes: readonly string[];
  /** The fix that it takes back; undefined for a fix. */
  readonly reverts: string | undefined;
}

/**
 * Every fix and every taking back in `base..head` (and not in `without`), newest first. That a person reverted a fix by git
 * itself counts as their rollback. Throws a GitError.
 */
export async function committedFixes(git: Git, base: string, head: string, ...without: string[]) {
  if (base === head) return [];
  const format = ['--format=%x01%H%x00%cI%x00%B%x00', '--name-only', '-z', '--no-renames', '--no-merges'];
  const grep = ['--grep=^Patch: ', '--grep=^This reverts commit '];
  const answer = await git.run(['log', ...format, ...grep, `${base}..${head}`, ...without.map((ref) => `^${ref}`)]);
  const commits = answer.split('\u0001').filter((part) => part !== '');
  const read = commits.map(readCommit);
  const fixes = new Map(read.filter(({ hash }) => hash !== '').map((fix) => [fix.commit, fix]));
  return read.flatMap(({ byHand, ...commit }): CommittedFix[] => {
    if (commit.hash !== '') return [commit];
    const fix = fixes.get(byHand ?? '');
    if (fix === undefined || fix.reverts !== undefined) return [];
    const { time, paths } = commit;
    return [{ ...fix, commit: commit.commit, time, paths, reverts: fix.commit }];
  });
}

/** Those that nothing of `all` takes back. */
export function standingFixes(all: readonly CommittedFix[]): CommittedFix[] {
  const takenBack = new Set(all.map(({ reverts }) => reverts));
  return all.filter(({ commit, reverts }) => reverts === undefined && !takenBack.has(commit));
}

function readCommit(part: string): CommittedFix & { byHand: string | undefined } {
  const [commit = '', time = '', message = '', ...rest] = fields(part);
  const [subject = '', ...lines] = message.split('\n');
  const value = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const trailers = new Map<string, string>();
  const shapes: string[] = [];
  // Only the last paragraph: what a proposal says of itself stands above it and may look like one.
  for (const line of lastParagraph(lines)) {
    const [, name, text] = /^([A-Z][a-z]+(?:-[A-Z][a-z]+)*): (.*)$/.exec(line) ?? [];
    if (name === 'Shape' && text !== undefined) shapes.push(text);
    else if (name && text !== undefined && name !== 'Fix' && name !== 'Reason') trailers.set(name, text);
  }
  const paths = rest.map((path) => path.replace(/^\n+/, '')).filter((path) => path !== '');
  const trailer = (name: string) => trailers.get(name) ?? '';
  return {
    commit,
    time,
    paths,
    note: { fix: value('Fix') ?? subject, reason: value('Reason') ?? '' },
    stage: trailer('Stage'),
    step: trailers.get('Step') ?? trailer('Stage'),
    fingerprint: trailer('Fingerprint'),
    class: trailer('Class'),
    tier: trailer('Tier') === 'escalation' ? 'escalation' : 'executor',
    plugin: trailer('Plugin'),
    run: trailer('Run'),
    id: trailer('Fix-Id'),
    shapes,
    hash: trailer('Patch'),
    reverts: trailers.get('Reverts'),
    byHand: /^This reverts commit ([0-9a-f]{40,64})\b/m.exec(message)?.[1],
  };
}

function lastParagraph(lines: readonly string[]): readonly string[] {
  const end = lines.findLastIndex((line) => line !== '') + 1;
  return lines.slice(lines.lastIndexOf('', end - 1) + 1, end);
}

/** True when any of the files would be as it was before some fix of `base..head` that still stands. */
export async function isReversal(
  tree: TreePlace,
  base: string,
  head: string,
  edits: readonly { path: string; after: string }[],
): Promise<boolean> {
  const git = treeGit(tree);
  const standing = standingFixes(await committedFixes(git, base, head));
  for (const { path, after } of edits) {
    const fixes = standing.filter(({ paths }) => paths.includes(path));
    if (fixes.length === 0) continue;
    const id = await hashText(git, after);
    const before = await Promise.all(fixes.map(({ commit }) => git.attempt(['rev-parse', `${commit}^:${path}`])));
    if (before.some(({ ok, stdout }) => ok && stdout.trim() === id)) return true;
  }
  return false;
}
