// `mendloop cases`, `cases show <case>`, `cases accept|decline <case>`, `cases answer <case> <file>`, `cases review`: what waits for a
// person, and their word. With --run the stage of what was accepted starts at once.
import { isItemStage } from '../backlog/stage-of-item.ts';
import { MAP_FILE } from '../config/files.ts';
import { caseLines, shownCase } from '../console/case-lines.ts';
import { fail, failUsage } from '../errors.ts';
import { readText } from '../io/store.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages, stagesHere } from '../journal/load-stages.ts';
import { takeToken } from '../mend/answer-tokens.ts';
import { findCase, openCaseStore } from '../mend/case-store.ts';
import type { Taken } from '../run/answer-case.ts';
import { entryOf } from '../triage/ledger.ts';
import type { Answer, CommandInput } from './command.ts';
import { meantBy, readAnswerText } from './input.ts';
import { PORTS } from './ports.ts';

const NEXT = 'mendloop cases, or mendloop cases show|accept|decline <case>, or mendloop cases answer <case> <file>';

export async function run(input: CommandInput): Promise<Answer | number> {
  const [word, name, ...more] = input.words;
  if (word === undefined) return list(input);
  if (word === 'review') return (await import('./review.ts')).review(input);
  const { most, act } = meantBy('cases', word, WORDS, NEXT);
  if (name === undefined) failUsage(`cases ${word} needs a case`, NEXT);
  if (more.length > most) failUsage(`cases ${word}: too many words`, NEXT);
  return act(input, name, more[0]);
}

/** What may be done with a case, and how many words may follow its name. */
const WORDS = {
  show: { most: 0, act: show },
  accept: { most: 0, act: accept },
  decline: { most: 0, act: decline },
  answer: { most: 1, act: answer },
} as const;

async function list({ options, layout }: CommandInput): Promise<Answer> {
  const all = openCaseStore(layout()).list();
  const cases = options.all ? all : all.filter((one) => !('summary' in one) || one.summary.state !== 'closed');
  const more = all.length - cases.length;
  const none = more > 0 ? `no case waits; ${more} closed (mendloop cases --all)` : 'no case waits';
  const { ledger } = readLedger(layout());
  return { text: cases.length === 0 ? none : caseLines(cases, ledger, Date.now()).join('\n'), json: { cases } };
}

async function show({ layout, options }: CommandInput, name: string): Promise<Answer> {
  const store = openCaseStore(layout());
  const summary = findCase(store, name);
  const text = store.texts(name).at(-1)?.text;
  const patch = readText(`${store.folder(name)}/patch.diff`);
  const entry = entryOf(readLedger(layout()).ledger, summary.stage, summary.fingerprint);
  return {
    text: shownCase({ summary, text, patch, entry }, Date.now(), options.all === true),
    json: { ...summary, text: text ?? null, patch: patch ?? null, last_seen: entry?.last_seen ?? null },
  };
}

/** The change that waits in the case. */
async function accept(input: CommandInput, name: string): Promise<Answer | number> {
  return input.dry ? answer(input, name) : say(input, name, 'accept');
}

/** An answer from a file; without one the change that waits in the case is looked at. */
async function answer(input: CommandInput, name: string, file?: string): Promise<Answer | number> {
  const { answerCase } = await import('../run/answer-case.ts');
  const { home, dry, line: command } = input;
  findCase(openCaseStore(input.layout()), name);
  const patch = file === undefined ? undefined : await readAnswerText(file);
  const { fix, shown, ...rest } = await answerCase({ home: home(), case: name, answer: patch, command, dry }, PORTS);
  return after(input, name, 'accept', { ...rest, fix: fix.note.fix, diff: shown, left: false });
}

async function decline(input: CommandInput, name: string): Promise<Answer | number> {
  if (!input.dry) return say(input, name, 'decline');
  const { declineCase } = await import('../run/answer-case.ts');
  const taken = await declineCase({ home: input.home(), case: name, command: input.line, dry: true }, PORTS);
  return after(input, name, 'decline', { ...taken, left: false, givenUp: false, diff: '' });
}

async function say(input: CommandInput, name: string, what: 'accept' | 'decline'): Promise<Answer | number> {
  const { takeWord } = await import('../run/answer-case.ts');
  findCase(openCaseStore(input.layout()), name);
  const { token } = input.options;
  const bound = typeof token === 'string' ? useToken(input, name, token) : undefined;
  const command = `mendloop cases ${what} ${name}`;
  return after(
    input,
    name,
    what,
    await takeWord({ home: input.home(), case: name, what, command, patch: bound }, PORTS),
  );
}

/** The change that a one-time token is about. Throws E_ANSWER_REFUSED. */
function useToken({ layout }: CommandInput, name: string, token: string): string {
  const used = takeToken(layout(), token, Date.now());
  if ('refused' in used) return fail('E_ANSWER_REFUSED', { why: used.refused });
  return used.case === name ? used.patch : fail('E_ANSWER_REFUSED', { why: 'it is for another case' });
}

/** What came of a word, and with --run the run that follows. */
async function after(
  input: CommandInput,
  name: string,
  what: 'accept' | 'decline',
  taken: Taken,
): Promise<Answer | number> {
  const { dry, options } = input;
  const { stage, fix, diff, left, givenUp, notices } = taken;
  const runs = options.run === true && what === 'accept' && !dry && !left;
  const lines = [
    ...notices.map((text) => `note: ${text}`),
    `${DONE[what][dry ? 'would' : 'did']}: ${fix ?? `the case ${name}`}`,
    ...(diff.trim() === '' ? [] : ['', diff.trimEnd(), '']),
    ...(runs ? [] : [nextLine(input, what, taken)]),
  ];
  const json = { case: name, stage, dry, fix: fix ?? null, diff, given_up: givenUp, left: left ? what : null, notices };
  if (!runs) return { text: lines, json };
  for (const line of lines) input.out.line(line);
  return (await import('./run-accepted.ts')).runAccepted(input, [taken]);
}

const DONE = {
  accept: { did: 'taken', would: 'would be taken' },
  decline: { did: 'declined', would: 'would be declined' },
} as const;

function nextLine({ layout }: CommandInput, what: 'accept' | 'decline', { stage, left, givenUp }: Taken): string {
  if (left && what === 'accept')
    return `a run is at work: it tries the change and runs ${stage} once more before it ends`;
  if (left) return 'a run is at work: it goes on without it';
  if (what === 'accept') {
    const then = givenUp ? `mendloop reset ${stage}, then: mendloop ${stage}` : `mendloop ${stage}`;
    return `the next run tries it before the stage runs, and the stage judges it: ${then}`;
  }
  const { gone } = stagesHere(layout().home, loadStages(layout(), { look: true }).state);
  return gone.includes(stage) && !isItemStage(stage)
    ? `its stage ${stage} is not in ${MAP_FILE} any more, so nothing else is tried`
    : `the next run goes on with the next try: mendloop ${stage}`;
}
