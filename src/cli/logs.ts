// `mendloop logs <stage> [-f]`: the latest log of a stage, or one by run and attempt.
import { dirname, join } from 'node:path';
import { fail, failUsage } from '../errors.ts';
import { systemClock } from '../io/clock.ts';
import { changedAt, fileFacts, filesBelow, foldersIn, namesIn } from '../io/files.ts';
import { runAtWork } from '../io/lock.ts';
import { lastLinesAt, printLog } from '../io/log.ts';
import { loadStages, recordedStages } from '../journal/load-stages.ts';
import { isReset, recordOf, stepMeant } from '../journal/stages.ts';
import { splitStepName } from '../plan/matrix.ts';
import { requireStages } from '../stage/unknown-stage.ts';
import type { Answer, CommandInput } from './command.ts';
import { numberOption } from './run-options.ts';
import { runsCalled } from './runs.ts';

/** Logs that are named when the one asked for is not there. */
const MAX_LISTED = 10;

export async function run({ words, options, out, home, layout }: CommandInput): Promise<Answer | number> {
  const [word] = words;
  if (word === undefined || words.length > 1) failUsage('logs needs one stage', 'mendloop logs <stage>');
  const lines = numberOption(options, 'lines', 'for example: mendloop logs <stage> -n 20');
  const logged = foldersIn(join(layout().logs, splitStepName(word).stage));
  const { state: known } = loadStages(layout(), { look: true });
  const step = cellShown(stepMeant(known, word, logged));
  const path = logPath(step);
  if (options.path || out.json) return { text: path, json: { step, path }, forScripts: true };
  const plain = process.stdout.isTTY === true && !options.raw;
  const from = lines === undefined ? 0 : lastLinesAt(path, lines);
  await printLog(path, systemClock, { plain, from, ...(options.follow && { more: isRunning }) });
  return 0;

  /** Of a stage with a matrix a cell that failed, if one did: a stage has no log of its own. */
  function cellShown(name: string): string {
    const cells = Object.entries(known.stages[name]?.cells ?? {});
    const [cell] = cells.find(([, { status }]) => status === 'failed' || status === 'give_up') ?? [];
    if (cell === undefined || options.run || options.attempt) return name;
    out.errorLine(`note: this is the log of ${name}[${cell}], which failed`);
    return `${name}[${cell}]`;
  }

  function logPath(name: string): string {
    const { state } = loadStages(layout(), { look: true });
    const { stage, cell } = splitStepName(name);
    requireStages([stage], recordedStages(home(), state));
    const record = recordOf(state, name);
    const run = options.run === undefined ? undefined : runMeant(String(options.run), stage, cell);
    const attempt = attemptOption();
    const last = record?.last?.log ? join(home(), record.last.log) : logBeforeReset(stage, cell);
    if (last && !run && !attempt && isReset(state, stage))
      out.errorLine(`note: ${stage} was reset; this is its last log`);
    const wanted =
      run || attempt
        ? layout().log(stage, cell, run ?? String(record?.run), attempt ?? lastAttempt(stage, cell, String(run)))
        : last;
    if (!wanted || !fileFacts(wanted)) {
      const others = choices(stage, cell);
      fail('E_NO_LOG', { step: name, path: wanted ?? '', others: others.length }, others);
    }
    return wanted;
  }

  /** The only run of that name with a log of this step; else what was typed. */
  function runMeant(name: string, stage: string, cell: string): string {
    const runs = [...new Set(logsOf(stage, cell).map(({ run }) => run))].sort();
    const [run = name, ...more] = runsCalled(runs, name);
    return more.length > 0 ? name : run;
  }

  function attemptOption(): number | 'verify' | undefined {
    return options.attempt === 'verify' ? 'verify' : numberOption(options, 'attempt', 'for example: --attempt 1');
  }

  function lastAttempt(stage: string, cell: string, run: string): number | 'verify' {
    const attempts = logsOf(stage, cell).flatMap((log) => (log.run === run ? log.attempt : []));
    const numbers = attempts.map(Number).filter((one) => one > 0);
    return numbers.length > 0 || attempts.length === 0 ? Math.max(1, ...numbers) : 'verify';
  }

  /** The newest log of a step that the state knows nothing of any more. */
  function logBeforeReset(stage: string, cell: string): string | undefined {
    const logs = filesBelow(dirname(layout().log(stage, cell, '', 1))).flatMap((path) => {
      const [, run] = /(\d{8}-\d{6}-\w+)-\d+\.log$/.exec(path) ?? [];
      return run === undefined ? [] : [{ path, run, time: changedAt(path) }];
    });
    return logs.sort((a, b) => a.run.localeCompare(b.run) || a.time - b.time).at(-1)?.path;
  }

  function logsOf(stage: string, cell: string): { run: string; attempt: string }[] {
    const names = namesIn(dirname(layout().log(stage, cell, '', 1)));
    return names.flatMap((file) => {
      const [, run, attempt] = /^(\d{8}-\d{6}-\w+)-(\w+)\.log$/.exec(file) ?? [];
      return run && attempt ? { run, attempt } : [];
    });
  }

  /** What there is to choose from, newest first. */
  function choices(stage: string, cell: string): string[] {
    const lines = logsOf(stage, cell).map(({ run, attempt }) => `--run ${run} --attempt ${attempt}`);
    const more = lines.length - MAX_LISTED;
    return [...lines.reverse().slice(0, MAX_LISTED), ...(more > 0 ? [`and ${more} older`] : [])];
  }

  // A run that was killed leaves the step at running: somebody must be there to end it.
  function isRunning(): boolean {
    if (!runAtWork(layout())?.isRun) return false;
    return recordOf(loadStages(layout(), { look: true }).state, step)?.status === 'running';
  }
}
