// What can be known of a slot from outside: commits, journals, the ledger, cases, and both sides' files in git.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyEvent } from '../journal/any-event.ts';
import { type OwnerSide, ownerSide, treeOf } from './owner.ts';
import type { Slot } from './slot.ts';

export const AI = 'ai/orchestrator-stage1';

export interface Seen {
  commits: Set<string>;
  owner: OwnerSide;
  /** Path → mode and id of the AI branch; empty where there is none. */
  branch: Map<string, string>;
  /** Path → whole lines. */
  journals: Map<string, string[]>;
  /** `stage/fingerprint` → times seen. */
  failures: Map<string, number>;
  cases: string[];
}

/** What is known now, and must be known for ever. */
export function lookAt(slot: Slot): Seen {
  const { home, inHome } = slot;
  const ledger = parsed(join(home, 'ai/state/ledger.json')) as { entries?: Record<string, { times_seen: number }> };
  return {
    commits: new Set(inHome('rev-list', '--all').split('\n')),
    owner: ownerSide(slot),
    branch: treeOf(inHome, AI),
    journals: new Map(journalsOf(home).map((path) => [path, wholeLines(path)])),
    failures: new Map(Object.entries(ledger?.entries ?? {}).map(([key, { times_seen }]) => [key, times_seen])),
    // What was only half written, a start sweeps.
    cases: namesIn(join(home, 'ai/escalations')).filter((name) => !name.endsWith('.tmp')),
  };
}

/** `start <run> <step> <attempt>`, by the stages themselves. */
export const attemptsIn = (side: string): string[] =>
  (read(join(side, 'trace')) ?? '').split('\n').filter((line) => line.startsWith('start '));

export const eventsOf = ({ journals }: Seen): AnyEvent[] =>
  [...journals.values()].flat().flatMap((line) => {
    const event = parsedText(line) as AnyEvent | undefined;
    return typeof event?.type === 'string' && event.data ? [event] : [];
  });

function journalsOf(home: string): string[] {
  const runs = namesIn(join(home, 'ai/state/runs')).map((run) => join(home, 'ai/state/runs', run, 'events.jsonl'));
  const actions = namesIn(join(home, 'ai/state/actions')).map((name) => join(home, 'ai/state/actions', name));
  return [...runs, ...actions.filter((path) => path.endsWith('.jsonl'))].filter((path) => existsSync(path));
}

const wholeLines = (path: string): string[] => (read(path) ?? '').split('\n').slice(0, -1);
export const namesIn = (path: string): string[] =>
  existsSync(path)
    ? readdirSync(path)
        .filter((name) => name !== '.gitignore')
        .sort()
    : [];

/** Undefined where nothing can be read. */
export function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

export const parsed = (path: string): unknown => parsedText(read(path) ?? '');

function parsedText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
