// A run as plain lines, one for each thing that happened: for cron, pipes and CI.
import type { LoopEvent, Subscriber } from '../events.ts';
import { readTail } from '../io/files.ts';
import type { Output } from '../io/output.ts';
import { closingLines } from './closing.ts';
import { decisionLine, failureLines } from './failure-lines.ts';
import { fixLine } from './fix-lines.ts';
import { newTally, note, type StepView } from './tally.ts';
import { readableLines, spell } from './words.ts';

export const SIMULATED_LINE = 'SIMULATED LAB: qm, talosctl, kubectl and flux are stand-ins; no real machine is touched';

/** With --quiet only what went wrong is printed. `home` is where log paths start. */
export function plainWatcher(out: Output, home: string): Subscriber {
  const tally = newTally();
  /** Step → the attempt whose failure was told. */
  const told = new Map<string, number | undefined>();
  return (event) => {
    note(tally, event);
    for (const line of lines(event)) out.line(line);
    if (event.type === 'step.failed') for (const line of evidence(event)) say(line);
    if (event.type === 'run.ended') for (const line of closingLines(tally)) say(line);
  };

  function say(line: string): void {
    if (!out.quiet) out.line(line);
    else if (tally.ended?.exit !== 0) out.errorLine(line);
  }

  function lines(event: LoopEvent): string[] {
    const view = event.step ? tally.steps.get(event.step) : undefined;
    switch (event.type) {
      case 'run.started':
      case 'run.resumed': {
        const verb = event.type === 'run.resumed' ? 'goes on' : 'begins';
        const simulated = tally.lab === 'simulated' ? [SIMULATED_LINE] : [];
        return [...simulated, `run ${event.run} ${verb}: ${tally.stages.join(' → ')}`];
      }
      case 'notice':
        return [`note: ${event.data.text}`];
      case 'step.drift':
        return [row(event.step, 'drifted', (event.data.problems as string[]).join('; '))];
      case 'step.started':
        return [row(event.step, 'started')];
      case 'step.retry':
        return again(event, view);
      case 'failure.decided':
        return mended(event, view);
      case 'safe_mode.on':
        return (fixLine(event.type, event.data) ?? []).slice(1);
      case 'fix.committed':
      case 'fix.refused':
      case 'fix.suggested':
      case 'fix.declined':
      case 'fix.judged':
      case 'fix.reverted':
      case 'plugin.said':
      case 'plugin.passed':
      case 'plugin.failed':
      case 'prompt.saved':
      case 'case.opened':
      case 'case.closed':
        return [row(event.step, ...(fixLine(event.type, event.data) ?? []))];
      case 'attempt.changed':
        return [
          row(event.step, 'changed', `${(event.data.files as string[]).join(', ')} (saved: ${event.data.patch})`),
        ];
      case 'step.done':
      case 'step.fresh':
      case 'step.skipped':
      case 'step.interrupted':
        return [row(event.step, ...ending(view))];
      default:
        return [];
    }
  }

  function row(step: string | undefined, ...words: string[]): string {
    const width = Math.max(...[...tally.steps.keys()].map((name) => name.length));
    return [(step ?? '').padEnd(width), ...words.map((w, i) => (i === 0 ? w.padEnd(11) : w))].join('  ').trimEnd();
  }

  function failure(event: LoopEvent, view: StepView | undefined): string[] {
    return view?.failure ? failureLines(view.failure, Date.parse(event.time)).map((line) => `    ${line}`) : [];
  }

  /** Before anyone is asked: what failed, once; then only what is done about it. */
  function mended(event: LoopEvent, view: StepView | undefined): string[] {
    if (event.data.tier !== 'executor' && event.data.tier !== 'escalation') return [];
    const known = told.get(event.step ?? '') === event.attempt;
    told.set(event.step ?? '', event.attempt);
    return known && view?.failure ? [`    ${decisionLine(view.failure)}`] : failure(event, view);
  }

  /** A fix said already why the stage runs again. */
  function again(event: LoopEvent, view: StepView | undefined): string[] {
    const { pause_ms, reason, tier } = event.data;
    if (tier === 'fix') return [];
    return [...failure(event, view), row(event.step, 'again', `in ${spell(Number(pause_ms))}: ${reason}`)];
  }

  function evidence(event: LoopEvent): string[] {
    const view = tally.steps.get(event.step ?? '');
    const told = view?.failure
      ? failureLines(view.failure, Date.parse(event.time))
      : logEnd(event.data.log ?? view?.log);
    return [
      row(event.step, 'failed', ...(view?.took ? [spell(view.took)] : []), String(event.data.reason)),
      ...told.map((line) => `    ${line}`),
    ];
  }

  /** For a step that failed without an attempt that could be recognised. */
  function logEnd(log: unknown): string[] {
    if (typeof log !== 'string') return [];
    return [...tail(`${home}/${log}`).map((line) => `| ${line}`), `log: ${log}`];
  }
}

function ending(view: StepView | undefined): string[] {
  if (!view) return [];
  const took = view.took ? [spell(view.took)] : [];
  return view.status === 'fresh'
    ? ['green', 'still holds']
    : [view.status, ...took, ...(view.reason ? [view.reason] : [])];
}

const TAIL_LINES = 8;

function tail(log: string): string[] {
  return readableLines(readTail(log, 4096)?.text ?? '').slice(-TAIL_LINES);
}
