// One fault of a scenario's command, what must hold at once, then the way back, and what must hold in the end.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GitMoment, momentsOf, unsyncedMoves } from './git-moments.ts';
import { broken, brokenAtOnce, exitLies, notAtRest } from './invariants.ts';
import { readyPowerCut } from './power-cut.ts';
import { scenarioOf } from './scenarios.ts';
import { lookAt, type Seen } from './seen.ts';
import type { Ended, Slot, StartOptions } from './slot.ts';

export interface Case {
  id: string;
  run(slot: Slot): Promise<string[]>;
}

/** What one undisturbed run of a scenario does. */
export interface Learned {
  events: string[];
  fsyncs: number;
  ms: number;
  git: GitMoment[];
  /** Calls of git that a power cut would undo while the journal tells of them. */
  unsynced: string[];
}

/** The slot as a scenario begins. */
export const restore = (slot: Slot, name: string) => slot.restore(name, () => scenarioOf(name).make(slot));

/** Throws when even the undisturbed run breaks something. */
export async function learn(slot: Slot, name: string): Promise<Learned> {
  const stats = join(slot.root, 'stats.json');
  const ms = await undisturbed(slot, name, { FAULT_STATS: stats });
  const { events, fsyncs } = JSON.parse(readFileSync(stats, 'utf8'));
  const calls = join(slot.root, 'calls');
  await undisturbed(slot, name, { FAULT_CALLS: calls, FAULT_LOOK: '1' });
  const list = readFileSync(calls, 'utf8');
  return { events, fsyncs, ms, git: momentsOf(list), unsynced: unsyncedMoves(list) };
}

/** How long the command took. */
async function undisturbed(slot: Slot, name: string, env: Record<string, string>): Promise<number> {
  await restore(slot, name);
  const before = lookAt(slot);
  const began = performance.now();
  const ended = await slot.start(scenarioOf(name).victim(slot), { env });
  const ms = Math.round(performance.now() - began);
  const wrong = await setRight(slot, name, [before], ended);
  if (wrong.length > 0) throw new Error(`${name} is broken without any fault:\n${wrong.join('\n')}\n${ended.text}`);
  return ms;
}

/** Runs what sets a scenario right after a fault, and checks everything. */
export async function setRight(
  slot: Slot,
  name: string,
  seen: readonly Seen[],
  hit: Ended,
  options: StartOptions = {},
): Promise<string[]> {
  const { finish, exit, wrong } = scenarioOf(name);
  let last = hit;
  let isRun = false;
  for (const args of finish(slot)) {
    last = await slot.start(args, options);
    isRun = args.length === 0;
  }
  const lines = [...broken(slot, seen, last, isRun), ...notAtRest(slot, seen), ...wrong(slot)];
  if (last.exit !== exit) lines.push(`lie: exit ${last.exit} instead of ${exit}: ${last.text.slice(-500)}`);
  if (isRun) lines.push(...exitLies(slot, last.exit));
  return lines;
}

export interface Hit extends StartOptions {
  /** All processes end, and no file of state has more than was synced. */
  powerCut?: true;
  /** It is no fault if the process ends by itself. */
  mayEnd?: true;
  /** How the commands after it are started. */
  then?: StartOptions;
}

/** One fault of a scenario's command, then the way back. */
export const hit =
  (name: string, { powerCut, mayEnd, then = {}, ...options }: Hit) =>
  async (slot: Slot): Promise<string[]> => {
    await restore(slot, name);
    const before = lookAt(slot);
    const cut = powerCut && readyPowerCut(slot);
    const calls = join(slot.root, 'calls');
    const env = { ...options.env, ...cut?.env, ...(options.env?.FAULT_GIT && { FAULT_CALLS: calls }) };
    const ended = await slot.start(scenarioOf(name).victim(slot), { ...options, env });
    const seen = [before];
    if (cut) {
      // Who saw it end heard what it said of its work.
      if (ended.exit !== null) seen.push(lookAt(slot));
      slot.killMarked();
      cut.powerOff();
    }
    // How often the same is asked of git differs a little.
    const wasClose = existsSync(calls) && /^call\t/m.test(readFileSync(calls, 'utf8'));
    const isHit = ended.exit === null || mayEnd || wasClose;
    const missed = isHit ? [] : ['the campaign is out of date: it ended before the fault'];
    const atOnce = brokenAtOnce(slot, before, scenarioOf(name).lands === true);
    return [...missed, ...atOnce, ...(await setRight(slot, name, [...seen, lookAt(slot)], ended, then))];
  };
