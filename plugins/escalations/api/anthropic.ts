// Messages, as Anthropic defined them.
import { z } from 'zod';
import type { Protocol } from './protocol.ts';

const VERSION = '2023-06-01';

const message = z.object({
  type: z.literal('message'),
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string().nullish(),
  usage: z
    .object({
      input_tokens: z.number(),
      output_tokens: z.number(),
      cache_creation_input_tokens: z.number().nullish(),
      cache_read_input_tokens: z.number().nullish(),
    })
    .nullish(),
});

const CUT = ['max_tokens', 'model_context_window_exceeded', 'pause_turn'];

export const anthropic: Protocol = {
  title: "Anthropic's messages",
  base: 'https://api.anthropic.com',
  keyEnv: 'ANTHROPIC_API_KEY',
  endpoint(base) {
    if (base.endsWith('/messages')) return base;
    return base.endsWith('/v1') ? `${base}/messages` : `${base}/v1/messages`;
  },
  headers: (key) => ({ 'anthropic-version': VERSION, ...(key === undefined ? {} : { 'x-api-key': key }) }),
  body: ({ model, maxTokens, system, turns }) => ({ model, max_tokens: maxTokens, system, messages: turns }),
  otherBody: () => undefined,
  answered(body) {
    const { data } = message.safeParse(body);
    if (!data) return undefined;
    const { content, stop_reason, usage } = data;
    const cached = (usage?.cache_creation_input_tokens ?? 0) + (usage?.cache_read_input_tokens ?? 0);
    return {
      text: content.map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join(''),
      end: stop_reason === 'refusal' ? 'refused' : CUT.includes(stop_reason ?? '') ? 'cut' : 'done',
      read: usage ? usage.input_tokens + cached : undefined,
      wrote: usage?.output_tokens,
    };
  },
};
