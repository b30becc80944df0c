// Repositories that are run by hand: playbooks, Terraform folders, helmfiles, talconfig, Flux, Argo CD, kustomizations, compose
// files. One reader each, in one table; what a runner or script runs already is not proposed again. Pure.

import { mapping } from '../shape.ts';
import { shellWord } from '../worktree/messages.ts';
import { ansible } from './ansible.ts';
import { inDirectory, kube, localModules, optionValue, terraformHolds } from './command-line.ts';
import { destroysByPath } from './destroys.ts';
import { type Candidate, destroysByContent, draftOf, grouped, type Reader, type Readers, running } from './draft.ts';
import { type Command, commandsOf, type Proposed } from './from-entries.ts';
import { isPulled, kustomizedFrom, readGitops, rootsOf, takenIn } from './gitops.ts';
import { composeOf } from './kinds.ts';
import { stageName } from './names.ts';
import {
  baseName,
  type Draft,
  documentIn,
  folderOf,
  freeName,
  inFolder,
  inside,
  type LeftOut,
  pathsLike,
  type Survey,
  treeOf,
  unique,
} from './survey.ts';
import { guidesOf } from './written.ts';

const TERRAFORM_FILE = /\.(?:tf|tofu)$/;

/** Folders with Terraform files. */
export const terraformFolders = (survey: Survey): string[] => unique(pathsLike(survey, TERRAFORM_FILE).map(folderOf));

const terraform: Reader = (survey) => {
  const textOf = (folder: string) =>
    pathsLike(survey, TERRAFORM_FILE)
      .filter((path) => folderOf(path) === folder)
      .map(survey.text)
      .join('\n');
  const texts = new Map(terraformFolders(survey).map((folder) => [folder, textOf(folder)]));
  const used = new Set([...texts.keys()].flatMap((folder) => localModules(survey, folder)));
  const roots = [...texts].filter(
    ([folder, text]) =>
      !used.has(folder) &&
      !/(?:^|\/)modules?(?:\/|$)/.test(folder) &&
      /^\s*(?:provider|resource|module)\s+"/m.test(text),
  );
  const program =
    roots.some(([folder]) => /tofu/.test(folder)) ||
    pathsLike(survey, /\.tofu$/).length > 0 ||
    commandsOf(survey).some(({ text }) => /\btofu\s+(?:init|apply|plan)\b/.test(text))
      ? 'tofu'
      : 'terraform';
  return {
    candidates: roots
      .filter(([folder]) => !destroysByPath(folder))
      .map(([folder, text]): Candidate => {
        const run = `${program}${inDirectory(folder)}`;
        const isStartedBy = (command: Command) => APPLIES.test(command.text) && workFolderOf(command) === folder;
        const written = commandsOf(survey).find(isStartedBy)?.text ?? '';
        const given = (written.match(/-?-var-file[= ]\S+/g) ?? []).map(
          (one) => ` ${one.replace(/^-+var-file[= ]"?(.*?)"?$/, '-var-file=$1')}`,
        );
        const workspace = commandsOf(survey)
          .flatMap(({ text }) => /^(?:terraform|tofu)\s+workspace\s+(?:new|select)\s+([\w-]+)$/.exec(text)?.[1] ?? [])
          .at(0);
        const variables = [...text.matchAll(/variable\s+"(\w+)"\s*\{((?:[^{}]|\{[^{}]*\})*)\}/g)]
          .filter(([, , body]) => !/\bdefault\s*=/.test(body as string))
          .map(([, name]) => name as string);
        const hasValues = [...survey.paths, ...survey.ignored].some(
          (path) => folderOf(path) === folder && baseName(path).includes('tfvars'),
        );
        const plain = folder === '.' ? program : baseName(folder);
        return {
          name: stageName(/^(?:prod|production|main|home|dev|staging)$/.test(plain) ? `${program}-${plain}` : plain),
          command: [
            `${run} init -input=false`,
            ...(workspace ? [`${run} workspace select -or-create=true ${shellWord(workspace)}`] : []),
            `${run} plan -input=false${given.join('')} -out=mendloop.tfplan`,
            `${run} show -json mendloop.tfplan | jq -e '[.resource_changes[]?.change.actions[]] | index("delete") | not'`,
            `${run} apply -input=false mendloop.tfplan`,
          ].join('\n'),
          keys: [`${program} `, ...(folder === '.' ? [] : [baseName(folder)])],
          isStartedBy,
          verify: [terraformHolds(program, folder, given.join(''))],
          description: `What the files of ${folder === '.' ? 'the root' : folder} describe`,
          why: [
            `${folder === '.' ? 'The root' : folder} has resources and is no module of another folder.`,
            'A plan that would delete or replace anything ends at the line with jq: look at it, and apply it by hand.',
          ],
          env: hasValues || given.length > 0 ? [] : variables.slice(0, 6).map((name) => `TF_VAR_${name}`),
        };
      }),
  };
};

const APPLIES = /^(?:\w+=\S+\s+|sudo\s+)*(?:terraform|tofu)\b.*\s(?:apply|up)\b/;
const workFolderOf = ({ text, folder }: Command): string => inFolder(folder, optionValue(text, '-chdir') ?? '.');

const helmfile: Reader = (survey) => {
  const all = pathsLike(survey, /(?:^|\/)helmfile(?:\.ya?ml(?:\.gotmpl)?|\.d\/[^/]+\.ya?ml(?:\.gotmpl)?)$/);
  // Only helm template knows this option: such a file is rendered for its CRDs, and sync would install whole charts.
  const rendered = all.filter((path) => survey.text(path).includes('--include-crds'));
  const together = (path: string) => path.replace(/(helmfile\.d)\/.*$/, '$1');
  const placeOf = (path: string) => baseName(folderOf(together(path)));
  // helmfile runs the files of a folder helmfile.d together.
  const units = unique(
    all
      .filter((path) => !rendered.includes(path))
      .map((path) => (rendered.some((one) => together(one) === together(path)) ? path : together(path))),
  ).filter((path) => !destroysByPath(path));
  return {
    left: rendered.map((path) => ({
      what: `helmfile --file ${path} sync`,
      why: 'it is rendered for its custom resource definitions alone (--include-crds)',
    })),
    candidates: units.map((path) => ({
      name: stageName(placeOf(path) === '.' ? 'helmfile' : `${placeOf(path)}-helmfile`),
      command: `helmfile --file ${shellWord(path)} sync`,
      keys: [path, baseName(folderOf(path)) === '.' ? path : `${baseName(folderOf(path))}/${baseName(path)}`],
      isStartedBy: ({ text, folder }) =>
        /\bhelmfile\b.*\b(?:apply|sync)\b/.test(text) &&
        inFolder(folder, optionValue(text, '-f|--file') ?? 'helmfile.yaml') === path,
      description: `The Helm releases of ${path}`,
      why: [`${path} lists Helm releases; sync installs what is missing and upgrades the rest.`],
      files: [path.endsWith('.d') ? `${path}/` : path],
    })),
  };
};

export const talconfigs = (survey: Survey): string[] => pathsLike(survey, /(?:^|\/)talconfig\.ya?ml$/);

const talos: Reader = (survey) => ({
  candidates: talconfigs(survey).map((path): Candidate => {
    const folder = folderOf(path);
    return {
      name: 'talos-config',
      command: inside(folder, `talhelper genconfig --config-file ${baseName(path)}`),
      keys: ['talhelper gen'],
      isStartedBy: ({ text }) => /\btalhelper\s+genconfig\b/.test(text),
      description: `Machine configurations from ${path}`,
      why: [
        `${path} is talhelper's. Applying them is left to you: which node, and when, is not written anywhere (talhelper gencommand apply prints the commands).`,
      ],
      files: grouped([
        path,
        ...pathsLike(survey, /\.ya?ml$/).filter((one) =>
          one.startsWith(folder === '.' ? 'patches/' : `${folder}/patches/`),
        ),
      ]),
    };
  }),
});

type Pulled = Pick<Candidate, 'name' | 'keys' | 'description'> & { because: string; commands: string[]; holds: string };

const gitops: Reader = (survey) => {
  const { flux, argo } = readGitops(survey);
  const inCluster = (command: string) => kube(survey, command);
  /** A stage that makes the cluster pull from git, and waits until `holds`. */
  const pulled = ({ because, commands, holds, ...rest }: Pulled): Candidate => ({
    ...rest,
    command: commands.map(inCluster).join('\n'),
    why: [
      because,
      'A fix reaches the cluster when it is promoted and pushed, not before: so no files may be edited here, and the stage check judges them.',
    ],
    verify: [inCluster(`kubectl wait ${holds}`)],
    files: [],
    isLast: true,
    timeout: '30m',
  });
  const { chosen, others, many } = rootsOf(flux, guidesOf(survey).map(survey.text).join('\n'));
  const whole =
    many &&
    pulled({
      name: 'flux',
      keys: ['flux reconcile', 'flux bootstrap'],
      description: 'What Flux makes of this repository',
      because: `${many.file} and others have Kustomizations from the source ${many.source}.`,
      commands: [`flux reconcile source git ${many.source} --namespace ${many.namespace}`],
      holds: 'kustomizations.kustomize.toolkit.fluxcd.io --all --all-namespaces --for=condition=Ready --timeout=10m',
    });
  const fluxName = (name: string) => stageName(name === 'flux-system' ? 'flux' : `flux-${name}`);
  const fluxes = chosen.map(({ name, namespace, path, file, needs }): Candidate => {
    return {
      ...pulled({
        name: fluxName(name),
        keys: [`reconcile kustomization ${name}`, `reconcile ks ${name}`, 'flux bootstrap'],
        description: `What Flux makes of ${path}`,
        because: `${file} has the Kustomization ${name}, for ${path}.`,
        commands: [`flux reconcile kustomization ${name} --namespace ${namespace} --with-source`],
        holds: `kustomization.kustomize.toolkit.fluxcd.io/${name} --namespace ${namespace} --for=condition=Ready --timeout=5m`,
      }),
      needs: needs.map(fluxName),
    };
  });
  const argos = argo.map(({ name, namespace, kind, folder, file }): Candidate => {
    const where = folder ? `-k ${shellWord(folder)}` : `-n ${namespace} -f ${shellWord(file)}`;
    return pulled({
      name: stageName(name === 'argocd' ? 'argocd' : `argocd-${name}`),
      keys: [folder ?? file],
      description: `Argo CD's ${kind} in ${folder ?? file}`,
      because: `${file} tells Argo CD what to run.`,
      commands: [`kubectl apply ${where}`],
      holds: `applications.argoproj.io --all --namespace ${namespace} --for=jsonpath='{.status.health.status}'=Healthy --timeout=5m`,
    });
  });
  return {
    candidates: [...(whole ? [whole] : []), ...fluxes, ...argos],
    left: others.map((one) => ({ what: `flux reconcile kustomization ${one.name}`, why: one.why })),
  };
};

/** Top kustomizations; none where Flux or Argo CD applies them. */
const kustomize: Reader = (survey) => {
  const { flux, argo } = readGitops(survey);
  const tops = flux.length + argo.length > 0 || isPulled(survey) ? [] : topKustomizations(survey);
  const overlays = tops.filter((folder) => /(?:^|\/)overlays?\//.test(folder));
  const chosen = (overlays.length > 0 ? overlays : tops).filter((folder) => !destroysByPath(folder));
  return {
    candidates: chosen.map((folder) => ({
      name: stageName(folder === '.' ? 'manifests' : folder.split('/').slice(-2).join('-')),
      command: `kubectl apply -k ${shellWord(folder)}`,
      keys: [folder],
      isStartedBy: ({ text, folder: from }) =>
        /\bkubectl\b.*\bapply\b/.test(text) && inFolder(from, optionValue(text, '-k|--kustomize') ?? '..') === folder,
      description: `The manifests of ${folder}`,
      why: [`No other kustomization takes ${folder} in.`],
      files: kustomizedFrom(survey, folder).map(treeOf),
    })),
  };
};

/** Folders with a kustomization that no other one includes, without components and bases. */
export function topKustomizations(survey: Survey): string[] {
  const all = pathsLike(survey, /(?:^|\/)kustomization\.ya?ml$/).filter((path) => !/\{\{/.test(survey.text(path)));
  const taken = new Set<string>();
  const folders = all.flatMap((path) => {
    const value = documentIn(survey, path);
    if (value.kind === 'Component' || String(value.apiVersion ?? '').includes('toolkit.fluxcd')) return [];
    for (const resource of takenIn(value)) taken.add(inFolder(folderOf(path), resource));
    return [folderOf(path)];
  });
  return folders.filter((folder) => !taken.has(folder) && !/(?:^|\/)(?:components?|bases?)(?:\/|$)/.test(folder));
}

export const composeFiles = (survey: Survey): string[] =>
  pathsLike(survey, /(?:^|\/)(?:docker-)?compose\.ya?ml$/).filter((path) => 'services' in documentIn(survey, path));

const IN_A_ROLE = /(?:^|\/)(?:roles|files|templates?)\//;

const compose: Reader = (survey) => ({
  candidates: composeFiles(survey)
    .filter((path) => !IN_A_ROLE.test(path) && !destroysByPath(path))
    .map((path): Candidate => {
      const folder = folderOf(path);
      const home = folder === '.' ? '"$MENDLOOP_HOME"' : `"$MENDLOOP_HOME/${folder}"`;
      const services = Object.keys(mapping(documentIn(survey, path).services));
      return {
        name: stageName(folder === '.' ? 'compose' : baseName(folder)),
        command: `${composeOf(survey)} --project-directory ${home} -f ${shellWord(path)} up --detach --wait`,
        keys: [path],
        isStartedBy: ({ text, folder: from }) =>
          /\bdocker(?:-|\s+)compose\b.*\bup\b/.test(text) &&
          (/\s(?:-f|--file)[= ]/.test(text)
            ? inFolder(from, optionValue(text, '-f|--file') ?? '..') === path
            : inFolder(from, optionValue(text, '--project-directory') ?? '.') === folder),
        description: `Containers: ${services.slice(0, 6).join(', ')}`,
        why: [
          'Volumes with relative paths and .env stay those of your checkout: they are looked for in the project directory, not in the worktree.',
        ],
        files: [path],
      };
    }),
});

const LAYOUTS: readonly Reader[] = [terraform, ansible, talos, helmfile, gitops, kustomize, compose];

/** What the layouts propose that `before` does not run already. */
export async function fromLayouts(survey: Survey, readers: Readers, before: readonly Draft[]): Promise<Proposed> {
  const drafts: Draft[] = [];
  const left: LeftOut[] = [];
  const protect: string[] = [];
  for (const read of LAYOUTS) {
    const { candidates, left: more = [], protect: harmful = [] } = read(survey);
    left.push(...more.filter(({ what }) => !before.some(({ runs }) => runs.includes(baseName(what)))));
    protect.push(...harmful);
    const open = candidates.filter(
      ({ keys }) => !before.some(({ runs }) => keys.some((key) => key !== '.' && runs.includes(key))),
    );
    for (const candidate of open) {
      const { keys: _, follow = [], ...sketch } = candidate;
      const { files } = await running(follow, readers, survey);
      const harm = await destroysByContent({ pieces: [], files }, readers, survey);
      if (harm !== undefined) {
        left.push({ what: follow[0]?.text ?? candidate.command, why: `it would destroy: ${harm}` });
        continue;
      }
      const taken = [...before, ...drafts].map(({ name }) => name);
      const name = freeName([candidate.name, ...longerName(candidate)], taken);
      const all = [...follow, { folder: '.', text: candidate.command }];
      const command = withoutPrepared(candidate.command, before);
      drafts.push(draftOf({ ...sketch, name, command }, { pieces: [], files, all }, survey));
    }
  }
  return { drafts, left, protect };
}

/** Without the roles that another stage installs. */
const withoutPrepared = (command: string, before: readonly Draft[]): string =>
  before.some(({ does }) => does.includes('galaxy')) ? command.replace(/^ansible-galaxy .*\n/gm, '') : command;

function longerName({ files = [] }: Candidate): string[] {
  const folder = folderOf(files[0] ?? '');
  return folder === '.' ? [] : [stageName(folder.split('/').slice(-2).join('-'))];
}
