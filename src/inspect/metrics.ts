// What Prometheus is told: one table of measures over stages, ledger and the newest run. Counters count since the first run.
import type { LoopEvent } from '../events.ts';
import type { StageState } from '../journal/stages.ts';
import type { DayUsage, Ledger } from '../triage/ledger.ts';

export interface Measured {
  readonly stages: StageState['stages'];
  readonly ledger: Ledger;
  readonly used: DayUsage;
  readonly safeMode: boolean;
  /** The end of the newest run that ended. */
  readonly last: LoopEvent<'run.ended'> | undefined;
}

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];
interface Measure {
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly samples: (measured: Measured) => readonly Sample[];
}

const STATES = ['idle', 'running', 'green', 'failed', 'give_up', 'skipped'] as const;
const seconds = (time: string): number => Date.parse(time) / 1000;
const entriesOf = ({ ledger }: Measured) => Object.values(ledger.entries);

/** How often each key comes, as samples with that label. */
function counts(label: string, keys: readonly string[]): Sample[] {
  const totals = new Map<string, number>();
  for (const key of keys) totals.set(key, (totals.get(key) ?? 0) + 1);
  return [...totals].map(([key, value]) => [{ [label]: key }, value]);
}

const MEASURES: Readonly<Record<string, Measure>> = {
  mendloop_stage_status: {
    type: 'gauge',
    help: 'Whether a stage is in this state.',
    samples: ({ stages }) =>
      Object.entries(stages).flatMap(([stage, { status }]) =>
        STATES.map((state): Sample => [{ stage, status: state }, state === status ? 1 : 0]),
      ),
  },
  mendloop_stage_last_green_timestamp_seconds: {
    type: 'gauge',
    help: 'When a stage that is green turned so.',
    samples: ({ stages }) =>
      Object.entries(stages).flatMap(([stage, { status, since }]): Sample[] =>
        status === 'green' && since ? [[{ stage }, seconds(since)]] : [],
      ),
  },
  mendloop_failures_seen_total: {
    type: 'counter',
    help: 'Failures that were seen, by stage and class.',
    samples: (measured) => {
      const totals = new Map<string, [Labels, number]>();
      for (const { stage, class: kind, times_seen } of entriesOf(measured)) {
        const [labels, value] = totals.get(`${stage}/${kind}`) ?? [{ stage, class: kind }, 0];
        totals.set(`${stage}/${kind}`, [labels, value + times_seen]);
      }
      return [...totals.values()];
    },
  },
  mendloop_fixes: {
    type: 'gauge',
    help: 'Fixes that were tried, by what became of them.',
    samples: (measured) =>
      counts(
        'outcome',
        entriesOf(measured).flatMap(({ patches }) => patches.map((one) => one.outcome)),
      ),
  },
  mendloop_cases_open: {
    type: 'gauge',
    help: 'Cases that wait for a person.',
    samples: (measured) => [[{}, entriesOf(measured).filter((entry) => entry.case !== undefined).length]],
  },
  mendloop_safe_mode: {
    type: 'gauge',
    help: 'Whether safe mode is on.',
    samples: ({ safeMode }) => [[{}, safeMode ? 1 : 0]],
  },
  mendloop_day_tries: {
    type: 'gauge',
    help: 'Tries of executors today (UTC).',
    samples: ({ used }) => [[{}, used.tries]],
  },
  mendloop_day_tokens: {
    type: 'gauge',
    help: 'Tokens that models used today (UTC).',
    samples: ({ used }) => [[{}, used.tokens]],
  },
  mendloop_last_run_timestamp_seconds: {
    type: 'gauge',
    help: 'When the newest run ended.',
    samples: ({ last }) => (last ? [[{}, seconds(last.time)]] : []),
  },
  mendloop_last_run_duration_seconds: {
    type: 'gauge',
    help: 'How long it took.',
    samples: ({ last }) => (last?.data.duration_ms === undefined ? [] : [[{}, last.data.duration_ms / 1000]]),
  },
  mendloop_last_run_exit_code: {
    type: 'gauge',
    help: 'Its exit code: 0 all green, 1 failed, 3 a person is needed.',
    samples: ({ last }) => (last?.data.exit === undefined ? [] : [[{}, last.data.exit]]),
  },
};

/** In the text format of Prometheus, every measure with what it means. */
export function metricsText(measured: Measured): string {
  const lines = Object.entries(MEASURES).flatMap(([name, { type, help, samples }]) => {
    const rows = samples(measured).map(([labels, value]) => `${name}${labelText(labels)} ${value}`);
    return rows.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...rows];
  });
  return `${lines.join('\n')}\n`;
}

function labelText(labels: Labels): string {
  const escaped = (value: string) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
