// What the readers of init share: the repository that they read, the drafts that they make, and small questions about paths.
import { dirname, join } from 'node:path/posix';
import { parseAllDocuments } from 'yaml';
import { type Mapping, mapping } from '../shape.ts';
import { shellWord } from '../worktree/messages.ts';

export interface Survey {
  /** Tracked files with their modes, and their paths alone. */
  readonly files: ReadonlyMap<string, { readonly mode: string }>;
  readonly paths: readonly string[];
  /** The text of a tracked file; empty when there is none, or when it is too large. */
  text(path: string): string;
  isTooLarge(path: string): boolean;
  /** What git ignores in the checkout, folders ending in `/`. */
  readonly ignored: readonly string[];
  /** Whether something lies at this path of the checkout. */
  exists(path: string): boolean;
  /** Whether a program is on PATH. */
  installed(tool: string): boolean;
  /** How compose files are run here: `docker compose`, `docker-compose`; undefined when neither is installed. */
  readonly compose: string | undefined;
}

/** A stage as init proposes it. */
export interface Draft {
  readonly name: string;
  readonly description: string;
  readonly command: string;
  readonly needs: readonly string[];
  readonly files: readonly string[];
  readonly verify: readonly Check[];
  readonly tools: readonly string[];
  readonly env: readonly string[];
  /** Files outside of git that it cannot do without. */
  readonly wants: readonly string[];
  readonly timeout?: string;
  readonly on_failure?: 'skip';
  readonly always?: true;
  /** Comments: why it is proposed, and what to mind. */
  readonly why: readonly string[];
  /** Of the entry that it types; and whether a command that its owner wrote down does the same. */
  readonly id?: string;
  readonly isStartedBy?: (command: { readonly text: string; readonly folder: string }) => boolean;
  /** It works with a cluster that other stages make: behind all of them. */
  readonly isLast?: boolean;
  /** Files outside of git that a setting names and its tools read; and the folders, not the root, that it is started in. */
  readonly reads: readonly string[];
  readonly worksIn: readonly string[];
  /** The files that define the targets it is typed as. */
  readonly definedIn: readonly string[];
  /** The kinds of what it brings up. */
  readonly does: string;
  /** All that it runs, as far as it can be read: searched for what other readers would propose. */
  readonly runs: string;
}

export type Check = string | Readonly<Record<string, string>>;

/** Not proposed, and why. */
export interface LeftOut {
  readonly what: string;
  readonly why: string;
}

export const folderOf = (path: string): string => dirname(path);
/** Normalised, without a slash at its end. */
export const inFolder = (folder: string, path: string): string => join(folder, path).replace(/\/$/, '');
export const baseName = (path: string): string => path.split('/').at(-1) as string;
export const unique = <T>(all: readonly T[]): T[] => [...new Set(all)];

/** A command as it is started in a folder. */
export const inside = (folder: string, command: string): string =>
  folder === '.' ? command : `cd ${shellWord(folder)} && ${command}`;

/** Whether a path lies below a folder. */
export const isIn = (folder: string, path: string): boolean => folder === '.' || path.startsWith(`${folder}/`);

/** A folder as a pattern of `files`: the tree below it. */
export const treeOf = (folder: string): string => (folder === '.' ? '**' : `${folder}/`);

/** Without the patterns that lie below another one. */
export const outermost = (patterns: readonly string[]): string[] =>
  patterns.filter((one) => !patterns.some((other) => other !== one && other.endsWith('/') && one.startsWith(other)));

export const list = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

const ASIDE =
  /(?:^|\/)(?:\.?_?archived?|(?:[\w-]+[-_])?old|deprecated|examples?|samples?|demos?|tests?|benchmarks?|molecule|fixtures|vendor|node_modules|\.devcontainer|\.github|\.git|charts\/[^/]+\/templates)(?:\/|$)/i;
/** In a folder of archives, tests, examples or vendored files: nothing there is proposed. */
export const isAside = (path: string): boolean => ASIDE.test(path);

/** The tracked paths that match, without those that are aside. */
export const pathsLike = (survey: Survey, pattern: RegExp): string[] =>
  survey.paths.filter((path) => pattern.test(path) && !isAside(path));

export const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** At most `most` characters of a text, whole words where it has any, and a mark where it goes on. */
export function shortened(text: string, most: number): string {
  const whole = text.trim();
  return whole.length <= most ? whole : `${whole.slice(0, most - 3).replace(/(?<=\S)\s+\S*$/, '')}...`;
}

/** The first of these names that is free; else the first with a number behind it. */
export function freeName(names: readonly string[], taken: readonly string[]): string {
  const numbered = taken.map((_, i) => `${names[0]}-${i + 2}`);
  return [...names, ...numbered].find((name) => !taken.includes(name)) as string;
}

/** `read`, once a survey. */
export function perSurvey<T>(read: (survey: Survey) => T): (survey: Survey) => T {
  const results = new WeakMap<Survey, T>();
  return (survey) => {
    const result = results.get(survey) ?? read(survey);
    results.set(survey, result);
    return result;
  };
}

/** The first document of a tracked YAML file; empty when that is no mapping. */
export const documentIn = (survey: Survey, path: string): Mapping => mapping(documentsOf(survey.text(path))[0]);

/** The documents of a YAML text; none when it cannot be read. */
export function documentsOf(text: string): unknown[] {
  try {
    const documents = parseAllDocuments(text, { logLevel: 'silent', uniqueKeys: false });
    const readable = Array.isArray(documents) ? documents.filter(({ errors }) => errors.length === 0) : [];
    return readable.map((document) => document.toJS({ maxAliasCount: 100 }) as unknown);
  } catch {
    return [];
  }
}
