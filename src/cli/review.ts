// `mendloop cases review`: every change that waits for a word, one after the other, on a terminal as narrow as a phone's; then one run
// for all that were accepted.
import { caseOpening } from '../console/case-lines.ts';
import { paintedDiff } from '../console/painted-diff.ts';
import { EXIT, failUsage, formatError, MendError } from '../errors.ts';
import { waitingCases } from '../inspect/waiting.ts';
import { askLine, canAnswer } from '../io/stdin.ts';
import { readText } from '../io/store.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { openCaseStore } from '../mend/case-store.ts';
import type { CaseSummary } from '../outbound/case-summary.ts';
import { type Taken, takeWord } from '../run/answer-case.ts';
import { entryOf } from '../triage/ledger.ts';
import { counted } from '../triage/words.ts';
import type { Answer, CommandInput } from './command.ts';
import { PORTS } from './ports.ts';
import { runAccepted } from './run-accepted.ts';

const QUESTION = '[y]es [n]o [s]kip [l]ater: ';
const WORDS: Readonly<Record<string, 'accept' | 'decline' | 'skip' | 'later'>> = {
  ...{ y: 'accept', yes: 'accept', n: 'decline', no: 'decline', s: 'skip', skip: 'skip', l: 'later', later: 'later' },
};

export async function review(input: CommandInput): Promise<Answer | number> {
  const { out } = input;
  if (input.words.length > 1) failUsage('cases review takes no case', 'mendloop cases review');
  if (out.json || !canAnswer())
    failUsage(
      'cases review asks, and nobody can answer here',
      'on a terminal: mendloop cases review; else: mendloop cases',
    );
  const layout = input.layout();
  const all = waitingCases(layout);
  const asked = all.filter(({ patch }) => patch !== undefined);
  const accepted: Taken[] = [];
  for (const [at, summary] of asked.entries()) {
    for (const line of opening(input, summary)) out.line(line);
    const word = await ask(`${at + 1} of ${asked.length}: ${QUESTION}`);
    if (word === 'later') break;
    if (word === 'skip') continue;
    const taken = await say(input, summary, word);
    if (taken && word === 'accept') accepted.push(taken);
  }
  for (const { case: name } of all.filter(({ patch }) => patch === undefined))
    out.line(`no change waits in ${name}: mendloop cases show ${name}`);
  if (all.length === 0) return { text: 'no case waits', json: { cases: [] } };
  const now = accepted.filter(({ left }) => !left);
  if (accepted.length > now.length) out.line('a run is at work: it tries what you accepted before it ends');
  if (now.length === 0) return EXIT.ok;
  out.line(`${counted(now.length, 'change')} accepted: one run tries ${now.length === 1 ? 'it' : 'them'} now`);
  return runAccepted(input, now);
}

function opening({ layout, out }: CommandInput, summary: CaseSummary): string[] {
  const entry = entryOf(readLedger(layout()).ledger, summary.stage, summary.fingerprint);
  const patch = readText(`${openCaseStore(layout()).folder(summary.case)}/patch.diff`) ?? '';
  return ['', ...caseOpening(summary, entry, Date.now(), out.colour), '', ...paintedDiff(patch, out.colour), ''];
}

/** No answer, and the end of the input, mean later. */
async function ask(question: string): Promise<(typeof WORDS)[string]> {
  for (;;) {
    const line = await askLine(question);
    if (line === undefined) return 'later';
    const word = WORDS[line.trim().toLowerCase()];
    if (word) return word;
  }
}

/** One that cannot be taken is told, and the next one asked about. */
async function say(input: CommandInput, summary: CaseSummary, what: 'accept' | 'decline'): Promise<Taken | undefined> {
  const { case: name, patch } = summary;
  const command = 'mendloop cases review';
  try {
    const taken = await takeWord({ home: input.home(), case: name, what, command, patch }, PORTS);
    input.out.line(`${what === 'accept' ? 'taken' : 'declined'}: ${taken.fix ?? name}`);
    return taken;
  } catch (error) {
    if (!(error instanceof MendError)) throw error;
    input.out.errorLine(formatError(error));
    return undefined;
  }
}
