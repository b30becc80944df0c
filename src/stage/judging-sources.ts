// What the judging set reads: files of a commit or checkout, and shell by the thread that has the grammar.
import type { Sources } from '../fix/judging/judging-set.ts';
import { readCommands } from '../io/gate/gate.ts';
import type { Files } from '../worktree/read.ts';

export const sourcesOf = ({ files, links, text }: Files): Sources => ({
  listing: files,
  text: async (path) => links.get(path) ?? text(path),
  read: readCommands,
});
