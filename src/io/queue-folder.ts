// A queue as a folder that machines share: entries are put there by one, claimed by many, each by exactly one, and reported when they
// are over. Whatever decides is one rename, and nothing reads a clock. What it costs to claim does not grow with the queue.
import { randomInt } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { tempName } from './half-made.ts';
import { ifThere, onDisk, privateFolder, readText } from './store.ts';

/** An entry has a name that nobody else's has, of letters, digits, dots and dashes. */
export interface Entry {
  readonly name: string;
  readonly text: string;
}

/** An entry that is over, by whom it was claimed, and whether it was made or is not what it should be. */
export interface EndedEntry {
  readonly name: string;
  readonly by: string;
  readonly how: 'made' | 'bad';
}

/** So many entries are claimed from one folder: the whole queue in one would be read at each claim. */
const SEGMENT_SIZE = 64;

export type QueueFolder = ReturnType<typeof openQueueFolder>;

/** Opens the queue in `folder`, which is made where it is missing. Every call throws MendError when the disk refuses. */
export function openQueueFolder(folder: string) {
  const [queue, claimed, ended, drafts, signs, cancelled] = [
    ...['queue', 'claimed', 'ended', 'drafts', 'signs', 'cancelled'].map((part) => join(folder, part)),
  ] as [string, string, string, string, string, string];
  for (const path of [queue, claimed, ended, drafts, signs, cancelled]) privateFolder(path);
  /** Where each entry waits that was put or listed here. */
  const waiting = new Map<string, string>();
  /** Of each line, the segments that were there when its list was read, the oldest last. */
  const segments = new Map<string, string[]>();
  const lineOf = (key: string) => join(queue, encodeURIComponent(key));

  return {
    /** Puts entries into the line `key`: all of them are there, and stay there after a power loss, or none is. */
    put(key: string, entries: readonly Entry[]): void {
      const line = lineOf(key);
      privateFolder(line);
      for (let at = 0; at < entries.length; at += SEGMENT_SIZE) {
        const draft = tempName(join(drafts, 'segment'), 'draft');
        const some = entries.slice(at, at + SEGMENT_SIZE);
        onDisk(draft, () => {
          try {
            mkdirSync(draft, { mode: 0o700 });
            for (const { name, text } of some) writeFileSync(join(draft, name), text, { mode: 0o600, flag: 'wx' });
            syncFolder(draft);
          } catch (error) {
            rmSync(draft, { recursive: true, force: true });
            throw error;
          }
        });
        const segment = join(line, nextSegment(line));
        onDisk(segment, () => renameSync(draft, segment));
        for (const { name } of some) waiting.set(name, segment);
      }
      onDisk(line, () => syncFolder(line));
    },

    /** Takes an entry of a line for `by`, the older ones first; undefined when there is none. `text` is undefined for what cannot be read. */
    claim(key: string, by: string): { name: string; text: string | undefined } | undefined {
      for (let isFresh = false; ; ) {
        const listed = segments.get(key) ?? [];
        const segment = listed.at(-1);
        if (segment === undefined && isFresh) return undefined;
        if (segment === undefined) {
          segments.set(key, namesOf(lineOf(key)).sort().reverse());
          isFresh = true;
          continue;
        }
        const path = join(lineOf(key), segment);
        const names = namesOf(path);
        // A random one: with the first, all other workers would lose the race and look again.
        const name = names[randomInt(Math.max(1, names.length))];
        if (name === undefined) {
          removeEmpty(path);
          listed.pop();
          continue;
        }
        const mine = join(claimed, by, name);
        if (moved(join(path, name), mine)) return { name, text: ifThere(() => readText(mine)) };
        // Somebody else was faster, unless its own place is gone: then it can claim nothing any more.
        if (!existsSync(join(claimed, by))) return undefined;
      }
    },

    /** Takes an entry out of the queue again; false when somebody has claimed it. */
    takeBack(name: string): boolean {
      const segment = waiting.get(name);
      waiting.delete(name);
      const taken = segment !== undefined && moved(join(segment, name), join(drafts, name));
      if (taken) rmSync(join(drafts, name), { force: true });
      return taken;
    },

    /** Says that a claimed entry is over. */
    end(name: string, by: string, how: EndedEntry['how']): void {
      onDisk(ended, () => void moved(join(claimed, by, name), join(ended, `${name}~${by}~${how}`)));
      rmSync(join(cancelled, name), { force: true });
    },

    /** Those that are over and not yet removed. */
    ended: (): EndedEntry[] =>
      namesOf(ended).flatMap((file) => {
        const [name, by, how] = file.split('~');
        return name && by && (how === 'made' || how === 'bad') ? [{ name, by, how }] : [];
      }),
    /** Removes an entry that is over. */
    forget(entry: Pick<EndedEntry, 'name' | 'by'> & { how?: EndedEntry['how'] }): void {
      waiting.delete(entry.name);
      if (entry.how) rmSync(join(ended, `${entry.name}~${entry.by}~${entry.how}`), { force: true });
      else rmSync(join(claimed, entry.by, entry.name), { force: true });
      rmSync(join(cancelled, entry.name), { force: true });
    },

    /** Makes or ends the place where `by` has what it claimed. */
    join: (by: string): void => privateFolder(join(claimed, by)),
    leave(by: string): void {
      removeEmpty(join(claimed, by));
      rmSync(join(signs, by), { force: true });
    },
    /** What `by` has claimed. */
    claimedBy: (by: string): string[] => namesOf(join(claimed, by)),
    claimers: (): string[] => namesOf(claimed),

    /** A heartbeat: the text must differ each time. Not fsynced: the next comes soon. */
    sign(by: string, text: string): void {
      const temp = tempName(join(drafts, by));
      onDisk(temp, () => {
        writeFileSync(temp, text, { mode: 0o600 });
        renameSync(temp, join(signs, by));
      });
    },
    signs: (): Map<string, string> =>
      new Map(
        namesOf(signs).flatMap((by) => {
          const text = ifThere(() => readText(join(signs, by)));
          return text === undefined ? [] : [[by, text] as const];
        }),
      ),

    /** Asks whoever has claimed an entry to stop. */
    cancel: (name: string): void => onDisk(cancelled, () => writeFileSync(join(cancelled, name), '')),
    isCancelled: (name: string): boolean => existsSync(join(cancelled, name)),

    /** Every entry that waits, with its line: reads the whole queue. */
    listWaiting(): { key: string; name: string; read(): string | undefined }[] {
      waiting.clear();
      return namesOf(queue).flatMap((line) =>
        namesOf(join(queue, line)).flatMap((segment) =>
          namesOf(join(queue, line, segment)).map((name) => {
            waiting.set(name, join(queue, line, segment));
            const read = () => ifThere(() => readText(join(queue, line, segment, name)));
            return { key: decodeURIComponent(line), name, read };
          }),
        ),
      );
    },
  };
}

const numbers = new Map<string, number>();

/** Numbers that rise, also after those of an earlier process. */
function nextSegment(line: string): string {
  const last = numbers.get(line) ?? Math.max(0, ...namesOf(line).map(Number).filter(Number.isSafeInteger));
  numbers.set(line, last + 1);
  return String(last + 1).padStart(9, '0');
}

/** What is in a folder; nothing where it is gone. */
const namesOf = (folder: string): string[] => onDisk(folder, () => ifThere(() => readdirSync(folder)) ?? []);

/** Whether this call moved it: of several that try, one succeeds. */
function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    // NFS may repeat a rename and answer the repetition with ENOENT.
    return existsSync(to);
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
