// What Prometheus is told: one table of measures over stages, ledger and runs. Every sample has the label `home`, so that the files
// of two homes can lie in one folder; the others are names of stages and words of fixed lists. Counters only grow, whatever gc removes.
import { MAP_FILE, stageNames } from '../config/files.ts';
import { FAILURE_CLASSES, FIX_OUTCOMES, type LoopEvent } from '../events.ts';
import type { Layout } from '../io/layout.ts';
import { runAtWork } from '../io/lock.ts';
import { packageVersion } from '../io/package.ts';
import { readText } from '../io/store.ts';
import { readEvents } from '../journal/event-file.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { type LoadedStages, loadStages } from '../journal/load-stages.ts';
import { listRuns } from '../journal/runs.ts';
import { STAGE_STATUSES, type StageRecord, type StageState } from '../journal/stages.ts';
import { readSafeMode } from '../mend/safe-mode.ts';
import type { Ledger } from '../triage/ledger.ts';
import { readFreshness } from './freshness.ts';
import { WAITING, type Waiting, waitsNow } from './waiting.ts';

type RunEnd = LoopEvent<'run.ended' | 'run.left'>;

export interface Measured {
  readonly home: string;
  readonly version: string;
  /** Those that the context map has today. */
  readonly names: readonly string[];
  readonly stages: StageState['stages'];
  readonly ledger: Ledger;
  readonly safeMode: boolean;
  readonly isAtWork: boolean;
  readonly isOld: boolean;
  readonly waiting: readonly Waiting[];
  /** The end of the newest run that ended, or stopped while jobs of it may still run. */
  readonly last: RunEnd | undefined;
}

type Labels = Readonly<Record<string, string>>;
/** `part`: what follows the measure's name, in a summary. */
type Sample = readonly [labels: Labels, value: number, part?: '_sum' | '_count'];
interface Measure {
  readonly type: 'gauge' | 'counter' | 'summary';
  readonly help: string;
  readonly samples: (measured: Measured) => readonly Sample[];
}

const seconds = (time: string): number => Date.parse(time) / 1000;
const entriesOf = ({ ledger }: Measured) => Object.values(ledger.entries);
const single = (value: number | undefined): Sample[] => (value === undefined ? [] : [[{}, value]]);

const recordOf = ({ stages }: Measured, stage: string): StageRecord | undefined =>
  Object.hasOwn(stages, stage) ? stages[stage] : undefined;

/** What `samples` says of each stage that ever had a turn. */
const ofStages =
  (samples: (record: StageRecord) => readonly Sample[]) =>
  (measured: Measured): Sample[] =>
    measured.names.flatMap((stage) => {
      const record = recordOf(measured, stage);
      return record ? samples(record).map(([labels, ...rest]): Sample => [{ stage, ...labels }, ...rest]) : [];
    });

const used = (key: keyof NonNullable<Ledger['total']>) => (measured: Measured) =>
  single(measured.ledger.total?.[key] ?? 0);

const MEASURES: Readonly<Record<string, Measure>> = {
  mendloop_build_info: {
    type: 'gauge',
    help: 'Always 1: the version that says all this.',
    samples: ({ version }) => [[{ version }, 1]],
  },
  mendloop_stage_status: {
    type: 'gauge',
    help: 'Whether a stage is in this state: 1 for the one it is in.',
    samples: (measured) =>
      measured.names.flatMap((stage) => {
        const status = recordOf(measured, stage)?.status ?? 'idle';
        return STAGE_STATUSES.map((state): Sample => [{ stage, status: state }, state === status ? 1 : 0]);
      }),
  },
  mendloop_stage_last_green_timestamp_seconds: {
    type: 'gauge',
    help: 'When a stage was last known to be green: made so, or checked and found so.',
    samples: ofStages((record) => single(lastGreen(record))),
  },
  mendloop_stage_attempt_duration_seconds: {
    type: 'summary',
    help: 'Attempts of a stage that ended, and how long they took with their checks.',
    samples: ofStages(({ total = { attempts: 0, ms: 0 } }) => [
      [{}, total.ms / 1000, '_sum'],
      [{}, total.attempts, '_count'],
    ]),
  },
  mendloop_stage_last_attempt_duration_seconds: {
    type: 'gauge',
    help: 'How long the latest attempt of a stage took.',
    samples: ofStages(({ last }) => single(last?.duration_ms === undefined ? undefined : last.duration_ms / 1000)),
  },
  mendloop_failures_total: {
    type: 'counter',
    help: 'How often attempts failed, by stage and class.',
    samples: (measured) =>
      measured.names.flatMap((stage) => {
        const ofStage = entriesOf(measured).filter((entry) => entry.stage === stage);
        // All classes from the start: Prometheus sees no increase in a series that appears.
        return FAILURE_CLASSES.map((kind): Sample => {
          const seen = ofStage.filter((entry) => entry.class === kind).map(({ times_seen }) => times_seen);
          return [{ stage, class: kind }, seen.reduce((sum, times) => sum + times, 0)];
        });
      }),
  },
  mendloop_fixes: {
    type: 'gauge',
    help: 'Fixes that there have been, by how each stands now.',
    samples: (measured) => {
      const outcomes = entriesOf(measured).flatMap(({ patches }) => patches.map(({ outcome }) => outcome));
      return FIX_OUTCOMES.map((outcome): Sample => [{ outcome }, outcomes.filter((each) => each === outcome).length]);
    },
  },
  mendloop_asks_open: {
    type: 'gauge',
    help: 'Fixes that wait for the word of a person.',
    samples: (measured) => single(entriesOf(measured).filter(({ suggestion }) => suggestion).length),
  },
  mendloop_cases_open: {
    type: 'gauge',
    help: 'Cases that wait for a person; those with a fix in them count as asks, too.',
    samples: (measured) => single(entriesOf(measured).filter((entry) => entry.case !== undefined).length),
  },
  mendloop_waiting: {
    type: 'gauge',
    help: 'What waits for its owner, by kind: what status, report and page say, too.',
    samples: ({ waiting }) =>
      WAITING.filter((what) => what !== 'item').map((what): Sample => {
        return [{ what: what.replace(' ', '_') }, waiting.filter((one) => one.what === what).length];
      }),
  },
  mendloop_runs_overdue: {
    type: 'gauge',
    help: 'Whether no run began lately though one was due: what is green may be old.',
    samples: ({ isOld }) => single(isOld ? 1 : 0),
  },
  mendloop_safe_mode: {
    type: 'gauge',
    help: 'Whether safe mode is on.',
    samples: ({ safeMode }) => single(safeMode ? 1 : 0),
  },
  mendloop_tries_total: { type: 'counter', help: 'Tries of executors to mend a failure.', samples: used('tries') },
  mendloop_model_prompts_total: { type: 'counter', help: 'Prompts that models answered.', samples: used('prompts') },
  mendloop_model_tokens_total: { type: 'counter', help: 'Tokens that models used.', samples: used('tokens') },
  mendloop_model_cost_dollars_total: {
    type: 'counter',
    help: 'What models cost, as far as they tell, in US dollars.',
    samples: used('dollars'),
  },
  mendloop_run_in_progress: {
    type: 'gauge',
    help: 'Whether a run is at work.',
    samples: ({ isAtWork }) => single(isAtWork ? 1 : 0),
  },
  mendloop_last_run_timestamp_seconds: {
    type: 'gauge',
    help: 'When the newest run that is over ended.',
    samples: ({ last }) => single(last && seconds(last.time)),
  },
  mendloop_last_run_duration_seconds: {
    type: 'gauge',
    help: 'How long it took.',
    samples: ({ last }) => single(last?.data.duration_ms === undefined ? undefined : last.data.duration_ms / 1000),
  },
  mendloop_last_run_exit_code: {
    type: 'gauge',
    help: 'Its exit code: 0 all green, 1 failed, 3 a person is needed.',
    samples: ({ last }) => single(last?.data.exit),
  },
};

/** Of a matrix, the oldest green of its cells. Records of earlier versions only have when it turned green. */
function lastGreen({ cells, ...stage }: StageRecord): number | undefined {
  const times = Object.values(cells ?? { stage }).map(
    ({ green_at, status, since }) => green_at ?? (status === 'green' ? since : undefined),
  );
  return times.every((time) => time !== undefined) ? Math.min(...times.map(seconds)) : undefined;
}

/** In the text format of Prometheus, every measure with what it means. */
export function metricsText(measured: Measured): string {
  const { home } = measured;
  const lines = Object.entries(MEASURES).flatMap(([name, { type, help, samples }]) => {
    const rows = samples(measured).map(
      ([labels, value, part = '']) => `${name}${part}${labelText({ home, ...labels })} ${value}`,
    );
    return rows.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...rows];
  });
  return `${lines.join('\n')}\n`;
}

function labelText(labels: Labels): string {
  const escaped = (value: string) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')}}`;
}

/** Everything that is measured, as Prometheus reads it. Reads only; works beside a run. */
export async function metricsOf(layout: Layout): Promise<string> {
  const { isOld } = await readFreshness(layout, Date.now());
  const loaded = loadStages(layout, { look: true });
  const { stages } = loaded.state;
  const { ledger } = readLedger(layout);
  const { names: mapped } = stageNames(readText(`${layout.home}/${MAP_FILE}`) ?? '');
  return metricsText({
    home: layout.home,
    version: packageVersion(),
    // Without stages that are no longer in the map: they would stay failed for ever.
    names: mapped.length > 0 ? mapped : Object.keys(stages),
    stages,
    ledger,
    isOld,
    waiting: waitsNow(layout, { loaded, ledger }),
    safeMode: readSafeMode(layout) !== undefined,
    isAtWork: runAtWork(layout)?.isRun === true,
    last: lastEnd(layout, loaded),
  });
}

/** Searches backwards: the newest runs may be at work, cut off, or never have begun. */
const MAX_LOOKED_AT = 20;

function lastEnd(layout: Layout, { latest }: LoadedStages): RunEnd | undefined {
  const endOf = (events: readonly LoopEvent[] = []) =>
    events.findLast((event) => event.type === 'run.ended' || event.type === 'run.left');
  const newest = endOf(latest?.events);
  if (newest) return newest;
  for (const id of listRuns(layout).slice(-MAX_LOOKED_AT).reverse()) {
    const end = endOf(readEvents(layout.journal(id)).events);
    if (end) return end;
  }
  return undefined;
}
