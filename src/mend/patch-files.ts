// Every patch that passed the gate, stored below ai/patches by its hash: as a diff for people, and as exact texts, to be applied
// again. An executable bit or line ends are only in the second.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isNote } from '../events.ts';
import type { Edit, Note } from '../fix/edit.ts';
import type { Layout } from '../io/layout.ts';
import { parseJson, readText, writeAtomic } from '../io/store.ts';
import type { Change } from '../plugin/contract.ts';
import { type Checked, flag, listOf, oneOf, optional, orNull, shaped, text } from '../shape.ts';

type TextSource = { text(path: string): Promise<string | undefined> };

/** `before` is the sha256 of the text it was made for; null: there was no such file. */
const isFile = shaped({ path: text, before: orNull(text), after: text, executable: optional(flag) });
const isPatch = shaped({ version: oneOf([1]), note: isNote, files: listOf(isFile) });
type StoredPatch = Checked<typeof isPatch>;

const RETURNED: Note = { fix: 'put back a fix that was taken back unjudged', reason: 'its failure is back' };

const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex');

export function patchFiles({ patches }: Layout) {
  const file = (hash: string, kind: string) => join(patches, `${hash}.fix.${kind}`);
  const diffOf = (hash: string) => readText(file(hash, 'diff'));
  const storedPatch = (hash: string): StoredPatch | undefined => {
    const value = parseJson(readText(file(hash, 'json')) ?? '');
    return isPatch(value) ? value : undefined;
  };
  return {
    diffOf,
    /** Where its diff is, for people. */
    pathOf: (hash: string) => file(hash, 'diff'),
    /** Throws MendError when the disk refuses. */
    write(hash: string, files: readonly Edit[], diff: string, { fix, reason }: Note): void {
      const stored: StoredPatch = {
        version: 1,
        note: { fix, reason },
        files: files.map(({ path, before, after, executable }) => ({
          path,
          before: before === null ? null : sha256(before),
          after,
          ...(executable && { executable }),
        })),
      };
      writeAtomic(file(hash, 'diff'), diff);
      writeAtomic(file(hash, 'json'), `${JSON.stringify(stored)}\n`);
    },
    /** Path → the text it makes there; empty when the patch is not stored any more. */
    textsOf(hash: string): ReadonlyMap<string, string> {
      return new Map(storedPatch(hash)?.files.map(({ path, after }) => [path, after]));
    },
    /** The exact texts where the files are what they were then, else the diff. */
    async proposalOf(hash: string, files: TextSource): Promise<Change | undefined> {
      const stored = storedPatch(hash);
      if (stored && (await isAsThen(stored, files))) return exactChange(stored);
      const diff = diffOf(hash);
      return diff ? { answer: diff, note: stored?.note ?? RETURNED } : undefined;
    },
  };
}

async function isAsThen({ files }: StoredPatch, source: TextSource): Promise<boolean> {
  for (const { path, before } of files) {
    const now = await source.text(path);
    if ((now === undefined ? null : sha256(now)) !== before) return false;
  }
  return true;
}

function exactChange({ files, note }: StoredPatch): Change {
  const executable = files.filter((file) => file.executable).map(({ path }) => path);
  const texts = Object.fromEntries(files.map(({ path, after }) => [path, after]));
  return { files: texts, ...(executable.length > 0 && { executable }), note };
}
