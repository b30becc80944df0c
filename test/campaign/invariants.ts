// What must hold whatever happened: nothing lost, nothing twice, no lie. Each is a line when it does not. Read from the files
// themselves, not through the code that wrote them, but for the fold of the journals. Of the life of a fix they know what is
// promised: it is announced before it is done, it is a commit with trailers, the AI branch is the base plus what helped.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { MendError } from '../../src/errors.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { loadStages } from '../../src/journal/load-stages.ts';
import type { AnyEvent } from '../journal/any-event.ts';
import { ownersLoss, treeOf } from './owner.ts';
import { AI, attemptsIn, eventsOf, lookAt, namesIn, parsed, read, type Seen } from './seen.ts';
import type { Ended, Slot } from './slot.ts';

const TRIAL = 'refs/mendloop/trial';

/** Every broken invariant; `seen` is what was known before, `isRun` whether a run has looked at the stages since. */
export function broken(slot: Slot, seen: readonly Seen[], last: Ended, isRun = true): string[] {
  const now = lookAt(slot);
  return [...lost(slot, seen, now), ...twice(slot, seen[0] ?? now, now), ...lies(slot, last, isRun)];
}

/**
 * What must hold before anything is set right, `before` being how it began: the owner can go on, and what has been done had been
 * announced in a journal. `lands`: what is hit lands the AI branch.
 */
export function brokenAtOnce(slot: Slot, before: Seen, lands: boolean): string[] {
  const now = lookAt(slot);
  const loss = ownersLoss(slot, before.owner, lands ? before.branch : undefined);
  return [...loss, ...unannounced(slot, before, now)];
}

/** An event is on disk before anyone acts on it. */
function unannounced({ side, inHome }: Slot, before: Seen, now: Seen): string[] {
  const lines: string[] = [];
  const events = eventsOf(now);
  for (const line of attemptsIn(side)) {
    const [, run, step, attempt] = line.split(' ');
    const isThis = (event: AnyEvent) => event.step === step && event.attempt === Number(attempt);
    if (!events.some((event) => event.run === run && event.type === 'attempt.started' && isThis(event)))
      lines.push(`lie: attempt ${attempt} of ${step} ran in ${run}, and no journal knows`);
  }
  lines.push(...unknownFixes(inHome, now));
  const { base } = now.owner;
  const told = [...now.journals].flatMap(([path, all]) => all.slice(before.journals.get(path)?.length ?? 0)).join('\n');
  const isWritten = base !== before.owner.base || !sameMap(now.owner.index, before.owner.index);
  if (isWritten && ![base, inHome('rev-parse', AI)].some((commit) => told.includes(commit)))
    lines.push(`lie: main went from ${before.owner.base} to ${base}, and no journal said so before`);
  return lines;
}

const sameMap = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  JSON.stringify([...a]) === JSON.stringify([...b]);

/** Commits of fixes that stand on the AI branch or in an open trial, and no journal names by commit or by what identifies the fix. */
function unknownFixes(inHome: Slot['inHome'], { journals }: Seen): string[] {
  const told = [...journals.values()].flat().join('\n');
  const trailers = ['Fix-Id', 'Patch'].map((key) => `%(trailers:key=${key},valueonly,separator=%x20)`);
  const refs = inHome('for-each-ref', '--format=%(refname)', `refs/heads/${AI}`, TRIAL).split('\n').filter(Boolean);
  if (refs.length === 0) return [];
  const format = `--format=%H ${trailers.join(' ')}`;
  const commits = inHome('log', format, '--grep=^Fingerprint: ', '--no-merges', ...refs, '--not', 'main');
  return commits
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' ').filter(Boolean))
    .filter((names) => !names.some((name) => told.includes(name)))
    .map(([commit]) => `lie: commit ${commit} of a fix is in no journal`);
}

/**
 * Nobody is at work: no trial is open, no lock is left, HEAD of the worktree is the AI branch, and that branch held, whenever it was looked at, only
 * what it holds now, what it held at first, and what the owner had. The queue's files, which more than one trial writes, aside.
 */
export function notAtRest(slot: Slot, [before, ...later]: readonly Seen[]): string[] {
  const { home, inHome } = slot;
  const lines: string[] = [];
  if (inHome('for-each-ref', TRIAL) !== '') lines.push('lie: a trial is open, and nobody is at work');
  const head = read(join(home, '.git/worktrees/worktree/HEAD'));
  if (head !== undefined && head !== `ref: refs/heads/${AI}\n`) lines.push(`lie: the worktree has checked out ${head}`);
  const locks = readdirSync(join(home, '.git'), { recursive: true, encoding: 'utf8' });
  for (const lock of locks.filter((path) => path.endsWith('.lock'))) lines.push(`lost: git meets .git/${lock}`);
  lines.push(...leftOpen(eventsOf(lookAt(slot))));
  const now = treeOf(inHome, AI);
  for (const seen of later) {
    const paths = new Set([...seen.branch.keys(), ...(seen.branch.size > 0 ? now.keys() : [])]);
    for (const path of paths) {
      const could = [before?.branch, before?.owner.tree, seen.owner.tree, now].map((tree) => tree?.get(path));
      if (path.startsWith('ai/backlog/') || could.includes(seen.branch.get(path))) continue;
      lines.push(`lie: ${path} of the AI branch was what no trial kept`);
    }
  }
  return [...new Set(lines)];
}

/** What opens in a journal, and what closes it. */
const CLOSED_BY: Record<string, RegExp> = {
  'trial.opened': /^trial\.ended$/,
  'branch.intended': /^branch\.(?:moved|stayed)$/,
  'landing.intended': /^landing\.(?:done|dropped)$/,
};

/** What was announced has one end. A landing is announced anew when another git goes on with it. */
function leftOpen(events: readonly AnyEvent[]): string[] {
  const times = (of: RegExp) => events.filter(({ type }) => of.test(type)).length;
  return Object.entries(CLOSED_BY).flatMap(([opens, closes]) => {
    const [opened, closed] = [times(new RegExp(`^${opens}$`)), times(closes)];
    const mayRepeat = opens === 'landing.intended' && closed > 0 && closed < opened;
    return opened === closed || mayRepeat ? [] : [`lie: ${opened} times ${opens}, and ${closed} ends of it`];
  });
}

function lost(slot: Slot, seen: readonly Seen[], now: Seen): string[] {
  const { home, inHome } = slot;
  const lines: string[] = [];
  for (const before of seen) {
    const gone = [...before.commits]
      .filter((commit) => !now.commits.has(commit))
      .filter((one) => !isKept(slot, one, now));
    if (gone.length > 0)
      lines.push(`lost: ${gone.length} commits are neither on a branch nor in ai/patches: ${gone.join(' ')}`);
    for (const [path, events] of before.journals) {
      const left = now.journals.get(path) ?? [];
      const cut = events.findIndex((line, i) => left[i] !== line);
      if (cut !== -1) lines.push(`lost: event ${cut + 1} of ${path.slice(home.length)}: ${events[cut]?.slice(0, 120)}`);
    }
    for (const [key, times] of before.failures) {
      const after = now.failures.get(key);
      if (after === undefined || after < times) lines.push(`lost: the ledger knew ${key} ${times} times, now ${after}`);
    }
    for (const name of before.cases) if (!now.cases.includes(name)) lines.push(`lost: case ${name}`);
  }
  if (read(join(home, 'mine.txt')) !== 'not committed\n') lines.push('lost: mine.txt of the owner');
  if (read(join(home, 'ignored/secret')) !== 'of the owner\n') lines.push('lost: an ignored file of the owner');
  const dirty = inHome('status', '--porcelain')
    .split('\n')
    .filter((line) => line !== '' && line !== '?? mine.txt');
  if (dirty.length > 0) lines.push(`lost: the owner's checkout is not as they left it: ${dirty.join(', ')}`);
  return lines;
}

/**
 * What a commit that no branch has did is kept: on a branch by another commit that did the same, or, of the loop's own, as a
 * patch. What the loop wrote into the queue's files, and its merges, can be made again.
 */
function isKept({ home, inHome }: Slot, commit: string, now: Seen): boolean {
  const did = changeOf(inHome('diff-tree', '-p', '--no-renames', commit));
  const isLoops = inHome('log', '-1', '--format=%an', commit) === 'mendloop';
  const paths = inHome('diff-tree', '-r', '--name-only', '--no-commit-id', commit).split('\n');
  if (isLoops && paths.every((path) => path === '' || path.startsWith('ai/backlog/'))) return true;
  const folder = join(home, 'ai/patches');
  const patches = namesIn(folder).map((name) => read(join(folder, name)) ?? '');
  if (isLoops && patches.some((patch) => changeOf(patch) === did)) return true;
  return [...now.commits].some((other) => changeOf(inHome('diff-tree', '-p', '--no-renames', other)) === did);
}

/** The lines that a patch takes and gives. */
const changeOf = (patch: string): string => (patch.match(/^[-+](?![-+]{2} ).*/gm) ?? []).join('\n');

function twice({ side, inHome }: Slot, seen: Seen, now: Seen): string[] {
  const lines: string[] = [];
  const overlaps = (read(join(side, 'trace')) ?? '').split('\n').filter((line) => line.startsWith('OVERLAP'));
  lines.push(...overlaps.map((line) => `twice: two attempts at once: ${line}`));
  lines.push(...repeated(attemptsIn(side)).map((line) => `twice: attempt ${line}`));
  for (const [path, journal] of now.journals) {
    const events = eventsOf({ ...now, journals: new Map([[path, journal]]) });
    if (events.some(({ seq }, i) => seq !== i + 1))
      lines.push(`twice: the numbers of events in ${path} are not in order`);
    const ends = events.filter(({ type }) => type === 'run.ended').length;
    const isRun = events[0]?.type === 'run.started';
    if (isRun && (ends !== 1 || events.at(-1)?.type !== 'run.ended')) lines.push(`twice: ${path} has ${ends} ends`);
    lines.push(...greenTwice(events));
  }
  const told = eventsOf(now).filter(({ type, data }) => data.commit && !/^(?:run|tree|stage)\./.test(type));
  const said = told.map(({ type, stage, step, data }) =>
    [type, stage, step, data.outcome, data.commit].filter(Boolean).join(' '),
  );
  lines.push(...repeated(said).map((what) => `twice: ${what}`));
  const ranges = [[seen.owner.base, 'main'] as const, ...(now.branch.size > 0 ? [['main', AI] as const] : [])];
  for (const [from, to] of ranges)
    lines.push(
      ...repeated(changesIn(inHome, from, to)).map((what) => `twice: ${from}..${to} has one change twice: ${what}`),
    );
  return [...lines, ...unknownFixes(inHome, now)];
}

/** What each commit of the loop does that is not taken back by another. */
function changesIn(inHome: Slot['inHome'], from: string, to: string): string[] {
  const format = '--format=%H %(trailers:key=Reverts,valueonly,separator=%x20)';
  const rows = inHome('log', format, '--no-merges', '--author=^mendloop ', `${from}..${to}`)
    .split('\n')
    .filter(Boolean);
  const commits = rows.map((row) => row.trim().split(' '));
  const gone = new Set(commits.map(([, reverts]) => reverts));
  const standing = commits.filter(([commit, reverts]) => reverts === undefined && !gone.has(commit));
  return standing.map(([commit = '']) => changeOf(inHome('diff-tree', '-p', '--no-renames', commit)));
}

/** A stage turns green once, unless it was stale in between. */
function greenTwice(events: readonly AnyEvent[]): string[] {
  const green = new Set<string>();
  return events.flatMap(({ type, stage = '' }) => {
    if (type === 'stage.stale' || type === 'step.started') green.delete(stage);
    if (type !== 'stage.green') return [];
    const again = green.has(stage);
    green.add(stage);
    return again ? [`twice: ${stage} turned green`] : [];
  });
}

function lies(slot: Slot, { exit, text }: Ended, isRun: boolean): string[] {
  const { home, git } = slot;
  const lines: string[] = [];
  if (exit === 4 || /^\s+at .*\.(?:m?js|ts):\d+/m.test(text))
    lines.push(`lie: a bug was shown, exit ${exit}: ${text.slice(-600)}`);
  if (exit === null) lines.push(`lie: it did not end by itself: ${text.slice(-300)}`);
  const tree = join(home, 'ai/worktree');
  if (existsSync(tree)) {
    // What stages make of tracked files stays there.
    const status = git(tree, 'status', '--porcelain', '--', '.', ':!made');
    if (status !== '') lines.push(`lie: the worktree holds what no commit knows: ${status}`);
    const [head, tip] = [git(tree, 'rev-parse', 'HEAD'), git(home, 'rev-parse', AI)];
    if (head !== tip) lines.push(`lie: the worktree is at ${head}, its branch at ${tip}`);
    for (const [name, { status: state }] of Object.entries(stagesOf(home))) {
      if (isRun && state === 'green' && !holds(tree, name))
        lines.push(`lie: ${name} is green and its check does not hold`);
      if (state === 'running') lines.push(`lie: ${name} is running, and nobody is at work`);
    }
  }
  // A dead owner's lock stands until somebody needs it.
  if (isRun && existsSync(join(home, 'ai/state/lock.json'))) lines.push('lie: the lock is held, and nobody is at work');
  const left = slot.survivors();
  if (left.length > 0) lines.push(`lie: ${left.length} processes are left`);
  lines.push(...unlikeFold(home));
  return lines;
}

/** Asked of the file itself. */
function holds(tree: string, stage: string): boolean {
  try {
    execFileSync('grep', ['-qE', '^(good|net)', `conf/${stage}.txt`], { cwd: tree });
    return true;
  } catch {
    return false;
  }
}

/** stages.json says what the journals say. */
function unlikeFold(home: string): string[] {
  const layout = layoutOf(home);
  if (!existsSync(layout.stages)) return [];
  const told = JSON.stringify(statuses(stagesOf(home)));
  renameSync(layout.stages, `${layout.stages}.aside`);
  let folded: string;
  try {
    folded = JSON.stringify(statuses(loadStages(layout, { look: true }).state.stages));
  } catch (error) {
    // A journal that is refused contradicts nothing.
    if (!(error instanceof MendError)) throw error;
    folded = told;
  } finally {
    renameSync(`${layout.stages}.aside`, layout.stages);
  }
  return told === folded ? [] : [`lie: stages.json says ${told}, the journals ${folded}`];
}

type Statuses = Record<string, { status: string }>;
const statuses = (stages: Statuses) =>
  Object.entries(stages)
    .map(([name, { status }]) => `${name} ${status}`)
    .sort();

/** The exit of a run against what stages.json says. */
export function exitLies({ home }: Slot, exit: number | null): string[] {
  // What became of items is no part of it.
  const stages = Object.entries(stagesOf(home)).filter(([name]) => !name.startsWith('item-'));
  const all = stages.map(([, { status }]) => status);
  const green = all.length > 0 && all.every((status) => status === 'green');
  if ((exit === 0) === green) return [];
  return [`lie: exit ${exit}, stages ${all.join(', ')}`];
}

const stagesOf = (home: string): Statuses =>
  (parsed(join(home, 'ai/state/stages.json')) as { stages?: Statuses } | undefined)?.stages ?? {};

const repeated = (all: readonly string[]): string[] => all.filter((one, i) => all.indexOf(one) !== i);
