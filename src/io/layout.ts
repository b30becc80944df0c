// Where everything lives below home. Paths only; nothing is touched here.
import { join } from 'node:path';

export interface Layout {
  readonly home: string;
  readonly state: string;
  readonly runs: string;
  readonly stages: string;
  readonly ledger: string;
  readonly ledgerJournal: string;
  readonly lock: string;
  readonly logs: string;
  readonly patches: string;
  readonly escalations: string;
  readonly safeMode: string;
  readonly worktree: string;
  journal(run: string): string;
  runFile(run: string): string;
  /** The folder a stage publishes its outputs into; `cell` empty for a stage without matrix. */
  out(stage: string, cell: string): string;
  /** The log of one attempt, or of a check that is no attempt (`verify`). */
  log(stage: string, cell: string, run: string, attempt: number | 'verify'): string;
  /** What an attempt changed in tracked files. */
  patch(run: string, step: string, attempt: number): string;
}

export function layout(home: string): Layout {
  const state = join(home, 'ai/state');
  const logs = join(home, 'ai/logs');
  return {
    home,
    state,
    runs: join(state, 'runs'),
    stages: join(state, 'stages.json'),
    ledger: join(state, 'ledger.json'),
    ledgerJournal: join(state, 'ledger.jsonl'),
    lock: join(state, 'lock.json'),
    logs,
    patches: join(home, 'ai/patches'),
    escalations: join(home, 'ai/escalations'),
    safeMode: join(state, 'safe-mode.json'),
    worktree: join(home, 'ai/worktree'),
    journal: (run) => join(state, 'runs', run, 'events.jsonl'),
    runFile: (run) => join(state, 'runs', run, 'run.json'),
    out: (stage, cell) => join(state, 'out', stage, cell),
    log: (stage, cell, run, attempt) => join(logs, stage, cell, `${run}-${attempt}.log`),
    patch: (run, step, attempt) => join(home, 'ai/patches', `${run}-${step}-${attempt}.stage.diff`),
  };
}
