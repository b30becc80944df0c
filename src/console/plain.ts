// A run as plain lines, one for each thing that happened: for cron, pipes and CI.
import type { LoopEvent, Subscriber, Tier } from '../events.ts';
import { readTail } from '../io/files.ts';
import type { Output } from '../io/output.ts';
import { decisionLine, type FailureView, failureLines } from './failure-lines.ts';
import { closingLines, fixNews, SIMULATED_LINE } from './run-lines.ts';
import { newTally, note, type StepView } from './tally.ts';
import { readableLines, spell } from './words.ts';

const MAX_TAIL_LINES = 8;

/** With --quiet only what went wrong is printed. `home` is where log paths start. */
export function plainWatcher(out: Output, home: string): Subscriber {
  const tally = newTally();
  /** The latest failures that were printed. */
  const printed = new WeakSet<FailureView>();
  return (event) => {
    note(tally, event);
    for (const line of lines(event)) out.line(line);
    if (event.type === 'step.failed') for (const line of evidence(event)) printLoud(line);
    if (event.type === 'run.ended') for (const line of closingLines(tally)) printLoud(line);
  };

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
        // After a fix nothing: its own line says why the stage runs again.
        if (data.tier === 'fix') return [];
        return [...failure(event, view), row(step, 'again', `in ${spell(data.pause_ms)}: ${data.reason}`)];
      case 'failure.decided':
        return decided(event, data.tier, view);
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
        return news ? [row(step ?? event.stage, ...news)] : [];
      }
    }
  }

  function row(step: string | undefined, ...words: string[]): string {
    const width = Math.max(...[...tally.steps.keys()].map((name) => name.length));
    return [(step ?? '').padEnd(width), ...words.map((w, i) => (i === 0 ? w.padEnd(11) : w))].join('  ').trimEnd();
  }

  /** What failed, once; then only what is done about it. */
  function failure({ time }: LoopEvent, view: StepView | undefined): string[] {
    if (!view?.failure) return [];
    const { tier = 'wait' } = view.failure;
    const again = !out.quiet && printed.has(view.failure);
    printed.add(view.failure);
    const decision = tier === 'wait' ? [] : [decisionLine(view.failure)];
    const lines = again ? decision : failureLines(view.failure, Date.parse(time));
    return lines.map((line) => `    ${line}`);
  }

  /** Before anyone is asked. */
  function decided(event: LoopEvent, tier: Tier, view: StepView | undefined): string[] {
    return tier === 'executor' || tier === 'escalation' ? failure(event, view) : [];
  }

  function evidence(event: LoopEvent<'step.failed'>): string[] {
    const { step, data } = event;
    const view = tally.steps.get(step);
    return [
      row(step, 'failed', ...(view?.took ? [spell(view.took)] : []), data.reason),
      ...(view?.failure ? failure(event, view) : logEnd(data.log ?? view?.log)),
    ];
  }

  /** For a step that failed without an attempt that could be recognised. */
  function logEnd(log: string | undefined): string[] {
    if (log === undefined) return [];
    const tail = readableLines(readTail(`${home}/${log}`, 4096)?.text ?? '').slice(-MAX_TAIL_LINES);
    return [...tail.map((line) => `    | ${line}`), `    log: ${log}`];
  }
}

function ending(view: StepView | undefined): string[] {
  if (!view) return [];
  if (view.status === 'fresh') return ['green', view.reason ?? ''];
  return [view.status, ...(view.took ? [spell(view.took)] : []), ...(view.reason ? [view.reason] : [])];
}
