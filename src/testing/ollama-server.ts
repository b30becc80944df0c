// A server that speaks Ollama's protocol as it is told to.
import type { ServerResponse } from 'node:http';
import type { LoopbackOptions, LoopbackServer, Script, ServedRequest } from './loopback.ts';
import { breakOff, listen, paused, replyOf } from './loopback.ts';

/** A model as `/api/tags` and `/api/show` tell of it. */
export interface ServedModel {
  readonly name: string;
  /** Bytes on disk. */
  readonly size?: number;
  /** `7.6B` */
  readonly parameters?: string;
  readonly context?: number;
  readonly capabilities?: readonly string[];
  /** It is not on this machine: the server passes everything on to this host. */
  readonly remoteHost?: string;
}

/** How one request to `/api/chat` is answered. `{ text: 'hello' }` is enough. */
export interface ServedReply {
  /** Streamed in pieces of a few characters. */
  readonly text?: string;
  /** Streamed in exactly these pieces, instead of `text`. */
  readonly chunks?: readonly string[];
  /** What a reasoning model thinks first. */
  readonly thinking?: string;
  /** Before the first byte. */
  readonly delayMs?: number;
  /** Between two pieces. */
  readonly gapMs?: number;
  /** Of the last line. null leaves a number out; what is not given is estimated. */
  readonly metrics?: Readonly<Record<string, number | null>>;
  readonly doneReason?: 'stop' | 'length';
  /** An error instead of an answer. */
  readonly status?: number;
  readonly error?: string;
  /** What happens behind the last piece. `error`: a line with an error; `cut`: the stream ends without `done`. */
  readonly end?: 'done' | 'error' | 'cut' | 'hang' | 'disconnect';
  /** Sent as it is, behind the pieces. */
  readonly raw?: string;
  /** As old servers do: keeps only so many tokens of the prompt, and says nothing. */
  readonly truncatesTo?: number;
  /** The content type of an error. */
  readonly contentType?: string;
}

export interface ServerOptions extends Pick<LoopbackOptions, 'idleMs'> {
  /** Default: one, `qwen2.5-coder:7b`. */
  readonly models?: readonly ServedModel[];
  /** Whether what is in memory is in that of a GPU; without it nothing is in memory. */
  readonly onGpu?: boolean;
  /** Answers to `/api/chat`. */
  readonly script?: Script<ServedReply>;
}

export interface OllamaServer extends LoopbackServer {
  /** Only the requests to `/api/chat`. */
  readonly chats: readonly ServedRequest[];
}

const DEFAULT_MODELS: readonly ServedModel[] = [
  { name: 'qwen2.5-coder:7b', size: 4_683_087_332, parameters: '7.6B', context: 32_768 },
];

/** Listens on a free port of 127.0.0.1 and nowhere else. */
export async function startOllamaServer(options: ServerOptions = {}): Promise<OllamaServer> {
  const { models = DEFAULT_MODELS, script = [], idleMs, onGpu } = options;
  const chats: ServedRequest[] = [];
  return { ...(await listen(serve, { idleMs })), chats };

  async function serve(request: ServedRequest, response: ServerResponse): Promise<void> {
    const { method, body } = request;
    const path = request.path.split('?')[0];
    const before = chats.length;
    if (path === '/api/chat') chats.push(request);
    const route = `${method} ${path}`;
    if (route === 'GET /' || route === 'HEAD /') return void response.end('Ollama is running');
    if (route === 'GET /api/version') return json(response, 200, { version: '0.0.0-scripted' });
    if (route === 'GET /api/tags') return json(response, 200, { models: models.map(listed) });
    if (route === 'GET /api/ps') {
      const loaded = onGpu === undefined ? [] : models.slice(0, 1);
      const inMemory = loaded.map((model) => ({ ...listed(model), size_vram: onGpu ? (model.size ?? 1) : 0 }));
      return json(response, 200, { models: inMemory });
    }
    if (route !== 'POST /api/show' && route !== 'POST /api/chat') {
      return void response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found');
    }
    if (body === '') return json(response, 400, { error: 'missing request body' });
    if (typeof body !== 'object' || body === null) {
      return json(response, 400, { error: 'invalid character in the request body' });
    }
    const name = String(body.model ?? body.name ?? '');
    if (name === '') return json(response, 400, { error: 'model is required' });
    const model = models.find((one) => one.name === name || one.name === `${name}:latest`);
    if (path === '/api/show') {
      return model ? json(response, 200, shown(model)) : json(response, 404, { error: `model '${name}' not found` });
    }
    const reply = replyOf(script, request, before);
    if (reply?.status === undefined && !model) {
      return json(response, 404, { error: `model "${name}" not found, try pulling it first` });
    }
    if (!reply) return json(response, 500, { error: `the script has no reply number ${before + 1}` });
    await answer(response, request, reply, model);
  }
}

async function answer(
  response: ServerResponse,
  { body }: ServedRequest,
  reply: ServedReply,
  model: ServedModel | undefined,
): Promise<void> {
  if (reply.delayMs !== undefined && !(await paused(response, reply.delayMs))) return;
  if (reply.status !== undefined) {
    const { status, error = 'the server failed', contentType = 'application/json; charset=utf-8' } = reply;
    const body = contentType.startsWith('application/json') ? JSON.stringify({ error }) : error;
    return void response.writeHead(status, { 'content-type': contentType }).end(body);
  }
  const estimate = Math.ceil(JSON.stringify(body.messages ?? []).length / 4);
  const context = Math.min(body.options?.num_ctx ?? 4096, model?.context ?? Number.POSITIVE_INFINITY);
  if (estimate > context && body.truncate === false && reply.truncatesTo === undefined) {
    return json(response, 400, { error: 'the input length exceeds the context length' });
  }
  const chunks = reply.chunks ?? pieces(reply.text ?? '');
  const stamp = () => ({ model: body.model, created_at: new Date().toISOString() });
  const metrics = {
    total_duration: 2_000_000,
    load_duration: 500_000,
    prompt_eval_count: reply.truncatesTo ?? Math.min(estimate, context),
    prompt_eval_duration: 500_000,
    eval_count: chunks.length,
    eval_duration: 1_000_000,
    ...reply.metrics,
  };
  const last = {
    ...stamp(),
    message: { role: 'assistant', content: '' },
    done: true,
    done_reason: reply.doneReason ?? 'stop',
    ...Object.fromEntries(Object.entries(metrics).filter(([, value]) => value !== null)),
  };
  if (body.stream === false) {
    const thinking = reply.thinking || undefined;
    return json(response, 200, { ...last, message: { role: 'assistant', content: chunks.join(''), thinking } });
  }
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  const line = (value: object) => response.write(`${JSON.stringify(value)}\n`);
  if (reply.thinking !== undefined) {
    line({ ...stamp(), message: { role: 'assistant', content: '', thinking: reply.thinking }, done: false });
  }
  for (const content of chunks) {
    line({ ...stamp(), message: { role: 'assistant', content }, done: false });
    if (reply.gapMs !== undefined && !(await paused(response, reply.gapMs))) return;
    if (response.writableNeedDrain && !(await paused(response))) return;
  }
  if (reply.raw !== undefined) response.write(reply.raw);
  if (reply.end === 'hang') return;
  if (reply.end === 'disconnect') return breakOff(response);
  if (reply.end === 'error') line({ error: reply.error ?? 'an error was encountered while running the model' });
  if (reply.end === undefined || reply.end === 'done') line(last);
  response.end();
}

/** As a model says it: a few characters at a time, none of them halved. */
const pieces = (text: string): string[] => text.match(/.{1,4}/gsu) ?? [];

/** What both lists and details say of a model; what is undefined is not sent. */
const factsOf = ({ name, parameters = '', remoteHost }: ServedModel): object => ({
  details: {
    parent_model: '',
    format: 'gguf',
    family: 'qwen2',
    families: ['qwen2'],
    parameter_size: parameters,
    quantization_level: 'Q4_K_M',
  },
  remote_host: remoteHost,
  remote_model: remoteHost === undefined ? undefined : name,
});

function listed(model: ServedModel): object {
  const { name, size = 1_000_000_000 } = model;
  const file = { name, model: name, modified_at: '2025-01-01T00:00:00Z', size, digest: '0'.repeat(64) };
  return { ...file, ...factsOf(model) };
}

function shown(model: ServedModel): object {
  const { context, capabilities = ['completion'] } = model;
  const model_info = { 'general.architecture': 'qwen2', 'qwen2.context_length': context };
  return { modelfile: '', parameters: '', template: '', capabilities, model_info, ...factsOf(model) };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}
