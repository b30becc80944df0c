// Asks a hosted model about a case, through OpenAI's chat completions or Anthropic's messages. Only the case leaves, masked as
// it is; the key comes from the environment. A host at fault throws, which is no call; a useless answer is passed over.
import { estimateTokens } from '../../src/outbound/prompt/tokens.ts';
import type { Context, Escalation } from '../../src/plugin/contract.ts';
import { definePlugin } from '../../src/plugin/define.ts';
import { secretFrom } from '../sending/variable.ts';
import { consult, type Said, type Turn } from './answer/consult.ts';
import { TASK } from './answer/words.ts';
import type { Answered } from './api/protocol.ts';
import { type Sending, send } from './api/send.ts';
import { PROTOCOLS, type Settings, settings } from './api/settings.ts';

type Asked = Context<'escalate', Settings>;

/** Of the time that the loop gives a call, with some to spare. */
const CALL_LIMIT_MS = 580_000;
const TELL_EVERY_MS = 1000;

export default definePlugin({ name: 'api', kind: 'escalation', options: settings, escalate });

async function escalate(context: Asked): Promise<Escalation> {
  const { options, say } = context;
  const sending = openSending(context);
  const who = `${options.model} at ${sending.origin}`;
  say(`asks ${who} about ${context.case.name}`);
  return consult(context, {
    who,
    ask: (turns) => ask(context, sending, turns),
    mayAskAgain: () => sending.left() >= options.timeout,
  });
}

/** Throws before anything is opened when there is no key. */
function openSending({ options, signal, say, used }: Asked): Sending {
  const { kind, model, retries, timeout } = options;
  const protocol = PROTOCOLS[kind];
  const url = protocol.endpoint((options.base_url ?? protocol.base).replace(/\/+$/, ''));
  const { origin } = new URL(url);
  const keyEnv = options.key_env === undefined ? protocol.keyEnv : options.key_env;
  const key = keyEnv === null ? undefined : secretFrom(keyEnv, `the key for ${origin}`);
  const began = performance.now();
  const left = () => CALL_LIMIT_MS - (performance.now() - began);
  const { title } = protocol;
  return { protocol, title, url, origin, model, key, keyEnv, retries, timeoutMs: timeout, signal, left, say, used };
}

async function ask(context: Asked, sending: Sending, turns: readonly Turn[]): Promise<Said> {
  const { model, max_tokens: maxTokens } = context.options;
  const began = performance.now();
  const seconds = () => ((performance.now() - began) / 1000).toFixed(1);
  const ticking = setInterval(() => context.progress(`${model}: ${seconds()} s`), TELL_EVERY_MS);
  try {
    const answer = await send(sending, { model, maxTokens, system: TASK, turns });
    count(context, answer, turns, seconds());
    return saidIn(answer, sending.key);
  } finally {
    clearInterval(ticking);
  }
}

function count({ options, say, used }: Asked, { text, read, wrote }: Answered, turns: readonly Turn[], took: string) {
  const sent = [TASK, ...turns.map(({ content }) => content)];
  const [input, output] = [read ?? sum(sent), wrote ?? estimateTokens(text)];
  const { model, price } = options;
  const dollars = price ? (input * price.input + output * price.output) / 1e6 : 0;
  used(input + output, dollars);
  const cost = price ? `, cost about $${dollars.toFixed(4)}` : '';
  const about = read === undefined || wrote === undefined ? 'about ' : '';
  say(`${model} read ${about}${input} tokens and wrote ${output} in ${took} s${cost}`);
}

const sum = (texts: readonly string[]): number => texts.reduce((all, text) => all + estimateTokens(text), 0);

/** So much of a key in an answer is no accident. */
const TELLING_PART = 12;

function saidIn({ text, end }: Answered, key: string | undefined): Said {
  if (key !== undefined && repeats(text, key))
    return { refuses: 'repeats the key that it was sent; its answer is not used' };
  if (end === 'refused') return { refuses: 'would not answer' };
  if (end === 'cut') return { text, wrong: 'it was cut off at max_tokens, before its end; answer in fewer words' };
  return { text };
}

function repeats(text: string, key: string): boolean {
  const length = Math.min(key.length, TELLING_PART);
  return Array.from({ length: key.length - length + 1 }, (_, i) => key.slice(i, i + length)).some((part) =>
    text.includes(part),
  );
}
