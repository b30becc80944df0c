// A queue as a folder that machines share: entries are put there by one, claimed by many, each by exactly one. Whatever decides is one
// rename, and nothing reads a clock. What is lost on the way, its owner puts again: nothing here is fsynced.
import { randomInt } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldersIn, namesIn } from './files.ts';
import { tempName } from './half-made.ts';
import { entryStat, ifThere, onDisk, privateFolder, readText } from './store.ts';

/** An entry has a name that nobody else's has, of letters, digits, dots and dashes, and begins with a number: low ones are first. */
export interface Entry {
  readonly name: string;
  readonly text: string;
}

/** Claimed by chance among so many: with the first, all workers but one would lose the race. */
const NEXT_ENTRIES = 32;

export type QueueFolder = ReturnType<typeof openQueueFolder>;

/** The queue in `folder`, which `make` makes. Every call throws MendError when the disk refuses. */
export function openQueueFolder(folder: string) {
  const [queue, claimed, bad, signs, drafts] = [
    ...['queue', 'claimed', 'bad', 'signs', 'drafts'].map((part) => join(folder, part)),
  ] as [string, string, string, string, string];
  const lineOf = (key: string) => join(queue, encodeURIComponent(key));
  const write = (path: string, text: string) => {
    const draft = tempName(join(drafts, 'draft'));
    onDisk(path, () => {
      writeFileSync(draft, text, { mode: 0o600 });
      renameSync(draft, path);
    });
  };
  const remove = (path: string) => onDisk(path, () => rmSync(path, { force: true }));

  return {
    /** Makes the folder where it is missing, also when somebody removed it. */
    make(): void {
      for (const path of [queue, claimed, bad, signs, drafts]) privateFolder(path);
    },
    isThere: (): boolean => entryStat(queue) !== undefined,

    /** Puts an entry into the line `key`; once more changes nothing. */
    put(key: string, { name, text }: Entry): void {
      privateFolder(lineOf(key));
      write(join(lineOf(key), name), text);
    },
    remove: (key: string, name: string): void => remove(join(lineOf(key), name)),
    /** The names of all that wait. */
    waiting: (): Set<string> => new Set(foldersIn(queue).flatMap((line) => namesIn(join(queue, line)))),

    /** Takes an entry of a line for `by`, one of the first; undefined when there is none. `text` is undefined for what cannot be read. */
    claim(key: string, by: string): { name: string; text: string | undefined } | undefined {
      const line = lineOf(key);
      const first = namesIn(line)
        .sort((a, b) => numberOf(a) - numberOf(b))
        .slice(0, NEXT_ENTRIES);
      while (first.length > 0) {
        const [name = ''] = first.splice(randomInt(first.length), 1);
        const mine = join(claimed, `${name}~${by}`);
        if (moved(join(line, name), mine)) return { name, text: ifThere(() => readText(mine)) };
      }
      return undefined;
    },
    /** A claimed entry is over, or is not what was put into the queue. */
    end(name: string, by: string, isBad = false): void {
      const mine = join(claimed, `${name}~${by}`);
      if (isBad) moved(mine, join(bad, `${name}~${by}`));
      else remove(mine);
    },
    /** Entries that are not what was put into the queue, and who claimed them. */
    bad: () => namesIn(bad).map((file) => file.split('~') as [name: string, by: string]),

    /** A heartbeat: the text must differ each time. */
    sign: (by: string, text: string): void => write(join(signs, by), text),
    leave: (by: string): void => remove(join(signs, by)),
    signOf: (by: string): string | undefined => ifThere(() => readText(join(signs, by))),
  };
}

const numberOf = (name: string): number => Number(/^\d+/.exec(name)?.[0] ?? 0);

/** Whether this call moved it: of several that try, one succeeds. */
function moved(from: string, to: string): boolean {
  return (
    onDisk(to, () =>
      ifThere(() => {
        renameSync(from, to);
        return true;
      }),
    ) === true
  );
}
