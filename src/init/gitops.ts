// The Kustomizations of Flux and the Applications of Argo CD in a repository, and which of them are roots. Pure.
import { isMapping, type Mapping, mapping } from '../shape.ts';
import { isBelow } from '../worktree/carry.ts';
import {
  baseName,
  documentsOf,
  escapeRegExp,
  folderOf,
  inFolder,
  list,
  outermost,
  pathsLike,
  perSurvey,
  type Survey,
  unique,
} from './survey.ts';

const MAX_ROOTS = 6;
const FLUX = /^apiVersion:\s*["']?kustomize\.toolkit\.fluxcd\.io\//m;
const ARGO = /^apiVersion:\s*["']?argoproj\.io\/[\s\S]*^kind:\s*["']?(?:Application|ApplicationSet)["']?\s*$/m;
const PLAIN = /^[a-z0-9][a-z0-9.-]*$/;

/** Whether Argo CD takes applications from here, also where a template makes them. */
export const isPulled = ({ paths, text }: Survey): boolean =>
  paths.some((path) => /\.ya?ml$/.test(path) && ARGO.test(text(path)));

export const readGitops = perSurvey((survey) => ({ flux: fluxOf(survey), argo: argoOf(survey) }));

const manifests = (survey: Survey, pattern: RegExp): [file: string, document: Record<string, unknown>][] =>
  pathsLike(survey, /\.ya?ml$/)
    .filter((path) => pattern.test(survey.text(path)))
    .flatMap((path) =>
      documentsOf(survey.text(path)).flatMap((one) => (isMapping(one) ? [[path, one] as [string, typeof one]] : [])),
    );

type FluxKustomization = ReturnType<typeof fluxOf>[number];

function fluxOf(survey: Survey) {
  return manifests(survey, FLUX).flatMap(([file, { apiVersion, metadata, spec }]) => {
    const { path, sourceRef, dependsOn } = mapping(spec);
    const { name, namespace } = namesIn(metadata, 'flux-system');
    const isFlux = String(apiVersion).startsWith('kustomize.toolkit') && PLAIN.test(name) && PLAIN.test(namespace);
    if (!isFlux || typeof path !== 'string') return [];
    return [
      {
        name,
        namespace,
        file,
        path: inFolder('.', path),
        needs: list(dependsOn).map((need) => String(mapping(need).name)),
        /** The git source that it is from. */
        source: String(mapping(sourceRef).name ?? 'flux-system'),
      },
    ];
  });
}

function namesIn(metadata: unknown, usual: string): { name: string; namespace: string } {
  const { name = '', namespace = usual } = mapping(metadata);
  return { name: String(name), namespace: String(namespace) };
}

const ROOT_KUSTOMIZATION = /^(?:flux-system|apps|infra\w*|core|config|cluster(?:-\w+)*)$/;

/** The Kustomizations of one cluster that no other one includes; those of other clusters, with the reason. */
export function rootsOf(all: readonly FluxKustomization[], guide: string) {
  // What flux-system includes counts as a root: stages for the parts tell more than one for all.
  const outer = all.filter(
    (one) => !all.some(({ name, path }) => name !== one.name && name !== 'flux-system' && isBelow(one.file, path)),
  );
  const clusters = unique(outer.map(({ file }) => clusterOf(file)));
  // README's order, where it names them: nothing else tells whose cluster comes first.
  const named = (one: string) => guide.search(new RegExp(`\\b${escapeRegExp(baseName(one))}\\b`, 'i')) >>> 0;
  const [cluster, second] = clusters.toSorted((a, b) => preference(a) - preference(b) || named(a) - named(b));
  const isOpen =
    cluster !== undefined &&
    second !== undefined &&
    preference(cluster) === preference(second) &&
    named(cluster) === named(second);
  if (isOpen)
    return {
      many: undefined,
      chosen: [],
      others: outer
        .slice(0, MAX_ROOTS)
        .map((one) => ({ ...one, why: `nothing says which cluster this is for: ${clusters.join(', ')}` })),
    };
  const inCluster = outer.filter(({ file, path }) => clusterOf(file) === cluster && path !== '.');
  const here =
    inCluster.length <= MAX_ROOTS ? inCluster : inCluster.filter(({ name }) => ROOT_KUSTOMIZATION.test(name));
  const once = [...new Map(here.map((one) => [one.name, one])).values()].slice(0, MAX_ROOTS);
  const names = new Set(once.map(({ name }) => name));
  const needsOf = ({ name, needs }: FluxKustomization) => {
    const inside = needs.filter((need) => names.has(need));
    return inside.length > 0 || name === 'flux-system' || !names.has('flux-system') ? inside : ['flux-system'];
  };
  return {
    /** When the roots cannot be told from the rest: one Kustomization of the most common source. */
    many: once.length === 0 ? mostCommon(inCluster) : undefined,
    chosen: once.map((one) => ({ ...one, needs: needsOf(one) })),
    others: outer
      .filter((one) => ![cluster, ''].includes(clusterOf(one.file)))
      .slice(0, MAX_ROOTS)
      .map((one) => ({ ...one, why: `it is another cluster than ${cluster}` })),
  };
}

function mostCommon(all: readonly FluxKustomization[]): FluxKustomization | undefined {
  const plain = all.filter(({ source }) => PLAIN.test(source));
  const times = ({ source }: FluxKustomization) => plain.filter((one) => one.source === source).length;
  return plain.toSorted((a, b) => times(b) - times(a))[0];
}

/** The cluster that a file belongs to, by its folder below `clusters/`; empty without such a folder. */
const clusterOf = (file: string): string => /(?:^|\/)(clusters?\/[^/]+)\//.exec(file)?.[1] ?? '';
const preference = (cluster: string): number => {
  const at = ['main', 'production', 'prod', 'home', 'homelab'].indexOf(baseName(cluster));
  return cluster === '' ? 20 : at === -1 ? 10 : at;
};

const ROOT_NAME = /^(?:root|bootstrap|app-of-apps|apps|argocd|cluster|main|infra(?:structure)?|applications?)/;
const MAX_ARGO = 3;

/** The root Applications; `folder`: of the kustomization that lists one. */
function argoOf(survey: Survey) {
  const all = manifests(survey, ARGO).flatMap(([file, document]) => {
    const { name, namespace } = namesIn(document.metadata, 'argocd');
    const kind = String(document.kind);
    if (!/^Application(?:Set)?$/.test(kind) || !PLAIN.test(name) || !PLAIN.test(namespace)) return [];
    const sources = [...JSON.stringify(document.spec ?? {}).matchAll(/"path":"([^"{}]+)"/g)];
    const paths = sources.map(([, path = '']) => inFolder('.', path));
    return [{ name, namespace, kind, file, paths }];
  });
  const isCovered = (file: string) =>
    all.some((other) => other.file !== file && other.paths.some((path) => isBelow(file, path)));
  const outer = all.filter(({ file }) => !isCovered(file));
  const wanted = outer.filter(({ kind, name }) => kind === 'ApplicationSet' || ROOT_NAME.test(name));
  // Of several that nothing tells from each other none is a root.
  const roots = (wanted.length > 0 ? wanted : outer.length === 1 ? outer : []).map(({ paths: _, ...root }) => {
    const folder = folderOf(root.file);
    const isListed = kustomizationIn(survey, folder).includes(baseName(root.file));
    return isListed ? { ...root, name: baseName(folder), folder } : { ...root, folder: undefined };
  });
  return [...new Map(roots.map((root) => [root.folder ?? root.file, root])).values()].slice(0, MAX_ARGO);
}

/** The text of the kustomization in a folder; empty when there is none. */
export const kustomizationIn = (survey: Survey, folder: string): string =>
  ['kustomization.yaml', 'kustomization.yml'].map((name) => survey.text(inFolder(folder, name))).find(Boolean) ?? '';

/** What a kustomization takes in beside it, as it stands there. */
export const takenIn = (kustomization: Mapping): string[] =>
  ['resources', 'bases', 'components'].flatMap((key) => list(kustomization[key]).map(String));

/** A folder and, where it has a kustomization, every folder outside of it that this one takes in. */
export function kustomizedFrom(survey: Survey, folder: string): string[] {
  const folders = [folder];
  for (const from of folders) {
    const value = mapping(documentsOf(kustomizationIn(survey, from))[0]);
    const taken = takenIn(value).map((path) => inFolder(from, path));
    folders.push(...taken.filter((path) => kustomizationIn(survey, path) !== '' && !folders.includes(path)));
  }
  return outermost(folders.map((path) => `${path}/`)).map((path) => path.slice(0, -1));
}
