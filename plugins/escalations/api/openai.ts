// Chat completions, as OpenAI defined them and many hosts speak them.
import { z } from 'zod';
import type { Protocol } from './protocol.ts';

const part = z.object({ type: z.string(), text: z.string().optional() });

const completion = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: z.union([z.string(), z.array(part)]).nullish(),
          refusal: z.string().nullish(),
        }),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: z.number().optional(), completion_tokens: z.number().optional() }).nullish(),
});

const textOf = (content: string | readonly z.output<typeof part>[] | null | undefined): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('');

export const openai: Protocol = {
  title: "OpenAI's chat completions",
  base: 'https://api.openai.com/v1',
  keyEnv: 'OPENAI_API_KEY',
  endpoint: (base) => (base.endsWith('/chat/completions') ? base : `${base}/chat/completions`),
  headers: (key): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
  body({ model, maxTokens, system, turns }, url) {
    // OpenAI itself wants the newer name, and most others know only the older one.
    const limit = new URL(url).hostname === 'api.openai.com' ? 'max_completion_tokens' : 'max_tokens';
    return { model, messages: [{ role: 'system', content: system }, ...turns], [limit]: maxTokens };
  },
  otherBody({ max_tokens, ...body }, why) {
    return max_tokens !== undefined && why.includes('max_completion_tokens')
      ? { ...body, max_completion_tokens: max_tokens }
      : undefined;
  },
  answered(body) {
    const { data } = completion.safeParse(body);
    const [choice] = data?.choices ?? [];
    if (!data || !choice) return undefined;
    const { finish_reason, message } = choice;
    const refused = finish_reason === 'content_filter' || (message.refusal ?? '') !== '';
    return {
      text: textOf(message.content),
      end: refused ? 'refused' : finish_reason === 'length' ? 'cut' : 'done',
      read: data.usage?.prompt_tokens,
      wrote: data.usage?.completion_tokens,
    };
  },
};
