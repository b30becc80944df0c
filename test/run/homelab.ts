// A repository with stages, and real runs of it.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/io/clock.ts';
import { identify } from '../../src/io/identity.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { readEvents } from '../../src/journal/event-file.ts';
import { readLedger } from '../../src/journal/ledger-file.ts';
import { type RunReport, runStages } from '../../src/run/run.ts';
import type { RunRequest } from '../../src/run/select.ts';
import type { RunPorts } from '../../src/stage/run.ts';
import type { LedgerEntry } from '../../src/triage/ledger.ts';
import type { AnyEvent } from '../journal/any-event.ts';
import { commit, repository } from '../worktree/repository.ts';

/** A repository whose map has these stages. */
export function homelab(stages: Record<string, object>, loop: object = {}, files: Record<string, string> = {}): string {
  return repository({ ...configuration(stages, loop), ...files });
}

/** Commits another map. */
export function reconfigure(home: string, stages: Record<string, object>, loop: object = {}): void {
  commit(home, configuration(stages, loop));
}

const configuration = (stages: Record<string, object>, loop: object) => ({
  'ai/context_map.yaml': JSON.stringify({ stages }),
  // No test asks a model that happens to run on this machine; most are about other things than what is asked.
  'ai/loop.yaml': JSON.stringify({ unattended: 'all', executors: ['known-fixes'], escalations: [], ...loop }),
});

export interface Ran extends RunReport {
  /** What was told while it ran. */
  events: AnyEvent[];
  /** `type step` of what happened to steps and stages. */
  trail: string[];
}

/** One run of `home` in this process. */
export async function run(
  home: string,
  request: Partial<RunRequest> = {},
  ports: Partial<RunPorts> = {},
): Promise<Ran> {
  const events: AnyEvent[] = [];
  const { PATH } = process.env;
  const report = await runStages(
    { ...{ home, command: 'test', stages: [], withNeeds: false, forced: false, ai: true, recheck: true }, ...request },
    {
      ...{ clock: systemClock, env: { PATH }, labTools: '/nonexistent', graceMs: 300 },
      signal: new AbortController().signal,
      ...ports,
      subscribers: [(event) => void events.push(event), ...(ports.subscribers ?? [])],
    },
  );
  const trail = events.filter((e) => /^(?:step|stage)\./.test(e.type)).map((e) => `${e.type} ${e.step ?? e.stage}`);
  return { ...report, events, trail };
}

/** Whoever is asked about a fix agrees: new files, among others, are always asked about. */
export const AGREES: Pick<RunPorts, 'person'> = { person: async () => 'apply' };

export const journalIn = (home: string, of: string): AnyEvent[] => readEvents(layoutOf(home).journal(of)).events;

/** How often each stage's command ran: every command of these tests appends its step to this file. */
export const NOTE = 'echo "$MENDLOOP_STEP" >> "$MENDLOOP_HOME/ai/state/ran"';

export function ranSteps(home: string): string[] {
  const path = join(home, 'ai/state/ran');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
}

/** Makes a finished run look as if its process had died right after the event that `last` is true for. */
export function cutOff(home: string, name: string, last: (event: AnyEvent) => boolean): void {
  const layout = layoutOf(home);
  const events = journalIn(home, name);
  const kept = events.slice(0, events.findIndex(last) + 1);
  // The group it journalled is long gone; its number may be anyone's by now.
  const gone = { ...identify(process.pid), start: '1' };
  const lines = kept.map((e) => JSON.stringify(e.data.leader ? { ...e, data: { ...e.data, leader: gone } } : e));
  writeFileSync(layout.journal(name), `${lines.join('\n')}\n`);
  rmSync(layout.runFile(name));
  rmSync(layout.stages);
  // What the journal lost, nobody copied.
  const story = readFileSync(layout.ledgerJournal, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean);
  const copied = story.filter((line) => {
    const event = JSON.parse(line) as AnyEvent;
    return event.run !== name || event.seq <= kept.length;
  });
  writeFileSync(layout.ledgerJournal, copied.map((line) => `${line}\n`).join(''));
  rmSync(layout.ledger, { force: true });
}

/** What the ledger of `home` knows, in the order it was first seen. */
export const failuresIn = (home: string): LedgerEntry[] => Object.values(readLedger(layoutOf(home)).ledger.entries);
