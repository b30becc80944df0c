// The shipped Ollama for tests, answering with what is recorded. Which stage is asked about is read from the prompt alone.

import { pathMatcher } from '../../../src/config/paths.ts';
import { formatRule } from '../../../src/outbound/answer-format.ts';
import { type ShownFile, shownFiles } from '../../../src/outbound/shown-files.ts';
import { type OllamaServer, type ServedReply, startOllamaServer } from '../../../src/testing/ollama-server.ts';
import type { BrokenStage } from '../../../test/known-fixes/broken-stages.ts';
import { recordedAnswer } from './recorded-answers.ts';
import type { WrittenForm } from './recorded-forms.ts';
import { EXAMS } from './stages.ts';

export const RECORDED_MODEL = 'recorded-answers:latest';
const TEXT_FORMS: readonly WrittenForm[] = ['diff', 'whole-file', 'search-replace'];
const IDLE_MS = 3_600_000;

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly format?: unknown;
}

/** Listens on a free port until it is closed or this process ends. */
export const startRecordedHost = (): Promise<OllamaServer> =>
  startOllamaServer({
    models: [{ name: RECORDED_MODEL, size: 1_000_000_000, parameters: '7B', context: 32_768 }],
    script: ({ body }) => reply(body as Asked),
    idleMs: IDLE_MS,
  });

function reply({ messages, format }: Asked): ServedReply {
  const [opening = '', last = ''] = [messages[0]?.content, messages.at(-1)?.content];
  const stage = stageOf(opening);
  if (!stage) return { status: 500, error: 'no recorded stage shows these files' };
  const told = messages.length > 1 || /^# Earlier attempts$/m.test(opening) || opening !== withoutRefusal(opening);
  const shown = shownFiles(opening).map(({ path, lines }) => [path, [...lines.values(), ''].join('\n')]);
  // What is recorded are changes, not numbers.
  if (/"choice"/.test(JSON.stringify(format) ?? '')) return { text: '{"reason": "", "choice": 0}' };
  const form = format === undefined ? formOf(last) : 'json';
  return { text: recordedAnswer(stage, form, told, Object.fromEntries(shown)) };
}

const formOf = (message: string): WrittenForm =>
  TEXT_FORMS.find((form) => message.trimEnd().endsWith(formatRule(form).trimEnd())) ?? 'json';

/** A refusal is told below the prompt when the answer it is about was not kept. */
const withoutRefusal = (opening: string): string => opening.split(/^Your answer was not taken: /m)[0] as string;

/** The stage with just these files whose lines are most like those that are shown; undefined when there is none. */
function stageOf(prompt: string): BrokenStage | undefined {
  const shown = shownFiles(prompt);
  const scored = EXAMS.map(({ stage }) => ({ stage, score: likeness(stage, shown) }));
  const best = scored.sort((a, b) => b.score - a.score)[0];
  return best && best.score > 0 ? best.stage : undefined;
}

function likeness({ sound, broken, files: may }: BrokenStage, shown: readonly ShownFile[]): number {
  const files: Readonly<Record<string, string>> = { ...sound, ...broken };
  const own = Object.keys(files).filter(pathMatcher(may));
  if (!shown.every(({ path }) => own.includes(path))) return 0;
  let [same, all] = [0, 0];
  for (const { path, lines } of shown) {
    const text = (files[path] as string).replace(/\r?\n$/, '').split(/\r?\n/);
    all += Math.max(lines.size, text.length);
    for (const [number, line] of lines) if (text[number - 1] === line) same++;
  }
  return all === 0 ? 0 : same / all;
}
