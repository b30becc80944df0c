// What the gate judges by, and what it answers. The tree is asked through functions, so that judging itself touches nothing.
import { type Ask, type Refusal, type RefusalCode, refuse } from '../edit.ts';

/** The tree an edit would land in. Paths are relative to its root, with `/`. */
export interface Tree {
  exists(path: string): boolean;
  isFolder(path: string): boolean;
  /** Where `path` itself points when it is a symbolic link; folders above it are asked for one by one. */
  linkTarget?(path: string): string | undefined;
  isExecutable?(path: string): boolean;
}

/** The tree of these files; links are among them. */
export function treeOf(paths: readonly string[], links: ReadonlyMap<string, string>): Tree {
  const files = new Set(paths);
  const folders = new Set(paths.flatMap(foldersAbove));
  return {
    exists: (path) => files.has(path) || folders.has(path),
    isFolder: (path) => folders.has(path),
    linkTarget: (path) => links.get(path),
  };
}

/** The folders on the way to `path`, the outermost first. */
export function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

export interface GateRules {
  /** Patterns of the files that may be changed; a trailing `/` means the tree below. */
  readonly allow: readonly string[];
  /** Patterns of the owner's protected files, whatever their case. */
  readonly protect: readonly string[];
  /** Paths that nobody's fix may touch: scripts that judge stages, carried files, the loop's own code. A trailing `/` means the tree below. */
  readonly untouchable: readonly string[];
  /** Files of which only a part judges, and that part of a text, to be compared: the rest may be changed. */
  readonly partly?: ReadonlyMap<string, (text: string) => string>;
  readonly maxFiles: number;
  /** Added plus removed lines, over all files. */
  readonly maxLines: number;
  readonly tier: 'executor' | 'escalation';
  readonly tree: Tree;
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

/** One thing that is wrong with an edit. */
export interface Finding {
  code: RefusalCode;
  /** Where, what and why: for a model to act on. */
  reason: string;
}

const MAX_REASONS = 12;
const MAX_REASON_CHARS = 200;

/** `text` on one line and no longer than a reason needs. */
export function clip(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > MAX_REASON_CHARS ? `${line.slice(0, MAX_REASON_CHARS)}…` : line;
}

/** The refusal that all `findings` make together, under the code of the first; undefined when there are none. */
export function refusalOf(findings: readonly Finding[]): Refusal | undefined {
  const [first] = findings;
  if (!first) return undefined;
  const reasons = [...new Set(findings.map(({ reason }) => reason))];
  const more = reasons.length - MAX_REASONS;
  return refuse(first.code, ...reasons.slice(0, MAX_REASONS), ...(more > 0 ? [`and ${more} more`] : []));
}
