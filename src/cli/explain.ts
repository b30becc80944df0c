// `mendloop explain <fingerprint>`: everything about one failure, for someone who never saw the code.
import { explanationLines } from '../console/failure-report.ts';
import { fail, failUsage } from '../errors.ts';
import { masksOf } from '../failure/fingerprint.ts';
import { explainFailure } from '../inspect/explain.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages, recordedStages } from '../journal/load-stages.ts';
import { recordOf, type StageRecord, stepMeant } from '../journal/stages.ts';
import { splitStepName } from '../plan/matrix.ts';
import { entriesOf, type Ledger, type LedgerEntry } from '../triage/ledger.ts';
import type { Answer, CommandInput } from './command.ts';

export async function run({ words, options, home, layout }: CommandInput): Promise<Answer> {
  const [word] = words;
  if (!word || words.length > 1) {
    failUsage('explain needs one fingerprint, or a stage', 'mendloop explain <fingerprint>; see mendloop status');
  }
  const { ledger, notices } = readLedger(layout());
  const { state } = loadStages(layout(), { look: true });
  const stages = recordedStages(home(), state);
  const step = stepMeant(state, word);
  const { stage, cell } = splitStepName(step);
  const record = cell === '' ? undefined : recordOf(state, step);
  const isUnfailed = record
    ? record.fingerprint === undefined
    : stages.includes(word) && !entriesOf(ledger, word).length;
  if (isUnfailed) return neverFailed(step, recordOf(state, step), record !== undefined);
  const entry = findEntry(ledger, record ? `${stage}/${record.fingerprint}` : word);
  const now = Date.now();
  const ai = options['no-ai'] !== true;
  const explanation = await explainFailure(entry, ledger, layout(), { now, ai, env: process.env });
  const { failure, next, where } = explanation;
  return {
    text: [...notices.map((text) => `note: ${text}`), ...explanationLines(explanation, now)],
    json: { entry, failure: failure ? { ...failure, masked: masksOf(failure) } : null, where: where ?? null, next },
  };
}

const neverFailed = (step: string, record: StageRecord | undefined, isCell: boolean): Answer => ({
  text: record
    ? [
        `${step} has ${isCell ? 'no failure' : 'never failed'}`,
        `  next:  mendloop status ${step}, mendloop logs ${step}`,
      ]
    : [`${step} has never run`, `  next:  mendloop plan ${step}, mendloop ${step}`],
  json: { entry: null, failure: null, next: null },
});

const MAX_CANDIDATES = 5;

/** By its first letters, as <stage>/<fingerprint>, or the latest of a stage. Throws when none or more than one fits. */
function findEntry(ledger: Ledger, word: string): LedgerEntry {
  const latestFirst = (entries: LedgerEntry[]) => entries.sort((a, b) => b.last_seen.localeCompare(a.last_seen));
  const [ofStage] = latestFirst(entriesOf(ledger, word));
  if (ofStage) return ofStage;
  const matches = Object.entries(ledger.entries)
    .filter(([key, entry]) => entry.fingerprint.startsWith(word) || key.startsWith(word))
    .map(([, entry]) => entry);
  const [first, second] = matches;
  if (first && !second) return first;
  const all = Object.values(ledger.entries);
  const candidates = latestFirst(first ? matches : all)
    .slice(0, MAX_CANDIDATES)
    .map((entry) => `${entry.fingerprint}  ${entry.stage}  ${entry.class}`);
  if (first) fail('E_AMBIGUOUS_FINGERPRINT', { word }, candidates);
  fail('E_UNKNOWN_FINGERPRINT', { word, known: all.length }, candidates);
}
