// The one place where anything leaves for a model: a connection to its host, or a program that talks to it. Whoever calls
// has masked what is sent, and says which addresses may be reached.
import { spawn } from 'node:child_process';
import { lookup as lookupName } from 'node:dns';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from './clock.ts';
import { endAll, groupMembers } from './process-group.ts';

/** Why a model did not answer. `message` is one line for a person. */
export class ModelFault extends Error {
  /** The HTTP status, when the host said one. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.name = 'ModelFault';
    this.status = status;
  }
}

export interface HostOptions {
  readonly signal: AbortSignal;
  /** For each request, from its first byte to its last. */
  readonly timeoutMs: number;
  /** Whether an address that the host's name stands for may be talked to. */
  readonly mayReach: (address: string) => boolean;
}

export interface HostedModel {
  readonly name: string;
  readonly size: number;
  readonly parameters: string;
  /** The host passes everything on to this other one. */
  readonly remoteHost: string | undefined;
}

export interface ModelFacts {
  /** Tokens that the model can take at all; undefined when the host does not say. */
  readonly context: number | undefined;
  readonly remoteHost: string | undefined;
}

export interface Chat {
  readonly model: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
  readonly options: Readonly<Record<string, number>>;
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
}

/** A host of models. Every function throws ModelFault when the host does not do its part. */
export interface ModelHost {
  models(): Promise<HostedModel[]>;
  show(model: string): Promise<ModelFacts>;
  chat(chat: Chat): Promise<ChatEnd>;
}

/** Bytes of an answer, its envelopes included, that are read at most. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_TEXT = 1_000_000;

/** Opens nothing yet: each function makes one request to `host` (`http://name:port`) and leaves no connection behind. */
export function openChat(host: string, options: HostOptions): ModelHost {
  return {
    models: () =>
      request(host, options, async (client) => {
        const { models } = (await client.list()) as { models?: WireModel[] };
        return (models ?? []).map(({ name, model, size, details, remote_host }) => ({
          ...{ name: name ?? model ?? '', size: size ?? 0, parameters: details?.parameter_size ?? '' },
          remoteHost: remote_host || undefined,
        }));
      }),
    show: (model) =>
      request(host, options, async (client) => {
        const { model_info, remote_host } = (await client.show({ model })) as unknown as WireShow;
        const info = Object.entries(model_info ?? {});
        const context = info.find(([key]) => key.endsWith('.context_length'))?.[1];
        return { context: typeof context === 'number' ? context : undefined, remoteHost: remote_host || undefined };
      }),
    chat: (chat) => request(host, options, (client) => stream(client, chat)),
  };
}

interface WireModel {
  name?: string;
  model?: string;
  size?: number;
  details?: { parameter_size?: string };
  remote_host?: string;
}

interface WireShow {
  model_info?: Record<string, unknown>;
  remote_host?: string;
}

type Client = InstanceType<typeof import('ollama')['Ollama']>;

async function stream(client: Client, { onText, format, messages, ...chat }: Chat): Promise<ChatEnd> {
  const wanted = {
    ...{ ...chat, messages: messages.map((message) => ({ ...message })), stream: true as const },
    ...(format === undefined ? {} : { format }),
    // A prompt that does not fit is an error and not a shorter prompt; hosts too old to know these ignore them.
    ...{ truncate: false, shift: false },
  };
  let text = '';
  for await (const part of await client.chat(wanted)) {
    const { message, done, done_reason, prompt_eval_count, eval_count } = part;
    const piece = message?.content ?? '';
    text += piece;
    if (text.length > MOST_TEXT) throw new ModelFault(`the model said more than ${MOST_TEXT} characters`);
    onText?.(piece === '' ? (message?.thinking ?? '') : piece);
    if (done) {
      const counts = { promptTokens: counted(prompt_eval_count), answerTokens: counted(eval_count) };
      return { text, doneReason: done_reason ?? '', ...counts };
    }
  }
  throw new ModelFault('the stream ended before the answer was complete');
}

const counted = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

async function request<T>(host: string, options: HostOptions, work: (client: Client) => Promise<T>): Promise<T> {
  const { signal, timeoutMs } = options;
  const { Ollama } = await import('ollama');
  const limit = limited(timeoutMs, signal);
  try {
    signal.throwIfAborted();
    const fetcher = guardedFetch(host, options, limit.signal) as typeof fetch;
    return await work(new Ollama({ host, fetch: fetcher }));
  } catch (error) {
    if (signal.aborted) throw new ModelFault('it was stopped');
    if (limit.isLate()) throw new ModelFault(`${host} did not answer within ${timeoutMs / 1000} s`);
    throw faultOf(error, host);
  } finally {
    // Whatever is still under way ends with the request.
    limit.end();
  }
}

interface Limit {
  readonly signal: AbortSignal;
  isLate(): boolean;
  /** Gives the signal, if nobody did. */
  end(): void;
}

/** A signal that is given after `timeoutMs`, or with `cause`. Of AbortSignal.any and .timeout Node may collect the parts before they fire. */
function limited(timeoutMs: number, cause: AbortSignal): Limit {
  const own = new AbortController();
  let late = false;
  const end = () => {
    clearTimeout(timer);
    cause.removeEventListener('abort', end);
    own.abort();
  };
  const timer = setTimeout(() => {
    late = true;
    end();
  }, timeoutMs);
  cause.addEventListener('abort', end);
  if (cause.aborted) end();
  return { signal: own.signal, isLate: () => late, end };
}

/** The client's fetch: to allowed addresses only, no redirects, errors as they are, every line of the stream sound. */
function guardedFetch(host: string, { mayReach }: HostOptions, signal: AbortSignal) {
  return async (url: string, init: RequestInit = {}): Promise<Response> => {
    const answer = await sent(new URL(url), init, signal, checkedLookup(host, mayReach));
    const status = answer.statusCode ?? 0;
    if (status < 200 || status > 299) throw new ModelFault(await saidBy(answer), status);
    const type = answer.headers['content-type'] ?? '';
    const body = ReadableStream.from(type.includes('ndjson') ? soundLines(answer) : bounded(answer));
    return new Response(body as ReadableStream, { status, headers: { 'content-type': type } });
  };
}

/** Not Node's own fetch: that one forgets the signal of a request once its objects are collected, and then hangs. */
function sent(url: URL, init: RequestInit, signal: AbortSignal, lookup: LookupFunction): Promise<IncomingMessage> {
  const {
    method = 'GET',
    headers,
    body,
  } = init as { method?: string; headers?: Record<string, string>; body?: string };
  const open = url.protocol === 'https:' ? requestTls : requestPlain;
  return new Promise((resolve, reject) => {
    // An agent of its own keeps no connection. The length goes ahead, as Node's fetch would send it.
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = { method, headers: { ...headers, ...length }, agent: false as const, signal };
    const call = open(url, { ...options, lookup });
    call.once('error', reject);
    call.once('response', (answer) => {
      answer.on('error', () => {});
      resolve(answer);
    });
    // For an address there is no look-up: it is looked at here.
    const name = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(name) !== 0) lookup(name, { all: true }, (error) => (error ? call.destroy(error) : call.end(body)));
    else call.end(body);
  });
}

/** What a name stands for, unless one of its addresses may not be reached. The connection goes to what was looked at. */
function checkedLookup(host: string, mayReach: (address: string) => boolean): LookupFunction {
  return (name, options, done) =>
    lookupName(name, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '', 0);
      const foreign = found.find(({ address }) => !mayReach(address));
      const where = `which is outside of this machine and its network`;
      if (foreign) return done(new ModelFault(`${host} is at ${foreign.address}, ${where}`), '', 0);
      if (options.all) return done(null, found);
      const [first] = found;
      done(null, first?.address ?? '', first?.family);
    });
}

/** What the host says of its error, in one line. */
async function saidBy(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of answer) {
    text += part;
    if (text.length > 2000) break;
  }
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === 'string') return error;
  } catch {
    // No JSON: the text itself tells.
  }
  return text.trim().slice(0, 2000) || (answer.statusMessage ?? '');
}

async function* bounded(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const part of source) {
    bytes += part.byteLength;
    if (bytes > MOST_BYTES) throw new ModelFault('the host sent more than anyone would read');
    yield part;
  }
}

/** The client drops a line that it cannot read, and with it a piece of the answer: here it ends the stream. */
async function* soundLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  let rest = '';
  for await (const part of bounded(source)) {
    rest += decoder.decode(part, { stream: true });
    const end = rest.lastIndexOf('\n') + 1;
    const lines = soundOnes(rest.slice(0, end));
    if (lines !== '') yield encoder.encode(lines);
    rest = rest.slice(end);
  }
  const last = soundOnes(rest + decoder.decode());
  if (last !== '') yield encoder.encode(last);
}

function soundOnes(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  for (const line of lines) {
    if (!isObject(line)) throw new ModelFault(`the stream has a line that is not JSON: ${line.slice(0, 80)}`);
  }
  return lines.map((line) => `${line}\n`).join('');
}

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

function faultOf(error: unknown, host: string): unknown {
  if (error instanceof ModelFault) {
    return error.status === undefined
      ? error
      : new ModelFault(`${host} answered ${error.status}: ${error.message}`, error.status);
  }
  if (!(error instanceof Error)) return error;
  if (error instanceof SyntaxError) return new ModelFault(`${host} does not answer as Ollama does`);
  const { code, cause } = error as { code?: string; cause?: { code?: string; message?: string } };
  const why = cause?.code ?? code ?? cause?.message;
  if (why === 'ECONNRESET') {
    return new ModelFault(`${host} broke off in the middle of its answer`);
  }
  if (error.message.startsWith('Did not receive done'))
    return new ModelFault('the stream ended before the answer was complete');
  if (why !== undefined) return new ModelFault(`${host} cannot be reached: ${why}`);
  // Nobody but the client itself throws a plain Error: with what the host said in the middle of its stream.
  return error.constructor === Error
    ? new ModelFault(`${host} failed in the middle of its answer: ${error.message}`)
    : error;
}

/** Bytes of memory that this machine has. */
export const machineMemory = (): number => totalmem();

export interface ModelCommand {
  readonly argv: readonly string[];
  /** What it reads from stdin. */
  readonly input: string;
  /** All of its environment, but for SHLVL. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Between asking it to end and making it. */
  readonly graceMs?: number;
}

const GRACE_MS = 2000;
const LAST_WORDS = 4000;
/** How long output may take to arrive after the end. */
const OUTPUT_MS = 1000;

/**
 * What the program says on stdout. It runs in an empty folder of its own and in its own process group, of which nothing is
 * left afterwards. Throws ModelFault when it cannot be started, fails, says nothing or too much, is late or is stopped.
 */
export async function runModelCommand(command: ModelCommand, clock: Clock = systemClock): Promise<string> {
  if (command.signal.aborted) throw new ModelFault('it was stopped');
  const folder = await mkdtemp(join(tmpdir(), 'mendloop-model-'));
  try {
    return await run(command, folder, clock);
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

async function run(command: ModelCommand, cwd: string, clock: Clock): Promise<string> {
  const { argv, input, env, timeoutMs, signal, graceMs = GRACE_MS } = command;
  const [program = '', ...args] = argv;
  // A bash whose stdin is a socket, as Node's pipes are, takes itself for a login over the network and reads the owner's
  // start files, unless it finds itself below another shell.
  const whole = { SHLVL: '1', ...env };
  const child = spawn(program, args, { cwd, env: whole, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const [said, complained]: [Buffer[], Buffer[]] = [[], []];
  let bytes = 0;
  const limit = limited(timeoutMs, signal);
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_TEXT) limit.end();
    else said.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    complained.push(chunk);
    if (complained.length > 64) complained.splice(0, 32);
  });
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.on('error', () => {});
  // A program that does not read its input may end while it is written.
  child.stdin.end(input);
  const ended = new Promise<{ code: number | null; by: string | null }>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(new ModelFault(`${program} cannot be started: ${error.code}`)),
    );
    child.once('exit', (code, by) => resolve({ code, by }));
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const outcome = await Promise.race([ended, aborted(limit.signal)]).finally(limit.end);
  if (child.pid !== undefined) {
    const group = child.pid;
    await endAll(() => groupMembers(group), graceMs, clock);
  }
  // A process in a session of its own may hold the output open for ever.
  await Promise.race([closed, clock.sleep(OUTPUT_MS)]);
  for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
  if (bytes > MOST_TEXT) throw new ModelFault(`${program} said more than ${MOST_TEXT} bytes`);
  if (signal.aborted && outcome === undefined) throw new ModelFault('it was stopped');
  if (outcome === undefined) throw new ModelFault(`${program} did not end within ${timeoutMs / 1000} s`);
  if (outcome.code !== 0) {
    const how = outcome.code === null ? `was ended by ${outcome.by}` : `ended with exit code ${outcome.code}`;
    throw new ModelFault(`${program} ${how}${lastWords(Buffer.concat(complained).toString('utf8'))}`);
  }
  const text = Buffer.concat(said).toString('utf8');
  if (text.trim() === '') throw new ModelFault(`${program} said nothing`);
  return text;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

function lastWords(text: string): string {
  const line = text.slice(-LAST_WORDS).trim().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : `: ${line}`;
}
