// Where the configuration is, below the root of the repository, and how large it may be.

export const MAP_FILE = 'ai/context_map.yaml';
export const LOOP_FILE = 'ai/loop.yaml';
/** For executors that ask a model: the contract they work under, and what this homelab is. */
export const INSTRUCTIONS_FILE = 'ai/executor_instructions.md';
export const MEMO_FILE = 'ai/master_memo.md';

/** A file larger than this is not configuration. */
export const MAX_BYTES = 1_048_576;
