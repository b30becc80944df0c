// A server that speaks the protocols of hosts of models, OpenAI's chat completions and Anthropic's messages, as it is told to:
// streamed to whom asks for that.
import type { ServerResponse } from 'node:http';
import type { LoopbackOptions, LoopbackServer, Script, ServedRequest } from './loopback.ts';
import { breakOff, listen, paused, replyOf } from './loopback.ts';

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
  /** Between two pieces of a stream, or two bytes of a body. */
  readonly gapMs?: number;
  /**
   * `truncated`: half of the body, then the connection breaks; `cut`: the stream ends without its end; `disconnect`: it breaks
   * before the first byte; `hang`: nothing comes.
   */
  readonly end?: 'done' | 'truncated' | 'cut' | 'disconnect' | 'hang';
  /** The answer comes in one piece also where a stream was asked for. */
  readonly whole?: boolean;
}

export interface ApiServerOptions extends LoopbackOptions {
  /** Without it, by the path: Anthropic's where that ends in `/messages`. */
  readonly kind?: ApiKind;
  /** What `/models` lists. */
  readonly models?: readonly string[];
  /** Answers to POST requests. */
  readonly script?: Script<ApiReply>;
  /** A request without this key gets 401, with an error that repeats parts of the key it had. */
  readonly key?: string;
}

export type ApiServer = LoopbackServer;

/** Listens on a free port of 127.0.0.1 and nowhere else. */
export function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const { kind, script = [], key, tls, idleMs, models = [] } = options;
  let posts = 0;
  return listen(serve, { idleMs, tls });

  function serve(request: ServedRequest, response: ServerResponse): Promise<void> {
    const protocol = kind ?? (request.path.endsWith('/messages') ? 'anthropic' : 'openai');
    return send(response, protocol, replyTo(request), request);
  }

  function replyTo(request: ServedRequest): ApiReply {
    if (request.method === 'GET' && request.path.endsWith('/models')) {
      return { raw: JSON.stringify({ object: 'list', data: models.map((id) => ({ id, object: 'model' })) }) };
    }
    if (request.method !== 'POST') return { status: 405, error: 'only POST is served' };
    const before = posts++;
    const given = keyOf(request);
    if (key !== undefined && given !== key) {
      return { status: 401, error: `Incorrect API key provided: ${given.slice(0, 8)}********${given.slice(-4)}` };
    }
    const reply = replyOf(script, request, before);
    return reply ?? { status: 500, error: `the script has no reply number ${before + 1}` };
  }
}

async function send(response: ServerResponse, kind: ApiKind, reply: ApiReply, request: ServedRequest): Promise<void> {
  const { status = 200, headers = {}, contentType = 'application/json', end = 'done' } = reply;
  if (reply.delayMs !== undefined && !(await paused(response, reply.delayMs))) return;
  if (end === 'hang') return;
  if (end === 'disconnect') return void response.destroy();
  const isStream = request.body?.stream === true && reply.raw === undefined && reply.error === undefined;
  if (isStream && end !== 'truncated' && !reply.whole) return stream(response, kind, reply, request);
  const whole = Buffer.from(
    reply.raw ?? (reply.error === undefined ? answerBody(kind, reply, request) : errorBody(kind, reply)),
  );
  response.writeHead(status, { 'content-type': contentType, 'content-length': String(whole.length), ...headers });
  // Announces more bytes than are sent.
  const sent = end === 'truncated' ? whole.subarray(0, Math.floor(whole.length / 2)) : whole;
  if (reply.gapMs === undefined) response.write(sent);
  else if (!(await dripped(response, sent, reply.gapMs))) return;
  if (end === 'truncated') breakOff(response);
  else response.end();
}

/** Server-sent events, a few characters each. */
async function stream(response: ServerResponse, kind: ApiKind, reply: ApiReply, request: ServedRequest): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers });
  for (const event of eventsOf(kind, reply, request)) {
    response.write(event);
    if (reply.gapMs !== undefined && !(await paused(response, reply.gapMs))) return;
  }
  response.end();
}

function eventsOf(kind: ApiKind, reply: ApiReply, request: ServedRequest): string[] {
  const whole = JSON.parse(answerBody(kind, reply, request));
  const pieces = (reply.finish === 'refusal' ? '' : (reply.text ?? '')).match(/.{1,4}/gsu) ?? [];
  if (kind === 'anthropic') {
    const { usage, stop_reason, ...message } = whole;
    const first = { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } };
    const deltas = pieces.map((text) => ({
      ...{ type: 'content_block_delta', index: 0 },
      delta: { type: 'text_delta', text },
    }));
    const last = [{ type: 'message_delta', delta: { stop_reason }, usage }, { type: 'message_stop' }];
    const events = [first, { type: 'ping' }, ...deltas, ...(reply.end === 'cut' ? [] : last)];
    return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  const { choices, usage, ...envelope } = whole;
  const [{ message, finish_reason }] = choices;
  const chunk = (delta: object, finish: string | null = null) => ({
    ...{ ...envelope, object: 'chat.completion.chunk' },
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const begun = [
    chunk({ role: 'assistant', refusal: message.refusal }),
    ...pieces.map((content) => chunk({ content })),
  ];
  const counts = usage && request.body.stream_options?.include_usage ? [{ ...envelope, choices: [], usage }] : [];
  const events = [...begun, ...(reply.end === 'cut' ? [] : [chunk({}, finish_reason), ...counts])];
  const lines = [...events.map((event) => JSON.stringify(event)), ...(reply.end === 'cut' ? [] : ['[DONE]'])];
  return lines.map((line) => `data: ${line}\n\n`);
}

/** A byte at a time. False when the client went away meanwhile. */
async function dripped(response: ServerResponse, bytes: Buffer, gapMs: number): Promise<boolean> {
  for (const byte of bytes) {
    response.write(Buffer.of(byte));
    if (!(await paused(response, gapMs))) return false;
  }
  return true;
}

const keyOf = ({ headers }: ServedRequest): string =>
  String(headers['x-api-key'] ?? headers.authorization ?? '').replace(/^Bearer /, '');

function answerBody(kind: ApiKind, reply: ApiReply, { body }: ServedRequest): string {
  const { text = '', finish = 'stop' } = reply;
  const model = String(body?.model ?? '');
  const estimated = { input: Math.ceil(JSON.stringify(body ?? '').length / 4), output: Math.ceil(text.length / 4) };
  const { input, output } = reply.usage ?? estimated;
  const isCounted = reply.usage !== null;
  if (kind === 'anthropic') {
    const stop_reason = { stop: 'end_turn', length: 'max_tokens', refusal: 'refusal' }[finish];
    const content = text === '' ? [] : [{ type: 'text', text }];
    const usage = isCounted ? { input_tokens: input, output_tokens: output } : undefined;
    const stop = { stop_reason, stop_sequence: null };
    return JSON.stringify({ id: 'msg_1', type: 'message', role: 'assistant', model, content, ...stop, usage });
  }
  const refusal = finish === 'refusal' ? 'I cannot help with that.' : null;
  const counts = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  const message = { role: 'assistant', content: refusal === null ? text : null, refusal };
  const choices = [{ index: 0, message, finish_reason: finish === 'length' ? 'length' : 'stop' }];
  const completion = { id: 'chatcmpl-1', object: 'chat.completion', created: 1_750_000_000, model, choices };
  return JSON.stringify({ ...completion, usage: isCounted ? counts : undefined });
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
function errorBody(kind: ApiKind, { status = 500, error = '', errorType }: ApiReply): string {
  const [openai, anthropic] = TYPES[status] ?? ['server_error', 'api_error'];
  return JSON.stringify(
    kind === 'anthropic'
      ? { type: 'error', error: { type: errorType ?? anthropic, message: error }, request_id: 'req_1' }
      : { error: { message: error, type: errorType ?? openai, param: null, code: errorType ?? null } },
  );
}
