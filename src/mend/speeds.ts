// How fast models answered, on disk: the last answers of each model of each host. Lost, it costs nothing but longer waits.
import { dirname } from 'node:path';
import { MendError } from '../errors.ts';
import type { Layout } from '../io/layout.ts';
import { leaveInPlace, ownFolder, quarantine, readChecked, writeAtomic } from '../io/store.ts';
import type { Speed, Speeds } from '../plugin/contract.ts';
import { amount, listOf, mapOf, oneOf, optional, shaped } from '../shape.ts';

const measured = shaped({ tokens: amount, ms: amount });
const speed = shaped({
  read: optional(measured),
  wrote: optional(measured),
  load_ms: optional(amount),
  whole: optional(oneOf([true])),
});
const isFile = shaped({ version: oneOf([1]), models: mapOf(listOf(speed)) });

const MAX_ANSWERS = 10;
const MAX_MODELS = 50;

/**
 * Reads and writes the file at each call: another process may have measured meanwhile. An answer is worth more than its speed:
 * a damaged file is moved aside, and one that cannot be written is left, which `tell` is told.
 */
export function speedsOf({ speeds: path }: Pick<Layout, 'speeds'>, tell: (text: string) => void): Speeds {
  const read = (aside: typeof quarantine) => {
    const file = readChecked(path, isFile, aside);
    if (!file.found && file.quarantined && aside === quarantine)
      tell(`ai/state/speeds.json was damaged: ${file.quarantined}`);
    return (file.found ? file.value.models : {}) as Record<string, readonly Speed[]>;
  };
  const add = (who: string, speed: Speed) => {
    const { [who]: before = [], ...others } = read(quarantine);
    const newest = Object.entries(others).slice(1 - MAX_MODELS);
    const models = Object.fromEntries([...newest, [who, [...before, speed].slice(-MAX_ANSWERS)]]);
    ownFolder(dirname(path));
    writeAtomic(path, `${JSON.stringify({ version: 1, models })}\n`);
  };
  return {
    of: (who) => read(leaveInPlace)[who] ?? [],
    add(who, speed) {
      try {
        add(who, speed);
      } catch (error) {
        if (!(error instanceof MendError)) throw error;
        tell(`how fast ${who} answered is not kept: ${error.message}`);
      }
    },
  };
}
