// One question to a hosted model, asked again while the host is only busy. A host at fault throws ModelFault: one line without
// anything secret.
import { z } from 'zod';
import {
  estimateTokens,
  isPassingStatus,
  ModelFault,
  mayReach,
  type Posted,
  pause,
  postJson,
  retryAfterMs,
  withoutSecrets,
} from '../../../src/model.ts';
import type { ApiAnswer, Protocol, Question } from './protocols.ts';

export interface ApiCall {
  readonly protocol: Protocol;
  readonly url: string;
  /** `https://host` */
  readonly origin: string;
  readonly model: string;
  readonly key: string | undefined;
  readonly keyEnv: string | null;
  readonly retries: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Milliseconds that the whole call still has. */
  left(): number;
  say(text: string): void;
  used(tokens: number): void;
}

const CONNECT_MS = 10_000;
const MAX_WAIT_MS = 60_000;

export async function send(call: ApiCall, question: Question): Promise<ApiAnswer> {
  const { protocol, retries, url } = call;
  let body = protocol.body(question, url);
  let isOther = false;
  for (let retry = 0; ; retry++) {
    const posted = await post(call, body);
    const { status, text } = posted;
    const success = status >= 200 && status < 300;
    const answer = success ? protocol.answer(parseJson(text)) : undefined;
    if (answer) return answer;
    const error = errorIn(text);
    const other: Record<string, unknown> | undefined =
      status === 400 && !isOther ? protocol.otherBody(body, error?.message ?? '') : undefined;
    if (other) {
      [body, isOther] = [other, true];
      retry--;
      continue;
    }
    const fault = success ? bodyFault(posted, call) : statusFault(posted, call);
    if (!isPassingStatus(fault.status ?? 0) || error?.spent || retry >= retries) throw fault;
    await waitOut(call, posted, retry, fault);
  }
}

async function post(call: ApiCall, body: unknown): Promise<Posted> {
  const { url, protocol, key, signal, left, used } = call;
  const timeoutMs = Math.max(1, Math.min(call.timeoutMs, left()));
  try {
    // Some hosts turn away who does not say what they are.
    const headers = { 'user-agent': 'mendloop', accept: 'application/json', ...protocol.headers(key) };
    return await postJson(url, { headers, body, signal, timeoutMs, mayReach: mayReach(url), connectMs: CONNECT_MS });
  } catch (error) {
    // Where it was read before the connection failed, it is paid for.
    if (error instanceof ModelFault && wasRead(error)) used(estimateTokens(JSON.stringify(body)));
    throw error;
  }
}

const wasRead = ({ message, status }: ModelFault): boolean =>
  status === undefined && !/ cannot be (?:reached|trusted): | is outside of this machine /.test(message);

async function waitOut(call: ApiCall, { headers }: Posted, retry: number, fault: ModelFault): Promise<void> {
  const { signal, left, say, origin } = call;
  const wait = retryAfterMs(headers['retry-after'], Date.now()) ?? 1000 * 4 ** retry;
  if (wait > MAX_WAIT_MS || wait >= left()) {
    throw new ModelFault(`${fault.message}; it asks to wait ${Math.ceil(wait / 1000)} s`, fault.status);
  }
  say(`${origin} answered ${fault.status}; asks it again in ${(wait / 1000).toFixed(1)} s`);
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
function statusFault({ status, text }: Posted, { origin, model, key, keyEnv }: ApiCall): ModelFault {
  // What it says of a key may be the key.
  if (status === 401 || status === 403) {
    const next = status === 401 ? 'put a valid one there' : `it may not be allowed to use ${model}`;
    const why =
      keyEnv === null
        ? `${origin} wants a key (${status}); name its variable in plugins.api.key_env`
        : `${origin} does not take the key in ${keyEnv} (${status}); ${next}`;
    return new ModelFault(why, status);
  }
  const error = errorIn(text);
  const words = error ? withoutSecrets(error.message, [key ?? '']) : isPage(text) ? 'a web page' : '';
  const what = `${origin} answered ${status}${words === '' ? '' : `: ${words}`}`;
  if (error?.spent || status === 402) return new ModelFault(`${what}; the account has no credit left`, status);
  if (status === 404) {
    return new ModelFault(`${what}; check plugins.api.base_url, and whether it has the model ${model}`, status);
  }
  return new ModelFault(what, status);
}

/** For a success whose body is no answer. */
function bodyFault({ text, status }: Posted, { origin, protocol, key }: ApiCall): ModelFault {
  if (text.trim() === '') return new ModelFault(`${origin} answered with nothing`);
  if (isPage(text)) {
    return new ModelFault(`${origin} answered with a web page; check plugins.api.base_url and what is in between`);
  }
  if (parseJson(text) === undefined) return new ModelFault(`${origin} answered with JSON that is broken or cut off`);
  const error = errorIn(text);
  if (error) {
    const words = withoutSecrets(error.message, [key ?? '']);
    return new ModelFault(`${origin} answered ${status}, but with an error: ${words}`, error.status);
  }
  const expected = `does not answer as ${protocol.title} does`;
  return new ModelFault(`${origin} ${expected}; check plugins.api.kind and plugins.api.base_url`);
}

const isPage = (text: string): boolean => text.trimStart().startsWith('<');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
