// Every patch that was sound once, kept below ai/patches by its hash: as a diff for people, and exactly, for the day it comes
// back. What a diff cannot say (an executable bit, line ends) is in the second.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Edit, Note } from '../fix/edit.ts';
import type { Layout } from '../io/layout.ts';
import { readText, writeAtomic } from '../io/store.ts';
import type { Change } from '../plugin/contract.ts';

export interface PatchFiles {
  /** Throws MendError when the disk refuses. */
  write(hash: string, files: readonly Edit[], diff: string, note: Note): void;
  diffOf(hash: string): string | undefined;
  /** The exact texts where the files are what they were then, else the diff. */
  proposalOf(hash: string, files: { text(path: string): Promise<string | undefined> }): Promise<Change | undefined>;
}

interface KeptFile {
  path: string;
  /** sha256 of the text it was made for; null: there was no such file. */
  before: string | null;
  after: string;
  executable?: true;
}

interface KeptPatch {
  version: 1;
  note: Note;
  files: KeptFile[];
}

export function patchFiles({ patches }: Layout): PatchFiles {
  const file = (hash: string, kind: string) => join(patches, `${hash}.fix.${kind}`);
  const diffOf = (hash: string) => readText(file(hash, 'diff'));
  return {
    diffOf,
    write(hash, files, diff, note) {
      const kept: KeptPatch = {
        version: 1,
        note: { fix: note.fix, reason: note.reason },
        files: files.map(({ path, before, after, executable }) => ({
          ...{ path, before: before === null ? null : sha256(before), after },
          ...(executable ? { executable } : {}),
        })),
      };
      writeAtomic(file(hash, 'diff'), diff);
      writeAtomic(file(hash, 'json'), `${JSON.stringify(kept)}\n`);
    },
    async proposalOf(hash, files) {
      const kept = parsed(readText(file(hash, 'json')));
      const diff = diffOf(hash);
      const note = kept?.note ?? RETURNED;
      if (kept && (await isAsThen(kept, files))) return { ...texts(kept), note };
      return diff === undefined || diff === '' ? undefined : { answer: diff, note };
    },
  };
}

const RETURNED: Note = { fix: 'put back a fix that was taken back unjudged', reason: 'its failure is back' };

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

async function isAsThen({ files }: KeptPatch, now: Parameters<PatchFiles['proposalOf']>[1]): Promise<boolean> {
  for (const { path, before } of files) {
    const text = await now.text(path);
    if ((text === undefined ? null : sha256(text)) !== before) return false;
  }
  return true;
}

function texts({ files }: KeptPatch): { files: Record<string, string>; executable?: string[] } {
  const executable = files.filter((one) => one.executable).map(({ path }) => path);
  return {
    files: Object.fromEntries(files.map(({ path, after }) => [path, after])),
    ...(executable.length > 0 ? { executable } : {}),
  };
}

/** One that cannot be read is as if it were not there: there is the diff. */
function parsed(text: string | undefined): KeptPatch | undefined {
  try {
    const kept = JSON.parse(text ?? 'null') as KeptPatch | null;
    const sound =
      kept?.version === 1 &&
      Array.isArray(kept.files) &&
      kept.files.every(({ path, after }) => typeof path === 'string' && typeof after === 'string');
    return sound ? kept : undefined;
  } catch {
    return undefined;
  }
}
