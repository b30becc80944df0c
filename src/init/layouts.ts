// Repositories that are run by hand: playbooks, Terraform folders, helmfiles, talconfig, Flux, Argo CD, kustomizations, compose
// files. One reader each, in one table; what a runner or script runs already is not proposed again. Pure.

import { mapping } from '../shape.ts';
import { shellWord } from '../worktree/messages.ts';
import { ansible } from './ansible.ts';
import { inDirectory, kube, localModules } from './command-line.ts';
import { destroysByPath } from './destroys.ts';
import { type Candidate, destroysByContent, draftOf, grouped, type Reader, type Readers, running } from './draft.ts';
import { type Proposed, stageName } from './from-entries.ts';
import { kustomizedFrom, readGitops, rootsOf, takenIn } from './gitops.ts';
import { composeOf } from './kinds.ts';
import {
  baseName,
  type Draft,
  documentIn,
  folderOf,
  freeName,
  inFolder,
  inReadme,
  inside,
  type LeftOut,
  pathsLike,
  type Survey,
  treeOf,
  unique,
} from './survey.ts';

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
    /\btofu\s+(?:init|apply|plan)\b/.test(survey.readme)
      ? 'tofu'
      : 'terraform';
  return {
    candidates: roots
      .filter(([folder]) => !destroysByPath(folder))
      .map(([folder, text]): Candidate => {
        const run = `${program}${inDirectory(folder)}`;
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
            `${run} plan -input=false -out=mendloop.tfplan`,
            `${run} show -json mendloop.tfplan | jq -e '[.resource_changes[]?.change.actions[]] | index("delete") | not'`,
            `${run} apply -input=false mendloop.tfplan`,
          ].join('\n'),
          keys: [`${program} `, ...(folder === '.' ? [] : [baseName(folder)])],
          description: `What the files of ${folder === '.' ? 'the root' : folder} describe`,
          why: [
            `${folder === '.' ? 'The root' : folder} has resources and is no module of another folder.`,
            'A plan that would delete or replace anything ends at the line with jq: look',
            'at it, and apply it by hand.',
          ],
          layer: 2,
          env: hasValues ? [] : variables.slice(0, 6).map((name) => `TF_VAR_${name}`),
        };
      }),
  };
};

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
    candidates: units.map(
      (path): Candidate => ({
        name: stageName(placeOf(path) === '.' ? 'helmfile' : `${placeOf(path)}-helmfile`),
        command: `helmfile --file ${shellWord(path)} sync`,
        keys: [path, baseName(folderOf(path)) === '.' ? path : `${baseName(folderOf(path))}/${baseName(path)}`],
        description: `The Helm releases of ${path}`,
        why: [`${path} lists Helm releases; sync installs what is missing and upgrades the rest.`],
        files: [path.endsWith('.d') ? `${path}/` : path],
        layer: 4,
      }),
    ),
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
      description: `Machine configurations from ${path}`,
      why: [
        `${path} is talhelper's. Applying them is left to you: which node, and when, is not`,
        'written anywhere (talhelper gencommand apply prints the commands).',
      ],
      files: grouped([
        path,
        ...pathsLike(survey, /\.ya?ml$/).filter((one) =>
          one.startsWith(folder === '.' ? 'patches/' : `${folder}/patches/`),
        ),
      ]),
      layer: 1,
    };
  }),
});

const gitops: Reader = (survey) => {
  const { flux, argo } = readGitops(survey);
  const inCluster = (command: string) => kube(survey, command);
  /** A stage that makes the cluster pull from git, and waits for `what`. */
  const pulled = (
    one: Pick<Candidate, 'name' | 'keys' | 'description'>,
    why: string,
    commands: string[],
    what: string,
  ) => ({
    ...one,
    command: commands.map(inCluster).join('\n'),
    why: [
      why,
      'A fix reaches the cluster when it is promoted and pushed, not before: so no',
      'files may be edited here, and the stage check judges them.',
    ],
    verify: [inCluster(`kubectl wait ${what}`)],
    files: [],
    layer: 4,
    timeout: '30m',
  });
  const { chosen, others, many } = rootsOf(flux);
  const whole: Candidate[] =
    many === undefined
      ? []
      : [
          pulled(
            {
              name: 'flux',
              keys: ['flux reconcile', 'flux bootstrap'],
              description: 'What Flux makes of this repository',
            },
            `${many.file} and others have Kustomizations from the source ${many.source}.`,
            [`flux reconcile source git ${many.source} --namespace ${many.namespace}`],
            'kustomizations.kustomize.toolkit.fluxcd.io --all --all-namespaces --for=condition=Ready --timeout=10m',
          ),
        ];
  const system = survey.paths.find((path) => path.endsWith('flux-system/gotk-components.yaml'));
  const fluxName = (name: string) => stageName(name === 'flux-system' ? 'flux' : `flux-${name}`);
  const fluxes = chosen.map(({ name, namespace, path, file, needs }): Candidate => {
    const applies = name === 'flux-system' && system ? [`kubectl apply -k ${shellWord(folderOf(system))}`] : [];
    return {
      ...pulled(
        {
          name: fluxName(name),
          keys: [`reconcile kustomization ${name}`, `reconcile ks ${name}`, 'flux bootstrap'],
          description: `What Flux makes of ${path}`,
        },
        `${file} has the Kustomization ${name}, for ${path}.`,
        [...applies, `flux reconcile kustomization ${name} --namespace ${namespace} --with-source`],
        `kustomization.kustomize.toolkit.fluxcd.io/${name} --namespace ${namespace} --for=condition=Ready --timeout=5m`,
      ),
      needs: needs.map(fluxName),
      layer: needs.length > 0 || /apps/.test(name) ? 5 : 4,
    };
  });
  const argos = argo.map(({ name, namespace, kind, folder, file }): Candidate => {
    const where = folder ? `-k ${shellWord(folder)}` : `-n ${namespace} -f ${shellWord(file)}`;
    return pulled(
      {
        name: stageName(name === 'argocd' ? 'argocd' : `argocd-${name}`),
        keys: [folder ?? file],
        description: `Argo CD's ${kind} in ${folder ?? file}`,
      },
      `${file} tells Argo CD what to run.`,
      [`kubectl apply ${where}`],
      `applications.argoproj.io --all --namespace ${namespace} --for=jsonpath='{.status.health.status}'=Healthy --timeout=5m`,
    );
  });
  return {
    candidates: [...whole, ...fluxes, ...argos],
    left: others.map((one) => ({ what: `flux reconcile kustomization ${one.name}`, why: one.why })),
  };
};

/** Top kustomizations; none where Flux or Argo CD applies them. */
const kustomize: Reader = (survey) => {
  const { flux, argo } = readGitops(survey);
  const tops = flux.length + argo.length > 0 ? [] : topKustomizations(survey);
  const overlays = tops.filter((folder) => /(?:^|\/)overlays?\//.test(folder));
  const chosen = (overlays.length > 0 ? overlays : tops).filter((folder) => !destroysByPath(folder));
  return {
    candidates: chosen.map(
      (folder): Candidate => ({
        name: stageName(folder === '.' ? 'manifests' : folder.split('/').slice(-2).join('-')),
        command: `kubectl apply -k ${shellWord(folder)}`,
        keys: [folder],
        description: `The manifests of ${folder}`,
        why: [`No other kustomization takes ${folder} in.`],
        files: kustomizedFrom(survey, folder).map(treeOf),
        layer: 5,
      }),
    ),
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
        description: `Containers: ${services.slice(0, 6).join(', ')}`,
        why: [
          'Volumes with relative paths and .env stay those of your checkout: they are',
          'looked for in the project directory, not in the worktree.',
        ],
        files: [path],
        layer: 5,
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
    const chosen = fewOf(survey, open, before.length + drafts.length > 0);
    const many = `${open.length} of its kind stand beside each other, and README does not name it`;
    left.push(
      ...open
        .filter((candidate) => !chosen.includes(candidate))
        .map(({ command, files = [] }) => ({ what: files[0] ?? lastLine(command), why: many })),
    );
    for (const candidate of chosen) {
      const { keys: _, follow = [], ...sketch } = candidate;
      const { files } = await running(follow, readers, survey);
      const harm = await destroysByContent({ pieces: [], files }, readers, survey);
      if (harm !== undefined) {
        left.push({ what: follow[0]?.text ?? candidate.command, why: `it would destroy: ${harm}` });
        continue;
      }
      const taken = [...before, ...drafts].map(({ name }) => name);
      const all = [...follow, { folder: '.', text: candidate.command }];
      drafts.push(
        draftOf(
          { ...sketch, name: freeName([candidate.name, ...longerName(candidate)], taken) },
          { pieces: [], files, all },
          survey,
        ),
      );
    }
  }
  return { drafts, left, protect };
}

const MAX_BESIDE = 6;
const lastLine = (command: string): string => command.split('\n').at(-1) as string;

/** Of many candidates, those that README names; without any, the first few if there would be no stage at all. */
function fewOf(survey: Survey, all: readonly Candidate[], hasOthers: boolean): readonly Candidate[] {
  if (all.length <= MAX_BESIDE) return all;
  const isNamed = ({ keys, files = [] }: Candidate) =>
    [...keys, ...files].some((one) => /[./]/.test(one) && inReadme(survey, one));
  const named = all.filter(isNamed);
  return (named.length > 0 ? named : hasOthers ? [] : all).slice(0, MAX_BESIDE);
}

function longerName({ files = [] }: Candidate): string[] {
  const folder = folderOf(files[0] ?? '');
  return folder === '.' ? [] : [stageName(folder.split('/').slice(-2).join('-'))];
}
