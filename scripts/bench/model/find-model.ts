// Which model will be asked, before anything starts: the same choice that the loop makes, and what to do when there is none.

import { maxModelBytes, pickModel } from '../../../plugins/executors/ollama/pick-model.ts';
import { machineHasGpu, machineMemory, openChat } from '../../../src/io/egress/ollama-chat.ts';
import { isLanAddress, isLoopback, lanHost } from '../../../src/model/address.ts';

export interface Found {
  readonly host: string;
  readonly model: string;
  readonly why: string;
}

const TIMEOUT_MS = 10_000;
const START =
  'start it there (ollama serve) and pull a model (ollama pull qwen2.5-coder:7b), or name another with --host';

/** `wrong` is one line with the next step. Never throws. */
export async function findModel(written: string, wanted: string): Promise<Found | { wrong: string }> {
  const host = lanHost(written);
  if ('refused' in host) return { wrong: `--host: ${host.refused}` };
  const signal = new AbortController().signal;
  const models = await openChat(host.url, { signal, timeoutMs: TIMEOUT_MS, mayReach: isLanAddress })
    .models()
    .catch((error: Error) => error);
  if (models instanceof Error) return { wrong: `no Ollama answers at ${host.url} (${models.message}); ${START}` };
  try {
    return {
      host: host.url,
      ...pickModel(wanted, models, host.url, {
        maxBytes: maxModelBytes(host.name, machineMemory()),
        hasGpu: isLoopback(host.name) && machineHasGpu(),
        speedOf: () => [],
      }),
    };
  } catch (error) {
    return { wrong: (error as Error).message };
  }
}
