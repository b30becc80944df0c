// A notifier told as the loop tells it.
import type { z } from 'zod';
import type { Notice, Plugin } from '../../src/plugin/contract.ts';

export const NOTICE: Notice = {
  reason: 'hand_over',
  run: '20260101-000000-abcd',
  stage: 'talos',
  title: 'talos needs a person',
  text: 'It keeps failing.\nLook at the case.',
};

export const ASK: NonNullable<Notice['ask']> = {
  case: 'apps-1',
  sentence: 'apps failed, and ollama proposes: Give loki 3 replicas',
  error: 'Error: a quorum needs 3',
  reasons: ['changes 2 to 3', 'it is a number'],
  diff: 'apps/values.yaml\n-  replicas: 2\n+  replicas: 3',
  more: 2,
  token: 'A'.repeat(32),
  expires: '2026-01-01T12:00:00.000Z',
};

export interface AskOptions {
  notice?: Partial<Notice>;
  signal?: AbortSignal;
}

export async function tell(plugin: Plugin, options: object, { notice = {}, signal }: AskOptions = {}): Promise<void> {
  const context = {
    ...{ ...NOTICE, ...notice, say() {}, progress() {}, used() {}, mask: (text: string) => text },
    options: (plugin.options as z.ZodType).parse(options),
    signal: signal ?? new AbortController().signal,
  };
  await plugin.notify?.(context as never);
}
