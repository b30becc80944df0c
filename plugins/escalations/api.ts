// Asks a hosted model about a case, through OpenAI's chat completions or Anthropic's messages. Only the masked case leaves; the
// key comes from the environment. A host at fault throws ModelFault, one line without anything secret, which is no call; a
// useless answer is passed over.
import * as z from 'zod';
import type { CaseAnswer, Context, Escalation, Posted, Turn } from '../../src/model.ts';
import {
  baseAddressSetting,
  CASE_TASK,
  consult,
  definePlugin,
  durationSetting,
  estimateTokens,
  isPassingStatus,
  ModelFault,
  mayReach,
  pause,
  postJson,
  repeatsSecret,
  retryAfterMs,
  secretFrom,
  variableSetting,
  withoutSecrets,
} from '../../src/model.ts';
import { type ApiAnswer, PROTOCOLS, type Protocol } from './api/protocols.ts';

const price = z.number().min(0).max(10_000);

const settings = z.strictObject({
  kind: z.enum(['openai', 'anthropic']).describe('How the host is spoken to'),
  base_url: baseAddressSetting
    .optional()
    .describe(
      'Where the host is, when it is not the one that the protocol comes from; plain http only on this network',
    ),
  model: z.string().min(1).describe('The model that is asked'),
  key_env: variableSetting
    .nullable()
    .optional()
    .describe(
      'The environment variable that holds the key; null: none is sent. Default: OPENAI_API_KEY or ANTHROPIC_API_KEY',
    ),
  max_tokens: z.int().min(256).max(1_000_000).default(16_000).describe('Tokens of one answer, thoughts included'),
  timeout: durationSetting.prefault('240s').describe('How long one answer may take'),
  retries: z.int().min(0).max(5).default(2).describe('How often a host that is busy or failing is asked again'),
  price: z
    .strictObject({ input: price.describe('Of what is read'), output: price.describe('Of what is written') })
    .optional()
    .describe('Dollars for a million tokens, to tell what a call cost'),
});

type EscalateContext = Context<'escalate', z.output<typeof settings>>;

const PROGRESS_EVERY_MS = 1000;

export default definePlugin({ name: 'api', kind: 'escalation', options: settings, escalate });

interface ApiCall {
  readonly context: EscalateContext;
  readonly protocol: Protocol;
  readonly url: string;
  /** `https://host` */
  readonly origin: string;
  readonly key: string | undefined;
  readonly keyEnv: string | null;
  /** Milliseconds that the whole call still has. */
  left(): number;
}

async function escalate(context: EscalateContext): Promise<Escalation> {
  const { kind, model, base_url, key_env } = context.options;
  const protocol = PROTOCOLS[kind];
  const url = protocol.endpoint((base_url ?? protocol.base).replace(/\/+$/, ''));
  const { origin } = new URL(url);
  const keyEnv = key_env === undefined ? protocol.keyEnv : key_env;
  const key = keyEnv === null ? undefined : secretFrom(keyEnv, `the key for ${origin}`);
  return consult(context, {
    who: `${model} at ${origin}`,
    ask: (turns, left) => ask({ context, protocol, url, origin, key, keyEnv, left }, turns),
  });
}

async function ask(call: ApiCall, turns: readonly Turn[]): Promise<CaseAnswer> {
  const { context, key } = call;
  const { model } = context.options;
  const began = performance.now();
  const seconds = () => ((performance.now() - began) / 1000).toFixed(1);
  const ticking = setInterval(() => context.progress(`${model}: ${seconds()} s`), PROGRESS_EVERY_MS);
  try {
    const answer = await send(call, turns);
    reportUse(context, answer, turns, seconds());
    const { text, end } = answer;
    const isLeak = key !== undefined && repeatsSecret(text, key);
    if (isLeak) return { refuses: 'repeats the key that it was sent; its answer is not used' };
    if (end === 'refused') return { refuses: 'would not answer' };
    if (end === 'cut') return { text, wrong: 'it was cut off at max_tokens, before its end; answer in fewer words' };
    return { text };
  } finally {
    clearInterval(ticking);
  }
}

function reportUse(context: EscalateContext, answer: ApiAnswer, turns: readonly Turn[], took: string): void {
  const { model, price } = context.options;
  const { inputTokens, outputTokens } = answer;
  const sent = [CASE_TASK, ...turns.map(({ content }) => content)];
  const input = inputTokens ?? sent.reduce((all, text) => all + estimateTokens(text), 0);
  const output = outputTokens ?? estimateTokens(answer.text);
  const dollars = price ? (input * price.input + output * price.output) / 1e6 : 0;
  context.used(input + output, dollars);
  const cost = price ? `, cost about $${dollars.toFixed(4)}` : '';
  const about = inputTokens === undefined || outputTokens === undefined ? 'about ' : '';
  context.say(`${model} read ${about}${input} tokens and wrote ${output} in ${took} s${cost}`);
}

const CONNECT_MS = 10_000;
const MAX_WAIT_MS = 60_000;

/** Asks again while the host is only busy. */
async function send(call: ApiCall, turns: readonly Turn[]): Promise<ApiAnswer> {
  const { protocol, url } = call;
  const { model, max_tokens: maxTokens, retries } = call.context.options;
  let body = protocol.body({ model, maxTokens, system: CASE_TASK, turns }, url);
  for (let retry = 0; ; retry++) {
    const posted = await post(call, body);
    const { status, text } = posted;
    const success = status >= 200 && status < 300;
    const answer = success ? protocol.answer(parseJson(text)) : undefined;
    if (answer) return answer;
    const error = errorIn(text);
    const other: typeof body | undefined = status === 400 ? protocol.otherBody(body, error?.message ?? '') : undefined;
    if (other) {
      body = other;
      retry--;
      continue;
    }
    const fault = success ? bodyFault(posted, call) : statusFault(posted, call);
    if (!isPassingStatus(fault.status ?? 0) || error?.spent || retry >= retries) throw fault;
    await waitOut(call, posted, retry, fault);
  }
}

async function post({ url, protocol, key, left, context }: ApiCall, body: unknown): Promise<Posted> {
  const { signal, options } = context;
  // Some hosts turn away who does not say what they are.
  const headers = { 'user-agent': 'mendloop', accept: 'application/json', ...protocol.headers(key) };
  const timeoutMs = Math.max(1, Math.min(options.timeout, left()));
  try {
    return await postJson(url, { headers, body, signal, timeoutMs, mayReach: mayReach(url), connectMs: CONNECT_MS });
  } catch (error) {
    // Where it was read before the connection failed, it is paid for.
    if (error instanceof ModelFault && wasRead(error)) context.used(estimateTokens(JSON.stringify(body)));
    throw error;
  }
}

const wasRead = ({ message, status }: ModelFault): boolean =>
  status === undefined && !/ cannot be (?:reached|trusted): | is outside of this machine /.test(message);

async function waitOut(call: ApiCall, { headers }: Posted, retry: number, fault: ModelFault): Promise<void> {
  const { left, origin, context } = call;
  const wait = retryAfterMs(headers['retry-after'], Date.now()) ?? 1000 * 4 ** retry;
  if (wait > MAX_WAIT_MS || wait >= left()) {
    throw new ModelFault(`${fault.message}; it asks to wait ${Math.ceil(wait / 1000)} s`, fault.status);
  }
  context.say(`${origin} answered ${fault.status}; asks it again in ${(wait / 1000).toFixed(1)} s`);
  await pause(wait, context.signal);
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
function statusFault({ status, text }: Posted, { origin, context, key, keyEnv }: ApiCall): ModelFault {
  const { model } = context.options;
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
function bodyFault({ text, status }: Posted, { origin, protocol, key }: ApiCall): ModelFault {
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
