// Diagnostics for a case: the owner's as written, a model's only when the table lets them through. One after the other, in
// a bounded time; what is not run is said, and the rest go on.
import { delimiter, isAbsolute } from 'node:path';
import type { Stage } from '../config/context-map.ts';
import type { Clock } from '../io/clock.ts';
import { runDiagnostic } from '../io/run-diagnostic.ts';
import type { Diagnostic } from '../outbound/context.ts';
import { allowDiagnostic } from '../outbound/diagnostics/allowed.ts';
import { cellsOf, stepNameOf } from '../plan/matrix.ts';
import type { Sighting } from '../triage/incident.ts';
import { DEFAULT_PATH, stageEnv } from './env.ts';
import { toolConfigs } from './outputs.ts';
import { perRun, type StageRun } from './run.ts';

export type AskedDiagnostics =
  | { readonly owner: readonly string[] }
  | { readonly model: readonly (readonly string[])[] };

export interface DiagnosticScope {
  /** The tree the stage runs in. */
  readonly root: string;
  /** As for the stage's own command. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly graceMs: number;
  /** For tests; by default 60 s each and 180 s in all. */
  readonly eachMs?: number;
  readonly allMs?: number;
}

const MAX_DIAGNOSTICS = 8;
const TOO_MANY = `at most ${MAX_DIAGNOSTICS} are run for one request`;
/** A request of thousands is reported in a few lines. */
const MAX_RESULTS = 16;
const MAX_COMMAND_CHARS = 400;

/** In the order asked for. Never throws for what a command is or does. */
export async function runDiagnostics(asked: AskedDiagnostics, scope: DiagnosticScope): Promise<Diagnostic[]> {
  const { clock, root, signal, graceMs, eachMs = 60_000, allMs = 180_000 } = scope;
  const fromModel = 'model' in asked;
  const commands: readonly (string | readonly string[])[] = fromModel ? asked.model : asked.owner;
  const env = fromModel ? modelEnv(scope.env, root) : scope.env;
  const until = clock.monotonic() + allMs;
  const results: Diagnostic[] = [];
  let ran = 0;
  for (const [i, command] of commands.entries()) {
    if (results.length >= MAX_RESULTS) {
      results.push({ command: `${commands.length - i} more`, blocked: TOO_MANY });
      break;
    }
    const leftMs = until - clock.monotonic();
    const blocked = whyNot(command, leftMs);
    if (blocked !== undefined) {
      results.push({ command: shortly(command), blocked });
      continue;
    }
    ran++;
    const timeoutMs = Math.min(eachMs, leftMs);
    results.push(await runDiagnostic({ command, cwd: root, env, timeoutMs, signal, graceMs }, clock));
  }
  return results;

  function whyNot(command: string | readonly string[], left: number): string | undefined {
    const allowed = typeof command === 'string' ? { ok: true as const } : allowDiagnostic(command);
    if (!allowed.ok) return allowed.reason;
    if (ran >= MAX_DIAGNOSTICS) return TOO_MANY;
    if (left <= 0) return `the ${Math.round(allMs / 1000)} s of this request are used up`;
    return signal.aborted ? 'the run is stopping' : undefined;
  }
}

function shortly(command: string | readonly string[]): string {
  const text = typeof command === 'string' ? command : command.slice(0, 50).join(' ');
  return text.length > MAX_COMMAND_CHARS ? `${text.slice(0, MAX_COMMAND_CHARS)}…` : text;
}

const NO_PAGER = { PAGER: 'cat', GIT_PAGER: 'cat', SYSTEMD_PAGER: '', TERM: 'dumb' };
const ONLY_LOOK = { GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' };

/** No folder of the tree on PATH, no pager, no other program for a diff, no question, no lock taken only to look. */
function modelEnv(env: Readonly<Record<string, string>>, root: string): Record<string, string> {
  const { GIT_EXTERNAL_DIFF: _, KUBECTL_EXTERNAL_DIFF: __, ...rest } = env;
  const path = (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !`${folder}/`.startsWith(`${root}/`));
  return { ...rest, PATH: path.join(delimiter) || DEFAULT_PATH, ...NO_PAGER, ...ONLY_LOOK };
}

/** Diagnostics of one step of a run, when the tree is not just being written. */
export function diagnoseStep(
  run: StageRun,
  { stage: name, step, attempt }: Pick<Sighting, 'stage' | 'step' | 'attempt'>,
  asked: AskedDiagnostics,
  signal: AbortSignal,
): Promise<Diagnostic[]> {
  const { config, layout, tree, clock, graceMs } = run;
  const stage = config.map.stages[name] as Stage;
  const cell = cellsOf(stage).find((candidate) => stepNameOf(name, candidate) === step) ?? {};
  const ofStage = stageEnv({ name, stage, cell, run: run.id, attempt }, run);
  // The owner's commands know where the cluster is, as their stages do; a model's words are only the tool's own.
  const env = 'model' in asked ? { ...toolConfigs(config.map, layout), ...ofStage } : ofStage;
  return run.barrier.attempt(() => runDiagnostics(asked, { root: tree.path, env, signal, clock, graceMs }));
}

/** Step and failure → what the owner's diagnostics printed. */
const ownerDiagnostics = perRun((_: StageRun) => new Map<string, Promise<Diagnostic[]>>());

/** Runs the owner's diagnostics of a step, once for each failure in a run. Never throws for what they do. */
export function runOwnerDiagnostics(run: StageRun, failed: Sighting, signal: AbortSignal): Promise<Diagnostic[]> {
  const cache = ownerDiagnostics(run);
  const key = `${failed.step}/${failed.failure.fingerprint}`;
  const { diagnostics } = run.config.map.stages[failed.stage] as Stage;
  const output = cache.get(key) ?? diagnoseStep(run, failed, { owner: diagnostics }, signal);
  cache.set(key, output);
  return output;
}
