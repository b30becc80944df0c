// `mendloop metrics [--textfile FILE]`: how things stand, for Prometheus.
import { resolve } from 'node:path';
import { metricsText } from '../inspect/metrics.ts';
import { writeAtomic } from '../io/store.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages } from '../journal/load-stages.ts';
import { readSafeMode } from '../mend/safe-mode.ts';
import { usedOn } from '../triage/ledger.ts';
import type { Answer, CommandInput } from './command.ts';

export async function run({ options, layout: findLayout }: CommandInput): Promise<Answer> {
  const layout = findLayout();
  const { state, latest } = loadStages(layout, { look: true });
  const { ledger } = readLedger(layout);
  const last = latest?.events.findLast((event) => event.type === 'run.ended');
  const text = metricsText({
    stages: state.stages,
    ledger,
    used: usedOn(ledger.day, Date.now()),
    safeMode: readSafeMode(layout) !== undefined,
    last,
  });
  if (typeof options.textfile !== 'string') return { text, json: { metrics: text }, forScripts: true };
  const path = resolve(options.textfile);
  // The collector is another user; no secret is in it.
  writeAtomic(path, text, 0o644);
  return { text: `wrote ${path}`, json: { path } };
}
