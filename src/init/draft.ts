// Shell texts → the draft of a stage: what it brings up, the tools it needs, the files that a fix may touch, its checks. Pure; the
// rule for check files tells which files a text runs.

import { rawWords } from '../config/paths.ts';
import type { CheckFiles } from '../fix/check-files/check-files.ts';
import { mapping } from '../shape.ts';
import { plainPlay, settingOf, type Use } from './command-line.ts';
import { destroysByPath, type FindDestroying, wipesByPath } from './destroys.ts';
import { kustomizedFrom } from './gitops.ts';
import { installsAnew } from './installers.ts';
import { KINDS, type Kind, programsIn } from './kinds.ts';
import {
  baseName,
  type Draft,
  documentsOf,
  folderOf,
  inFolder,
  type LeftOut,
  list,
  outermost,
  perSurvey,
  type Survey,
  shortened,
  treeOf,
  unique,
} from './survey.ts';

/** A text for the shell, and where it is started. */
export interface Piece {
  readonly folder: string;
  readonly text: string;
  /** The folder of the script that it is. */
  readonly own?: string;
}

/** Questions that need the bash grammar. */
export interface Readers {
  readonly harm: FindDestroying;
  /** Every file of the repository that a text runs, and what those call. */
  readonly runBy: (text: string) => Promise<CheckFiles>;
}

/** What a stage would run, as far as it can be read. */
export interface Running {
  readonly pieces: readonly Piece[];
  /** Files of the repository that these texts run. */
  readonly files: readonly string[];
  /** The texts, and those of the scripts among the files. */
  readonly all: readonly Piece[];
  /** The files that define the targets it is typed as. */
  readonly definedIn?: readonly string[];
}

/** What a reader knows of a stage; `draftOf` derives the rest from what the stage runs. */
type Sketch = Pick<Draft, 'name' | 'command' | 'description' | 'why'> & Partial<Draft>;

/** A stage that a layout proposes. */
export type Candidate = Sketch & {
  /** A stage whose texts contain one of these does the same already. */
  readonly keys: readonly string[];
  /** Commands whose files are searched for destructive ones. */
  readonly follow?: readonly Piece[];
};

/** Reads one layout of repositories. */
export type Reader = (survey: Survey) => { candidates: Candidate[]; left?: LeftOut[]; protect?: string[] };

/** Calls of a target runner: the recipes behind them are pieces of their own. */
const RUNNERS = /(^|[\s;&|(@])(?:make|gmake|\$\(MAKE\)|just|task|go-task|npm|pnpm|yarn)(?=\s)/gm;

export async function running(pieces: readonly Piece[], { runBy }: Readers, survey: Survey): Promise<Running> {
  // Follow what a wrapper starts.
  const plays = pieces.flatMap(({ folder, text }) =>
    joined(text).flatMap((line) => plainPlay({ folder, line, survey }) ?? []),
  );
  const sets = await Promise.all([...pieces, ...plays].map(({ folder, text }) => runBy(inText(folder, text))));
  const ran = sets.flatMap((set) => [...set.keys()]);
  const files = unique(ran.filter((path) => survey.files.has(path)));
  // Scripts run where the text that starts them does.
  const folder = pieces[0]?.folder ?? '.';
  const scripts = files
    .filter((path) => !/\.ya?ml$/.test(path))
    .map((path) => ({ folder, text: survey.text(path), own: folderOf(path) }));
  return { pieces, files, all: [...pieces, ...scripts] };
}

/** Where output goes, and where a command works. */
const NO_INPUT = />+\s*\S+|\bcd\s+\S+|(?:-chdir|-C|--dir|--directory|--project-directory|--working-directory)[= ]\S+/g;
/** A bare word behind these may be a folder; any other word is one only with a slash. */
const TAKES_FOLDER = /(\s(?:-k|-f|--kustomize|--filename)[= ])(?=\w)/g;
/** Nearly always the folder of the script, or the root. */
const FROM_VARIABLE = /\$(?:\w+|\{\w+\}|\(\w+\))["']?\//g;

/** Tracked files, and folders as patterns, that a text names. */
function namedBy({ folder, text, own = folder }: Piece, survey: Survey): string[] {
  const lines = joined(text).map((line) =>
    line.replace(NO_INPUT, ' ').replace(TAKES_FOLDER, '$1./').replace(FROM_VARIABLE, './'),
  );
  const words = unique(lines.flatMap(rawWords)).filter((word) => /^[\w.]+[\w/]/.test(word) && /\w/.test(word));
  return words.flatMap((word) => {
    const paths = unique([folder, own, '.']).map((from) => inFolder(from, word));
    const file = paths.find((path) => survey.files.has(path));
    if (file !== undefined) return [file];
    const tree = word.includes('/') ? paths.find((path) => foldersOf(survey).has(path)) : undefined;
    return tree === undefined ? [] : kustomizedFrom(survey, tree).map(treeOf);
  });
}

const foldersOf = perSurvey(({ paths }) => {
  const folders = new Set<string>();
  for (const path of paths)
    for (let above = folderOf(path); above !== '.' && !folders.has(above); above = folderOf(above)) folders.add(above);
  return folders;
});

const inText = (folder: string, text: string): string =>
  `${folder === '.' ? '' : `cd ${folder}\n`}${text.replace(RUNNERS, '$1:')}`;

/** Why a stage that runs these would destroy something; undefined when nothing is found. */
export async function destroysByContent(
  { pieces, files }: Pick<Running, 'pieces' | 'files'>,
  { harm }: Readers,
  survey: Survey,
): Promise<string | undefined> {
  const named = files.find((path) => isRunToDestroy(path, files, survey));
  if (named !== undefined) return `it runs ${named}`;
  const texts = [
    ...pieces.map(({ text }): [string, string] => ['x.sh', text]),
    ...files.filter((path) => !isOtherwise(path)).map((path): [string, string] => [path, survey.text(path)]),
  ];
  for (const [path, text] of texts) {
    const harms = await harm(path, text);
    if (harms === undefined) return `${path} could not be read in time`;
    const worst = harms.find(({ guarded }) => !guarded);
    if (worst)
      return `${path === 'x.sh' ? 'it runs' : `${path}, line ${worst.line}:`} ${shortened(worst.words, MAX_WORDS)}`;
  }
  return installsAnew(files, survey);
}

/** Destructive by its name: isRunToDestroy has judged it. */
const isOtherwise = (path: string): boolean => (ROLE_FILE.test(path) ? wipesByPath(path) : destroysByPath(path));

const ROLE_FILE = /(?:^|\/)roles\/([^/]+)\/(?:tasks|handlers|meta)\/(.*)$/;

/** All files of a role are listed; a destructive one counts when it is included without a condition. */
function isRunToDestroy(path: string, files: readonly string[], survey: Survey): boolean {
  const [, role, file] = ROLE_FILE.exec(path) ?? [];
  if (role === undefined || file === undefined) return destroysByPath(path);
  if (wipesByPath(role)) return true;
  if (!wipesByPath(file)) return false;
  const tasks = files
    .filter((one) => /\.ya?ml$/.test(one))
    .flatMap((one) => documentsOf(survey.text(one)).flatMap(list));
  return tasks.some((task) => {
    const taken = Object.entries(mapping(task)).find(([key]) => /(?:^|\.)(?:include|import)_tasks$/.test(key))?.[1];
    const name = typeof taken === 'string' ? taken : String(mapping(taken).file ?? '');
    return name !== '' && file.endsWith(name) && mapping(task).when === undefined;
  });
}

/** What these texts bring up, by kind, each with the first line that does. */
export function usesIn(pieces: readonly Piece[]): ({ kind: Kind } & Omit<Use, 'survey'>)[] {
  const lines = pieces.flatMap(({ folder, text }) => joined(text).map((line, at, all) => ({ folder, line, at, all })));
  return KINDS.flatMap((kind) => {
    const use = lines.find(({ line }) => kind.up.test(line));
    if (use === undefined) return [];
    const { folder, line, at, all } = use;
    return [{ kind, folder, line, before: all.slice(0, at).join('\n') }];
  });
}

export const joined = (text: string): string[] =>
  text
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => !/^\s*(?:#|echo\b|printf\b)/.test(line));

const MAX_VERIFY = 2;
/** Of a command, in the reason why it is no stage. */
const MAX_WORDS = 80;

/** `tool`: the program that is typed. */
export function draftOf(
  given: Sketch,
  { all, files: ran, definedIn = [] }: Running,
  survey: Survey,
  tool?: string,
): Draft {
  const runs = all.map(({ text }) => text).join('\n');
  const uses = usesIn(all).map((use) => ({ ...use, survey }));
  const checks = uses.toReversed().flatMap((use) => use.kind.verify?.(use) ?? []);
  const verify =
    given.verify ?? [...new Map(checks.map((one) => [JSON.stringify(one), one])).values()].slice(0, MAX_VERIFY);
  const checked = verify.filter((one): one is string => typeof one === 'string').join('\n');
  const isChecked = (path: string) => ran.includes(path) && checked.split(/[\s/]+/).includes(baseName(path));
  const kinds = uses.map(({ kind }) => kind);
  const timeout = kinds.find((kind) => kind.timeout !== undefined)?.timeout;
  const read = [...uses.flatMap((use) => use.kind.files?.(use) ?? []), ...all.flatMap((one) => namedBy(one, survey))];
  return {
    needs: [],
    files: grouped([...definedIn, ...ran, ...read].filter((path) => isEditable(path) && !isChecked(path))),
    verify,
    tools: unique([...(tool ? [tool] : []), ...programsIn(`${runs}\n${checked}`)]),
    env: unique([...runs.matchAll(/\$\{([A-Z][A-Z0-9_]+):\?/g)].map(([, variable]) => variable as string)),
    ...(timeout ? { timeout } : {}),
    reads: readsOf(kinds, runs, survey),
    worksIn: unique(all.map(({ folder }) => folder).filter((folder) => folder !== '.')),
    definedIn,
    does: kinds.map(({ name }) => name).join(', '),
    runs: [given.command, runs, ...ran].join('\n'),
    ...given,
    why: [...given.why, ...(lacksCompose(runs, survey) ? [NO_COMPOSE] : [])],
    wants: unique([...uses.flatMap((use) => use.kind.wants?.(use) ?? []), ...(given.wants ?? [])]),
  };
}

const IN_CLUSTER = /^(?:kubectl|helm|flux|argocd)$/;

/** The kubeconfig that a setting names, for what works in a cluster and does not write it. */
function readsOf(kinds: readonly Kind[], runs: string, survey: Survey): string[] {
  const path = settingOf(survey, 'KUBECONFIG');
  const isUsed = kinds.some(({ name }) => IN_CLUSTER.test(name)) && !kinds.some(({ name }) => name === 'cluster');
  return path === undefined ||
    !path.includes('/') ||
    !isUsed ||
    survey.files.has(path) ||
    /\bkubeconfig\s+get\b/.test(runs)
    ? []
    : [path];
}

const lacksCompose = (runs: string, { compose, installed }: Survey): boolean =>
  compose === undefined && installed('docker') && /\bdocker(?:-compose|\s+compose)\s/.test(runs);
const NO_COMPOSE = 'It fails here as it is: docker has no compose plugin, and there is no docker-compose.';

/** Secrets, examples, pinned requirements, and what is mendloop's. */
const NOT_EDITABLE =
  /(?:^|\/)(?:\.env|\.git|.*\.sops\.|.*(?:secret|vault|sample|example)|requirements\.ya?ml|galaxy\.ya?ml|molecule\/)|^(?:ai|plugins)\//i;
const isEditable = (path: string): boolean => !destroysByPath(path) && !NOT_EDITABLE.test(path);

const MAX_PATTERNS = 8;

/** Patterns for `files`: single files, `folder/*` for many in one folder, trees for roles; top folders when there are too many. */
export function grouped(paths: readonly string[]): string[] {
  const tree = paths.map((path) => /^(.*?\/?(?:roles|group_vars|host_vars|templates|tasks))\//.exec(path)?.[1]);
  const trees = unique(tree.flatMap((one) => (one === undefined ? [] : [`${one}/`])));
  const whole = paths.filter((path) => path.endsWith('/'));
  const rest = unique(paths.filter((path, i) => tree[i] === undefined && !path.endsWith('/')));
  const folders = unique(rest.map(folderOf));
  const flat = folders.flatMap((folder) => {
    const inIt = rest.filter((path) => folderOf(path) === folder);
    if (inIt.length <= 3) return inIt;
    const endings = unique(inIt.map((path) => /\.\w+$/.exec(baseName(path))?.[0] ?? ''));
    return endings.map((ending) => inFolder(folder, `*${ending}`));
  });
  const all = outermost(unique([...flat, ...trees, ...whole])).sort();
  if (all.length <= MAX_PATTERNS) return all;
  const tops = unique(all.map((path) => (path.includes('/') ? `${path.split('/')[0]}/` : path)));
  return tops.slice(0, MAX_PATTERNS);
}
