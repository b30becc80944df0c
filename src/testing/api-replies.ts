// The bodies that a host of models sends: an answer or an error, in either protocol.

export type ApiKind = 'openai' | 'anthropic';

/** How one request is answered. `{ text: 'hello' }` is enough. */
export interface ApiReply {
  /** What the model says. */
  readonly text?: string;
  /** Why it stopped: by itself, because max_tokens were written, or because it will not answer. */
  readonly finish?: 'stop' | 'length' | 'refusal';
  /** null: the host does not count. What is not given is estimated. */
  readonly usage?: { readonly input: number; readonly output: number } | null;
  /** An error instead of an answer, in the words and form of the protocol. */
  readonly error?: string;
  /** Its kind there, such as `insufficient_quota`; without it, by the status. */
  readonly errorType?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole body as it is: HTML, nothing, other JSON, ten megabytes. */
  readonly raw?: string;
  readonly contentType?: string;
  /** Before the first byte. */
  readonly delayMs?: number;
  /** Between two bytes of the body. */
  readonly gapMs?: number;
  /** `truncated`: half of the body, then the connection breaks; `disconnect`: it breaks before the first byte; `hang`: nothing comes. */
  readonly end?: 'done' | 'truncated' | 'disconnect' | 'hang';
}

type Asked = { readonly model?: unknown } | string | undefined;

/** The answer to a request with the body `asked`. */
export function answerBodyOf(kind: ApiKind, reply: ApiReply, asked: Asked): string {
  const { text = '', finish = 'stop' } = reply;
  const model = typeof asked === 'object' && asked !== null ? String(asked.model ?? '') : '';
  const estimated = { input: Math.ceil(JSON.stringify(asked ?? '').length / 4), output: Math.ceil(text.length / 4) };
  const { input, output } = reply.usage ?? estimated;
  if (kind === 'anthropic') {
    const stop_reason = { stop: 'end_turn', length: 'max_tokens', refusal: 'refusal' }[finish];
    return JSON.stringify({
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model },
      ...{ content: text === '' ? [] : [{ type: 'text', text }], stop_reason, stop_sequence: null },
      ...(reply.usage === null ? {} : { usage: { input_tokens: input, output_tokens: output } }),
    });
  }
  const refusal = finish === 'refusal' ? 'I cannot help with that.' : null;
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  return JSON.stringify({
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1_750_000_000, model },
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: refusal === null ? text : null, refusal },
        finish_reason: finish === 'length' ? 'length' : 'stop',
      },
    ],
    ...(reply.usage === null ? {} : { usage }),
  });
}

const TYPES: Readonly<Record<number, readonly [openai: string, anthropic: string]>> = {
  400: ['invalid_request_error', 'invalid_request_error'],
  401: ['invalid_request_error', 'authentication_error'],
  403: ['invalid_request_error', 'permission_error'],
  404: ['invalid_request_error', 'not_found_error'],
  413: ['invalid_request_error', 'request_too_large'],
  429: ['rate_limit_error', 'rate_limit_error'],
  529: ['server_error', 'overloaded_error'],
};

/** An error as the protocol tells it. */
export function errorBodyOf(kind: ApiKind, { status = 500, error = '', errorType }: ApiReply): string {
  const [openai, anthropic] = TYPES[status] ?? ['server_error', 'api_error'];
  if (kind === 'anthropic') {
    return JSON.stringify({
      type: 'error',
      error: { type: errorType ?? anthropic, message: error },
      request_id: 'req_1',
    });
  }
  return JSON.stringify({
    error: { message: error, type: errorType ?? openai, param: null, code: errorType ?? null },
  });
}
