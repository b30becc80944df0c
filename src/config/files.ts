// The configuration files below the root of the repository: where they are, how large they may be, and a quick look at
// the names of the stages.
import { isMap, isScalar, parseDocument } from 'yaml';
import { deepOffset } from './yaml-depth.ts';

export const MAP_FILE = 'ai/context_map.yaml';
export const LOOP_FILE = 'ai/loop.yaml';
/** For executors that ask a model: the contract they work under, and what this homelab is. */
export const INSTRUCTIONS_FILE = 'ai/executor_instructions.md';
export const MEMO_FILE = 'ai/master_memo.md';

/** What people write below ai/, as paths that `git add` takes. */
export const OWNED_PATHS = [MAP_FILE, LOOP_FILE, INSTRUCTIONS_FILE, MEMO_FILE, 'ai/backlog', 'ai/schema'];

/** A file larger than this is not configuration. */
export const MAX_BYTES = 1_048_576;

/**
 * The stages of a context map in its order, for commands that must start fast; none for a text without any. `isBroken`: it is no
 * YAML, and some may be missing. Never throws.
 */
export function stageNames(text: string): { names: string[]; isBroken: boolean } {
  if (text.length > MAX_BYTES || deepOffset(text) !== undefined) return { names: [], isBroken: true };
  const document = parseDocument(text);
  const stages = document.get('stages', true);
  const names = isMap(stages) ? stages.items.flatMap(({ key }) => (isScalar(key) ? [String(key.value)] : [])) : [];
  return { names, isBroken: document.errors.length > 0 };
}
