// `mendloop get <stage>.<output>`: the path of an output, made first when it is missing.
import { greenElsewhere } from '../backend/task-file.ts';
import type { ContextMap, Stage } from '../config/context-map.ts';
import { plainWatcher } from '../console/plain.ts';
import { table } from '../console/words.ts';
import { EXIT, fail, failUsage } from '../errors.ts';
import { runInGroup } from '../io/command.ts';
import type { Layout } from '../io/layout.ts';
import { privateFolder } from '../io/store.ts';
import { readEvents } from '../journal/event-file.ts';
import { loadStages } from '../journal/load-stages.ts';
import { recordOf } from '../journal/stages.ts';
import { type Cell, cellKey, cellsOf, splitStepName } from '../plan/matrix.ts';
import { baseOf, configurationAt } from '../stage/configuration.ts';
import { matrixEnv } from '../stage/env.ts';
import { findOutputs, isFilled, isPublished, outputsOf } from '../stage/outputs.ts';
import type { Answer, CommandInput } from './command.ts';
import { withPorts } from './ports.ts';
import { runRequest } from './run-options.ts';

export async function run(input: CommandInput): Promise<Answer | number> {
  const { words, options, dry, out } = input;
  const [name] = words;
  if (name === undefined || words.length > 1)
    failUsage('get needs one output', 'mendloop get <stage>.<output>; a stage alone lists its outputs');
  const layout = input.layout();
  const { home } = layout;
  const running = process.env.MENDLOOP_RUN;
  const inside = running !== undefined;
  const events = inside ? readEvents(layout.journal(running)).events : [];
  const [first] = events;
  const base = first?.type === 'run.started' ? first.data.base : await baseOf(home);
  const { map } = await configurationAt(home, base);
  if (Object.hasOwn(map.stages, name)) return listOutputs(name, map, layout);
  const { stage, files } = findOutputs(map, name, layout);
  const forced = options.force === true;
  // On Slurm a job may start before the controller has recorded that its dependency ended.
  const made = inside ? greenElsewhere(layout, running, events) : new Set<string>();
  const isThere = () => {
    const { state } = loadStages(layout, { look: true });
    return files.every((file) => isPublished(file, state) || (made.has(file.step) && isFilled(file.path)));
  };
  const paths = files.map(({ path }) => path);
  if (dry) {
    const make = forced || !isThere();
    return { text: make ? `would run ${stage} and what it needs` : paths, json: { name, would_run: make } };
  }
  if (inside && forced) await forceInside(map.stages[stage] as Stage);
  else if (inside && !isThere()) missing();
  else if (forced || !isThere()) {
    const exit = await compute();
    if (exit !== EXIT.ok) return exit;
    if (!isThere()) missing();
  }
  return { text: paths, json: { name, files }, forScripts: true };

  function missing(): never {
    fail('E_OUTPUT_MISSING', { name: name as string, inside });
  }

  /** Runs the stage and what it needs; stdout is kept for the answer. */
  async function compute(): Promise<number> {
    const { runStages } = await import('../run/run.ts');
    const request = { ...runRequest(input), stages: [stage], withNeeds: true, forced };
    const { event, live } = plainWatcher({ ...out, line: out.quiet ? () => {} : out.errorLine }, home);
    return (await withPorts([event], (ports) => runStages(request, { ...ports, live }))).exit;
  }

  /** Runs the stage's command alone, beside the stage that asks. */
  async function forceInside(definition: Stage): Promise<void> {
    const output = name as string;
    const spec = process.env.MENDLOOP_SPEC ?? '';
    if (definition.spec !== spec) fail('E_GET_SPEC', { name: output, theirs: definition.spec, ours: spec });
    const { state } = loadStages(layout, { look: true });
    for (const { step } of files) {
      const isRunning = recordOf(state, step)?.status === 'running';
      if (isRunning) fail('E_GET_BUSY', { name: output, why: `${step} is running` });
      if (!definition.rerun) fail('E_GET_BUSY', { name: output, why: `${step} has rerun: false` });
    }
    const cells = new Set(files.map(({ step }) => splitStepName(step).cell));
    for (const cell of cellsOf(definition).filter((c) => cells.has(cellKey(c)))) {
      const exit = await makeOutput(stage, definition, cell, layout, process.env);
      if (exit !== 0) missing();
    }
    if (!paths.every(isFilled)) missing();
  }
}

/** What `get` may be asked for, and which of it is there. */
function listOutputs(stage: string, map: ContextMap, layout: Layout): Answer {
  const { state } = loadStages(layout, { look: true });
  const outputs = outputsOf(map, stage, layout).map((file) => ({ ...file, published: isPublished(file, state) }));
  const rows = outputs.map(({ name, path, published }) => [name, published ? path : 'missing; get makes it']);
  return { text: rows.length > 0 ? table(rows) : `${stage} has no outputs`, json: { stage, outputs } };
}

/**
 * Runs a stage's command with its own output folder, as part of the attempt that asks: it stays in the process group of that and keeps
 * its marks, so that whatever ends the attempt ends it too. Resolves to its exit code. Output goes to stderr.
 */
function makeOutput(name: string, stage: Stage, cell: Cell, layout: Layout, env: NodeJS.ProcessEnv): Promise<number> {
  const out = layout.out(name, cellKey(cell));
  privateFolder(out);
  const inherited = Object.entries(env).filter(([key]) => !key.startsWith('MENDLOOP_MATRIX_'));
  const ofStage = { ...matrixEnv(cell), MENDLOOP_STAGE: name, MENDLOOP_OUT: out, MENDLOOP_SPEC: stage.spec };
  return runInGroup(stage.command, env.MENDLOOP_ROOT ?? layout.worktree, {
    ...Object.fromEntries(inherited),
    ...ofStage,
  });
}
