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
