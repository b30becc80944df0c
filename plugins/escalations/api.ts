// Asks a hosted model about a case, through OpenAI's chat completions or Anthropic's messages. Only the masked case leaves; the
// key comes from the environment. A host at fault throws, which is no call; a useless answer is passed over.
import { z } from 'zod';
import {
  baseAddressSetting,
  CASE_TASK,
  type CaseAnswer,
  type Context,
  consult,
  definePlugin,
  durationSetting,
  type Escalation,
  estimateTokens,
  repeatsSecret,
  secretFrom,
  type Turn,
  variableSetting,
} from '../../src/model.ts';
import { type ApiAnswer, PROTOCOLS } from './api/protocols.ts';
import { type ApiCall, send } from './api/send.ts';

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

async function escalate(context: EscalateContext): Promise<Escalation> {
  const { model, timeout } = context.options;
  const call = openCall(context);
  return consult(context, {
    who: `${model} at ${call.origin}`,
    timeoutMs: timeout,
    ask: (turns, left) => ask(context, { ...call, left }, turns),
  });
}

/** Throws before anything is opened when there is no key. */
function openCall({ options, signal, say, used }: EscalateContext): Omit<ApiCall, 'left'> {
  const { kind, model, retries, timeout } = options;
  const protocol = PROTOCOLS[kind];
  const url = protocol.endpoint((options.base_url ?? protocol.base).replace(/\/+$/, ''));
  const { origin } = new URL(url);
  const keyEnv = options.key_env === undefined ? protocol.keyEnv : options.key_env;
  const key = keyEnv === null ? undefined : secretFrom(keyEnv, `the key for ${origin}`);
  return { protocol, url, origin, model, key, keyEnv, retries, timeoutMs: timeout, signal, say, used };
}

async function ask(context: EscalateContext, call: ApiCall, turns: readonly Turn[]): Promise<CaseAnswer> {
  const { model, max_tokens: maxTokens } = context.options;
  const began = performance.now();
  const seconds = () => ((performance.now() - began) / 1000).toFixed(1);
  const ticking = setInterval(() => context.progress(`${model}: ${seconds()} s`), PROGRESS_EVERY_MS);
  try {
    const answer = await send(call, { model, maxTokens, system: CASE_TASK, turns });
    reportUse(context, answer, turns, seconds());
    return caseAnswer(answer, call.key);
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

function caseAnswer({ text, end }: ApiAnswer, key: string | undefined): CaseAnswer {
  if (key !== undefined && repeatsSecret(text, key))
    return { refuses: 'repeats the key that it was sent; its answer is not used' };
  if (end === 'refused') return { refuses: 'would not answer' };
  if (end === 'cut') return { text, wrong: 'it was cut off at max_tokens, before its end; answer in fewer words' };
  return { text };
}
