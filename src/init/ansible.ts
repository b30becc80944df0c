// Playbooks: which of them one starts with, from where, with which hosts.
import { shellWord } from '../worktree/messages.ts';
import { destroysByPath } from './destroys.ts';
import { ANSIBLE_FILES, grouped } from './draft.ts';
import { otherPurpose, stageName } from './from-entries.ts';
import { inside, layerOf } from './kinds.ts';
import { type Found, inReadme, paths, type Reader } from './layout.ts';
import { baseName, documentsOf, folderOf, inFolder, isMapping, list, mapping, type Survey, unique } from './survey.ts';

const MAIN_PLAYBOOK =
  /^(?:site|main|playbook|cluster|run|deploy|setup|provision|bootstrap|install|all|k3s|k8s|homelab|nas|server|configure)/i;
const NO_PLAYBOOK = /(?:^|\/)(?:roles|tasks|vars|defaults|handlers|meta|group_vars|host_vars|collections|templates)\//;

/** Playbooks with the folder that Ansible is started in: where ansible.cfg lies. */
export function playbooksOf(
  survey: Survey,
): { path: string; folder: string; imports: string[]; variables: string[] }[] {
  const configs = unique(paths(survey, /(?:^|\/)ansible\.cfg$/).map(folderOf));
  return paths(survey, /\.ya?ml$/).flatMap((path) => {
    const text = NO_PLAYBOOK.test(`/${path}`) ? '' : (survey.text(path) ?? '');
    if (!/^\s*-\s+(?:name|hosts|import_playbook|ansible\.builtin\.import_playbook)\s*:/m.test(text)) return [];
    const plays = documentsOf(text)
      .flatMap((one) => (Array.isArray(one) ? one : []))
      .filter(isMapping);
    const imports = plays.flatMap((play) =>
      list(play.import_playbook ?? play['ansible.builtin.import_playbook']).map(String),
    );
    if (imports.length === 0 && !plays.some((play) => 'hosts' in play)) return [];
    const above = configs
      .filter((folder) => folder === '.' || path.startsWith(`${folder}/`))
      .sort((a, b) => b.length - a.length);
    const own = folderOf(path);
    const folder = above[0] ?? (baseName(own) === 'playbooks' ? folderOf(own) : own);
    const variables = plays
      .flatMap((play) => list(play.vars_files).map(String))
      .filter((one) => /^[\w./-]+$/.test(one));
    return [
      {
        path,
        folder,
        imports: imports.map((one) => inFolder(own, one)),
        variables: variables.map((one) => inFolder(own, one)),
      },
    ];
  });
}

export const ansible: Reader = (survey) => {
  const all = playbooksOf(survey);
  const imported = new Set(all.flatMap(({ imports }) => imports));
  const roots = all.filter(({ path }) => !imported.has(path));
  const harmful = all.filter(({ path }) => destroysByPath(path)).map(({ path }) => path);
  const usable = roots.filter(
    ({ path }) => !harmful.includes(path) && otherPurpose(baseName(path).replace(/\.ya?ml$/, '')) === undefined,
  );
  const isNamed = (path: string) => {
    const isOnly = all.filter((one) => baseName(one.path) === baseName(path)).length === 1;
    return inReadme(survey, isOnly || !path.includes('/') ? baseName(path) : path);
  };
  const isMain = ({ path }: { path: string }) => MAIN_PLAYBOOK.test(baseName(path)) || isNamed(path);
  const depth = ({ path }: { path: string }) => path.split('/').length;
  const main = usable.filter(isMain).sort((a, b) => depth(a) - depth(b));
  const chosen = main.length > 0 ? main : usable.length === 1 ? usable : [];
  const left = roots
    .filter((one) => !chosen.includes(one))
    .map(({ path }) => ({
      what: `ansible-playbook ${path}`,
      why: harmful.includes(path)
        ? 'its name says that it takes something away'
        : (otherPurpose(baseName(path).replace(/\.ya?ml$/, '')) ??
          'README does not name it, nor does another playbook'),
    }));
  return {
    found: chosen.map(({ path, folder, imports, variables }): Found => {
      const local = relative(folder, path);
      const { option, wants } = inventoryOf(survey, folder);
      const requirements = [
        'requirements.yml',
        'requirements.yaml',
        'collections/requirements.yml',
        'roles/requirements.yml',
      ].find((one) => survey.files.has(inFolder(folder, one)));
      const play = `ansible-playbook${option} ${shellWord(local)}`;
      const command = [
        ...(folder === '.' ? [] : [`cd ${shellWord(folder)}`]),
        ...(requirements ? [`ansible-galaxy install -r ${requirements}`] : []),
        play,
      ];
      const plain = baseName(path).replace(/\.ya?ml$/, '');
      const own = folderOf(path) === folder || /playbooks?$/.test(folderOf(path)) ? folder : folderOf(path);
      const isPlain = /^(?:site|main|playbook|run|all)$/.test(plain);
      const name = isPlain ? (own === '.' ? 'ansible' : baseName(own)) : plain;
      const at = folder === '.' ? '' : `${folder}/`;
      const files = [...survey.files.keys()].filter(
        (one) =>
          one.startsWith(at) &&
          ANSIBLE_FILES.test(one.slice(at.length)) &&
          one.slice(at.length).includes('/') &&
          !destroysByPath(one) &&
          !/requirements|secret|vault|\.sops\.|galaxy\.ya?ml|sample|example|molecule/.test(one),
      );
      return {
        name: stageName(name),
        command: command.join('\n'),
        keys: [local],
        description: `${baseName(path)}: ${playNames(survey, path, imports)}`,
        why: [
          isNamed(path)
            ? `README names ${baseName(path)}.`
            : `The name of ${path} says that it is the one to start with.`,
        ],
        verify: [inside(folder, `ansible all${option} -m ansible.builtin.ping`)],
        files: grouped([path, ...imports, ...files]),
        layer: Math.min(3, layerOf(plain, [])),
        timeout: '1h',
        wants: unique([...wants, ...variables.filter((one) => !survey.files.has(one))]),
        follow: [{ folder, text: play }],
      };
    }),
    left,
    protect: harmful,
  };
};

export const relative = (folder: string, path: string): string =>
  folder === '.' ? path : path.slice(folder.length + 1);

function playNames(survey: Survey, path: string, imports: readonly string[]): string {
  const named = documentsOf(survey.text(path) ?? '')
    .flatMap(list)
    .flatMap((play) => (typeof mapping(play).name === 'string' ? [mapping(play).name as string] : []));
  const all = [...named, ...imports.map(baseName)]
    .map((one) => one.replace(/[^\x20-\x7e]|[{}"'#:]/g, '').trim())
    .filter(Boolean);
  return (all.slice(0, 3).join(', ') || 'its plays').slice(0, 90);
}

const INVENTORIES = [
  'inventory.yml',
  'inventory.yaml',
  'inventory.ini',
  'hosts.ini',
  'hosts.yml',
  'hosts.yaml',
  'hosts',
  'inventory',
];

/** How a playbook is told its hosts: by ansible.cfg, by a file beside it, or by one that its owner still has to make. */
function inventoryOf(survey: Survey, folder: string): { option: string; wants: string[] } {
  const isThere = (path: string) =>
    survey.files.has(path) || [...survey.files.keys()].some((one) => one.startsWith(`${path}/`));
  const [, set] = /^\s*inventory\s*=\s*([^\s,;#]+)/m.exec(survey.text(inFolder(folder, 'ansible.cfg')) ?? '') ?? [];
  if (set !== undefined && !/^[~/$]/.test(set)) {
    const path = inFolder(folder, set).replace(/\/$/, '');
    return { option: '', wants: isThere(path) ? [] : [path] };
  }
  if (set !== undefined) return { option: '', wants: [] };
  const plain = INVENTORIES.find((name) => survey.files.has(inFolder(folder, name)));
  if (plain !== undefined) return { option: ` -i ${plain}`, wants: [] };
  const below = [...survey.files.keys(), ...survey.ignored]
    .filter((path) => path.startsWith(folder === '.' ? '' : `${folder}/`))
    .map((path) => relative(folder, path))
    .filter((path) =>
      /^inventor(?:y|ies)\/(?:[\w-]+\/)?(?:hosts|inventory)(?:\.\w+)?$|^inventor(?:y|ies)\/[\w-]+\.(?:ini|ya?ml)$/.test(
        path,
      ),
    );
  const [best] = below.filter((path) => !/sample|example|template/.test(path));
  if (best !== undefined)
    return { option: ` -i ${best}`, wants: survey.files.has(inFolder(folder, best)) ? [] : [inFolder(folder, best)] };
  const lying = INVENTORIES.find((name) => survey.ignored.includes(inFolder(folder, name)));
  const sample =
    below[0] ??
    INVENTORIES.find((name) =>
      ['example', 'sample'].some((word) => survey.files.has(inFolder(folder, `${word}.${name}`))),
    );
  const wanted = lying ?? sample?.replace(/\b(?:sample|example|template)\b/, 'my-cluster');
  return wanted === undefined
    ? { option: '', wants: [] }
    : { option: ` -i ${wanted}`, wants: [inFolder(folder, wanted)] };
}
