// A host of models that speaks as Ollama does: what it has, and one conversation at a time. Whoever calls has masked what
// is sent, and says which addresses may be reached.

import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { arch, platform, totalmem } from 'node:os';
import { type ModelResponse, Ollama } from 'ollama';
import { parseJson } from '../store.ts';
import { bounded, type GuardedRequest, guardedRequest } from './guarded-request.ts';
import { connectionFault, type Deadline, inTime, ModelFault } from './model-fault.ts';

/** The time is for each request. */
export interface HostOptions extends Deadline, Pick<GuardedRequest, 'mayReach'> {}

export interface HostedModel {
  readonly name: string;
  readonly size: number;
  readonly parameters: string;
  /** The host passes everything on to this other one. */
  readonly remoteHost: string | undefined;
}

export interface Chat {
  /** Ends it, with its reason where that is a ModelFault, in the place of the host's time for a request. */
  readonly signal?: AbortSignal;
  readonly model: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
  readonly options: Readonly<Record<string, number>>;
  /** How long the model stays in memory, as Ollama writes it. */
  readonly keep_alive?: string | undefined;
  /** Only for a model that knows how to. */
  readonly think?: boolean | 'low' | 'medium' | 'high' | undefined;
  /** A JSON schema that the answer is held to. */
  readonly format?: object | undefined;
  /** Told each piece as it comes. What it throws ends the request and is thrown on. */
  readonly onText?: (piece: string) => void;
}

export interface ChatEnd {
  readonly text: string;
  readonly doneReason: string;
  /** Absent when the host did not count. */
  readonly promptTokens: number | undefined;
  readonly answerTokens: number | undefined;
  /** Milliseconds until the model was in memory, where the host says. */
  readonly loadMs?: number | undefined;
  /** It came in one piece. */
  readonly whole?: true | undefined;
}

export type ModelHost = ReturnType<typeof openChat>;

const MAX_ANSWER_CHARS = 1_000_000;

/**
 * A host of models. Opens nothing yet: each function makes one request to `host` (`http://name:port`), leaves no connection
 * behind, and throws ModelFault when the host does not do its part.
 */
export function openChat(host: string, options: HostOptions) {
  return {
    models: (): Promise<HostedModel[]> =>
      request(host, options, async (client) => {
        const { models } = (await client.list()) as { models?: WireModel[] };
        return (models ?? []).map(({ name, model, size, details, remote_host }) => ({
          name: name ?? model ?? '',
          size: size ?? 0,
          parameters: details?.parameter_size ?? '',
          remoteHost: remote_host || undefined,
        }));
      }),
    /** `context`: tokens that the model can take at all; undefined when the host does not say. */
    show: (model: string) =>
      request(host, options, async (client) => {
        const { model_info, remote_host, capabilities } = (await client.show({ model })) as unknown as WireShow;
        const info = Object.entries(model_info ?? {});
        const context = info.find(([key]) => key.endsWith('.context_length'))?.[1];
        return {
          context: typeof context === 'number' ? context : undefined,
          remoteHost: remote_host || undefined,
          thinks: capabilities?.includes('thinking') ?? false,
        };
      }),
    /** Whether a model that is in memory just now is in that of a GPU; undefined when none is loaded, or the host does not say. */
    onGpu: (): Promise<boolean | undefined> =>
      request(host, options, async (client) => {
        const { models = [] } = (await client.ps()) as { models?: { size_vram?: number }[] };
        return models.length === 0 ? undefined : models.some(({ size_vram = 0 }) => size_vram > 0);
      }),
    chat: ({ signal, ...chat }: Chat): Promise<ChatEnd> =>
      request(host, signal ? { signal, mayReach: options.mayReach } : options, (client) => stream(client, chat)),
  };
}

type WireModel = Partial<ModelResponse> & { remote_host?: string };
type WireShow = { model_info?: Record<string, unknown>; remote_host?: string; capabilities?: string[] };

async function stream(
  client: Ollama,
  { onText, format, think, keep_alive, messages, ...chat }: Omit<Chat, 'signal'>,
): Promise<ChatEnd> {
  const wanted = {
    ...chat,
    messages: messages.map((message) => ({ ...message })),
    stream: true as const,
    ...(format === undefined ? {} : { format }),
    ...(think === undefined ? {} : { think }),
    ...(keep_alive === undefined ? {} : { keep_alive }),
    // A prompt that does not fit is an error and not a shorter prompt; hosts too old to know these ignore them.
    truncate: false,
    shift: false,
  };
  let text = '';
  for await (const part of await client.chat(wanted)) {
    const { message, done, done_reason, prompt_eval_count, eval_count, load_duration } = part;
    const piece = message?.content ?? '';
    text += piece;
    if (text.length > MAX_ANSWER_CHARS) throw new ModelFault(`the model said more than ${MAX_ANSWER_CHARS} characters`);
    const said = piece === '' ? (message?.thinking ?? '') : piece;
    if (said !== '') onText?.(said);
    if (done) {
      const load = counted(load_duration);
      const counts = { promptTokens: counted(prompt_eval_count), answerTokens: counted(eval_count) };
      return { text, doneReason: done_reason ?? '', ...counts, loadMs: load === undefined ? undefined : load / 1e6 };
    }
  }
  throw new ModelFault('the stream ended before the answer was complete');
}

const counted = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

async function request<T>(host: string, options: HostOptions, work: (client: Ollama) => Promise<T>): Promise<T> {
  return inTime(host, options, (signal) => {
    const client = new Ollama({ host, fetch: ollamaFetch(options.mayReach, signal) as typeof fetch });
    return work(client).catch((error) => {
      throw faultOf(error, host);
    });
  });
}

function faultOf(error: unknown, host: string): unknown {
  if (error instanceof ModelFault || !(error instanceof Error)) return error;
  if (error instanceof SyntaxError) return new ModelFault(`${host} does not answer as Ollama does`);
  if (error.message.startsWith('Did not receive done'))
    return new ModelFault('the stream ended before the answer was complete');
  const failed = connectionFault(error, host);
  if (failed !== undefined) return failed;
  // A plain Error is the client's: it carries what the host wrote into its stream.
  return error.constructor === Error
    ? new ModelFault(`${host} failed in the middle of its answer: ${error.message}`)
    : error;
}

/** Bytes of an answer, its envelopes included, that are read at most. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** Of one line: a piece of an answer in its envelope. */
const MAX_LINE_CHARS = 1024 * 1024;

/** A fetch that reaches allowed addresses only and ends with `signal`. Throws ModelFault with the status for any but a success. */
function ollamaFetch(mayReach: (address: string) => boolean, signal: AbortSignal) {
  return async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { method, headers, body } = init as { method?: string; headers?: Record<string, string>; body?: string };
    const answer = await guardedRequest(new URL(url), { method, headers, body, signal, mayReach });
    const status = answer.statusCode ?? 0;
    if (status < 200 || status > 299) {
      throw new ModelFault(`${new URL(url).origin} answered ${status}: ${await saidBy(answer)}`, status);
    }
    const type = answer.headers['content-type'] ?? '';
    const parts = bounded(answer, MAX_RESPONSE_BYTES);
    const stream = ReadableStream.from(type.includes('ndjson') ? soundLines(parts) : parts);
    return new Response(stream as ReadableStream, { status, headers: { 'content-type': type } });
  };
}

/** What the host says of its error, in one line. */
async function saidBy(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of answer) {
    text += part;
    if (text.length > 2000) break;
  }
  const { error } = (parseJson(text) ?? {}) as { error?: unknown };
  if (typeof error === 'string') return error;
  return text.trim().slice(0, 2000) || (answer.statusMessage ?? '');
}

/** The client would silently drop a line that it cannot parse: fail instead. */
async function* soundLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  let rest = '';
  for await (const part of source) {
    rest += decoder.decode(part, { stream: true });
    const end = rest.lastIndexOf('\n') + 1;
    const lines = soundOnes(rest.slice(0, end));
    if (lines !== '') yield encoder.encode(lines);
    rest = rest.slice(end);
    if (rest.length > MAX_LINE_CHARS) throw new ModelFault('the stream has a line longer than any answer');
  }
  const last = soundOnes(rest + decoder.decode());
  if (last !== '') yield encoder.encode(last);
}

function soundOnes(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  for (const line of lines) {
    const value = parseJson(line);
    if (typeof value !== 'object' || value === null)
      throw new ModelFault(`the stream has a line that is not JSON: ${line.slice(0, 80)}`);
  }
  return lines.map((line) => `${line}\n`).join('');
}

/** Bytes of memory that this machine has. */
export const machineMemory = (): number => totalmem();

/** Whether this machine has a GPU that hosts of models use: a driver of NVIDIA or AMD, or a chip of Apple. */
export const machineHasGpu = (): boolean =>
  ['/dev/nvidia0', '/dev/kfd'].some((device) => existsSync(device)) || (platform() === 'darwin' && arch() === 'arm64');
