// A server on loopback that speaks Ollama's protocol as it is told to: for tests of this package and of plugins. It holds
// no process open, and stops by itself when it is forgotten.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyOf, listen, parsed, paused } from './loopback.ts';

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

/** A request as it came. */
export interface ServedRequest {
  readonly method: string;
  readonly path: string;
  /** Parsed when it was JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the client sent, to be looked at by a test
  readonly body: any;
  /** Whether the client went away before the answer was complete. */
  readonly aborted: boolean;
}

export interface ServerOptions {
  /** Default: one, `qwen2.5-coder:7b`. */
  readonly models?: readonly ServedModel[];
  /** Answers to `/api/chat`, one after the other; or a function of the request and of how many came before it. */
  readonly script?: readonly ServedReply[] | ((request: ServedRequest, before: number) => ServedReply);
  /** It stops by itself after so long without a request. Default: five minutes. */
  readonly idleMs?: number;
}

export interface OllamaServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Every request, in order. */
  readonly requests: readonly ServedRequest[];
  /** Only those to `/api/chat`. */
  readonly chats: readonly ServedRequest[];
  /** Ends every connection. May be called twice. */
  close(): Promise<void>;
}

const DEFAULT_MODELS: readonly ServedModel[] = [
  { name: 'qwen2.5-coder:7b', size: 4_683_087_332, parameters: '7.6B', context: 32_768 },
];
const IDLE_MS = 300_000;

/** Listens on a free port of 127.0.0.1 and nowhere else. */
export async function startOllamaServer(options: ServerOptions = {}): Promise<OllamaServer> {
  const { models = DEFAULT_MODELS, script = [], idleMs = IDLE_MS } = options;
  const requests: ServedRequest[] = [];
  const chats = () => requests.filter(({ path }) => path === '/api/chat');
  const { url, close } = await listen((request, response) => void serve(request, response), { idleMs });
  return {
    ...{ url, requests, close },
    get chats() {
      return chats();
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request);
    const seen: { -readonly [K in keyof ServedRequest]: ServedRequest[K] } = {
      method: request.method ?? '',
      path: (request.url ?? '').split('?')[0] ?? '',
      body: parsed(text),
      aborted: false,
    };
    const before = chats().length;
    requests.push(seen);
    response.on('close', () => {
      seen.aborted = !response.writableFinished;
    });
    const route = `${seen.method} ${seen.path}`;
    if (route === 'GET /' || route === 'HEAD /') return void response.end('Ollama is running');
    if (route === 'GET /api/version') return json(response, 200, { version: '0.0.0-scripted' });
    if (route === 'GET /api/tags') return json(response, 200, { models: models.map(listed) });
    if (route !== 'POST /api/show' && route !== 'POST /api/chat') {
      return void response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found');
    }
    if (text === '') return json(response, 400, { error: 'missing request body' });
    if (typeof seen.body !== 'object' || seen.body === null) {
      return json(response, 400, { error: 'invalid character in the request body' });
    }
    const name = String(seen.body.model ?? seen.body.name ?? '');
    if (name === '') return json(response, 400, { error: 'model is required' });
    const model = models.find((one) => one.name === name || one.name === `${name}:latest`);
    if (seen.path === '/api/show') {
      return model ? json(response, 200, shown(model)) : json(response, 404, { error: `model '${name}' not found` });
    }
    const reply = typeof script === 'function' ? script(seen, before) : script[before];
    if (reply?.status === undefined && !model) {
      return json(response, 404, { error: `model "${name}" not found, try pulling it first` });
    }
    if (!reply) return json(response, 500, { error: `the script has no reply number ${before + 1}` });
    await answer(response, seen, reply, model);
  }
}

async function answer(
  response: ServerResponse,
  { body }: ServedRequest,
  reply: ServedReply,
  model: ServedModel | undefined,
): Promise<void> {
  if (reply.delayMs !== undefined && !(await paused(reply.delayMs, response))) return;
  if (reply.status !== undefined) {
    const { status, error = 'the server failed', contentType = 'application/json; charset=utf-8' } = reply;
    const said = contentType.startsWith('application/json') ? JSON.stringify({ error }) : error;
    return void response.writeHead(status, { 'content-type': contentType }).end(said);
  }
  const estimate = Math.ceil(JSON.stringify(body.messages ?? []).length / 4);
  const context = Math.min(body.options?.num_ctx ?? 4096, model?.context ?? Number.POSITIVE_INFINITY);
  if (estimate > context && body.truncate === false && reply.truncatesTo === undefined) {
    return json(response, 400, { error: 'the input length exceeds the context length' });
  }
  const chunks = reply.chunks ?? pieces(reply.text ?? '');
  const stamp = () => ({ model: body.model, created_at: new Date().toISOString() });
  const metrics = {
    ...{ total_duration: 2_000_000, load_duration: 500_000 },
    ...{ prompt_eval_count: reply.truncatesTo ?? Math.min(estimate, context), prompt_eval_duration: 500_000 },
    ...{ eval_count: chunks.length, eval_duration: 1_000_000 },
    ...reply.metrics,
  };
  const last = {
    ...{ ...stamp(), message: { role: 'assistant', content: '' }, done: true, done_reason: reply.doneReason ?? 'stop' },
    ...Object.fromEntries(Object.entries(metrics).filter(([, value]) => value !== null)),
  };
  if (body.stream === false) {
    const message = {
      role: 'assistant',
      content: chunks.join(''),
      ...(reply.thinking ? { thinking: reply.thinking } : {}),
    };
    return json(response, 200, { ...last, message });
  }
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  const line = (value: object) => response.write(`${JSON.stringify(value)}\n`);
  if (reply.thinking !== undefined) {
    line({ ...stamp(), message: { role: 'assistant', content: '', thinking: reply.thinking }, done: false });
  }
  for (const content of chunks) {
    line({ ...stamp(), message: { role: 'assistant', content }, done: false });
    if (reply.gapMs !== undefined && !(await paused(reply.gapMs, response))) return;
    if (response.writableNeedDrain && !(await drained(response))) return;
  }
  if (reply.raw !== undefined) response.write(reply.raw);
  if (reply.end === 'hang') return;
  // What was said is on its way before the connection breaks.
  if (reply.end === 'disconnect') return void setTimeout(() => response.destroy(), 10);
  if (reply.end === 'error') line({ error: reply.error ?? 'an error was encountered while running the model' });
  if (reply.end === undefined || reply.end === 'done') line(last);
  response.end();
}

const PIECE = 4;

/** As a model says it: a few characters at a time. */
function pieces(text: string): string[] {
  // Split between characters, never inside one.
  const characters = [...text];
  const count = Math.ceil(characters.length / PIECE);
  return Array.from({ length: count }, (_, i) => characters.slice(i * PIECE, (i + 1) * PIECE).join(''));
}

/** False when the client went away before it took what was said. */
function drained(response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve(!response.destroyed);
    };
    response.once('drain', done).once('close', done);
  });
}

const detailsOf = (parameters: string): object => ({
  ...{ parent_model: '', format: 'gguf', family: 'qwen2', families: ['qwen2'] },
  ...{ parameter_size: parameters, quantization_level: 'Q4_K_M' },
});

function listed({ name, size = 1_000_000_000, parameters = '', remoteHost }: ServedModel): object {
  return {
    ...{ name, model: name, modified_at: '2025-01-01T00:00:00Z', size, digest: '0'.repeat(64) },
    details: detailsOf(parameters),
    ...(remoteHost === undefined ? {} : { remote_host: remoteHost, remote_model: name }),
  };
}

function shown({ parameters = '', context, capabilities = ['completion'], remoteHost, name }: ServedModel): object {
  return {
    ...{ modelfile: '', parameters: '', template: '', capabilities },
    details: detailsOf(parameters),
    model_info: {
      'general.architecture': 'qwen2',
      ...(context === undefined ? {} : { 'qwen2.context_length': context }),
    },
    ...(remoteHost === undefined ? {} : { remote_host: remoteHost, remote_model: name }),
  };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}
