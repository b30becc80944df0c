// `mendloop metrics [--textfile FILE]`: how things stand, for Prometheus.
import { dirname, resolve } from 'node:path';
import { failUsage } from '../errors.ts';
import { metricsOf } from '../inspect/metrics.ts';
import { fileFacts } from '../io/files.ts';
import { writeAtomic } from '../io/store.ts';
import type { Answer, CommandInput } from './command.ts';

const NEXT = 'name a file in the folder that node_exporter has as --collector.textfile.directory';

export async function run({ options, dry, layout: findLayout }: CommandInput): Promise<Answer> {
  const text = await metricsOf(findLayout());
  if (typeof options.textfile !== 'string') return { text, json: { metrics: text }, forScripts: true };
  const path = resolve(options.textfile);
  if (!path.endsWith('.prom')) failUsage(`${path}: the textfile collector reads only files that end in .prom`, NEXT);
  if (!fileFacts(dirname(path))?.isFolder) failUsage(`${dirname(path)} is not a folder`, NEXT);
  if (dry) return { text: `would write ${path}`, json: { would_write: path } };
  // World-readable: the collector runs as another user, and there is no secret in it.
  writeAtomic(path, text, 0o644);
  return { text: `wrote ${path}`, json: { path } };
}
