// How models are asked through HTTP and how they answer, streamed or in one piece: chat completions as OpenAI, llama.cpp, vLLM,
// LM Studio and LiteLLM speak them, and Anthropic's messages. Pure.
import * as z from 'zod';
import type { Turn } from '../../../src/model.ts';

export interface Question {
  readonly model: string;
  readonly maxTokens: number;
  readonly system?: string | undefined;
  readonly turns: readonly Turn[];
  readonly schema?: object | undefined;
  readonly temperature?: number | undefined;
  /** undefined: whether the model thinks is its host's affair. */
  readonly think?: boolean | undefined;
}
export type Body = Record<string, unknown>;

/** `cut`: it did not come to its end; `refused`: the model would not answer. */
export interface ApiAnswer {
  readonly text: string;
  readonly end: 'done' | 'cut' | 'refused';
  /** undefined when the host did not count. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

/** Reads the events of one answer; a whole answer is one event. */
export interface Reader {
  /** What came with an event, thoughts included; undefined: that is no event of this protocol. */
  take(event: unknown): string | undefined;
  /** undefined when its end has not come; an answer in one piece, and a stream that was closed in order, are at their end. */
  answer(isOver: boolean): ApiAnswer | undefined;
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
  reader(): Reader;
}

/** What a host may not know, and is asked without when it says so: each makes an answer better, none makes it another one. */
const OPTIONAL = ['chat_template_kwargs', 'response_format', 'stream_options', 'temperature'];

/** The body for a host that did not take `body` and says why; undefined: there is no other. */
export function otherBody(body: Body, why: string): Body | undefined {
  const { max_tokens, ...others } = body;
  if (max_tokens !== undefined && why.includes('max_completion_tokens')) {
    return { ...others, max_completion_tokens: max_tokens };
  }
  const unknown = OPTIONAL.filter((key) => Object.hasOwn(body, key) && why.includes(key));
  return unknown.length === 0 ? undefined : without(body, unknown);
}

const without = (body: Body, keys: readonly string[]): Body =>
  Object.fromEntries(Object.entries(body).filter(([key]) => !keys.includes(key)));

const part = z.object({ type: z.string(), text: z.string().optional() });
const message = z.object({
  content: z.union([z.string(), z.array(part)]).nullish(),
  refusal: z.string().nullish(),
  // The two names that hosts have for thoughts.
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
});
const choice = z.object({
  finish_reason: z.string().nullish(),
  message: message.optional(),
  delta: message.optional(),
});
const completion = z.object({
  choices: z.array(choice),
  usage: z.object({ prompt_tokens: z.number().optional(), completion_tokens: z.number().optional() }).nullish(),
});

const openai: Protocol = {
  title: "OpenAI's chat completions",
  base: 'https://api.openai.com/v1',
  keyEnv: 'OPENAI_API_KEY',
  endpoint: (base) => (base.endsWith('/chat/completions') ? base : `${base}/chat/completions`),
  headers: (key): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
  body({ model, maxTokens, system, turns, schema, temperature, think }, url) {
    // OpenAI itself wants the newer name, and most others know only the older one.
    const limit = new URL(url).hostname === 'api.openai.com' ? 'max_completion_tokens' : 'max_tokens';
    return {
      model,
      messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...turns],
      [limit]: maxTokens,
      stream: true,
      stream_options: { include_usage: true },
      ...(temperature === undefined ? {} : { temperature }),
      ...(schema && {
        response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
      }),
      ...(think === undefined ? {} : { chat_template_kwargs: { enable_thinking: think } }),
    };
  },
  reader() {
    let [text, isRefused] = ['', false];
    let finish: string | undefined;
    let usage: z.output<typeof completion>['usage'];
    return {
      take(event) {
        const { data } = completion.safeParse(event);
        const [first] = data?.choices ?? [];
        const said = first?.delta ?? first?.message;
        // The last event of a stream has the counts alone.
        if (!data || (first ? !said : !data.usage)) return undefined;
        usage = data.usage ?? usage;
        finish = first?.finish_reason ?? finish;
        isRefused ||= (said?.refusal ?? '') !== '';
        const { content, reasoning_content, reasoning } = said ?? {};
        const piece = typeof content === 'string' ? content : (content ?? []).map((one) => one.text ?? '').join('');
        text += piece;
        return piece || reasoning_content || reasoning || '';
      },
      answer(isOver) {
        if (finish === undefined && !isOver) return undefined;
        const refused = isRefused || finish === 'content_filter';
        return {
          text,
          end: refused ? 'refused' : finish === 'length' ? 'cut' : 'done',
          inputTokens: usage?.prompt_tokens,
          outputTokens: usage?.completion_tokens,
        };
      },
    };
  },
};

const counts = z.object({
  input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
  cache_creation_input_tokens: z.number().nullish(),
  cache_read_input_tokens: z.number().nullish(),
});
const messageStart = z.object({
  type: z.literal('message'),
  content: z.array(part),
  stop_reason: z.string().nullish(),
  usage: counts.nullish(),
});
const pieceOf = z.object({ text: z.string().optional(), thinking: z.string().optional() });
const messageEvent = z.discriminatedUnion('type', [
  messageStart,
  z.object({ type: z.literal('message_start'), message: messageStart }),
  z.object({ type: z.literal('content_block_delta'), delta: pieceOf }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: z.string().nullish() }),
    usage: counts.nullish(),
  }),
  z.object({ type: z.enum(['content_block_start', 'content_block_stop', 'message_stop', 'ping']) }),
]);

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
  body: ({ model, maxTokens, system, turns, temperature }) => ({
    ...{ model, max_tokens: maxTokens, messages: turns, stream: true },
    ...(system === undefined ? {} : { system }),
    ...(temperature === undefined ? {} : { temperature }),
  }),
  reader() {
    let text = '';
    let stop: string | undefined;
    const used: z.output<typeof counts> = {};
    const begin = ({ content, stop_reason, usage }: z.output<typeof messageStart>): string => {
      const piece = content.map((one) => (one.type === 'text' ? (one.text ?? '') : '')).join('');
      text += piece;
      stop = stop_reason ?? stop;
      Object.assign(used, usage);
      return piece;
    };
    return {
      take(event) {
        const { data } = messageEvent.safeParse(event);
        if (data?.type === 'message') return begin(data);
        if (data?.type === 'message_start') return begin(data.message);
        if (data?.type === 'content_block_delta') {
          text += data.delta.text ?? '';
          return data.delta.text ?? data.delta.thinking ?? '';
        }
        if (data?.type === 'message_delta') {
          stop = data.delta.stop_reason ?? stop;
          Object.assign(used, data.usage);
        }
        return data && '';
      },
      answer(isOver) {
        if (stop === undefined && !isOver) return undefined;
        const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } = used;
        const cached = (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0);
        return {
          text,
          end: stop === 'refusal' ? 'refused' : CUT_REASONS.includes(stop ?? '') ? 'cut' : 'done',
          inputTokens: input_tokens === undefined ? undefined : input_tokens + cached,
          outputTokens: output_tokens,
        };
      },
    };
  },
};

export const PROTOCOLS = { openai, anthropic } as const satisfies Record<string, Protocol>;
