// From shell texts and the folders they are started in to a draft of a stage: what it brings up, what it needs installed, which
// files a fix may touch, and how to see that it stands. Pure; what texts run is asked of the judging set.
import type { JudgingSet } from '../fix/judging/judging-set.ts';
import { destroysByName, destroysByPath, type FindHarm } from './destroys.ts';
import { KINDS, type Kind, layerOf, programsIn } from './kinds.ts';
import {
  baseName,
  type Check,
  type Draft,
  documentsOf,
  folderOf,
  inFolder,
  list,
  mapping,
  type Survey,
  unique,
} from './survey.ts';

/** A text for the shell, and where it is started. */
export interface Piece {
  readonly folder: string;
  readonly text: string;
}

/** How the readers ask for what only a grammar tells. */
export interface Readers {
  readonly harm: FindHarm;
  /** Every file of the repository that a text runs, and what those call. */
  readonly runBy: (text: string) => Promise<JudgingSet>;
}

/** What is run, as far as it can be read. */
export interface Running {
  readonly own: readonly Piece[];
  /** Files of the repository that these texts run. */
  readonly files: readonly string[];
  /** The texts, and those of the scripts among the files. */
  readonly all: readonly Piece[];
}

export interface Sketch {
  readonly name: string;
  readonly command: string;
  readonly run: Running;
  readonly description: string;
  readonly why: readonly string[];
  /** The program that is typed. */
  readonly tool?: string | undefined;
  readonly files?: readonly string[];
  readonly needs?: readonly string[];
}

/** Starts of runners of targets: what they run was read already. */
const RUNNERS = /(^|[\s;&|(@])(?:make|gmake|\$\(MAKE\)|just|task|go-task|npm|pnpm|yarn)(?=\s)/gm;

export async function running(own: readonly Piece[], { runBy }: Readers, survey: Survey): Promise<Running> {
  const sets = await Promise.all(own.map(({ folder, text }) => runBy(inText(folder, text))));
  const found = sets.flatMap((set) => [...set].flatMap(([path, judge]) => (judge.instead ? [] : [path])));
  const files = unique(found.filter((path) => survey.files.has(path)));
  const scripts = files.filter((path) => !/\.ya?ml$/.test(path)).map((path) => survey.text(path) ?? '');
  // Scripts run where the text that starts them does.
  return { own, files, all: [...own, ...scripts.map((text) => ({ folder: own[0]?.folder ?? '.', text }))] };
}

const inText = (folder: string, text: string): string =>
  `${folder === '.' ? '' : `cd ${folder}\n`}${text.replace(RUNNERS, '$1:')}`;

/** Why a stage of these texts would destroy; undefined when nothing is seen that does. */
export async function destroysByContent(
  { own, files }: Pick<Running, 'own' | 'files'>,
  { harm }: Readers,
  survey: Survey,
): Promise<string | undefined> {
  const named = files.find((path) => isRunToDestroy(path, files, survey));
  if (named !== undefined) return `it runs ${named}`;
  const texts = [
    ...own.map(({ text }): [string, string] => ['x.sh', text]),
    ...files.filter((path) => !destroysByPath(path)).map((path): [string, string] => [path, survey.text(path) ?? '']),
  ];
  for (const [path, text] of texts) {
    const found = await harm(path, text);
    if (found === undefined) return `${path} could not be read in time`;
    const worst = found.find(({ guarded }) => !guarded);
    if (worst) return `${path === 'x.sh' ? 'it runs' : `${path}, line ${worst.line}:`} ${worst.words.slice(0, 80)}`;
  }
  return undefined;
}

const ROLE_FILE = /(?:^|\/)roles\/([^/]+)\/(?:tasks|handlers|meta)\/(.*)$/;

/** A role has all its files in the list: one that destroys counts when it is taken in without a condition. */
function isRunToDestroy(path: string, files: readonly string[], survey: Survey): boolean {
  const [, role, file] = ROLE_FILE.exec(path) ?? [];
  if (role === undefined || file === undefined) return destroysByPath(path);
  if (destroysByName(role)) return true;
  if (!destroysByPath(file)) return false;
  const tasks = files
    .filter((one) => /\.ya?ml$/.test(one))
    .flatMap((one) => documentsOf(survey.text(one) ?? '').flatMap(list));
  return tasks.some((task) => {
    const taken = Object.entries(mapping(task)).find(([key]) => /(?:^|\.)(?:include|import)_tasks$/.test(key))?.[1];
    const name = typeof taken === 'string' ? taken : String(mapping(taken).file ?? '');
    return name !== '' && file.endsWith(name) && mapping(task).when === undefined;
  });
}

/** The kinds of what these texts bring up, each with the line that does. */
export function usesIn(pieces: readonly Piece[]): { kind: Kind; line: string; folder: string }[] {
  const lines = pieces.flatMap(({ folder, text }) => joined(text).map((line) => ({ folder, line })));
  return KINDS.flatMap((kind) => {
    const found = lines.find(({ line }) => kind.up.test(line));
    return found ? [{ kind, ...found }] : [];
  });
}

const joined = (text: string): string[] =>
  text
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => !/^\s*(?:#|echo\b|printf\b)/.test(line));

const MAX_VERIFY = 2;

export function draftOf(sketch: Sketch, survey: Survey): Draft {
  const { name, command, run, description, why, tool, needs = [] } = sketch;
  const { all, files: ran } = run;
  const runs = all.map(({ text }) => text).join('\n');
  const uses = usesIn(all);
  const kubeconfig = kubeconfigOf(survey);
  const verify = unique(
    uses
      .toReversed()
      .flatMap(({ kind, line, folder }) => kind.verify({ line, folder, survey, kubeconfig }))
      .map((one) => JSON.stringify(one)),
  ).map((one) => JSON.parse(one) as Check);
  const checks = verify.slice(0, MAX_VERIFY);
  const checked = checks.filter((one): one is string => typeof one === 'string').join('\n');
  const timeout = uses.map(({ kind }) => kind.timeout).find((time) => time !== undefined);
  const env = unique([...runs.matchAll(/\$\{([A-Z][A-Z0-9_]+):\?/g)].map(([, variable]) => variable as string));
  return {
    name,
    description,
    command,
    needs,
    files: sketch.files ?? grouped([...ran, ...besides(uses, survey)].filter((path) => isEditable(path))),
    verify: checks,
    tools: unique([...(tool ? [tool] : []), ...programsIn(`${runs}\n${checked}`)]),
    env,
    wants: [],
    ...(timeout ? { timeout } : {}),
    why,
    layer: layerOf(
      name,
      uses.map(({ kind }) => kind),
    ),
    runs: [command, runs, ...ran].join('\n'),
  };
}

/** No fix may touch these anyway. */
const isEditable = (path: string): boolean =>
  !destroysByPath(path) && !/(?:^|\/)(?:\.env|\.git|.*\.sops\.|.*secret)|^(?:ai|plugins)\//i.test(path);

/** What belongs to a tool's way of working besides the files that are named: roles and variables, modules of Terraform. */
function besides(uses: ReturnType<typeof usesIn>, survey: Survey): string[] {
  const all = [...survey.files.keys()];
  return uses.flatMap(({ kind, folder }) => {
    const at = folder === '.' ? '' : `${folder}/`;
    if (kind.name === 'ansible')
      return all.filter((path) => path.startsWith(at) && ANSIBLE_FILES.test(path.slice(at.length)));
    if (kind.name === 'render') {
      const inputs = /^inputs\s*=\s*\[([^\]]*)\]/m.exec(survey.text('makejinja.toml') ?? '')?.[1] ?? '';
      const folders = [...inputs.matchAll(/["']([^"']+)["']/g)].map(([, path]) => inFolder('.', path as string));
      return folders.filter((path) => all.some((one) => one.startsWith(`${path}/`))).map((path) => `${path}/`);
    }
    if (kind.name === 'terraform')
      return all.filter((path) => path.startsWith(at) && /^[^/]+\.(?:tf|tofu)$/.test(path.slice(at.length)));
    return [];
  });
}

export const ANSIBLE_FILES = /^(?:(?:roles|group_vars|host_vars|templates|tasks|handlers|vars)\/|[^/]+\.ya?ml$)/;

const MAX_PATTERNS = 8;

/** Patterns for `files`: few files as they are, many of one folder as `folder/*`, roles as a tree; higher when too many. */
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
  const all = unique([...flat, ...trees, ...whole]).sort();
  if (all.length <= MAX_PATTERNS) return all;
  const tops = unique(all.map((path) => (path.includes('/') ? `${path.split('/')[0]}/` : path)));
  return tops.slice(0, MAX_PATTERNS);
}

/** KUBECONFIG as a runner, .envrc or mise sets it, when that is below the root. */
export function kubeconfigOf(survey: Survey): string | undefined {
  const places = [...survey.files.keys()].filter((path) =>
    /^(?:GNUmakefile|[Mm]akefile|\.?[Jj]ustfile|[Tt]askfile(?:\.dist)?\.ya?ml|\.envrc|\.?mise\.toml|\.mise\/config\.toml)$/.test(
      path,
    ),
  );
  for (const path of places) {
    const [, value] = /\bKUBECONFIG["']?\s*(?::=|\?=|=|:)\s*["']?(.+?)["']?\s*$/m.exec(survey.text(path) ?? '') ?? [];
    const local = value
      ?.replace(
        /^(?:\$\(shell pwd\)|\$\(CURDIR\)|\$PWD|\$\{PWD\}|\$\(pwd\)|\{\{\s*(?:\.ROOT_DIR|\.PROJECT_DIR|justfile_dir(?:ectory)?\(\)|config_root)\s*\}\}|\$\(expand_path ([^)]*)\))\/?/,
        '$1',
      )
      .replace(/^\.\//, '');
    if (local !== undefined && /^[\w./-]+$/.test(local) && !local.startsWith('/')) return local;
  }
  return undefined;
}
