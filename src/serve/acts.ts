// What the page can do, one row an action: what it acts on as it is now, what it does, and where its answer is shown.

import { systemClock } from '../io/clock.ts';
import type { Layout } from '../io/layout.ts';
import { loadStages } from '../journal/load-stages.ts';
import { listRuns } from '../journal/runs.ts';
import { recordOf, type StageRecord } from '../journal/stages.ts';
import { openCaseStore } from '../mend/case-store.ts';
import { clearSafeMode, readSafeMode, setSafeMode } from '../mend/safe-mode.ts';
import type { CaseSummary } from '../outbound/case-summary.ts';
import { acceptPromotion, showPromotion } from '../promote/promote.ts';
import type { Story } from '../promote/story.ts';
import { stagesToRun, takeWord, type Word } from '../run/answer-case.ts';
import { baseOf } from '../stage/configuration.ts';
import { short } from '../worktree/messages.ts';
import { href, type Params } from './frame.ts';
import type { Site } from './site.ts';
import { startRun } from './start-run.ts';

export interface Act {
  /** What it acts on, as text that differs when that does; undefined: it is not there any more. */
  shown(site: Site, params: Params): string | undefined | Promise<string | undefined>;
  /** What happened, in a sentence. `shown`: what it was agreed to. Throws MendError. */
  act(site: Site, params: Params, shown: string): Promise<string>;
  /** Where that is told. */
  back(params: Params): string;
  /** The page that shows what it acts on. */
  page(params: Params): string;
}

const GRACE_MS = 5000;
const ports = () => ({ clock: systemClock, env: process.env, graceMs: GRACE_MS });
const toNow = () => '/';

export const caseShown = ({ state, patch = '' }: CaseSummary): string => `${state} ${patch}`;
export const stageShown = (record: StageRecord | undefined): string =>
  record ? `${record.status} ${record.since}` : 'never run';
export const runsShown = ({ layout }: Site): string => listRuns(layout).at(-1) ?? 'none';
export const storyShown = ({ tip, base_commit }: Story): string => `${tip} on ${base_commit}`;
export const safeModeShown = ({ layout }: Site): string => readSafeMode(layout)?.since ?? 'off';

export const storyOf = async ({ layout: { home } }: Site): Promise<Story> =>
  showPromotion(home, await baseOf(home), true);

/** Takes a person's word, and starts the stage of an accepted change. What happened, in a sentence. */
export async function takeAndRun(layout: Layout, word: Omit<Word, 'home' | 'command'>): Promise<string> {
  const { case: name, what } = word;
  const taken = await takeWord({ ...word, home: layout.home, command: `mendloop cases ${what} ${name}` }, ports());
  const { stage, fix = `the case ${name}`, left } = taken;
  if (what === 'decline') return `Declined: ${fix}. ${left ? 'The run at work' : 'The next run'} goes on without it`;
  if (left) return `Taken: ${fix}. A run is at work: it tries this before it ends`;
  const stages = await stagesToRun(layout.home, [taken], ports());
  if (stages.length === 0) return `Taken: ${fix}. mendloop backlog run goes on with ${stage}`;
  return `Taken: ${fix}. ${await startRun(layout, [...stages, '--with-needs'])}`;
}

const ofCase = (what: 'accept' | 'decline'): Act => ({
  shown: (site, { name = '' }) => {
    const summary = summaryOf(site, name);
    return summary && caseShown(summary);
  },
  act({ layout }, { name = '' }, shown) {
    const [, patch] = shown.split(' ');
    return takeAndRun(layout, { case: name, what, patch: patch || undefined, at: 'page' });
  },
  back: toNow,
  page: ({ name = '' }) => href('cases', name),
});

function summaryOf({ layout }: Site, name: string): CaseSummary | undefined {
  const listed = openCaseStore(layout).read(name);
  return listed && 'summary' in listed ? listed.summary : undefined;
}

const ofStage = (words: (stage: string) => readonly string[]): Act => ({
  shown: (site, { stage = '' }) =>
    Object.hasOwn(site.map(), stage)
      ? stageShown(recordOf(loadStages(site.layout, { look: true }).state, stage))
      : undefined,
  act: ({ layout }, { stage = '' }) => startRun(layout, words(stage)),
  back: toNow,
  page: ({ stage = '' }) => href('stages', stage),
});

const safeMode = (on: boolean): Act => ({
  shown: safeModeShown,
  async act({ layout, now }) {
    const since = new Date(now()).toISOString();
    if (on) setSafeMode(layout, { since, by: 'hand', why: 'a person said so on the page' });
    else clearSafeMode(layout);
    return on ? 'Safe mode is on: stages run, and the AI changes nothing' : 'Safe mode is off';
  },
  back: toNow,
  page: toNow,
});

export const ACTS: Readonly<Record<string, Act>> = {
  '/cases/:name/accept': ofCase('accept'),
  '/cases/:name/decline': ofCase('decline'),
  '/stages/:stage/run': ofStage((stage) => [stage, '--with-needs']),
  '/stages/:stage/retry': ofStage((stage) => ['retry', stage]),
  '/run': { shown: runsShown, act: ({ layout }) => startRun(layout, ['all']), back: toNow, page: toNow },
  '/promote': {
    shown: async (site) => storyShown(await storyOf(site)),
    async act({ layout: { home } }, _, shown) {
      const [tip = ''] = shown.split(' ');
      const request = { home, command: 'mendloop promote --accept', env: process.env, dryRun: false };
      const { story, landed, notices } = await acceptPromotion(request, tip, ports());
      return [`Landed on ${story.base}: ${short(landed ?? tip)}`, ...notices].join('. ');
    },
    back: () => '/fixes',
    page: () => '/promote',
  },
  '/safe-mode/on': safeMode(true),
  '/safe-mode/off': safeMode(false),
};
