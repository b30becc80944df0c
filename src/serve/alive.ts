// What a run is doing right now: the steps that run, each with the last line of its log and since when.
import { spell } from '../console/words.ts';
import type { LoopEvent } from '../events.ts';
import { runAtWork } from '../io/lock.ts';
import { readWindow } from '../io/log-window.ts';
import { plainText } from '../io/plain-text.ts';
import { loadStages } from '../journal/load-stages.ts';
import { stepRecords } from '../journal/stages.ts';
import { type Html, html } from '../page/html.ts';
import type { Site } from './site.ts';

export interface Alive {
  readonly step: string;
  readonly since: string;
  readonly line: string;
}

const MAX_LINE = 160;

/** Nothing while no run is at work. */
export function aliveSteps({ layout }: Site): Alive[] {
  if (!runAtWork(layout)?.isRun) return [];
  const { state, latest } = loadStages(layout, { look: true });
  return stepRecords(state)
    .filter(({ record }) => record.status === 'running')
    .map(({ stage, step, record: { run, since, last } }) => {
      // One that ended says nothing of what goes on now.
      const isOn = last?.log?.includes(`/${run}-`) === true && last.outcome === undefined;
      const line = isOn ? lastLine(`${layout.home}/${last.log}`) : lastWords(latest?.events ?? [], stage);
      return { step, since, line };
    });
}

/** What a model was asked last, or what was decided about the failure. */
function lastWords(events: readonly LoopEvent[], stage: string): string {
  const event = events.findLast(
    (each) => each.stage === stage && /^(?:plugin\.said|failure\.decided)$/.test(each.type),
  );
  if (event?.type === 'plugin.said') return `${event.data.plugin}: ${event.data.text}`;
  return event?.type === 'failure.decided' ? event.data.reason : '';
}

function lastLine(log: string): string {
  const text = readWindow(log, {})?.parts.join('') ?? '';
  const line = text.split('\n').findLast((each) => each.trim() !== '') ?? '';
  return plainText(line.trim()).slice(0, MAX_LINE);
}

/** The step's last line and how long it runs; page.js keeps both up to date. */
export const aliveHtml = ({ step, since, line }: Alive): Html =>
  html`<span class="alive" data-alive="${step}" data-since="${since}"><span class="small">running for <span data-elapsed>${spell(Date.now() - Date.parse(since))}</span></span><span class="line mono" data-line>${line}</span></span>`;
