// Asks a model for a change of files, in the form that suits its host: a model that answers badly is told so once, and then not in this try any more.
import { ModelFault } from '../io/egress/model-fault.ts';
import type { ChatEnd } from '../io/egress/ollama-chat.ts';
import type { AnswerFormat, Choice } from '../outbound/context.ts';
import { estimateTokens } from '../outbound/text.ts';
import type { Context, Proposal, RefusedRound } from '../plugin/contract.ts';
import { type AskedModel, askModel, estimateTurns } from './ask-model.ts';
import { choiceSchema, readChoice } from './choose.ts';
import type { Turn } from './consult.ts';
import { answerTokens, chooseFormat, rememberAnswer, turnsOf } from './conversation.ts';
import { guardAnswer, isAnswer, type SeenFile, seenFiles } from './guard-answer.ts';
import { editSchema, readEdit } from './json-edit.ts';

export interface AskedForChange extends AskedModel {
  readonly contextTokens: number;
  /** The form that is asked for, or auto. */
  readonly format: AnswerFormat | 'auto';
  /** Tokens that the model thinks before it answers. */
  readonly thoughtTokens?: number;
}

type Question = {
  readonly context: Context<'propose'>;
  readonly asked: AskedForChange;
  readonly files: readonly SeenFile[];
};
type Wrong = { readonly wrong: string; readonly code: 'unreadable' | 'too_large' };

const MIN_ANSWER_TOKENS = 512;
/** Of the context, for the prompt and the turns before: an estimate may be a third too low. */
const SHARE_OF_HISTORY = 0.7;

/** Throws ModelFault when the host does not do its part, which is no try. */
export async function askForChange(context: Context<'propose'>, asked: AskedForChange): Promise<Proposal> {
  const { refused, prompt, say } = context;
  const { model } = asked;
  const question = { context, asked, files: await seenFiles(prompt, context) };
  const chosen = refused.length === 0 && asked.format === 'auto' ? await choose(question) : undefined;
  if (chosen) return chosen;
  const first = await ask(question, refused);
  if (!('wrong' in first)) return first;
  say(`asks ${model} once more: ${first.wrong}`);
  const second = await ask(question, [...refused, { code: first.code, reasons: [first.wrong] }]);
  return 'wrong' in second ? { unreadable: `${model}: ${second.wrong}` } : second;
}

/** One of the changes that the prompt offers; undefined when it offers none, or none of them is chosen. */
async function choose(question: Question): Promise<Proposal | undefined> {
  const { context, asked } = question;
  const { choices, prompt, read, say } = context;
  if (choices.length === 0) return undefined;
  const end = await chat(question, turnsOf(prompt, [], 'choice', asked.contextTokens), 'choice');
  if ('wrong' in end) return undefined;
  const proposal = await readChoice(end.text, choices, read);
  if (!proposal)
    say(`${asked.model} takes none of the ${choices.length} changes that fit; it is asked for one of its own`);
  else rememberAnswer(prompt, 0, context.mask(end.text));
  return proposal;
}

/** One answer. `refused` may end with a refusal of our own, of an answer that was never passed on. */
async function ask(question: Question, refused: readonly RefusedRound[]): Promise<Proposal | Wrong> {
  const { context, files, asked } = question;
  const { prompt, limits, speeds } = context;
  const { contextTokens, model, url } = asked;
  const room = contextTokens - estimateTokens(prompt);
  const format = chooseFormat(asked.format, refused, files, { room, speeds: speeds.of(`${model} at ${url}`) });
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
  const { context, asked, files } = question;
  const { contextTokens, model, url, larger, thoughtTokens = 0 } = asked;
  const estimate = estimateTurns(turns);
  if (estimate + MIN_ANSWER_TOKENS > contextTokens) {
    const takes = `${model} takes ${contextTokens} with its answer`;
    throw new ModelFault(`the prompt has about ${estimate} tokens, and ${takes}; ${larger}`);
  }
  const schema = schemaFor(format, files, context.choices);
  const tokens = answerTokens(format, files) + thoughtTokens;
  const end = await askModel(context, asked, { turns, schema, maxTokens: Math.min(tokens, contextTokens - estimate) });
  if ('useless' in end) return { wrong: end.useless, code: 'unreadable' };
  const { promptTokens } = end;
  // A host may not count at all, which proves nothing.
  if (promptTokens !== undefined && (promptTokens * 2 < estimate || promptTokens >= contextTokens)) {
    throw new ModelFault(`${url} cut the prompt: ${model} read ${promptTokens} of about ${estimate} tokens`);
  }
  return end;
}

function schemaFor(format: AnswerFormat, files: readonly SeenFile[], choices: readonly Choice[]): object | undefined {
  if (format === 'choice') return choiceSchema(choices);
  return format === 'json' ? editSchema(files) : undefined;
}
