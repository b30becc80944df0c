// Asks a model of an Ollama host on this machine or its network. Text in, text out: the model has no tools.
// A host that does not do its part throws, which is no try; a model that answers badly is told so once, then passed over.
import { z } from 'zod';
import { positiveDurationSchema } from '../../src/config/duration.ts';
import { ModelFault } from '../../src/io/egress/model-fault.ts';
import { type ChatEnd, type ModelHost, openChat } from '../../src/io/egress/ollama-chat.ts';
import { machineMemory } from '../../src/io/machine-memory.ts';
import type { AnswerFormat } from '../../src/outbound/prompt/facts.ts';
import { estimateTokens } from '../../src/outbound/prompt/tokens.ts';
import type { Context, Proposal } from '../../src/plugin/contract.ts';
import { definePlugin } from '../../src/plugin/define.ts';
import { chooseFormat } from './ollama/choose-format.ts';
import { type Message, messages, remember, tokens } from './ollama/conversation.ts';
import { guardAnswer } from './ollama/guard.ts';
import { editSchema, readEdit } from './ollama/json-edit.ts';
import { hostOf, isLanAddress } from './ollama/lan.ts';
import { isElsewhere, largestModel, pickModel } from './ollama/pick-model.ts';
import { type SeenFile, seenFiles } from './ollama/seen-files.ts';
import { Repeating, watchRepeats } from './ollama/watch.ts';

const hostSchema = z.string().superRefine((text, ctx) => {
  const host = hostOf(text);
  if ('refused' in host) ctx.addIssue({ code: 'custom', message: host.refused });
});

const options = z.strictObject({
  host: hostSchema.optional().describe('Where Ollama listens; without it OLLAMA_HOST, else http://127.0.0.1:11434'),
  model: z.string().min(1).default('auto').describe('A model that is installed there, or auto'),
  num_ctx: z.int().min(2048).max(1_048_576).default(16_384).describe('Tokens of prompt and answer together'),
  timeout: positiveDurationSchema.prefault('120s').describe('How long one answer may take'),
  format: z
    .enum(['auto', 'diff', 'whole-file', 'search-replace', 'json'])
    .default('auto')
    .describe('The form that answers are asked for in'),
});

type Asked = Context<'propose', z.output<typeof options>>;

const LARGER = 'raise plugins.ollama.num_ctx, or take a model with a larger context';
const LEAST_ANSWER = 512;
const TELL_EVERY_MS = 500;
/** Of the context, for a prompt with what was said before: an estimate may be a third too low. */
const SHARE_OF_HISTORY = 0.7;
/** One answer that is not even passed on may be asked for again, when that leaves the call within its time. */
const CALL_LIMIT_MS = 280_000;

export default definePlugin({ name: 'ollama', kind: 'executor', options, check, propose });

async function check(context: Context<'check', z.output<typeof options>>): Promise<string> {
  const { model, why, host } = await reach(context);
  return `${model} at ${host} (${why})`;
}

async function propose(context: Asked): Promise<Proposal> {
  const { prompt, say, options: settings } = context;
  if (prompt === '') throw new Error('it was given no prompt to send');
  const { models, model, why, host, contextTokens } = await reach(context);
  if (context.refused.length === 0) say(`asks ${model} at ${host} (${why})`);
  const files = await seenFiles(prompt, context);
  const asked = { context, prompt, models, model, host, files, contextTokens };
  const began = performance.now();
  const first = await ask(asked, []);
  if (!('wrong' in first)) return first;
  const left = CALL_LIMIT_MS - (performance.now() - began);
  if (left < settings.timeout) return { pass: `${model}: ${first.wrong}` };
  say(`asks ${model} once more: ${first.wrong}`);
  const second = await ask(asked, [{ code: first.code, reasons: [first.wrong] }]);
  return 'wrong' in second ? { pass: `${model}: ${second.wrong}` } : second;
}

/** The host and the model that is asked there. Throws one line when there is none. */
async function reach({ signal, options: settings }: Pick<Asked, 'signal' | 'options'>) {
  const host = hostOf(settings.host ?? (process.env.OLLAMA_HOST || 'http://127.0.0.1:11434'));
  if ('refused' in host) throw new Error(host.refused);
  const models = openChat(host.url, { signal, timeoutMs: settings.timeout, mayReach: isLanAddress });
  const most = largestModel(host.name, machineMemory());
  const { model, why } = pickModel(settings.model, await installed(models, host.url), host.url, most);
  const contextTokens = Math.min(settings.num_ctx, await ownContext(models, model, host.url));
  return { models, model, why, host: host.url, contextTokens };
}

interface AskScope {
  readonly context: Asked;
  readonly prompt: string;
  readonly models: ModelHost;
  readonly model: string;
  readonly host: string;
  readonly files: readonly SeenFile[];
  /** What the model can take: the smaller of the setting and its own. */
  readonly contextTokens: number;
}

type Wrong = { readonly wrong: string; readonly code: 'unreadable' | 'too_large' };

/** One answer. `more` are refusals of answers that were never passed on. */
async function ask(scope: AskScope, more: readonly { code: string; reasons: string[] }[]): Promise<Proposal | Wrong> {
  const { context, prompt, files, contextTokens, model } = scope;
  const { refused, options: settings, limits } = context;
  const room = contextTokens - estimateTokens(prompt);
  const rounds = [...refused, ...more];
  const format = chooseFormat(settings.format, rounds as typeof refused, files, room);
  const sent = messages(prompt, rounds, format, contextTokens * SHARE_OF_HISTORY);
  let end: ChatEnd;
  try {
    end = await chat(scope, sent, format);
  } catch (error) {
    if (error instanceof Repeating) return { wrong: error.message, code: 'unreadable' };
    throw error;
  }
  if (format === 'json' && end.doneReason !== 'length') {
    const edit = readEdit(end.text, files, limits.changed_lines);
    if ('wrong' in edit) return { ...edit, code: 'unreadable' };
    remember(prompt, refused.length, context.mask(end.text));
    return edit;
  }
  const guarded = guardAnswer(end.text, end.doneReason, files);
  if ('says' in guarded) return { pass: `${model} proposes no change: ${guarded.says}` };
  if ('wrong' in guarded) return { ...guarded, code: 'too_large' };
  remember(prompt, refused.length, context.mask(guarded.answer));
  return guarded;
}

async function chat(scope: AskScope, sent: readonly Message[], format: AnswerFormat): Promise<ChatEnd> {
  const { context, models, model, host, files, contextTokens } = scope;
  const estimate = tokens(sent);
  const heard = listen(model, context.progress);
  if (estimate + LEAST_ANSWER > contextTokens) {
    throw new Error(
      `the prompt has about ${estimate} tokens, and ${model} takes ${contextTokens} with its answer; ${LARGER}`,
    );
  }
  const asked = models.chat({
    ...{ model, messages: sent, onText: heard.onText },
    // The context never changes: another one would make the host load the model again.
    options: { num_ctx: context.options.num_ctx, temperature: 0, num_predict: contextTokens - estimate },
    format: format === 'json' ? editSchema(files) : undefined,
  });
  const end = await asked.catch((error: Error) => {
    if (heard.pieces() > 0) context.used(estimate + heard.pieces());
    throw /context length/.test(error.message) ? new Error(`${error.message}; ${LARGER}`) : error;
  });
  const { promptTokens, answerTokens } = end;
  context.used((promptTokens ?? estimate) + (answerTokens ?? heard.pieces()));
  context.say(`${model} read ${promptTokens ?? '?'} tokens and wrote ${answerTokens ?? '?'} in ${heard.seconds()} s`);
  // A host may not count at all, which proves nothing.
  if (promptTokens !== undefined && (promptTokens * 2 < estimate || promptTokens >= contextTokens)) {
    throw new Error(`${host} cut the prompt: ${model} read ${promptTokens} of about ${estimate} tokens`);
  }
  return end;
}

/** Listens to an answer as it comes: stops one that repeats itself, and tells how far it is. */
function listen(model: string, progress: (text: string) => void) {
  const watch = watchRepeats();
  const began = performance.now();
  const seconds = () => ((performance.now() - began) / 1000).toFixed(1);
  let [pieces, told] = [0, 0];
  return {
    seconds,
    /** A host sends a token at a time. */
    pieces: () => pieces,
    onText(piece: string) {
      pieces += 1;
      if (performance.now() - told >= TELL_EVERY_MS) {
        told = performance.now();
        progress(`${model}: ${pieces} tokens, ${seconds()} s`);
      }
      watch(piece);
    },
  };
}

async function installed(models: ModelHost, host: string): ReturnType<ModelHost['models']> {
  try {
    return await models.models();
  } catch (error) {
    const down = error instanceof ModelFault && /cannot be reached: ECONNREFUSED/.test(error.message);
    throw down ? new Error(`nothing listens at ${host}; start it there: ollama serve`) : error;
  }
}

/** How many tokens the model itself takes; a host too old to say is believed to take any. Throws when it runs elsewhere. */
async function ownContext(models: ModelHost, model: string, host: string): Promise<number> {
  try {
    const { context, remoteHost } = await models.show(model);
    if (isElsewhere({ name: model, remoteHost })) {
      throw new Error(`${model} does not run at ${host} but at ${remoteHost}; prompts stay here`);
    }
    return context ?? Number.POSITIVE_INFINITY;
  } catch (error) {
    if (error instanceof ModelFault && error.status !== undefined) return Number.POSITIVE_INFINITY;
    throw error;
  }
}
