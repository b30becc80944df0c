// Asks a model of an Ollama host on this machine or its network. Text in, text out: the model has no tools.
// A host that does not do its part throws, which is no try; a model that answers badly is told so once, then passed over.
import * as z from 'zod';
import type { AnswerFormat, ChatEnd, Choice, Context, Proposal, Refused, SeenFile, Turn } from '../../src/model.ts';
import {
  definePlugin,
  durationSetting,
  estimateTokens,
  guardAnswer,
  isAnswer,
  isLanAddress,
  lanHost,
  lanHostSetting,
  ModelFault,
  machineMemory,
  openChat,
  seenFiles,
} from '../../src/model.ts';
import { choiceSchema, readChoice } from './ollama/choose.ts';
import { chooseFormat, estimateTurns, rememberAnswer, turnsOf } from './ollama/conversation.ts';
import { editSchema, readEdit } from './ollama/json-edit.ts';
import { fittingModels, maxModelBytes, pickModel, runsElsewhere } from './ollama/pick-model.ts';
import { Repeating, watchAnswer } from './ollama/watch-answer.ts';

const options = z.strictObject({
  host: lanHostSetting.optional().describe('Where Ollama listens; without it OLLAMA_HOST, else http://127.0.0.1:11434'),
  model: z.string().min(1).default('auto').describe('A model that is installed there, or auto'),
  num_ctx: z.int().min(2048).max(1_048_576).default(16_384).describe('Tokens of prompt and answer together'),
  timeout: durationSetting.prefault('120s').describe('How long one answer may take'),
  format: z
    .enum(['auto', 'diff', 'whole-file', 'search-replace', 'json'])
    .default('auto')
    .describe('The form that answers are asked for in'),
});

type Settings = z.output<typeof options>;

const LARGER = 'raise plugins.ollama.num_ctx, or take a model with a larger context';
const MIN_ANSWER_TOKENS = 512;
const MAX_OTHERS = 5;
/** Of the context, for the prompt and the turns before: an estimate may be a third too low. */
const SHARE_OF_HISTORY = 0.7;
/** One answer that is not even passed on may be asked for again, when that leaves the call within its time. */
const CALL_LIMIT_MS = 280_000;

export default definePlugin({ name: 'ollama', kind: 'executor', options, check, propose });

async function check(context: Context<'check', Settings>): Promise<string> {
  const { model, why, url, fitting } = await reach(context);
  const others = fitting.filter((name) => name !== model);
  return `${model} at ${url} (${why})${others.length > 0 ? `; also fit: ${others.slice(0, MAX_OTHERS).join(', ')}` : ''}`;
}

async function propose(context: Context<'propose', Settings>): Promise<Proposal> {
  const { prompt, say, refused, options: settings } = context;
  if (prompt === '') throw new Error('it was given no prompt to send');
  const reached = await reach(context);
  const { model, why, url } = reached;
  if (refused.length === 0) say(`asks ${model} at ${url} (${why})`);
  const question = { context, ...reached, files: await seenFiles(prompt, context) };
  const began = performance.now();
  const chosen = refused.length === 0 && settings.format === 'auto' ? await choose(question) : undefined;
  if (chosen) return chosen;
  const first = await ask(question, refused);
  if (!('wrong' in first)) return first;
  const left = CALL_LIMIT_MS - (performance.now() - began);
  if (left < settings.timeout) return { pass: `${model}: ${first.wrong}` };
  say(`asks ${model} once more: ${first.wrong}`);
  const second = await ask(question, [...refused, { code: first.code, reasons: [first.wrong] }]);
  return 'wrong' in second ? { pass: `${model}: ${second.wrong}` } : second;
}

/** The host, the model that is asked there, and the tokens that it can take. Throws one line when there is no host or no model. */
async function reach({ signal, options: settings }: { signal: AbortSignal; options: Settings }) {
  const address = lanHost(settings.host ?? (process.env.OLLAMA_HOST || 'http://127.0.0.1:11434'));
  if ('refused' in address) throw new Error(address.refused);
  const { url, name } = address;
  const host = openChat(url, { signal, timeoutMs: settings.timeout, mayReach: isLanAddress });
  const installed = await host.models().catch((error: unknown) => {
    const isDown = error instanceof ModelFault && /cannot be reached: ECONNREFUSED/.test(error.message);
    throw isDown ? new Error(`nothing listens at ${url}; start it there: ollama serve`) : error;
  });
  const maxBytes = maxModelBytes(name, machineMemory());
  const { model, why } = pickModel(settings.model, installed, url, maxBytes);
  const fitting = fittingModels(installed, maxBytes).map((one) => one.name);
  const shown = await host.show(model).catch((error: unknown) => {
    // A host too old to say how many tokens a model takes is believed to take any.
    if (error instanceof ModelFault && error.status !== undefined) return undefined;
    throw error;
  });
  if (shown && runsElsewhere({ name: model, remoteHost: shown.remoteHost })) {
    throw new Error(`${model} does not run at ${url} but at ${shown.remoteHost}; prompts stay here`);
  }
  const contextTokens = Math.min(settings.num_ctx, shown?.context ?? Number.POSITIVE_INFINITY);
  return { url, host, model, why, contextTokens, fitting };
}

type Question = Awaited<ReturnType<typeof reach>> & {
  readonly context: Context<'propose', Settings>;
  readonly files: readonly SeenFile[];
};

/** One of the changes that the prompt offers; undefined when it offers none, or none of them is chosen. */
async function choose(question: Question): Promise<Proposal | undefined> {
  const { context, model } = question;
  const { choices, prompt, read, say } = context;
  if (choices.length === 0) return undefined;
  const end = await chat(question, turnsOf(prompt, [], 'choice', question.contextTokens), 'choice');
  if ('wrong' in end) return undefined;
  const proposal = await readChoice(end.text, choices, read);
  if (!proposal) say(`${model} takes none of the ${choices.length} changes that fit; it is asked for one of its own`);
  else rememberAnswer(prompt, 0, context.mask(end.text));
  return proposal;
}

type Wrong = { readonly wrong: string; readonly code: 'unreadable' | 'too_large' };

/** One answer. `refused` may end with a refusal of our own, of an answer that was never passed on. */
async function ask(question: Question, refused: readonly Refused[]): Promise<Proposal | Wrong> {
  const { context, files, contextTokens, model } = question;
  const { prompt, options: settings, limits } = context;
  const room = contextTokens - estimateTokens(prompt);
  const format = chooseFormat(settings.format, refused, files, room);
  const turns = turnsOf(prompt, refused, format, contextTokens * SHARE_OF_HISTORY);
  const round = context.refused.length;
  const end = await chat(question, turns, format);
  if ('wrong' in end) return end;
  if (format === 'json' && end.doneReason !== 'length') {
    const edit = readEdit(end.text, files, limits.changed_lines);
    if (!('wrong' in edit)) {
      rememberAnswer(prompt, round, context.mask(end.text));
      return edit;
    }
    // It may be a change in another form.
    if (!isAnswer(end.text)) return { ...edit, code: 'unreadable' };
  }
  const guarded = guardAnswer(end.text, end.doneReason, files);
  if ('says' in guarded) return { pass: `${model} proposes no change: ${guarded.says}` };
  if ('wrong' in guarded) return { ...guarded, code: 'too_large' };
  rememberAnswer(prompt, round, context.mask(guarded.answer));
  return guarded;
}

async function chat(question: Question, turns: readonly Turn[], format: AnswerFormat): Promise<ChatEnd | Wrong> {
  const { context, host, model, url, files, contextTokens } = question;
  const estimate = estimateTurns(turns);
  if (estimate + MIN_ANSWER_TOKENS > contextTokens) {
    throw new Error(
      `the prompt has about ${estimate} tokens, and ${model} takes ${contextTokens} with its answer; ${LARGER}`,
    );
  }
  const watch = watchAnswer(model, context.progress);
  let end: ChatEnd;
  try {
    end = await host.chat({
      model,
      messages: turns,
      // The context never changes: another one would make the host load the model again.
      options: { num_ctx: context.options.num_ctx, temperature: 0, num_predict: contextTokens - estimate },
      format: schemaFor(format, files, context.choices),
      onText: watch.onText,
    });
  } catch (error) {
    if (watch.pieces() > 0) context.used(estimate + watch.pieces());
    const { message } = error as Error;
    if (error instanceof Repeating) return { wrong: message, code: 'unreadable' };
    throw /context length/.test(message) ? new Error(`${message}; ${LARGER}`) : error;
  }
  const { promptTokens, answerTokens } = end;
  context.used((promptTokens ?? estimate) + (answerTokens ?? watch.pieces()));
  context.say(`${model} read ${promptTokens ?? '?'} tokens and wrote ${answerTokens ?? '?'} in ${watch.seconds()} s`);
  // A host may not count at all, which proves nothing.
  if (promptTokens !== undefined && (promptTokens * 2 < estimate || promptTokens >= contextTokens)) {
    throw new Error(`${url} cut the prompt: ${model} read ${promptTokens} of about ${estimate} tokens`);
  }
  return end;
}

function schemaFor(format: AnswerFormat, files: readonly SeenFile[], choices: readonly Choice[]): object | undefined {
  if (format === 'choice') return choiceSchema(choices);
  return format === 'json' ? editSchema(files) : undefined;
}
