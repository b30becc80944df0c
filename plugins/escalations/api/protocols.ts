// How a hosted model is asked and answers: OpenAI's chat completions, which many hosts speak, and Anthropic's messages. Pure.
import * as z from 'zod';
import type { Turn } from '../../../src/model.ts';

type Question = { model: string; maxTokens: number; system: string; turns: readonly Turn[] };
type Body = Record<string, unknown>;

/** `cut`: it did not come to its end; `refused`: the model would not answer. */
export interface ApiAnswer {
  readonly text: string;
  readonly end: 'done' | 'cut' | 'refused';
  /** undefined when the host did not count. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

export interface Protocol {
  /** As people call it. */
  readonly title: string;
  readonly base: string;
  readonly keyEnv: string;
  /** Where questions go, for a base address without a slash at its end. */
  endpoint(base: string): string;
  headers(key: string | undefined): Record<string, string>;
  body(question: Question, url: string): Body;
  /** The body for a host that did not take `body` and says why; undefined: there is no other. */
  otherBody(body: Body, why: string): Body | undefined;
  /** undefined: that is no answer of this protocol. */
  answer(body: unknown): ApiAnswer | undefined;
}

const part = z.object({ type: z.string(), text: z.string().optional() });

const reply = z.object({ content: z.union([z.string(), z.array(part)]).nullish(), refusal: z.string().nullish() });

const completion = z.object({
  choices: z.array(z.object({ finish_reason: z.string().nullish(), message: reply })).min(1),
  usage: z.object({ prompt_tokens: z.number().optional(), completion_tokens: z.number().optional() }).nullish(),
});

const openai: Protocol = {
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
  answer(body) {
    const { data } = completion.safeParse(body);
    const [choice] = data?.choices ?? [];
    if (!data || !choice) return undefined;
    const { finish_reason, message } = choice;
    const { content, refusal } = message;
    const refused = finish_reason === 'content_filter' || (refusal ?? '') !== '';
    return {
      text: typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join(''),
      end: refused ? 'refused' : finish_reason === 'length' ? 'cut' : 'done',
      inputTokens: data.usage?.prompt_tokens,
      outputTokens: data.usage?.completion_tokens,
    };
  },
};

const message = z.object({
  type: z.literal('message'),
  content: z.array(part),
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

const CUT_REASONS = ['max_tokens', 'model_context_window_exceeded', 'pause_turn'];

const anthropic: Protocol = {
  title: "Anthropic's messages",
  base: 'https://api.anthropic.com',
  keyEnv: 'ANTHROPIC_API_KEY',
  endpoint(base) {
    if (base.endsWith('/messages')) return base;
    return base.endsWith('/v1') ? `${base}/messages` : `${base}/v1/messages`;
  },
  headers: (key) => ({ 'anthropic-version': '2023-06-01', ...(key === undefined ? {} : { 'x-api-key': key }) }),
  body: ({ model, maxTokens, system, turns }) => ({ model, max_tokens: maxTokens, system, messages: turns }),
  otherBody: () => undefined,
  answer(body) {
    const { data } = message.safeParse(body);
    if (!data) return undefined;
    const { content, stop_reason, usage } = data;
    const cached = (usage?.cache_creation_input_tokens ?? 0) + (usage?.cache_read_input_tokens ?? 0);
    return {
      text: content.map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join(''),
      end: stop_reason === 'refusal' ? 'refused' : CUT_REASONS.includes(stop_reason ?? '') ? 'cut' : 'done',
      inputTokens: usage ? usage.input_tokens + cached : undefined,
      outputTokens: usage?.output_tokens,
    };
  },
};

export const PROTOCOLS = { openai, anthropic };
