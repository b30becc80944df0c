// `mendloop status`: where every stage stands. Reads only, loads little, works beside a run.
import { MAP_FILE } from '../config/files.ts';
import { failureLines } from '../console/failure-lines.ts';
import { nextByStage } from '../console/run-lines.ts';
import { headline, safeModeLines, stageWords, usedLines } from '../console/status-lines.ts';
import { ago, table } from '../console/words.ts';
import { nextLines } from '../errors.ts';
import type { DataOf } from '../events.ts';
import { readFreshness } from '../inspect/freshness.ts';
import { waitingText, waitsNow } from '../inspect/waiting.ts';
import { groupBy } from '../io/group-by.ts';
import { runAtWork } from '../io/lock.ts';
import { readEvents } from '../journal/event-file.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages, openRun, stagesHere } from '../journal/load-stages.ts';
import { openIntents } from '../journal/open-intents.ts';
import { reclaimableNotes } from '../journal/reclaimable.ts';
import { recordOf, type StageRecord, type StepRecord, stepMeant } from '../journal/stages.ts';
import { readSafeMode } from '../mend/safe-mode.ts';
import { caseCommands } from '../outbound/case-summary.ts';
import { cellNames, splitStepName } from '../plan/matrix.ts';
import { requireStages } from '../stage/unknown-stage.ts';
import { entryOf, type LedgerEntry, usedOn } from '../triage/ledger.ts';
import { counted } from '../triage/words.ts';
import type { Answer, CommandInput } from './command.ts';

const BROKEN_MAP = `${MAP_FILE} is no sound YAML, so stages of it may be missing here: mendloop validate`;

export async function run({ words: typed, layout: findLayout }: CommandInput): Promise<Answer> {
  const layout = findLayout();
  const { home } = layout;
  const loaded = loadStages(layout, { look: true });
  const holder = runAtWork(layout);
  const atWork = holder?.isRun ? holder : undefined;
  const open = openRun(loaded);
  const { ledger, notices } = readLedger(layout);
  const safeMode = readSafeMode(layout);
  const { names: recorded, gone, isBroken } = stagesHere(home, loaded.state);
  loaded.notices.push(...notices, ...(isBroken ? [BROKEN_MAP] : []), ...reclaimableNotes(layout));
  if (!holder) loaded.notices.push(...openIntents(loaded.state, ledger).map(({ what, next }) => `${what}: ${next}`));
  const words = typed.map((word) => stepMeant(loaded.state, word));
  const cells = words.filter((word) => splitStepName(word).cell !== '' && recordOf(loaded.state, word));
  const stages = words.filter((word) => !cells.includes(word));
  requireStages(stages, recorded);
  const names = recorded.filter((name) => words.length === 0 || stages.includes(name));
  const used = usedOn(ledger.day, Date.now());
  const conflict = loaded.latest?.events.findLast((event) => event.type === 'tree.conflict')?.data;
  const { isOld, text: overdue } = await readFreshness(layout, Date.now());
  const waiting = waitsNow(layout, { loaded, ledger });
  const nextOfRuns = new Map<string, Map<string, string[]>>();
  const lines = [
    ...(conflict ? conflictLines(conflict) : []),
    ...loaded.notices.map((n) => `note: ${n}`),
    ...(holder?.isCertain === false ? [holder.words] : []),
    ...(holder?.isCertain && !atWork ? [`${holder.command} is at work (pid ${holder.pid})`] : []),
    headline(loaded, recorded.length, atWork, Date.now()),
    ...(isOld ? [`${overdue}: what is green was so then (mendloop cron status)`] : []),
    ...(waiting.length > 0 ? [`waits for you: ${waitingText(waiting)}`] : []),
    ...safeModeLines(safeMode, Date.now()),
    ...table([...names, ...cells].map((name) => row(name, recordOf(loaded.state, name)))),
    ...names.flatMap((name) => failure(name, loaded.state.stages[name])),
    ...cells.flatMap((cell) => stepLines(cell, splitStepName(cell).stage, recordOf(loaded.state, cell) as StepRecord)),
    ...(words.length > 0 ? [...names.flatMap(details), ...cells.flatMap(greenLog)] : usedLines(used)),
  ];
  return {
    text: lines,
    json: {
      home,
      run: loaded.latest?.run ?? null,
      running: atWork?.isCertain === true,
      unproven_lock: holder?.isCertain === false ? holder.words : null,
      cut_off: open !== undefined && !atWork,
      conflict: conflict ?? null,
      overdue: isOld,
      waiting,
      safe_mode: safeMode ?? null,
      used_today: used,
      stages: Object.fromEntries(
        [...names, ...cells].map((name) => [name, described(splitStepName(name).stage, recordOf(loaded.state, name))]),
      ),
      notices: loaded.notices,
    },
    hasFindings: [...names, ...cells].some((name) => isFailed(recordOf(loaded.state, name))),
  };

  function row(name: string, record: StageRecord | undefined): string[] {
    const { state, about } = stageWords(name, record, atWork);
    // An item of the work queue never was there.
    const isGone = gone.includes(splitStepName(name).stage) && !/^item-\d+$/.test(name);
    const more = isGone ? [`not in ${MAP_FILE} any more`] : [];
    return [name, state, record ? ago(record.since, Date.now()) : '', [...(about ? [about] : []), ...more].join(', ')];
  }

  /** More lines, for a stage that is asked for by name. */
  function details(name: string): string[] {
    const record = loaded.state.stages[name];
    const cells = Object.entries(record?.cells ?? {}).map(([cell, of]) => row(`${name}[${cell}]`, of));
    const past = Object.values(ledger.entries).filter(({ stage }) => stage === name).length;
    return [
      ...table(cells),
      ...greenLog(name),
      ...(past > 0 ? [`${name}: ${counted(past, 'failure')} known; the latest: mendloop explain ${name}`] : []),
    ];
  }

  function greenLog(name: string): string[] {
    const { status, last } = recordOf(loaded.state, name) ?? {};
    return status === 'green' && last?.log ? [`${name}: log: ${last.log}`] : [];
  }

  /** The record as it is, with what the ledger knows of its failure. */
  function described(name: string, record: StageRecord | undefined): object {
    if (!record) return { status: 'idle' };
    return { ...record, failure: entryFor(name, record) };
  }

  function entryFor(name: string, { fingerprint }: StepRecord): LedgerEntry | undefined {
    return fingerprint === undefined ? undefined : entryOf(ledger, name, fingerprint);
  }

  /** The failure of a stage, or of its cells, grouped by what they have in common. */
  function failure(name: string, record: StageRecord | undefined): string[] {
    if (!record) return [];
    const cells = Object.entries(record.cells ?? {}).map(([cell, of]) => ({ step: `${name}[${cell}]`, of }));
    const groups = groupBy(cells, ({ of: { status, fingerprint, reason } }) => `${status} ${fingerprint ?? reason}`);
    const lines = [...groups.values()].flatMap((alike) => {
      const [{ step, of }] = alike as [(typeof cells)[number]];
      const title = alike.length === 1 ? step : `${name} on ${cellNames(alike.map((one) => one.step))}`;
      return stepLines(title, name, of);
    });
    return [...(lines.length > 0 ? lines : stepLines(name, name, record)), ...nextFor(name, record)];
  }

  /** What its run told to do; a case has its own commands. */
  function nextFor(name: string, record: StageRecord): string[] {
    const steps = [record, ...Object.values(record.cells ?? {})];
    if (!isFailed(record) || gone.includes(name) || steps.some((step) => entryFor(name, step)?.case !== undefined))
      return [];
    const advice = nextIn(record.run).get(name) ?? [];
    // The case that its run pointed to has its answer.
    const isOver = advice.some((line) => line.includes('mendloop cases show '));
    return (isOver ? nextLines(`mendloop ${name}`) : advice).map((line) => `  ${line}`);
  }

  /** A journal may be long, and several stages may have failed in it: it is read once. */
  function nextIn(run: string): Map<string, string[]> {
    const { latest } = loaded;
    const events = () => (latest?.run === run ? latest.events : readEvents(layout.journal(run)).events);
    const next = nextOfRuns.get(run) ?? nextByStage(events());
    nextOfRuns.set(run, next);
    return next;
  }

  /** What keeps a running step from its next attempt. */
  function waitsFor(stage: string, entry: LedgerEntry | undefined): string | undefined {
    if (entry?.last_tier === 'wait') return `waits, ${entry.last_reason}`;
    const last = atWork && loaded.latest?.events.findLast((event) => event.stage === stage);
    return last?.type === 'fix.suggested' ? 'a fix waits for your word, at the terminal of the run' : undefined;
  }

  function stepLines(title: string, stage: string, record: StepRecord): string[] {
    const { status, reason, last } = record;
    const ended = isFailed(record);
    const entry = ended || status === 'running' ? entryFor(stage, record) : undefined;
    const waits = status === 'running' && waitsFor(stage, entry);
    if (!ended && !waits) return [];
    const head = `${title}: ${waits || (reason ?? status)}`;
    if (entry) {
      const human = entry.case !== undefined || entry.gave_up_at !== undefined;
      // A failure that came back with a fix for the next one keeps what was decided before that: nobody is at it any more.
      const isPast = entry.last_tier === 'executor';
      const view = { ...entry, tier: isPast ? undefined : entry.last_tier, reason: entry.last_reason, human };
      const commands = entry.case === undefined ? [] : caseCommands(entry.case, entry.suggestion !== undefined);
      return [head, ...[...failureLines(view, Date.now()), ...commands].map((line) => `    ${line}`)];
    }
    return [head, ...(ended && last?.log ? [`    log: ${last.log}`] : [])];
  }
}

const isFailed = (record: StepRecord | undefined): boolean => /^(?:failed|give_up)$/.test(record?.status ?? '');

/** What stopped the latest run before its first stage, and the commands. */
const conflictLines = ({ message, problems, next }: DataOf<'tree.conflict'>): string[] => [
  `CONFLICT: ${message}`,
  ...problems.map((problem) => `  - ${problem}`),
  ...nextLines(next),
];
