// Ansible: which playbooks are entry points, which folder they run in, which inventory they get.
import { isMapping, mapping } from '../shape.ts';
import { shellWord } from '../worktree/messages.ts';
import { configuredInventory } from './command-line.ts';
import { destroysByName, destroysByPath } from './destroys.ts';
import type { Candidate, Reader } from './draft.ts';
import { otherPurpose, stageName } from './from-entries.ts';
import { layerOf } from './kinds.ts';
import { asksInPlay } from './play-asks.ts';
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
export function playbooksOf(
  survey: Survey,
): { path: string; folder: string; imports: string[]; variables: string[] }[] {
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
      .filter((one) => /^[\w./-]+$/.test(one));
    return [
      {
        path,
        folder,
        imports: imports.map((one) => inFolder(parent, one)),
        variables: variables.map((one) => inFolder(parent, one)),
      },
    ];
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

/** The `-i` option, unless ansible.cfg names an inventory: a file that is there, or one that the owner still has to write. */
function inventoryOption(survey: Survey, folder: string): string {
  if (configuredInventory(survey, folder) !== undefined) return '';
  const plain = INVENTORIES.find((name) => survey.files.has(inFolder(folder, name)));
  if (plain !== undefined) return ` -i ${plain}`;
  const below = [...survey.paths, ...survey.ignored]
    .filter((path) => isIn(folder, path))
    .map((path) => relative(folder, path))
    .filter((path) =>
      /^inventor(?:y|ies)\/(?:[\w-]+\/)?(?:hosts|inventory)(?:\.\w+)?$|^inventor(?:y|ies)\/[\w-]+\.(?:ini|ya?ml)$/.test(
        path,
      ),
    );
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
