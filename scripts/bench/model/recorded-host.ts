// The shipped Ollama for tests, answering with what is recorded. Each exam has a model of its own name, so that it is
// known which one is asked about; the form of the answer, and whether an earlier one was refused, are read from the
// conversation.
import { formatRule } from '../../../src/outbound/answer-format.ts';
import { shownFiles } from '../../../src/outbound/shown-files.ts';
import { type OllamaServer, type ServedReply, startOllamaServer } from '../../../src/testing/ollama-server.ts';
import { EXAMS } from './exams.ts';
import { recordedAnswer } from './recorded-answers.ts';
import type { WrittenForm } from './recorded-forms.ts';

const FORMS: readonly WrittenForm[] = ['diff', 'whole-file', 'search-replace', 'json'];
const IDLE_MS = 3_600_000;

interface Asked {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly format?: unknown;
}

/** The model that answers for an exam. */
export const modelOf = (name: string): string => `recorded-answers:${EXAMS.findIndex((exam) => exam.name === name)}`;

/** Listens on a free port until it is closed or this process ends. */
export const startRecordedHost = (): Promise<OllamaServer> =>
  startOllamaServer({
    models: EXAMS.map(({ name }) => ({ name: modelOf(name), size: 1_000_000_000, parameters: '7B', context: 32_768 })),
    script: ({ body }) => reply(body as Asked),
    idleMs: IDLE_MS,
  });

function reply({ model, messages, format }: Asked): ServedReply {
  const [opening = '', last = ''] = [messages[0]?.content, messages.at(-1)?.content];
  const exam = EXAMS.find(({ name }) => modelOf(name) === model);
  if (!exam) return { status: 404, error: `model '${model}' not found` };
  const told = messages.length > 1 || /^# Earlier attempts$/m.test(opening) || opening !== withoutRefusal(opening);
  const shown = shownFiles(opening).map(({ path, lines }) => [path, [...lines.values(), ''].join('\n')]);
  // What is recorded are changes, not numbers.
  if (/"choice"/.test(JSON.stringify(format) ?? '')) return { text: '{"reason": "", "choice": 0}' };
  const form = format === undefined ? formOf(last) : 'json';
  return { text: recordedAnswer(exam, form, told, Object.fromEntries(shown)) };
}

/** Of the rules that a message holds, the last: what a refusal shows of a form comes behind its rule. */
export function formOf(message: string): WrittenForm {
  const at = (form: WrittenForm) => message.lastIndexOf(formatRule(form).split('\n')[2] as string);
  return FORMS.reduce((last, form) => (at(form) > at(last) ? form : last));
}

/** A refusal is told below the prompt when the answer it is about was not kept. */
const withoutRefusal = (opening: string): string => opening.split(/^Your answer was not taken: /m)[0] as string;
