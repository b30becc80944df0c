// Which repository we work for (--root, MENDLOOP_HOME, else the git top level; inside a worktree, its owner), and where
// everything lives below it.

import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fail } from '../errors.ts';
import { readText } from './store.ts';

/** Paths below home. Nothing is touched here. */
export type Layout = Readonly<ReturnType<typeof layout>>;

export function layout(home: string) {
  const state = join(home, 'ai/state');
  const logs = join(home, 'ai/logs');
  const patches = join(home, 'ai/patches');
  return {
    home,
    state,
    runs: join(state, 'runs'),
    /** Journals of what people did between runs. */
    actions: join(state, 'actions'),
    stages: join(state, 'stages.json'),
    /** The same as it was when journals were last removed: what they told is known from here. */
    stagesBefore: join(state, 'stages.before.json'),
    /** What gc would free, as the last run that looked saw it. */
    reclaimable: join(state, 'reclaimable.json'),
    ledger: join(state, 'ledger.json'),
    ledgerJournal: join(state, 'ledger.jsonl'),
    /** How fast models answered. */
    speeds: join(state, 'speeds.json'),
    lock: join(state, 'lock.json'),
    logs,
    patches,
    escalations: join(home, 'ai/escalations'),
    /** Answers that a run at work is to take. */
    answers: join(home, 'ai/state/answers'),
    /** What the run said that the page started last. */
    started: join(state, 'started.log'),
    /** One-time tokens of notices that can be answered. */
    tokens: join(state, 'tokens'),
    safeMode: join(state, 'safe-mode.json'),
    worktree: join(home, 'ai/worktree'),
    journal: (run: string) => join(state, 'runs', run, 'events.jsonl'),
    action: (id: string) => join(state, 'actions', `${id}.jsonl`),
    /** What attempts on other machines need to know of a run, and the folder of what is handed on to them. */
    runContext: (run: string) => join(state, 'runs', run, 'context.json'),
    jobs: (run: string) => join(state, 'runs', run, 'jobs'),
    runFile: (run: string) => join(state, 'runs', run, 'run.json'),
    /** The folder a stage publishes its outputs into; `cell` empty for a stage without matrix. */
    out: (stage: string, cell: string) => join(state, 'out', stage, cell),
    /** The log of one attempt, or of a check that is no attempt (`verify`). */
    log: (stage: string, cell: string, run: string, attempt: number | 'verify') =>
      join(logs, stage, cell, `${run}-${attempt}.log`),
    /** What an attempt changed in tracked files. */
    patch: (run: string, step: string, attempt: number) => join(patches, `${run}-${step}-${attempt}.stage.diff`),
  };
}

/** The owner's checkout. Throws MendError when there is none. */
export function findHome(options: { root?: string | undefined; env: NodeJS.ProcessEnv; cwd: string }): string {
  const named = options.root ?? options.env.MENDLOOP_HOME;
  const start = resolve(options.cwd, named ?? '.');
  if (!existsSync(start) || !statSync(start).isDirectory()) fail('E_ROOT_MISSING', { root: start });
  const top = topLevel(realpathSync(start));
  if (top === undefined) fail('E_NOT_GIT', { home: start });
  return ownerOf(top);
}

function topLevel(from: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** A linked worktree's `.git` is a file that leads to its owner's; a submodule's leads elsewhere and stays itself. */
function ownerOf(top: string): string {
  const dotGit = join(top, '.git');
  if (statSync(dotGit).isDirectory()) return top;
  const gitDir = /^gitdir: (.*)$/m.exec(readText(dotGit) ?? '')?.[1];
  const common = gitDir && join(resolve(top, gitDir), 'commondir');
  if (!common || !existsSync(common)) return top;
  const shared = resolve(dirname(common), (readText(common) ?? '').trim());
  return shared.endsWith('/.git') ? dirname(shared) : top;
}
