// Facts of a command line: its working folder, settings, variable files, playbook and inventory. Pure.
import { isBelow } from '../worktree/carry.ts';
import { shellWord } from '../worktree/messages.ts';
import { baseName, folderOf, inFolder, isIn, type Survey } from './survey.ts';

/** One command line that brings something up, and where it runs. */
export interface Use {
  readonly line: string;
  /** The folder it is started in. */
  readonly folder: string;
  /** The lines before it, which may begin a text that it is a part of. */
  readonly before: string;
  readonly survey: Survey;
}

const QUOTED = /'[^']*'|"(?:\\.|[^"\\])*"|\\./gs;
const HEREDOC = /<<-?\s*(["']?)(\w+)\1.*?\n\s*\2$/gms;

/** The commands that the shell starts here; none when the line is part of a quoted text, which may run on another machine. */
export function commandsIn({ line, before }: Pick<Use, 'line' | 'before'>): string[] {
  const isOpen = (text: string) => /['"]|(?<!<)<<(?!<)/.test(text.replace(HEREDOC, '').replace(QUOTED, ''));
  if (isOpen(before) || isOpen(line)) return [];
  const parts = line.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^'"\\;&|])+/g) ?? [];
  return parts.map((part) => part.replace(/^[\s@+(-]+/, '').trim());
}

const SETTINGS =
  /^(?:GNUmakefile|[Mm]akefile|\.?[Jj]ustfile|[Tt]askfile(?:\.dist)?\.ya?ml|\.envrc|\.?mise\.toml|\.mise\/config\.toml)$/;
const ROOT =
  /^(?:\$\(shell pwd\)|\$\(CURDIR\)|\$PWD|\$\{PWD\}|\$\(pwd\)|\{\{\s*(?:\.ROOT_DIR|\.PROJECT_DIR|justfile_dir(?:ectory)?\(\)|config_root)\s*\}\}|\$\(expand_path ([^)]*)\))\/?/;

/** The value that a runner, .envrc or mise gives a variable, when it is a path below the root. */
export function settingOf(survey: Survey, name: string): string | undefined {
  for (const path of survey.paths) {
    const text = SETTINGS.test(path) ? survey.text(path) : '';
    const [, value] = new RegExp(`\\b${name}["']?\\s*(?::=|\\?=|=|:)\\s*["']?(.+?)["']?\\s*$`, 'm').exec(text) ?? [];
    const local = value?.replace(ROOT, '$1').replace(/^\.\//, '');
    if (local !== undefined && /^[\w./-]+$/.test(local) && !local.startsWith('/')) return local;
  }
  return undefined;
}

export function withSetting(survey: Survey, name: string, command: string): string {
  const value = settingOf(survey, name);
  return value === undefined ? command : `${name}=${shellWord(value)} ${command}`;
}

/** A command for the cluster of this repository. */
export const kube = (survey: Survey, command: string): string => withSetting(survey, 'KUBECONFIG', command);

/** The literal value of an option; undefined when the shell would expand it. */
export function optionValue(line: string, option: string): string | undefined {
  const [, value] = new RegExp(`(?:^|\\s)(?:${option})(?:=|\\s+)["']?([^\\s"']+)`).exec(line) ?? [];
  return value !== undefined && !/[$`{}*]/.test(value) ? value : undefined;
}

/** The folder that a line works in; undefined when the shell would expand it, or nothing that `holds` matches is in it. */
export function workFolder({ line, folder, survey }: Use, option: string, holds: RegExp): string | undefined {
  const goes = /(?:^|[;&|(]\s*)cd\s+["']?([^\s"';&|)]+)/.exec(line)?.[1];
  if (goes !== undefined && /[$`{}]/.test(goes)) return undefined;
  const at = inFolder(inFolder(folder, goes ?? '.'), optionValue(line, option) ?? '.');
  const has = (path: string) => isIn(at, path) && holds.test(path.slice(at === '.' ? 0 : at.length));
  return at.startsWith('..') || !survey.paths.some(has) ? undefined : at;
}

/** The folder whose files Terraform applies. */
export const terraformFolder = (use: Use): string | undefined => workFolder(use, '-chdir', /^\/?[^/]+\.(?:tf|tofu)$/);

/** Every tracked file of that folder, and of the modules that it takes from this repository, that makes up its plan. */
export function terraformFiles(use: Use): string[] {
  const root = terraformFolder(use);
  const folders = root === undefined ? [] : [root];
  for (const folder of folders)
    folders.push(...localModules(use.survey, folder).filter((module) => !folders.includes(module)));
  return use.survey.paths.filter(
    (path) => folders.includes(folderOf(path)) && /\.(?:tf|tofu|tftpl|tfvars)(?:\.json)?$/.test(path),
  );
}

/** The folders of the modules that the files of a folder name. */
export const localModules = (survey: Survey, folder: string): string[] =>
  survey.paths
    .filter((path) => folderOf(path) === folder && /\.(?:tf|tofu)$/.test(path))
    .flatMap((path) => [...survey.text(path).matchAll(/source\s*=\s*"(\.[^"]*)"/g)])
    .map(([, path]) => inFolder(folder, path as string));

const VALUES = /^(?:terraform\.tfvars|[^/]+\.auto\.tfvars)(?:\.json)?$/;

/** Terraform's variable files, ignored or still to be made from a tracked example; and its state, unless that is remote. */
export function terraformWants(use: Use): string[] {
  const { survey } = use;
  const folder = terraformFolder(use);
  if (folder === undefined) return [];
  const inIt = (paths: Iterable<string>) => [...paths].filter((path) => folderOf(path) === folder);
  const tracked = inIt(survey.paths);
  const values = inIt(survey.ignored).filter((path) => VALUES.test(baseName(path)));
  const hasExample = tracked.some((path) =>
    /tfvars.*(?:example|sample|template)|(?:example|sample).*tfvars/.test(path),
  );
  const text = tracked.flatMap((path) => (/\.(?:tf|tofu)$/.test(path) ? [survey.text(path)] : [])).join('\n');
  const isRemote = /^\s*(?:backend\s+"(?!local)|cloud\s*\{)/m.test(text);
  return [
    ...(values.length === 0 && hasExample ? [inFolder(folder, 'terraform.tfvars')] : values),
    ...(isRemote ? [] : [inFolder(folder, 'terraform.tfstate')]),
  ];
}

/** The ansible.cfg of a folder; where git has only an example of it, that. */
const ansibleConfig = (survey: Survey, folder: string): string | undefined =>
  ['ansible.cfg', 'ansible.example.cfg', 'ansible.cfg.example', 'ansible.sample.cfg', 'ansible.cfg.sample']
    .map((name) => inFolder(folder, name))
    .find((path) => survey.files.has(path));

/** The inventory that ansible.cfg names; undefined when it names none. */
export const configuredInventory = (survey: Survey, folder: string): string | undefined =>
  /^\s*inventory\s*=\s*([^\s,;#]+)/m.exec(survey.text(ansibleConfig(survey, folder) ?? ''))?.[1];

/** What git does not hold of an inventory and of ansible.cfg, without which Ansible would find no host, and end well. */
export function ansibleWants(use: Use): string[] {
  const { survey } = use;
  const folder = playFolder(use);
  const config = inFolder(folder, 'ansible.cfg');
  const inventory = inventoryOf(use);
  const hosts = inventory && inFolder(folder, inventory);
  const isOutside = !hosts || /[,~$]|^\/|^\.\./.test(hosts);
  return [
    ...(isOutside || isTracked(survey, hosts) ? [] : [hosts]),
    ...(ansibleConfig(survey, folder) === undefined || survey.files.has(config) ? [] : [config]),
  ];
}

/** Where Ansible is started: the folder of the line, or, behind a wrapper, that of the only playbook with this name. */
export function playFolder({ folder, line, survey }: Omit<Use, 'before'>): string {
  const started = inFolder(folder, optionValue(line, 'cd') ?? '.');
  const play = playbookIn(line);
  if (play === undefined || survey.files.has(inFolder(started, play))) return started;
  const [only, ...others] = survey.paths.filter(
    (path) => path.endsWith(`/${play}`) && !/(?:^|\/)(?:roles|tasks)\//.test(path),
  );
  return only === undefined || others.length > 0 ? started : only.slice(0, -play.length - 1);
}

/** The ansible-playbook command without a wrapper around it. */
export function plainPlay(use: Omit<Use, 'before'>): { folder: string; text: string } | undefined {
  const play = playbookIn(use.line);
  return play === undefined ? undefined : { folder: playFolder(use), text: `ansible-playbook ${play}` };
}

/** The playbook that a line starts. */
export const playbookIn = (line: string): string | undefined =>
  /ansible-playbook\b.*?\s([\w-][\w./-]*\.ya?ml)(?=\s|$)/.exec(line.replace(/\s(?:-i|--inventory)[= ]\S+/g, ''))?.[1];

/** The inventory, from the line or from ansible.cfg. */
export const inventoryOf = (use: Use): string | undefined =>
  optionValue(use.line, '-i|--inventory(?:-file)?') ?? configuredInventory(use.survey, playFolder(use));

/** Whether git has a file of this path, or files below it. */
export const isTracked = ({ paths }: Survey, path: string): boolean => paths.some((file) => isBelow(file, path));

export const inDirectory = (folder: string): string => (folder === '.' ? '' : ` -chdir=${shellWord(folder)}`);

/** A check that fails when the plan is not empty. */
export const terraformHolds = (program: string, folder: string, values = ''): string =>
  `${program}${inDirectory(folder)} plan${values} -input=false -lock=false -detailed-exitcode >/dev/null`;
