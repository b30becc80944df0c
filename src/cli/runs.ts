// `mendloop runs`: the runs there have been. `mendloop show <run>`: one of them as it went. Read only.

import { didYouMean } from '../config/suggest.ts';
import { plainWatcher } from '../console/plain.ts';
import { ago, runWords, spell, table } from '../console/words.ts';
import { failUsage } from '../errors.ts';
import type { Layout } from '../io/layout.ts';
import { damageOf, readEvents } from '../journal/event-file.ts';
import { readHistory } from '../journal/history.ts';
import { listRuns } from '../journal/runs.ts';
import { concerns, RUN_OUTCOMES, runFacts } from '../journal/summary.ts';
import { counted } from '../triage/words.ts';
import type { Answer, CommandInput } from './command.ts';
import { numberOption } from './run-options.ts';

const SHOWN = 20;
const NO_RUN = 'there has been no run yet; to start one: mendloop';

export async function run({ options, layout: findLayout }: CommandInput): Promise<Answer> {
  const layout = findLayout();
  const { stage, outcome, fingerprint } = options as Record<string, string | undefined>;
  if (outcome !== undefined && !RUN_OUTCOMES.some((one) => one === outcome))
    failUsage(
      `no run ends as ${JSON.stringify(outcome)}${didYouMean(outcome, RUN_OUTCOMES, 'outcomes are')}`,
      'mendloop runs --help',
    );
  const most = numberOption(options, 'last', 'for example: --last 50') ?? SHOWN;
  const all = listRuns(layout);
  const isAnyWanted = stage === undefined && outcome === undefined && fingerprint === undefined;
  const runs = readHistory(layout, isAnyWanted ? all.at(-most) : '')
    .filter((one) => concerns(one, { stage, outcome, fingerprint }))
    .slice(-most)
    .reverse()
    .map(runFacts);
  const rows = runs.map((one) => [
    one.run,
    ago(one.began, Date.now()),
    one.outcome,
    one.duration_ms === null ? '' : spell(one.duration_ms),
    one.asked,
    runWords(one).join(', '),
  ]);
  const lines = [
    ...(runs.length === 0 ? ['no run fits'] : table(rows)),
    `${runs.length} of ${counted(all.length, 'run')}`,
  ];
  return { text: all.length === 0 ? NO_RUN : lines, json: { runs, total: all.length } };
}

/** Prints a run again, from its journal. */
export async function show({ words, layout: findLayout, out }: CommandInput): Promise<Answer | number> {
  const [name, ...more] = words;
  if (name === undefined || more.length > 0) failUsage('show needs one run', 'mendloop runs');
  const layout = findLayout();
  const id = runCalled(layout, name);
  const file = readEvents(layout.journal(id));
  const damage = damageOf(file);
  if (out.json) {
    for (const event of file.events) out.jsonLine(event);
    return 0;
  }
  if (damage) out.line(`note: the journal of run ${id} ${damage}`);
  out.line(`began ${file.events[0]?.time ?? 'at a time that is lost'}`);
  const { event: watch } = plainWatcher(out, layout.home);
  for (const event of file.events) watch(event);
  return 0;
}

/** Those of `runs` whose name is, begins or ends so; `last` is the newest. */
export const runsCalled = (runs: readonly string[], name: string): string[] =>
  name === 'last' ? runs.slice(-1) : runs.filter((id) => id.startsWith(name) || id.endsWith(name));

/** The only run of this name. */
export function runCalled(layout: Layout, name: string): string {
  const runs = listRuns(layout);
  if (runs.length === 0) failUsage('there has been no run yet', 'mendloop starts one');
  const fits = runsCalled(runs, name);
  if (fits.length === 1) return fits[0] as string;
  const what =
    fits.length === 0
      ? `there is no run ${JSON.stringify(name)}`
      : `${fits.length} runs are called ${JSON.stringify(name)}`;
  return failUsage(`${what}${didYouMean(name, runs.slice(-5), 'the newest are')}`, 'mendloop runs');
}
