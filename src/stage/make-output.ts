// `get --force` inside a running stage: the other stage's command, run there and then as part of this attempt.
// It stays in this stage's process group and keeps its marks, so that whatever ends this stage ends it too.
import type { Stage } from '../config/context-map.ts';
import { runInGroup } from '../io/command.ts';
import type { Layout } from '../io/layout.ts';
import { privateFolder } from '../io/store.ts';
import { type Cell, cellKey } from '../plan/matrix.ts';
import { matrixEnv } from './env.ts';

/** Runs a stage's command with its own output folder; resolves to its exit code. Output goes to stderr. */
export function makeOutput(
  name: string,
  stage: Stage,
  cell: Cell,
  layout: Layout,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const out = layout.out(name, cellKey(cell));
  privateFolder(out);
  const inherited = Object.entries(env).filter(([key]) => !key.startsWith('MENDLOOP_MATRIX_'));
  const ofStage = { ...matrixEnv(cell), MENDLOOP_STAGE: name, MENDLOOP_OUT: out, MENDLOOP_SPEC: stage.spec };
  return runInGroup(stage.command, env.MENDLOOP_ROOT ?? layout.worktree, {
    ...Object.fromEntries(inherited),
    ...ofStage,
  });
}
