// What the views look at: one home, as it is now. Reads only, and only files of ai/ and of git.
import { basename } from 'node:path';
import type { Stage } from '../config/context-map.ts';
import { MAP_FILE } from '../config/files.ts';
import { parseContextMap } from '../config/parse.ts';
import { type Freshness, readFreshness } from '../inspect/freshness.ts';
import type { Layout } from '../io/layout.ts';
import { runAtWork } from '../io/lock.ts';
import { readText } from '../io/store.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages, recordedStages } from '../journal/load-stages.ts';
import { readSafeMode } from '../mend/safe-mode.ts';
import type { OneTimeValues } from './once.ts';

export interface Site {
  readonly layout: Layout;
  readonly version: string;
  now(): number;
  /** The stages of the context map as it is on disk; empty while it has problems. */
  map(): StageMap;
  /** Whether green is old; looked at once a minute. */
  freshness(): Promise<Freshness>;
  /** It has hands: values for their forms. */
  readonly once?: OneTimeValues;
  /** Told what was done or refused, for whoever started it. */
  readonly log?: (line: string) => void;
}

type StageMap = Readonly<Record<string, Pick<Stage, 'needs' | 'command'>>>;

export const siteOf = (layout: Layout, version: string, hands: Pick<Site, 'once' | 'log'> = {}): Site => ({
  layout,
  version,
  now: Date.now,
  map: mapReader(layout),
  freshness: freshnessReader(layout),
  ...hands,
});

const FRESH_MS = 60_000;

function freshnessReader(layout: Layout): () => Promise<Freshness> {
  let [read, at]: [Promise<Freshness> | undefined, number] = [undefined, 0];
  return () => {
    if (read === undefined || performance.now() - at > FRESH_MS || runAtWork(layout)) {
      [read, at] = [readFreshness(layout, Date.now()), performance.now()];
    }
    return read;
  };
}

/** Parsed only when the file has changed: every request asks for it. */
function mapReader({ home }: Layout): () => StageMap {
  let text: string | undefined;
  let stages: StageMap = {};
  return () => {
    const now = readText(`${home}/${MAP_FILE}`) ?? '';
    if (now !== text) {
      text = now;
      const parsed = parseContextMap(now, MAP_FILE);
      stages = parsed.ok ? parsed.value.stages : {};
    }
    return stages;
  };
}

/** The name of the home's folder. */
export const homeName = ({ layout }: Site): string => basename(layout.home);

/** Stages, ledger and whoever is at work, as `status` reads them. */
export function readState({ layout }: Site) {
  const loaded = loadStages(layout, { look: true });
  const holder = runAtWork(layout);
  const { ledger, notices } = readLedger(layout);
  return {
    loaded,
    ledger,
    names: recordedStages(layout.home, loaded.state),
    atWork: holder?.isRun ? holder : undefined,
    safeMode: readSafeMode(layout),
    notices: [...loaded.notices, ...notices],
  };
}
