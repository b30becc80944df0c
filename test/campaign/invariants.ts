// What must hold whatever happened: nothing lost, nothing twice, no lie. Each is a line when it does not. Read from the files
// themselves, not through the code that wrote them, but for the fold of the journals.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { MendError } from '../../src/errors.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { loadStages } from '../../src/journal/load-stages.ts';
import type { AnyEvent } from '../journal/any-event.ts';
import type { Ended, Slot } from './slot.ts';

const AI = 'ai/orchestrator-stage1';

export interface Seen {
  commits: Set<string>;
  /** Path → whole lines. */
  journals: Map<string, string[]>;
  /** `stage/fingerprint` → times seen. */
  failures: Map<string, number>;
  cases: string[];
}

/** What is known now, and must be known for ever. */
export function lookAt({ home, inHome }: Slot): Seen {
  const ledger = parsed(join(home, 'ai/state/ledger.json')) as { entries?: Record<string, { times_seen: number }> };
  return {
    commits: new Set(inHome('rev-list', '--all').split('\n')),
    journals: new Map(journalsOf(home).map((path) => [path, wholeLines(path)])),
    failures: new Map(Object.entries(ledger?.entries ?? {}).map(([key, { times_seen }]) => [key, times_seen])),
    cases: namesIn(join(home, 'ai/escalations')),
  };
}

/** Every broken invariant; `seen` is what was known before, `isRun` whether a run has looked at the stages since. */
export function broken(slot: Slot, seen: readonly Seen[], last: Ended, isRun = true): string[] {
  const now = lookAt(slot);
  return [...lost(slot, seen, now), ...twice(slot, now), ...lies(slot, last, isRun)];
}

function lost({ home, inHome }: Slot, seen: readonly Seen[], now: Seen): string[] {
  const lines: string[] = [];
  for (const before of seen) {
    const commits = [...before.commits].filter((commit) => !now.commits.has(commit));
    if (commits.length > 0)
      lines.push(`lost: ${commits.length} commits are on no branch any more: ${commits.join(' ')}`);
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
  const commits = eventsOf(now).filter(({ type }) => type === 'fix.committed');
  for (const { data } of commits) {
    if (!now.commits.has(String(data.commit)))
      lines.push(`lost: the journal names fix ${data.commit}, which is on no branch`);
  }
  return lines;
}

const eventsOf = ({ journals }: Seen): AnyEvent[] =>
  [...journals.values()].flat().flatMap((line) => {
    const event = parsedText(line) as AnyEvent | undefined;
    return typeof event?.type === 'string' && event.data ? [event] : [];
  });

function twice({ side, inHome }: Slot, now: Seen): string[] {
  const lines: string[] = [];
  const trace = (read(join(side, 'trace')) ?? '').split('\n').filter(Boolean);
  for (const line of trace) if (line.startsWith('OVERLAP')) lines.push(`twice: two attempts at once: ${line}`);
  lines.push(...repeated(trace.filter((line) => line.startsWith('start'))).map((line) => `twice: attempt ${line}`));
  for (const [path, journal] of now.journals) {
    const events = eventsOf({ ...now, journals: new Map([[path, journal]]) });
    if (events.some(({ seq }, i) => seq !== i + 1))
      lines.push(`twice: the numbers of events in ${path} are not in order`);
    const ends = events.filter(({ type }) => type === 'run.ended').length;
    const isRun = events[0]?.type === 'run.started';
    if (isRun && (ends !== 1 || events.at(-1)?.type !== 'run.ended')) lines.push(`twice: ${path} has ${ends} ends`);
    lines.push(...greenTwice(events));
  }
  const events = eventsOf(now);
  const fixes = events.filter(({ type }) => type === 'fix.committed').map(({ data }) => String(data.commit));
  lines.push(...repeated(fixes).map((commit) => `twice: fix ${commit} is recorded as committed`));
  const fates = events.filter(({ type, data }) => type === 'fix.reverted' || data.outcome === 'verified');
  lines.push(
    ...repeated(fates.map(({ data }) => `${data.reverts ?? data.commit} ${data.outcome}`)).map(
      (fate) => `twice: ${fate}`,
    ),
  );
  const inGit = inHome('log', '--format=%H', '--grep=^Patch: ', '--no-merges', `main..${AI}`, '--')
    .split('\n')
    .filter(Boolean);
  const known = new Set(
    events.filter(({ type }) => type.startsWith('fix.')).flatMap(({ data }) => [data.commit, data.reverts]),
  );
  for (const commit of inGit) if (!known.has(commit)) lines.push(`twice: commit ${commit} of a fix is in no journal`);
  return lines;
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

function journalsOf(home: string): string[] {
  const runs = namesIn(join(home, 'ai/state/runs')).map((run) => join(home, 'ai/state/runs', run, 'events.jsonl'));
  const actions = namesIn(join(home, 'ai/state/actions')).map((name) => join(home, 'ai/state/actions', name));
  return [...runs, ...actions.filter((path) => path.endsWith('.jsonl'))].filter((path) => existsSync(path));
}

const wholeLines = (path: string): string[] => (read(path) ?? '').split('\n').slice(0, -1);
const repeated = (all: readonly string[]): string[] => all.filter((one, i) => all.indexOf(one) !== i);
const namesIn = (path: string): string[] =>
  existsSync(path)
    ? readdirSync(path)
        .filter((name) => name !== '.gitignore')
        .sort()
    : [];

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const parsed = (path: string): unknown => parsedText(read(path) ?? '');

function parsedText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
