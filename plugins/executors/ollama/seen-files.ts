// What the model was shown of each file, held against the file itself: what is masked or left out there, it cannot write.
import { SMALL_FILE_LINES } from '../../../src/outbound/prompt/file-parts.ts';
import { shownAsIs, shownFiles, shownWhole } from '../../../src/outbound/prompt/shown.ts';
import type { FixFacts } from '../../../src/plugin/contract.ts';

export interface SeenFile {
  readonly path: string;
  /** As it is. Never sent. */
  readonly text: string;
  /** Numbers of the lines that were shown exactly as they are. */
  readonly lines: ReadonlySet<number>;
  /** All of it was, and it is small. */
  readonly whole: boolean;
}

/** The files of a prompt in its order, the most likely culprit first. */
export function seenFiles(prompt: string, { files, read }: Pick<FixFacts, 'files' | 'read'>): Promise<SeenFile[]> {
  const shown = shownFiles(prompt).filter(({ path }) => files.includes(path));
  return Promise.all(
    shown.map(async (file) => {
      const text = await read(file.path);
      const lines = shownAsIs(file, text);
      return { path: file.path, text, lines, whole: shownWhole(file, text) && lines.size < SMALL_FILE_LINES };
    }),
  );
}
