// A lock whose owner nobody here can prove alive keeps every run from starting, and what cron starts is seen by nobody: people are
// notified of it, of each such lock once.
import { MendError } from '../errors.ts';
import type { GitObjects } from '../io/git-objects.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { limited } from '../io/signals.ts';
import { ifPossible, readText, writeAtomic } from '../io/store.ts';
import { outgoingRedactor } from '../mend/documents.ts';
import { RedactionError } from '../outbound/redact/secret.ts';
import { callHook, faultLine } from '../plugin/call.ts';
import type { Notice } from '../plugin/contract.ts';
import { pluginsAt } from '../stage/own-plugins.ts';
import type { RunPorts } from '../stage/run.ts';
import { readStart } from './read-base.ts';
import type { RunRequest } from './select.ts';

const NOTICE_MS = 10_000;

/** Notifies people when `error` is E_LOCK_UNPROVEN. Rejects only for bugs: what keeps it from doing so is said as progress. */
export async function notifyOfLock(error: unknown, request: RunRequest, objects: GitObjects, ports: RunPorts) {
  if (!(error instanceof MendError) || error.code !== 'E_LOCK_UNPROVEN') return;
  const { lock } = layoutOf(request.home);
  const [held, told] = [lock, `${lock}.told`].map((path) => ifPossible(() => readText(path)));
  // Released meanwhile, or told before.
  if (held === undefined || held === told) return;
  try {
    if (await send(error, request, objects, ports)) writeAtomic(`${lock}.told`, held);
  } catch (fault) {
    if (!(fault instanceof MendError || fault instanceof RedactionError)) throw fault;
    ports.progress?.(`nobody was notified of the lock: ${fault.message}`);
  }
}

/** True when somebody was reached. */
async function send(
  { message, next }: MendError,
  request: RunRequest,
  objects: GitObjects,
  { env, signal, progress }: RunPorts,
): Promise<boolean> {
  const layout = layoutOf(request.home);
  const { base, committed: config } = await readStart(request, objects);
  const { notifiers } = await pluginsAt(layout, base.commit, config.loop, objects);
  if (notifiers.length === 0) return false;
  const { redact } = await outgoingRedactor({ layout, config, env });
  const text = redact(`${message}\nnext: ${next}`);
  const notice: Notice = { reason: 'conflict', title: 'no run can begin', text, run: '' };
  const limit = limited(NOTICE_MS, signal);
  const called = await Promise.all(notifiers.map((plugin) => callHook(plugin, 'notify', notice, limit)));
  limit.end();
  for (const one of called) if (!('answer' in one)) progress?.(`not notified: ${redact(faultLine(one))}`);
  return called.some((one) => 'answer' in one);
}
