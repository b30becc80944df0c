// One reason to refuse a change.
import type { RefusalCode } from '../edit.ts';

export interface Finding {
  readonly code: RefusalCode;
  /** A sentence with file and line, for a model to act on. */
  readonly reason: string;
}
