// What the gate judges by, and what it answers.
import type { Unattended } from '../../config/unattended.ts';
import type { Listing } from '../../repository/tree.ts';
import type { Ask, Refusal, RefusalCode } from '../edit.ts';

export interface GateRules {
  /** Patterns of the files that may be changed; a trailing `/` means the tree below. */
  readonly allow: readonly string[];
  /** Patterns of the owner's protected files, whatever their case. */
  readonly protect: readonly string[];
  /** Paths that nobody's fix may touch: check files, carried files, the loop's own code. A trailing `/` means the tree below. */
  readonly untouchable: readonly string[];
  readonly maxFiles: number;
  /** Added plus removed lines, over all files. */
  readonly maxLines: number;
  /** Folders that may be made; none unless it says so. */
  readonly maxFolders?: number;
  /** What may run before its owner has seen it. */
  readonly unattended: Unattended;
  readonly tree: Listing;
  /** Programs that the stage's owner says are there. */
  readonly programs?: readonly string[];
  /** The command that failed, or the log's error lines. */
  readonly failed?: string;
  /** The end of the log of this failure. */
  readonly log?: string;
}

/** Apply (`ok` without `ask`), ask the owner (`ok` with `ask`), or refuse. `shapes`: which repairs it consists of, and why. */
export type Verdict = { ok: true; ask?: Ask; shapes: readonly string[] } | Refusal;

/** One reason to refuse a change. */
export interface Finding {
  readonly code: RefusalCode;
  /** A sentence with file and line, for a model to act on. */
  readonly reason: string;
}

const MAX_REASONS = 12;
const MAX_REASON_CHARS = 200;

/** `text` on one line and no longer than a reason needs. */
export function clip(text: string, max = MAX_REASON_CHARS): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > max ? `${line.slice(0, max)}…` : line;
}

/** All of `reasons`, each once, as many as anyone reads. */
export function listed(reasons: readonly string[]): string[] {
  const all = [...new Set(reasons)];
  const more = all.length - MAX_REASONS;
  return [...all.slice(0, MAX_REASONS), ...(more > 0 ? [`and ${more} more`] : [])];
}
