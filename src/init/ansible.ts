// Ansible: which playbooks are entry points and ask nothing, which folder they run in, which inventory they get.
import { isMapping, type Mapping, mapping } from '../shape.ts';
import { shellWord } from '../worktree/messages.ts';
import { configuredInventory } from './command-line.ts';
import { destroysByName, destroysByPath } from './destroys.ts';
import type { Candidate, Reader } from './draft.ts';
import { otherPurpose, stageName } from './from-entries.ts';
import { layerOf } from './kinds.ts';
import {
  baseName,
  documentsOf,
  folderOf,
  inFolder,
  inReadme,
  inside,
  isIn,
  list,
  pathsLike,
  type Survey,
  unique,
} from './survey.ts';

const MAIN_PLAYBOOK =
  /^(?:site|main|playbook|cluster|run|deploy|setup|provision|bootstrap|install|all|k3s|k8s|homelab|nas|server|configure)/i;
const NO_PLAYBOOK = /(?:^|\/)(?:roles|tasks|vars|defaults|handlers|meta|group_vars|host_vars|collections|templates)\//;

/** Every playbook, with the folder to start Ansible in: that of the nearest ansible.cfg. */
export function playbooksOf(survey: Survey) {
  const configs = unique(pathsLike(survey, /(?:^|\/)ansible\.cfg$/).map(folderOf));
  return pathsLike(survey, /\.ya?ml$/).flatMap((path) => {
    const text = NO_PLAYBOOK.test(`/${path}`) ? '' : survey.text(path);
    if (!/^\s*-\s+(?:name|hosts|import_playbook|ansible\.builtin\.import_playbook)\s*:/m.test(text)) return [];
    const plays = documentsOf(text)
      .flatMap((one) => (Array.isArray(one) ? one : []))
      .filter(isMapping);
    const imports = plays.flatMap((play) =>
      list(play.import_playbook ?? play['ansible.builtin.import_playbook']).map(String),
    );
    if (imports.length === 0 && !plays.some((play) => 'hosts' in play)) return [];
    const above = configs.filter((folder) => isIn(folder, path)).sort((a, b) => b.length - a.length);
    const parent = folderOf(path);
    const folder = above[0] ?? (baseName(parent) === 'playbooks' ? folderOf(parent) : parent);
    const variables = plays
      .flatMap((play) => list(play.vars_files).map(String))
      .filter((file) => /^[\w./-]+$/.test(file));
    const beside = (files: readonly string[]) => files.map((file) => inFolder(parent, file));
    return [{ path, folder, imports: beside(imports), variables: beside(variables) }];
  });
}

export const ansible: Reader = (survey) => {
  const all = playbooksOf(survey);
  const imported = new Set(all.flatMap(({ imports }) => imports));
  const roots = all.filter(({ path }) => !imported.has(path));
  const harmful = all.filter(({ path }) => destroysByPath(path)).map(({ path }) => path);
  const roles = unique(survey.paths.flatMap((path) => /^(?:.*\/)?roles\/[^/]+\//.exec(path)?.[0] ?? []));
  const harmless = roots.filter(({ path }) => !harmful.includes(path));
  const reasonAgainst = ({ path, imports }: { path: string; imports: readonly string[] }) =>
    otherPurpose(plainName(path)) ?? [path, ...imports].map((one) => asksInPlay(survey, one)).find(Boolean);
  const usable = harmless.filter((play) => reasonAgainst(play) === undefined);
  const isNamed = (path: string) => {
    const isOnly = all.filter((one) => baseName(one.path) === baseName(path)).length === 1;
    return inReadme(survey, isOnly || !path.includes('/') ? baseName(path) : path);
  };
  const isMain = ({ path }: { path: string }) => MAIN_PLAYBOOK.test(baseName(path)) || isNamed(path);
  const depth = ({ path }: { path: string }) => path.split('/').length;
  const main = usable.filter(isMain).sort((a, b) => depth(a) - depth(b));
  const chosen = main.length > 0 ? main : usable.length === 1 ? usable : [];
  const verifies = ({ folder }: { folder: string }) =>
    harmless.find((one) => one.folder === folder && /^(?:verify|smoke(?:[-_]?tests?)?)$/i.test(plainName(one.path)));
  const left = roots
    .filter((one) => !chosen.includes(one) && !chosen.some((main) => verifies(main) === one))
    .map((play) => ({
      what: `ansible-playbook ${play.path}`,
      why: harmful.includes(play.path)
        ? 'its name says that it takes something away'
        : (reasonAgainst(play) ?? 'README does not name it, nor does another playbook'),
    }));
  return {
    candidates: chosen.map((play): Candidate => {
      const { path, folder, imports, variables } = play;
      const local = relative(folder, path);
      const option = inventoryOption(survey, folder);
      const requirements = REQUIREMENTS.find((one) => survey.files.has(inFolder(folder, one)));
      const run = (playbook: string) => `ansible-playbook${option} ${shellWord(relative(folder, playbook))}`;
      const judge = verifies(play);
      const plain = plainName(path);
      const place = folderOf(path) === folder || /playbooks?$/.test(folderOf(path)) ? folder : folderOf(path);
      const isPlain = /^(?:site|main|playbook|run|all)$/.test(plain);
      return {
        name: stageName(isPlain ? (place === '.' ? 'ansible' : baseName(place)) : plain),
        command: [
          ...(folder === '.' ? [] : [`cd ${shellWord(folder)}`]),
          ...(requirements ? [`ansible-galaxy install -r ${requirements}`] : []),
          run(path),
        ].join('\n'),
        keys: [local],
        description: playNames(survey, path, imports),
        why: [
          isNamed(path)
            ? `README names ${baseName(path)}.`
            : `The name of ${path} says that it is the one to start with.`,
        ],
        ...(judge ? { verify: [inside(folder, run(judge.path))] } : {}),
        layer: Math.min(3, layerOf(plain, [])),
        wants: variables.filter((one) => !survey.files.has(one)),
        follow: [path, ...(judge ? [judge.path] : [])].map((one) => ({ folder, text: run(one) })),
      };
    }),
    left,
    protect: [...harmful, ...roles.filter((path) => destroysByName(baseName(folderOf(`${path}tasks`))))],
  };
};

const REQUIREMENTS = 'requirements.yml requirements.yaml collections/requirements.yml roles/requirements.yml'.split(
  ' ',
);
const plainName = (path: string): string => baseName(path).replace(/\.ya?ml$/, '');

export const relative = (folder: string, path: string): string =>
  folder === '.' ? path : path.slice(folder.length + 1);

/** The names of its plays, as many as fit into a description. */
function playNames(survey: Survey, path: string, imports: readonly string[]): string {
  const named = documentsOf(survey.text(path))
    .flatMap(list)
    .flatMap((play) => (typeof mapping(play).name === 'string' ? [mapping(play).name as string] : []));
  const all = [...named, ...imports.map(baseName)].map((one) =>
    one.replace(/[^\x20-\x7e]|[{}"'#:]|\.\s*$/g, '').trim(),
  );
  const [first = `The plays of ${path}`, ...others] = all.filter(Boolean);
  return others.reduce((text, one) => (text.length + one.length > 57 ? text : `${text}, ${one}`), first);
}

const INVENTORIES = 'inventory.yml inventory.yaml inventory.ini hosts.ini hosts.yml hosts.yaml hosts inventory'.split(
  ' ',
);

const IN_INVENTORY =
  /^inventor(?:y|ies)\/(?:[\w-]+\/)?(?:hosts|inventory)(?:\.\w+)?$|^inventor(?:y|ies)\/[\w-]+\.(?:ini|ya?ml)$/;

/** The `-i` option, unless ansible.cfg names an inventory: a file that is there, or one that the owner still has to write. */
function inventoryOption(survey: Survey, folder: string): string {
  if (configuredInventory(survey, folder) !== undefined) return '';
  const plain = INVENTORIES.find((name) => survey.files.has(inFolder(folder, name)));
  if (plain !== undefined) return ` -i ${plain}`;
  const below = [...survey.paths, ...survey.ignored]
    .filter((path) => isIn(folder, path))
    .map((path) => relative(folder, path))
    .filter((path) => IN_INVENTORY.test(path));
  const [best] = below.filter((path) => !/sample|example|template/.test(path));
  const lying = INVENTORIES.find((name) => survey.ignored.includes(inFolder(folder, name)));
  const sample =
    below[0] ??
    INVENTORIES.find((name) =>
      ['example', 'sample'].some((word) => survey.files.has(inFolder(folder, `${word}.${name}`))),
    );
  const wanted = best ?? lying ?? sample?.replace(/\b(?:sample|example|template)\b/, 'my-cluster');
  return wanted === undefined ? '' : ` -i ${wanted}`;
}

const HOLDS_VARIABLES =
  /(?:^|\/)(?:(?:group_|host_)?vars|roles\/[^/]+\/defaults|inventor(?:y|ies))\/|(?:^|\/)(?:hosts|inventory)[\w.-]*$/;

/**
 * Why a playbook cannot be started as it is: it wants an answer, or a variable that nothing in the repository sets; undefined
 * where nothing in its own tasks asks. Where nobody answers, Ansible passes over a pause.
 */
function asksInPlay(survey: Survey, path: string): string | undefined {
  const plays = documentsOf(survey.text(path)).flatMap(list).map(mapping);
  const tasks = plays.flatMap((play) => [...list(play.pre_tasks), ...list(play.tasks)]).map(mapping);
  const sure = tasks.filter((task) => task.when === undefined);
  const variables = plays.flatMap((play) => list(play.vars_files).flatMap(list)).map(String);
  const files = variables.map((file) => inFolder(folderOf(path), file));
  const isUnset = (name: string, before: readonly Mapping[]) =>
    !name.startsWith('ansible_') && !before.some((task) => sets(task, name)) && !isSet(survey, plays, files, name);
  const wanted = sure.flatMap((task) =>
    asserted(task).filter((name) => isUnset(name, tasks.slice(0, tasks.indexOf(task)))),
  );
  const asked = [...plays.flatMap(prompted), ...wanted];
  if (asked.length > 0) return `it asks for ${asked.slice(0, 3).join(', ')}`;
  return sure.some(waitsForPerson) ? 'it asks a person' : undefined;
}

const moduleOf = (task: Mapping, name: string): Mapping => mapping(task[name] ?? task[`ansible.builtin.${name}`]);

/** With a time it goes on by itself. */
function waitsForPerson(task: Mapping): boolean {
  const { prompt, seconds, minutes } = moduleOf(task, 'pause');
  return prompt !== undefined && seconds === undefined && minutes === undefined;
}

const prompted = (play: Mapping): string[] =>
  list(play.vars_prompt)
    .map(mapping)
    .flatMap((one) => (one.default === undefined && typeof one.name === 'string' ? [one.name] : []));

const asserted = (task: Mapping): string[] =>
  list(moduleOf(task, 'assert').that).flatMap((one) => /^\s*(\w+) is defined\s*$/.exec(String(one))?.[1] ?? []);

/** Whether a task, or one of its block, sets a variable. */
const sets = (task: Mapping, name: string): boolean =>
  task.register === name ||
  name in moduleOf(task, 'set_fact') ||
  [task.block, task.rescue, task.always].flatMap(list).some((inner) => sets(mapping(inner), name));

const isSet = ({ paths, text }: Survey, plays: readonly Mapping[], files: readonly string[], name: string): boolean =>
  plays.some((play) => name in mapping(play.vars)) ||
  paths.some(
    (path) =>
      (HOLDS_VARIABLES.test(path) || files.includes(path)) &&
      new RegExp(`^\\s*["']?${name}["']?\\s*[:=]|\\s${name}=`, 'm').test(text(path)),
  );
