// A run as plain lines, one for each thing that happened: for cron, pipes and CI.
import type { LoopEvent, Subscriber, Tier } from '../events.ts';
import { readTail } from '../io/files.ts';
import { cutText } from '../io/fit-text.ts';
import type { Output } from '../io/output.ts';
import { decisionLine, type FailureView, failureLines } from './failure-lines.ts';
import { otherReasons, type Row, rowsOf } from './rows.ts';
import { closingLines, fixNews, SIMULATED_LINE } from './run-lines.ts';
import { newTally, note, type StepView } from './tally.ts';
import { readableLines, spell } from './words.ts';

const MAX_TAIL_LINES = 8;
const MAX_COLUMNS = 200;

/** What a step is busy with is printed when nothing else was for so long. */
const SILENT_MS = 50_000;

/** With --quiet only what went wrong is printed. `home` is where log paths start. */
export function plainWatcher(
  { quiet, ...to }: Pick<Output, 'line' | 'errorLine' | 'quiet'>,
  home: string,
  now = () => performance.now(),
): { event: Subscriber; live(step: string, text: string): void } {
  let printedAt = now();
  const out = {
    quiet,
    errorLine: to.errorLine,
    line(text: string) {
      printedAt = now();
      to.line(text);
    },
  };
  const tally = newTally();
  /** The latest failures that were printed. */
  const printed = new WeakSet<FailureView>();
  /** Matrix stages with news since their last line, and why their cells last ran again. */
  const untold = new Map<string, string>();
  return { event, live };

  function live(step: string, text: string): void {
    if (now() - printedAt < SILENT_MS) return;
    const [who = '', what = ''] = text.split(/: (.*)/s);
    out.line(row(tally.steps.get(step)?.stage ?? step, who, what));
  }

  function event(event: LoopEvent): void {
    const { type, stage = '', step = stage } = event;
    if (type === 'run.resumed') untold.clear();
    note(tally, event);
    const isCell = step !== stage;
    for (const line of isCell ? cellLines(event, stage) : lines(event)) out.line(line);
    if (event.type === 'step.failed' && !isCell) for (const line of evidence(event)) printLoud(line);
    if (/^stage\.(?:green|failed|skipped)$/.test(type)) tellCells(event, stage);
    if (type !== 'run.ended' && type !== 'run.left') return;
    for (const stage of untold.keys()) tellCells(event, stage);
    for (const line of closingLines(tally)) printLoud(line);
  }

  /** For cells, prints each of these once: the first one started, why they run again, what is done about their failures. */
  function cellLines(event: LoopEvent, stage: string): string[] {
    const { type, data } = event;
    const isFirst = !untold.has(stage);
    if (type.startsWith('step.') && isFirst) untold.set(stage, '');
    if (type === 'step.started') return isFirst ? [row(stage, 'started')] : [];
    if (type === 'step.retry') {
      const why = `in ${spell(data.pause_ms)}: ${data.reason}`;
      if (data.tier === 'fix' || untold.get(stage) === why) return [];
      untold.set(stage, why);
      return lines(event);
    }
    return /^step\.(?:done|fresh|failed|skipped|interrupted)$/.test(type) ? [] : lines(event);
  }

  /** How the cells of a stage ended, in one line, and why. */
  function tellCells(event: LoopEvent, stage: string): void {
    if (!untold.delete(stage)) return;
    const stageRow = rowsOf(tally).find((one) => one.stage === stage) as Row;
    const isFailed = stageRow.status === 'failed';
    const print = isFailed ? printLoud : out.line;
    print(row(stage, ...ending(stageRow)));
    if (!isFailed) return;
    for (const line of stageRow.failures.flatMap((one) => failure(event, one))) printLoud(line);
    for (const line of otherReasons(stageRow)) printLoud(`    ${line}`);
  }

  function printLoud(line: string): void {
    if (!out.quiet) out.line(line);
    else if (tally.ended?.exit !== 0) out.errorLine(line);
  }

  function lines(event: LoopEvent): string[] {
    const { type, step, data } = event;
    const view = step ? tally.steps.get(step) : undefined;
    switch (type) {
      case 'run.started':
      case 'run.resumed': {
        const verb = type === 'run.resumed' ? 'goes on' : 'begins';
        const simulated = tally.lab === 'simulated' ? [SIMULATED_LINE] : [];
        return [...simulated, `run ${event.run} ${verb}: ${tally.stages.join(' → ')}`];
      }
      case 'notice':
        return [`note: ${data.text}`];
      case 'step.drift':
        return [row(step, 'drifted', data.problems.join('; '))];
      case 'step.started':
        return [row(step, 'started')];
      case 'step.retry':
        // The line of the fix says already why the stage runs again.
        if (data.tier === 'fix') return [];
        return [
          ...failure(event, view?.failure),
          row(event.stage ?? step, 'again', `in ${spell(data.pause_ms)}: ${data.reason}`),
        ];
      case 'failure.decided':
        return decided(event, data.tier, view?.failure);
      case 'safe_mode.on':
        return (fixNews(event, tally) ?? []).slice(1);
      case 'attempt.changed':
        return [row(step, 'changed', `${data.files.join(', ')} (saved: ${data.patch})`)];
      case 'step.done':
      case 'step.fresh':
      case 'step.skipped':
      case 'step.interrupted':
        return [row(step, ...ending(view))];
      default: {
        const news = fixNews(event, tally);
        return news ? [row(event.stage, ...news)] : [];
      }
    }
  }

  function row(step: string | undefined, ...words: string[]): string {
    const width = Math.max(...[...tally.steps.values()].map(({ stage }) => stage.length));
    return [(step ?? '').padEnd(width), ...words.map((w, i) => (i === 0 ? w.padEnd(11) : w))].join('  ').trimEnd();
  }

  /** The failure when it is new, afterwards only what is done about it. */
  function failure({ time }: LoopEvent, view: FailureView | undefined): string[] {
    if (!view) return [];
    const { tier = 'wait' } = view;
    const again = !out.quiet && printed.has(view);
    printed.add(view);
    const decision = tier === 'wait' ? [] : [decisionLine(view)];
    const lines = again ? decision : failureLines(view, Date.parse(time));
    return lines.map((line) => `    ${line}`);
  }

  /** Before anyone is asked. */
  function decided(event: LoopEvent, tier: Tier, view: FailureView | undefined): string[] {
    return tier === 'executor' || tier === 'escalation' ? failure(event, view) : [];
  }

  function evidence(event: LoopEvent<'step.failed'>): string[] {
    const { step, data } = event;
    const view = tally.steps.get(step);
    return [
      row(step, 'failed', ...(view?.took ? [spell(view.took)] : []), data.reason),
      ...(view?.failure ? failure(event, view.failure) : logEnd(data.log ?? view?.log)),
    ];
  }

  /** The end of the log, for a failure without a fingerprint. */
  function logEnd(log: string | undefined): string[] {
    if (log === undefined) return [];
    const tail = readableLines(readTail(`${home}/${log}`, 4096)?.text ?? '').slice(-MAX_TAIL_LINES);
    return [...tail.map((line) => `    | ${cutText(line, MAX_COLUMNS)}`), `    log: ${log}`];
  }
}

function ending(view: StepView | undefined): string[] {
  if (!view) return [];
  if (view.status === 'fresh') return ['green', view.reason ?? ''];
  return [view.status, ...(view.took ? [spell(view.took)] : []), ...(view.reason ? [view.reason] : [])];
}
