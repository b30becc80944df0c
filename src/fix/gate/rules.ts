// What the gate judges by, and what it answers. The tree is asked through functions, so that judging itself touches nothing.
import type { Ask, Refusal } from '../edit.ts';

/** The tree an edit would land in, as plain values: it goes to the worker that judges. Paths are relative to its root. */
export interface Listing {
  readonly files: readonly string[];
  readonly executables?: readonly string[];
  /** Path → where the link points. */
  readonly links?: ReadonlyMap<string, string>;
  /** Folders besides those of the files. */
  readonly folders?: readonly string[];
}

/** A listing that can be asked. */
export interface Tree {
  exists(path: string): boolean;
  isFolder(path: string): boolean;
  /** Where `path` itself points when it is a symbolic link; folders above it are asked for one by one. */
  linkTarget(path: string): string | undefined;
  isExecutable(path: string): boolean;
  /** Whether a file's path ends in these parts. */
  hasTail(tail: string): boolean;
  /** Whether a folder's path does. */
  hasFolder(tail: string): boolean;
}

export function treeOf({ files, executables = [], links = new Map(), folders = [] }: Listing): Tree {
  const all = new Set([...files, ...links.keys()]);
  const above = new Set([...folders, ...[...all].flatMap(foldersAbove)]);
  const runnable = new Set(executables);
  return {
    exists: (path) => all.has(path) || above.has(path),
    isFolder: (path) => above.has(path),
    linkTarget: (path) => links.get(path),
    isExecutable: (path) => runnable.has(path),
    hasTail: (tail) => endsIn(files, tail),
    hasFolder: (tail) => endsIn([...above], tail),
  };
}

const endsIn = (paths: readonly string[], tail: string): boolean =>
  tail !== '' && paths.some((path) => path === tail || path.endsWith(`/${tail}`));

/** The folders on the way to `path`, the outermost first. */
export function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

/** Whether the repository names this program, host or account anywhere, comments and prose not counted. */
export type Knows = (name: string) => boolean;

export interface GateRules {
  /** Patterns of the files that may be changed; a trailing `/` means the tree below. */
  readonly allow: readonly string[];
  /** Patterns of the owner's protected files, whatever their case. */
  readonly protect: readonly string[];
  /** Paths that nobody's fix may touch: scripts that judge stages, carried files, the loop's own code. A trailing `/` means the tree below. */
  readonly untouchable: readonly string[];
  /** What of `untouchable` checks run: it may not be written either. */
  readonly judging?: readonly string[];
  readonly maxFiles: number;
  /** Added plus removed lines, over all files. */
  readonly maxLines: number;
  /** Folders that may be made; none unless it says so. */
  readonly maxFolders?: number;
  readonly tier: 'executor' | 'escalation';
  readonly tree: Listing;
  /** Programs, hosts and accounts that the repository knows. */
  readonly known?: readonly string[];
  /** Texts in which they may stand as well. */
  readonly texts?: readonly string[];
  /** Lines of the repository that name the changed files: who runs or sources them. */
  readonly callers?: string;
  /** The command that failed, or the log's error lines. */
  readonly failed?: string;
  /** The end of the log of this failure: it names targets and tasks, and programs. */
  readonly log?: string;
}

/**
 * Three verdicts: apply (`ok` without `ask`), ask the owner (`ok` with `ask`), refuse. `handOver`: asked for by the
 * escalation tier, this is not a mistake but a human's to decide.
 */
export type Verdict = { ok: true; ask?: Ask } | (Refusal & { handOver?: true });

/**
 * The part of judging that needs a process (bash -n, shellcheck), done by whoever calls the gate: problems of `after`
 * that `before` did not have, one line each. `wantsShellCheck` says for which files.
 */
export type ShellCheck = (path: string, before: string | null, after: string) => Promise<string[]>;

const MAX_REASONS = 12;
const MAX_REASON_CHARS = 200;

/** `text` on one line and no longer than a reason needs. */
export function clip(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > MAX_REASON_CHARS ? `${line.slice(0, MAX_REASON_CHARS)}…` : line;
}

/** All of `reasons`, each once, as many as anyone reads. */
export function listed(reasons: readonly string[]): string[] {
  const all = [...new Set(reasons)];
  const more = all.length - MAX_REASONS;
  return [...all.slice(0, MAX_REASONS), ...(more > 0 ? [`and ${more} more`] : [])];
}
