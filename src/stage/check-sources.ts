// What check files are read from: files of a commit or checkout, and shell by the thread that has the grammar.
import type { Sources } from '../fix/check-files/check-files.ts';
import { readCommands } from '../io/gate/gate.ts';
import type { Files } from '../worktree/read.ts';

/** Each text is read once. */
export function sourcesOf({ files, links, text }: Files): Sources {
  const readings = new Map<string, ReturnType<typeof readCommands>>();
  return {
    listing: files,
    text: async (path) => links.get(path) ?? text(path),
    read(command) {
      const key = JSON.stringify(command);
      const reading = readings.get(key) ?? readCommands(command);
      readings.set(key, reading);
      return reading;
    },
  };
}
