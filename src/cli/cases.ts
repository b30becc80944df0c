// `mendloop cases`, `cases show <case>`, `cases accept|decline <case>`, `cases answer <case> <file>`: what waits for a person,
// and their word.
import { isItemStage } from '../backlog/stage-of-item.ts';
import { MAP_FILE } from '../config/files.ts';
import { caseLines, shownCase } from '../console/case-lines.ts';
import { failUsage, MendError } from '../errors.ts';
import { readText } from '../io/store.ts';
import { loadStages, stagesHere } from '../journal/load-stages.ts';
import { findCase, openCaseStore } from '../mend/case-store.ts';
import type { Answer, CommandInput } from './command.ts';
import { meantBy, readAnswerText } from './input.ts';
import { PORTS } from './ports.ts';

const NEXT = 'mendloop cases, or mendloop cases show|accept|decline <case>, or mendloop cases answer <case> <file>';

export async function run(input: CommandInput): Promise<Answer> {
  const [word, name, ...more] = input.words;
  if (word === undefined) return list(input);
  const { most, act } = meantBy('cases', word, WORDS, NEXT);
  if (name === undefined) failUsage(`cases ${word} needs a case`, NEXT);
  if (more.length > most) failUsage(`cases ${word}: too many words`, NEXT);
  return act(input, name, more[0]);
}

/** What may be done with a case, and how many words may follow its name. */
const WORDS = {
  show: { most: 0, act: show },
  accept: { most: 0, act: answer },
  decline: { most: 0, act: decline },
  answer: { most: 1, act: answer },
} as const;

async function list({ options, layout }: CommandInput): Promise<Answer> {
  const all = openCaseStore(layout()).list();
  const cases = options.all ? all : all.filter((one) => !('summary' in one) || one.summary.state !== 'closed');
  const more = all.length - cases.length;
  const none = more > 0 ? `no case waits; ${more} closed (mendloop cases --all)` : 'no case waits';
  return { text: cases.length === 0 ? none : caseLines(cases, Date.now()).join('\n'), json: { cases } };
}

async function show({ layout, options }: CommandInput, name: string): Promise<Answer> {
  const store = openCaseStore(layout());
  const summary = findCase(store, name);
  const text = store.texts(name).at(-1)?.text;
  const patch = readText(`${store.folder(name)}/patch.diff`);
  return {
    text: shownCase(summary, text, patch, options.all === true),
    json: { ...summary, text: text ?? null, patch: patch ?? null },
  };
}

/** Without a file the fix is accepted that waits in the case. */
async function answer({ layout, dry, line }: CommandInput, name: string, file?: string): Promise<Answer> {
  const { answerCase } = await import('../run/answer-case.ts');
  findCase(openCaseStore(layout()), name);
  const patch = file === undefined ? undefined : await readAnswerText(file);
  const request = { home: layout().home, case: name, answer: patch, command: line, dry };
  const taken = await answerCase(request, PORTS).catch((error) => {
    if (patch === undefined && !dry && isAtWork(error)) return undefined;
    throw error;
  });
  if (!taken) return leave(layout().home, name, 'accept');
  const { stage, fix, shown, givenUp, notices } = taken;
  const then = givenUp ? `mendloop reset ${stage}, then: mendloop ${stage}` : `mendloop ${stage}`;
  const lines = [
    `${dry ? 'would be taken' : 'taken'}: ${fix.note.fix}`,
    ...(shown.trim() === '' ? [] : ['', shown.trimEnd(), '']),
    ...notices.map((text) => `note: ${text}`),
    `the next run tries it before the stage runs, and the stage judges it: ${then}`,
  ];
  return { text: lines, json: { case: name, stage, dry, fix: fix.note.fix, diff: shown, given_up: givenUp, notices } };
}

async function decline({ layout, dry, line }: CommandInput, name: string): Promise<Answer> {
  const { declineCase } = await import('../run/answer-case.ts');
  const request = { home: layout().home, case: name, command: line, dry };
  const spoken = await declineCase(request, PORTS).catch((error) => {
    if (!dry && isAtWork(error)) return undefined;
    throw error;
  });
  if (!spoken) return leave(layout().home, name, 'decline');
  const { stage, fix, notices } = spoken;
  const { gone } = stagesHere(layout().home, loadStages(layout(), { look: true }).state);
  const isGone = gone.includes(stage) && !isItemStage(stage);
  const lines = [
    ...notices.map((text) => `note: ${text}`),
    `${dry ? 'would be declined' : 'declined'}: ${fix ?? `the case ${name}`}`,
    isGone
      ? `its stage ${stage} is not in ${MAP_FILE} any more, so nothing else is tried`
      : `the next run goes on with the next try: mendloop ${stage}`,
  ];
  return { text: lines, json: { case: name, stage, dry, fix: fix ?? null } };
}

/** A run is at work in this home, and its process lives. */
const isAtWork = (error: unknown): boolean => error instanceof MendError && error.code === 'E_LOCKED';

/** The answer is left for the run at work. */
async function leave(home: string, name: string, what: 'accept' | 'decline'): Promise<Answer> {
  const { answerRunAtWork } = await import('../run/answer-case.ts');
  const { stage, fix } = answerRunAtWork(home, name, what, Date.now());
  const then =
    what === 'accept' ? `it tries the change and runs ${stage} once more before it ends` : 'it goes on without it';
  const lines = [
    `${what === 'accept' ? 'taken' : 'declined'}: ${fix ?? `the case ${name}`}`,
    `a run is at work: ${then}`,
  ];
  return { text: lines, json: { case: name, stage, fix: fix ?? null, left: what } };
}
