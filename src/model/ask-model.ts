// One question to one model, in its time: asked again while its host is busy or loads it, its speed remembered.
import { durationText } from '../config/duration.ts';
import { ModelFault } from '../io/egress/model-fault.ts';
import type { ChatEnd } from '../io/egress/ollama-chat.ts';
import { estimateTokens } from '../outbound/text.ts';
import type { Context } from '../plugin/contract.ts';
import type { Turn } from './consult.ts';
import { pause } from './retry.ts';
import { aboutText, numberText, readingTime, WAITS, type Waits, writingTime } from './speed.ts';
import { type AnswerWatch, UselessAnswer, watchAnswer } from './watch-answer.ts';

/** A model at a host that may be asked. */
export interface AskedModel {
  readonly model: string;
  /** `http://name:port`. */
  readonly url: string;
  /** Tokens of question and answer together; undefined: the host does not say. */
  readonly contextTokens?: number | undefined;
  /** What to do where that is too little. */
  readonly larger?: string;
  /** What every question begins with, beside its turns. */
  readonly system?: string;
  readonly setting: { readonly name: string; readonly ms: number | null };
  /** Dollars for what was read and written, where that costs. */
  readonly price?: ((read: number, wrote: number) => number) | undefined;
  /** Whether the host is one of this network: when it cannot answer now, it loads the model or answers somebody else. */
  readonly isLocal: boolean;
  readonly waits?: Waits;
  /** Throws ModelFault; `signal` ends it. */
  chat(question: SentQuestion): Promise<ChatEnd>;
}

export interface Question {
  readonly turns: readonly Turn[];
  readonly maxTokens: number;
  /** A JSON schema that the answer is held to. */
  readonly schema?: object | undefined;
}

export interface SentQuestion extends Question {
  readonly signal: AbortSignal;
  readonly onText: (piece: string) => void;
}

type Asking = Pick<Context<'check'>, 'say' | 'progress' | 'used' | 'speeds' | 'timeLeft' | 'signal'>;

/** Their tokens, estimated. */
export const estimateTurns = (turns: readonly Turn[]): number =>
  turns.reduce((sum, { content }) => sum + estimateTokens(content), 0);

/** The least that an answer takes. */
const SHORT_ANSWER = 60;

/** `useless`: why the answer can be of no use, for the model. Throws ModelFault when there is no answer: nothing is spent then. */
export async function askModel(
  context: Asking,
  asked: AskedModel,
  question: Question,
): Promise<ChatEnd | { useless: string }> {
  const { url, model, setting, waits, system = '' } = asked;
  const who = `${model} at ${url}`;
  const speeds = context.speeds.of(who);
  const tokens = estimateTokens(system) + estimateTurns(question.turns);
  const fresh = unread(who, system + question.turns.map(({ content }) => content).join(''));
  const timeLeft = context.timeLeft();
  const least = (readingTime(fresh, speeds) ?? 0) + (writingTime(SHORT_ANSWER, speeds) ?? 0);
  if (least > timeLeft) {
    const left = `and the run has ${durationText(Math.max(0, timeLeft))} left (limits.run_minutes, or --deadline)`;
    throw new ModelFault(`${who} is not asked: it would take about ${aboutText(least)}, ${left}`);
  }
  const { progress, signal } = context;
  const { maxTokens } = question;
  const watch = watchAnswer({ who, tokens: fresh, maxTokens, speeds, setting, timeLeft, signal, progress, waits });
  try {
    const end = await whileBusy(context, asked, watch, question);
    remember(context, who, { fresh, tokens, end, watch });
    report(context, asked, { tokens, end, watch });
    return end;
  } catch (error) {
    // What it read until then is paid for.
    if (watch.pieces() > 0) context.used(tokens + watch.pieces());
    else if (error instanceof ModelFault && wasRead(error)) context.used(tokens);
    if (error instanceof UselessAnswer) return { useless: error.message };
    throw error;
  } finally {
    watch.end();
  }
}

/** The texts that were last sent to each model by this process: what its host has read already. */
const lastSent = new Map<string, string>();
const MAX_REMEMBERED = 16;

/** Tokens of a question that its host has not just read. */
function unread(who: string, text: string): number {
  const before = lastSent.get(who) ?? '';
  let same = 0;
  while (same < text.length && text[same] === before[same]) same++;
  lastSent.delete(who);
  lastSent.set(who, text);
  const [oldest] = lastSent.size > MAX_REMEMBERED ? lastSent.keys() : [];
  if (oldest !== undefined) lastSent.delete(oldest);
  return estimateTokens(text.slice(same));
}

const isLoading = ({ status, message }: ModelFault): boolean => status === 503 || /loading model/i.test(message);

/** The answer of a host that may be busy, or loading the model, at first: the watch ends the waiting. */
async function whileBusy(context: Asking, asked: AskedModel, watch: AnswerWatch, question: Question): Promise<ChatEnd> {
  const { again_ms } = asked.waits ?? WAITS;
  let busy: string | undefined;
  try {
    for (;;) {
      const end = await asked.chat({ ...question, signal: watch.signal, onText: watch.onText }).catch((error) => {
        if (!(error instanceof ModelFault) || !asked.isLocal || !isLoading(error)) throw error;
        return error;
      });
      if (!(end instanceof ModelFault)) return end;
      if (busy === undefined) context.say(`${end.message}; asks it again until it can`);
      busy = end.message;
      context.progress(busy);
      await pause(again_ms, watch.signal);
    }
  } catch (error) {
    if (busy === undefined || !(error instanceof ModelFault)) throw error;
    throw new ModelFault(`${error.message}; until then: ${busy}`, error.status);
  }
}

interface Answered {
  readonly tokens: number;
  readonly end: ChatEnd;
  readonly watch: AnswerWatch;
}

/** A question that the host had mostly read says nothing about how fast it reads. */
const MOSTLY_NEW = 0.5;

function remember({ speeds }: Asking, who: string, { fresh, tokens, end, watch }: Answered & { fresh: number }): void {
  const took = watch.took();
  if (end.whole) speeds.add(who, { whole: true });
  if (end.whole || took === undefined) return;
  const { loadMs = 0, promptTokens = tokens, answerTokens = watch.pieces() } = end;
  const isNew = fresh >= tokens * MOSTLY_NEW;
  // Until the first word it has read all, and written one.
  const read = {
    tokens: Math.round((promptTokens * fresh) / tokens),
    ms: Math.max(1, Math.round(took.first - loadMs)),
  };
  speeds.add(who, {
    ...(isNew ? { read } : {}),
    ...(answerTokens > 1 ? { wrote: { tokens: answerTokens - 1, ms: Math.max(1, Math.round(took.rest)) } } : {}),
    ...(loadMs > 0 ? { load_ms: Math.round(loadMs) } : {}),
  });
}

function report(context: Asking, { model, price }: AskedModel, { tokens, end, watch }: Answered): void {
  const { promptTokens, answerTokens } = end;
  const [read, wrote] = [promptTokens ?? tokens, answerTokens ?? estimateTokens(end.text)];
  const dollars = price?.(read, wrote);
  context.used(read + wrote, dollars);
  const about = promptTokens === undefined || answerTokens === undefined ? 'about ' : '';
  const cost = dollars === undefined ? '' : `, cost about $${dollars.toFixed(4)}`;
  context.say(
    `${model} read ${about}${numberText(read)} tokens and wrote ${numberText(wrote)} in ${watch.seconds()} s${cost}`,
  );
}

/** Whether the host had the question before it failed. */
const wasRead = ({ message, status }: ModelFault): boolean =>
  status === undefined && !/ cannot be (?:reached|trusted): | is outside of this machine /.test(message);
