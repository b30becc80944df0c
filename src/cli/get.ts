// `mendloop get <stage>.<output>`: the path of an output, made first when it is missing.
import { plainWatcher } from '../console/plain.ts';
import { EXIT, fail, failUsage } from '../errors.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { loadStages } from '../journal/load-stages.ts';
import { recordOf } from '../journal/stages.ts';
import { cellKey, cellsOf, splitStepName } from '../plan/matrix.ts';
import { runHead } from '../run/resume.ts';
import { baseOf, type Configuration, configurationAt } from '../stage/configuration.ts';
import { findOutputs } from '../stage/find-output.ts';
import { isFilled, isPublished, type OutputFile } from '../stage/outputs.ts';
import type { CommandInput } from './command.ts';
import { withPorts } from './ports.ts';
import { runOptions } from './run-options.ts';

export async function run(input: CommandInput): Promise<number> {
  const { words, options, out } = input;
  const [name] = words;
  if (name === undefined || words.length > 1) failUsage('get needs one output', 'mendloop get <stage>.<output>');
  const home = input.home();
  const layout = layoutOf(home);
  const running = process.env.MENDLOOP_RUN;
  const base = (running && runHead(layout, running)?.base) || (await baseOf(home));
  const config = await configurationAt(home, base.commit, base.name);
  const { stage, files } = findOutputs(config.map, name, layout);
  const inside = running !== undefined;
  const there = () => files.every((file) => isPublished(file, loadStages(layout, { look: true }).state));
  if (inside && options.force && !options['dry-run']) return forceInside(config, stage, files);
  if (options['dry-run']) return sayOnly();
  if (options.force || !there()) {
    if (inside) fail('E_OUTPUT_MISSING', { name, inside });
    const exit = await compute(stage);
    if (exit !== EXIT.ok) return exit;
    if (!there()) fail('E_OUTPUT_MISSING', { name, inside });
  }
  return print(files);

  function print(found: readonly OutputFile[]): number {
    out.answer(found.map((f) => f.path).join('\n'), { name, files: found });
    return EXIT.ok;
  }

  function sayOnly(): number {
    const make = options.force === true || !there();
    out.answer(make ? `would run ${stage} and what it needs` : files.map((f) => f.path).join('\n'), {
      name,
      would_run: make,
    });
    return EXIT.ok;
  }

  /** Runs the stage and what it needs; stdout is kept for the answer. */
  async function compute(wanted: string): Promise<number> {
    const { runStages } = await import('../run/run-stages.ts');
    const request = { ...runOptions(input), home, command: input.line, stages: [wanted] };
    const watch = plainWatcher({ ...out, line: out.quiet ? () => {} : out.errorLine }, home);
    const forced = options.force === true;
    return (await withPorts([watch], (ports) => runStages({ ...request, withNeeds: true, forced }, ports))).exit;
  }

  async function forceInside({ map }: Configuration, wanted: string, found: OutputFile[]): Promise<number> {
    const definition = map.stages[wanted];
    const ours = process.env.MENDLOOP_SPEC ?? '';
    if (!definition || definition.spec !== ours) {
      fail('E_GET_SPEC', { name: name as string, theirs: definition?.spec ?? '', ours });
    }
    const { state } = loadStages(layout, { look: true });
    for (const { step } of found) {
      const running = recordOf(state, step)?.status === 'running';
      if (running) fail('E_GET_BUSY', { name: name as string, why: `${step} is running` });
      if (!definition.rerun) fail('E_GET_BUSY', { name: name as string, why: `${step} has rerun: false` });
    }
    const { makeOutput } = await import('../stage/make-output.ts');
    const steps = new Set(found.map((f) => splitStepName(f.step).cell));
    for (const cell of cellsOf(definition).filter((c) => steps.has(cellKey(c)))) {
      const exit = await makeOutput(wanted, definition, cell, layout, process.env);
      if (exit !== 0) fail('E_OUTPUT_MISSING', { name: name as string, inside });
    }
    if (!found.every(({ path }) => isFilled(path))) fail('E_OUTPUT_MISSING', { name: name as string, inside });
    return print(found);
  }
}
