// Where the configuration is, below the root of the repository, and how large it may be.

export const MAP_FILE = 'ai/context_map.yaml';
export const LOOP_FILE = 'ai/loop.yaml';

/** A file larger than this is not configuration. */
export const MAX_BYTES = 1_048_576;
