// Ansible: which playbooks are entry points and ask nothing, which folder they run in, which inventory they get.
import { isMapping, type Mapping, mapping } from '../shape.ts';
import { shellWord } from '../worktree/messages.ts';
import { configuredInventory } from './command-line.ts';
import { destroysByName, destroysByPath } from './destroys.ts';
import type { Candidate, Reader } from './draft.ts';
import { type Command, commandsOf } from './from-entries.ts';
import { otherPurpose, stageName } from './names.ts';
import {
  baseName,
  documentsOf,
  folderOf,
  inFolder,
  inside,
  isIn,
  list,
  pathsLike,
  type Survey,
  unique,
} from './survey.ts';

/** By convention the one that stands for all. */
const MAIN_PLAYBOOK = /^(?:site|main|playbook|run|all)$/i;
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
  const starts = (play: { path: string }) => (command: Command) => startedBy(survey, command) === play.path;
  const led = usable.filter((play) => commandsOf(survey).some(starts(play)));
  const main = usable.filter(({ path }) => MAIN_PLAYBOOK.test(plainName(path)));
  const chosen = led.length > 0 ? led : main.length > 0 ? main : usable;
  const verifies = ({ folder }: { folder: string }) =>
    harmless.find((one) => one.folder === folder && /^(?:verify|smoke(?:[-_]?tests?)?)$/i.test(plainName(one.path)));
  const left = roots
    .filter((one) => !chosen.includes(one) && !chosen.some((main) => verifies(main) === one))
    .map((play) => ({
      what: `ansible-playbook ${play.path}`,
      why: harmful.includes(play.path)
        ? 'its name says that it takes something away'
        : (reasonAgainst(play) ??
          'nothing says when it runs, or whether: no document, recipe or other playbook leads to it'),
    }));
  const runs = chosen.map((play) => ({ play, run: runOf(survey, play) }));
  const runnable = runs.flatMap(({ play, run }) => (typeof run === 'string' ? [] : [{ play, run }]));
  left.push(
    ...runs.flatMap(({ play: { path }, run }) =>
      typeof run === 'string' ? [{ what: `ansible-playbook ${path}`, why: run }] : [],
    ),
  );
  return {
    candidates: runnable.map(({ play, run: { folder, options } }): Candidate => {
      const { path, imports, variables } = play;
      const requirements = REQUIREMENTS.find((one) => survey.files.has(inFolder(folder, one)));
      const run = (playbook: string) =>
        ['ansible-playbook', ...options, shellWord(relative(folder, playbook))].join(' ');
      const judge = verifies(play);
      const plain = plainName(path);
      const place = folderOf(path) === folder || /playbooks?$/.test(folderOf(path)) ? folder : folderOf(path);
      const passwords = Object.values(PASSWORDS).filter((option) => options.includes(option));
      return {
        name: stageName(MAIN_PLAYBOOK.test(plain) ? (place === '.' ? 'ansible' : baseName(place)) : plain),
        command: [
          ...(folder === '.' ? [] : [`cd ${shellWord(folder)}`]),
          ...(requirements ? [`ansible-galaxy install -r ${requirements}`] : []),
          run(path),
        ].join('\n'),
        keys: [relative(play.folder, path)],
        isStartedBy: starts(play),
        description: playNames(survey, path, imports),
        why: passwords.map(
          (option) => `Nobody types a password in a run: write it into ${option.split(' ')[1]} (chmod 600).`,
        ),
        ...(judge ? { verify: [inside(folder, run(judge.path))] } : {}),
        wants: [
          ...variables.filter((one) => !survey.files.has(one)),
          ...passwords.map((option) => inFolder(folder, option.split(' ')[1] as string)),
        ],
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

/** Options that ask for a password, and what takes their place where nobody is there. */
const PASSWORDS: Readonly<Record<string, string>> = {
  K: '--become-password-file .become-password',
  k: '--connection-password-file .connection-password',
  J: '--vault-password-file .vault-password',
};
const LONG: Readonly<Record<string, string>> = {
  '--ask-become-pass': 'K',
  '--ask-pass': 'k',
  '--ask-vault-pass': 'J',
  '--ask-vault-password': 'J',
};
/** They look, or narrow to a part; behind the second kind comes a word. */
const ONLY_LOOKS = /^(?:--check|-C|--syntax-check|--list-(?:tasks|hosts|tags))$/;
const NARROWS = /^(?:-l|--limit|-t|--tags|--skip-tags|--start-at-task)$/;

/** The playbook that a command runs, unless it only looks. */
function startedBy(survey: Survey, { text, folder }: Command): string | undefined {
  const words = text.replace(/^(?:\w+=\S+\s+|sudo\s+)*/, '').split(/\s+/);
  if (words[0] !== 'ansible-playbook' || words.some((word) => ONLY_LOOKS.test(word))) return undefined;
  return words
    .map((word) => inFolder(folder, word))
    .find(
      (path) =>
        /\.ya?ml$/.test(path) &&
        survey.files.has(path) &&
        !words.some(
          (word, i) =>
            /^(?:-i|--inventory|-e|--extra-vars)$/.test(word) && inFolder(folder, words[i + 1] ?? '') === path,
        ),
    );
}

/** How a playbook is run: as its owner wrote it down, without placeholders; or why nobody can know. */
function runOf(survey: Survey, { path, folder }: { path: string; folder: string }) {
  const command = commandsOf(survey).find((one) => startedBy(survey, one) === path);
  if (command) {
    const options = optionsOf(command, path);
    const isTold = options.some((one) => /^(?:-i|--inventory)/.test(one));
    const inventory = isTold ? [] : inventoryOption(survey, command.folder);
    return typeof inventory === 'string' ? inventory : { folder: command.folder, options: [...inventory, ...options] };
  }
  const inventory = inventoryOption(survey, folder);
  return typeof inventory === 'string' ? inventory : { folder, options: inventory };
}

/** The options of a written command, one text each, with its value. */
function optionsOf({ text, folder }: Command, playbook: string): string[] {
  const words =
    text.replace(/^.*?\bansible-playbook\s+/, '').match(/(?:"[^"]*"|'[^']*'|\{\{.*?\}\}|<[^>]*>|[^\s"'])+/g) ?? [];
  const isOpen = (word: string) => /[{}<>$]/.test(word);
  const options: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as string;
    const next = words[i + 1] ?? '';
    if (!word.startsWith('-')) continue;
    const takes = !word.includes('=') && next !== '' && !next.startsWith('-') && inFolder(folder, next) !== playbook;
    const asks = LONG[word] ?? (/^-[a-zA-Z]+$/.test(word) ? /[KkJ]/.exec(word)?.[0] : undefined);
    const plain = asks ? word.replace(asks, '') : word;
    if (asks) options.push(...(/^-[a-zA-Z]+$/.test(plain) ? [plain] : []), PASSWORDS[asks] as string);
    else if (!NARROWS.test(word.split('=')[0] as string) && !isOpen(word) && !(takes && isOpen(next)))
      options.push(takes ? `${word} ${next}` : word);
    if (takes) i += 1;
  }
  return options;
}

const ONLY_SAMPLE =
  'git has only an example of its inventory: make yours, name it in ansible.cfg or README, and start mendloop init again';

/** The `-i` option, unless ansible.cfg names an inventory: the one that is there, or a copy that is written down; else why there is none. */
function inventoryOption(survey: Survey, folder: string): string[] | string {
  if (configuredInventory(survey, folder) !== undefined) return [];
  const plain = INVENTORIES.find((name) => survey.files.has(inFolder(folder, name)));
  if (plain !== undefined) return [`-i ${plain}`];
  const below = [...survey.paths, ...survey.ignored]
    .filter((path) => isIn(folder, path))
    .map((path) => relative(folder, path))
    .filter((path) => IN_INVENTORY.test(path));
  const own = below.filter((path) => !/sample|example|template/.test(path));
  const lying = INVENTORIES.find((name) => survey.ignored.includes(inFolder(folder, name)));
  const [only = lying, ...others] = own;
  if (only !== undefined && others.length === 0) return [`-i ${only}`];
  const copies = commandsOf(survey).flatMap(
    ({ text }) => /^cp\s+(?:-\S+\s+)*(\S+)\s+(\S+)$/.exec(text)?.slice(1) ?? [],
  );
  const copied = below.flatMap((path) => {
    const from = copies.find((one, i) => i % 2 === 0 && isIn(inFolder('.', one), path));
    const to = from === undefined ? undefined : copies[copies.indexOf(from) + 1];
    return from === undefined || to === undefined ? [] : [inFolder(to, relative(inFolder('.', from), path))];
  });
  if (copied[0] !== undefined) return [`-i ${copied[0]}`];
  if (own.length > 0)
    return `there are several inventories, and nothing says which is meant: ${own.slice(0, 4).join(', ')}`;
  return below.length > 0 || hasExample(survey, folder) ? ONLY_SAMPLE : [];
}

const hasExample = (survey: Survey, folder: string): boolean =>
  INVENTORIES.some((name) =>
    ['example', 'sample'].some((word) => survey.files.has(inFolder(folder, `${word}.${name}`))),
  );

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
