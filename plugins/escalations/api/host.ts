// A host of models behind HTTP, as executor and as escalation: its settings, and one question to it. A host at fault throws
// ModelFault, one line without anything secret.
import * as z from 'zod';
import type { AskedModel, ChatEnd, Context, Posted, SentQuestion } from '../../../src/model.ts';
import {
  answerFormSetting,
  baseAddressSetting,
  getJson,
  isLanAddress,
  isPassingStatus,
  lanHost,
  ModelFault,
  mayReach,
  pause,
  postJson,
  repeatsSecret,
  retryAfterMs,
  secretFrom,
  timeoutSetting,
  variableSetting,
  withoutSecrets,
} from '../../../src/model.ts';
import { type Body, otherBody, PROTOCOLS, type Protocol, type Question, type Reader } from './protocols.ts';

const price = z.number().min(0).max(10_000);

/** The same for executor and escalation, so that one mapping serves both. */
export const apiSettings = z.strictObject({
  kind: z.enum(['openai', 'anthropic']).default('openai').describe('How the host is spoken to'),
  base_url: baseAddressSetting
    .optional()
    .describe(
      'Where the host is, when it is not the one that the protocol comes from; plain http only on this network',
    ),
  model: z
    .string()
    .min(1)
    .default('auto')
    .describe('The model that is asked; auto: the first that a host of this network has'),
  key_env: variableSetting
    .nullable()
    .optional()
    .describe(
      'The environment variable that holds the key; null: none is sent. Default: none on this network, else OPENAI_API_KEY or ANTHROPIC_API_KEY',
    ),
  public: z.boolean().default(false).describe('Whether an executor may send prompts to a host outside of this network'),
  num_ctx: z.int().min(2048).max(10_000_000).default(8192).describe('Executor: tokens of prompt and answer together'),
  max_tokens: z
    .int()
    .min(256)
    .max(1_000_000)
    .default(16_000)
    .describe('Escalation: tokens of one answer, thoughts included'),
  think: z.boolean().default(false).describe('Executor: whether a model that knows how to thinks before it answers'),
  timeout: timeoutSetting,
  retries: z.int().min(0).max(5).default(2).describe('How often a host that is busy or failing is asked again'),
  format: answerFormSetting,
  price: z
    .strictObject({ input: price.describe('Of what is read'), output: price.describe('Of what is written') })
    .optional()
    .describe('Dollars for a million tokens, to tell what a call cost'),
});

export type ApiSettings = z.output<typeof apiSettings>;

/** Where the settings lead to. */
export const originOf = ({ kind, base_url }: Pick<ApiSettings, 'kind' | 'base_url'>): string =>
  new URL(base_url ?? PROTOCOLS[kind].base).origin;

/** Whether the host is on this machine or its network. */
export const isOnLan = (settings: Pick<ApiSettings, 'kind' | 'base_url'>): boolean =>
  'url' in lanHost(originOf(settings));

interface ApiHost {
  readonly context: Pick<Context<'check', ApiSettings>, 'say' | 'signal' | 'options'>;
  readonly protocol: Protocol;
  readonly url: string;
  /** `https://host` */
  readonly origin: string;
  readonly isLocal: boolean;
  readonly key: string | undefined;
  readonly keyEnv: string | null;
  readonly model: string;
}

const CONNECT_MS = 10_000;
/** Of a list of models; the machine may be busy with an answer to somebody else. */
const LOOK_MS = 60_000;

/** What may be asked there. Throws one line when the key or the model is missing. */
export async function openApi(
  context: ApiHost['context'],
  about: Pick<Question, 'system' | 'temperature' | 'think'> = {},
) {
  const { options } = context;
  const protocol: Protocol = PROTOCOLS[options.kind];
  const url = protocol.endpoint((options.base_url ?? protocol.base).replace(/\/+$/, ''));
  const origin = originOf(options);
  const isLocal = isOnLan(options);
  const keyEnv = options.key_env === undefined ? (isLocal ? null : protocol.keyEnv) : options.key_env;
  const key = keyEnv === null ? undefined : secretFrom(keyEnv, `the key for ${origin}`);
  const found = { context, protocol, url, origin, isLocal, key, keyEnv };
  const model = options.model === 'auto' ? await firstModel({ ...found, model: 'any' }) : options.model;
  const host: ApiHost = { ...found, model };
  const think = isLocal && options.kind === 'openai' ? about.think : undefined;
  const { price } = options;
  const cost = price && ((read: number, wrote: number) => (read * price.input + wrote * price.output) / 1e6);
  const asked: AskedModel = {
    ...{ model, url: origin, isLocal, price: cost },
    ...(about.system === undefined ? {} : { system: about.system }),
    setting: { name: 'plugins.api.timeout', ms: options.timeout },
    chat: ({ turns, schema, maxTokens, ...how }) =>
      send(host, protocol.body({ ...about, think, model, turns, schema, maxTokens }, url), how),
  };
  return { asked, host };
}

/** Whether an answer holds the key that was sent, or a part of it. */
export const leaksKey = ({ key }: Pick<ApiHost, 'key'>, text: string): boolean =>
  key !== undefined && repeatsSecret(text, key);

const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

async function firstModel(host: ApiHost): Promise<string> {
  const { origin, url, isLocal, context } = host;
  if (!isLocal) throw new Error(`name the model that ${origin} is to be asked for: plugins.api.model`);
  const { signal } = context;
  const from = url.replace(/\/(?:chat\/completions|messages)$/, '/models');
  const how = {
    headers: headersOf(host),
    signal,
    timeoutMs: LOOK_MS,
    mayReach: reachable(host),
    connectMs: CONNECT_MS,
  };
  const listed = await getJson(from, how);
  if (listed.status !== 200) throw statusFault(listed, host);
  const [first] = modelList.safeParse(parseJson(listed.text)).data?.data ?? [];
  if (!first) throw new ModelFault(`${origin} lists no model; load one there, or name it: plugins.api.model`);
  return first.id;
}

const reachable = ({ url, isLocal }: ApiHost) => (isLocal ? isLanAddress : mayReach(url));

// Some hosts turn away who does not say what they are.
const headersOf = ({ protocol, key }: ApiHost) => ({
  'user-agent': 'mendloop',
  accept: 'application/json, text/event-stream',
  ...protocol.headers(key),
});

const MAX_WAIT_MS = 60_000;

type How = Pick<SentQuestion, 'signal' | 'onText'>;

/** Asks again while the host is only busy; one of this network that is not ready is for the caller to ask again. */
async function send(host: ApiHost, first: Body, how: How): Promise<ChatEnd> {
  const { retries } = host.context.options;
  let body = first;
  for (let retry = 0; ; retry++) {
    const { posted, reader, isOver } = await post(host, body, how);
    const { status, text } = posted;
    const answer = status === 200 ? reader.answer(isOver) : undefined;
    if (answer) {
      const { end, inputTokens: promptTokens, outputTokens: answerTokens } = answer;
      const doneReason = end === 'cut' ? 'length' : end;
      return { text: answer.text, doneReason, promptTokens, answerTokens, ...(text === '' ? {} : { whole: true }) };
    }
    const error = errorIn(text);
    const other = status === 400 ? otherBody(body, error?.message ?? '') : undefined;
    if (other) {
      body = other;
      retry--;
      continue;
    }
    const fault = status === 200 ? bodyFault(posted, host) : statusFault(posted, host);
    const isPassing = isPassingStatus(fault.status ?? 0) && !(host.isLocal && fault.status === 503);
    if (!isPassing || error?.spent || retry >= retries) throw fault;
    await waitOut(host, posted, { retry, fault, signal: how.signal });
  }
}

/** `reader` has read what came; `isOver`: its host says that nothing more comes. */
async function post(
  host: ApiHost,
  body: Body,
  { signal, onText }: How,
): Promise<{ posted: Posted; reader: Reader; isOver: boolean }> {
  const { url, protocol } = host;
  const reader = protocol.reader();
  let [isOver, streamed] = [false, false];
  const onEvent = (data: string) => {
    streamed = true;
    if (data === '[DONE]') isOver = true;
    else if (!isOver) onText(takeEvent(host, reader, data));
  };
  const headers = headersOf(host);
  const limits = { mayReach: reachable(host), connectMs: CONNECT_MS };
  const posted = await postJson(url, { headers, body, signal, onEvent, ...limits });
  if (posted.status !== 200) return { posted, reader, isOver };
  if (streamed) {
    if (!reader.answer(isOver)) throw new ModelFault(`${host.origin} broke off in the middle of its answer`);
    return { posted, reader, isOver };
  }
  return { posted, reader, isOver: reader.take(parseJson(posted.text)) !== undefined };
}

/** What one event of a stream adds. */
function takeEvent(host: ApiHost, reader: Reader, data: string): string {
  const event = parseJson(data);
  const piece = event === undefined ? undefined : reader.take(event);
  if (piece !== undefined) return piece;
  throw bodyFault({ status: 200, headers: {}, text: data }, host);
}

async function waitOut(
  { origin, context }: ApiHost,
  { headers }: Posted,
  { retry, fault, signal }: { retry: number; fault: ModelFault; signal: AbortSignal },
): Promise<void> {
  const wait = retryAfterMs(headers['retry-after'], Date.now()) ?? 1000 * 4 ** retry;
  if (wait > MAX_WAIT_MS) {
    throw new ModelFault(`${fault.message}; it asks to wait ${Math.ceil(wait / 1000)} s`, fault.status);
  }
  context.say(`${origin} answered ${fault.status}; asks it again in ${(wait / 1000).toFixed(1)} s`);
  await pause(wait, signal);
}

const errorShape = z.object({
  message: z.string().optional(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
  details: z.object({ error_code: z.string().optional() }).nullish().catch(undefined),
});
const errorBody = z.object({ error: z.union([errorShape, z.string()]) });

const SPENT = ['insufficient_quota', 'enforced_spend_limit_reached', 'billing_error', 'billing_hard_limit_reached'];

/** What the host says went wrong; undefined when it says nothing of the kind. */
function errorIn(text: string): { message: string; spent: boolean; status: number | undefined } | undefined {
  const { data } = errorBody.safeParse(parseJson(text));
  if (!data) return undefined;
  const error: z.output<typeof errorShape> = typeof data.error === 'string' ? { message: data.error } : data.error;
  const { message = '', type, code, details } = error;
  const spent = [type, code, details?.error_code].some((word) => SPENT.includes(String(word)));
  return { message, spent, status: typeof code === 'number' ? code : undefined };
}

/** For a status that is no success. */
function statusFault({ status, text }: Posted, { origin, model, key, keyEnv }: ApiHost): ModelFault {
  const fault = (why: string) => new ModelFault(why, status);
  // What it says of a key may be the key.
  if (status === 401 || status === 403) {
    if (keyEnv === null) return fault(`${origin} wants a key (${status}); name its variable in plugins.api.key_env`);
    const next = status === 401 ? 'put a valid one there' : `it may not be allowed to use ${model}`;
    return fault(`${origin} does not take the key in ${keyEnv} (${status}); ${next}`);
  }
  const error = errorIn(text);
  const words = error ? withoutSecrets(error.message, [key ?? '']) : isPage(text) ? 'a web page' : '';
  const what = `${origin} answered ${status}${words === '' ? '' : `: ${words}`}`;
  if (error?.spent || status === 402) return fault(`${what}; the account has no credit left`);
  return fault(status === 404 ? `${what}; check plugins.api.base_url, and whether it has the model ${model}` : what);
}

/** For a success whose body is no answer. */
function bodyFault({ text, status }: Posted, { origin, protocol, key }: ApiHost): ModelFault {
  const fault = (why: string, code?: number) => new ModelFault(`${origin} ${why}`, code);
  if (text.trim() === '') return fault('answered with nothing');
  if (isPage(text)) return fault('answered with a web page; check plugins.api.base_url and what is in between');
  if (parseJson(text) === undefined) return fault('answered with JSON that is broken or cut off');
  const error = errorIn(text);
  if (error) {
    const words = withoutSecrets(error.message, [key ?? '']);
    return fault(`answered ${status}, but with an error: ${words}`, error.status);
  }
  return fault(`does not answer as ${protocol.title} does; check plugins.api.kind and plugins.api.base_url`);
}

const isPage = (text: string): boolean => text.trimStart().startsWith('<');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
