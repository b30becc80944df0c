// What Flux and Argo CD are told in a repository: their kinds, as far as the order of things needs them. Pure.
import { isAside } from './entries.ts';
import { baseName, documentsOf, folderOf, inFolder, isMapping, list, mapping, type Survey, unique } from './survey.ts';

export interface FluxKustomization {
  readonly name: string;
  readonly namespace: string;
  readonly path: string;
  readonly needs: readonly string[];
  readonly file: string;
  /** The git source that it is from. */
  readonly source: string;
}

export interface ArgoRoot {
  readonly name: string;
  readonly namespace: string;
  readonly kind: string;
  readonly file: string;
  /** The kustomization that has it. */
  readonly folder: string | undefined;
}

const MAX_ROOTS = 6;
const FLUX = /^apiVersion:\s*["']?kustomize\.toolkit\.fluxcd\.io\//m;
const ARGO = /^apiVersion:\s*["']?argoproj\.io\/[\s\S]*^kind:\s*["']?(?:Application|ApplicationSet)["']?\s*$/m;
const PLAIN = /^[a-z0-9][a-z0-9.-]*$/;

const read = new WeakMap<Survey, { flux: FluxKustomization[]; argo: ArgoRoot[] }>();

/** Read once a survey. */
export function readGitops(survey: Survey): { flux: FluxKustomization[]; argo: ArgoRoot[] } {
  const made = read.get(survey) ?? { flux: fluxOf(survey), argo: argoOf(survey) };
  read.set(survey, made);
  return made;
}

const manifests = (survey: Survey, pattern: RegExp): [file: string, document: Record<string, unknown>][] =>
  [...survey.files.keys()]
    .filter((path) => /\.ya?ml$/.test(path) && !isAside(path) && pattern.test(survey.text(path) ?? ''))
    .flatMap((path) =>
      documentsOf(survey.text(path) ?? '').flatMap((one) =>
        isMapping(one) ? [[path, one] as [string, typeof one]] : [],
      ),
    );

function fluxOf(survey: Survey): FluxKustomization[] {
  return manifests(survey, FLUX).flatMap(([file, document]) => {
    const { metadata, spec } = document;
    const { name, namespace = 'flux-system' } = mapping(metadata);
    const { path } = mapping(spec);
    if (
      !String(document.apiVersion).startsWith('kustomize.toolkit') ||
      !PLAIN.test(String(name)) ||
      !PLAIN.test(String(namespace))
    )
      return [];
    if (typeof path !== 'string') return [];
    const source = String(mapping(mapping(spec).sourceRef).name ?? 'flux-system');
    const needs = list(mapping(spec).dependsOn).map((one) => String(mapping(one).name));
    return [
      {
        name: String(name),
        namespace: String(namespace),
        path: inFolder('.', path).replace(/\/$/, ''),
        needs,
        file,
        source,
      },
    ];
  });
}

const ROOT_KUSTOMIZATION = /^(?:flux-system|apps|infra\w*|core|config|cluster(?:-\w+)*)$/;

/** Those that no other Kustomization brings in, of one cluster; the rest, with the reason. */
export function rootsOf(all: readonly FluxKustomization[]) {
  const isWithin = (file: string, path: string) => path !== '.' && (file === path || file.startsWith(`${path}/`));
  // What flux-system brings in are the parts of the cluster: they tell more than it alone.
  const outer = all.filter(
    (one) => !all.some(({ name, path }) => name !== one.name && name !== 'flux-system' && isWithin(one.file, path)),
  );
  const clusters = unique(outer.map(({ file }) => clusterOf(file)));
  const cluster = clusters.toSorted((a, b) => preference(a) - preference(b) || (a < b ? -1 : 1))[0];
  const inCluster = outer.filter(({ file, path }) => clusterOf(file) === cluster && path !== '.');
  const here =
    inCluster.length <= MAX_ROOTS ? inCluster : inCluster.filter(({ name }) => ROOT_KUSTOMIZATION.test(name));
  const once = [...new Map(here.map((one) => [one.name, one])).values()].slice(0, MAX_ROOTS);
  const names = new Set(once.map(({ name }) => name));
  const needsOf = ({ name, needs }: FluxKustomization) => {
    const own = needs.filter((need) => names.has(need));
    return own.length > 0 || name === 'flux-system' || !names.has('flux-system') ? own : ['flux-system'];
  };
  return {
    /** Too many beside each other to tell which is the root: one of the source that most are from. */
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

/** The folder that is one cluster's: the one behind `clusters`, else all is one. */
const clusterOf = (file: string): string => /(?:^|\/)(clusters?\/[^/]+)\//.exec(file)?.[1] ?? '';
const preference = (cluster: string): number => {
  const at = ['main', 'production', 'prod', 'home', 'homelab'].indexOf(baseName(cluster));
  return cluster === '' ? 20 : at === -1 ? 10 : at;
};

const ROOT_NAME = /^(?:root|bootstrap|app-of-apps|apps|argocd|cluster|main|infra(?:structure)?|applications?)/;
const MAX_ARGO = 3;

function argoOf(survey: Survey): ArgoRoot[] {
  const all = manifests(survey, ARGO).flatMap(([file, document]) => {
    const { name = '', namespace = 'argocd' } = mapping(document.metadata);
    const kind = String(document.kind);
    if (!/^Application(?:Set)?$/.test(kind) || !PLAIN.test(String(name)) || !PLAIN.test(String(namespace))) return [];
    const sources = JSON.stringify(document.spec ?? {}).matchAll(/"path":"([^"{}]+)"/g);
    return [
      {
        name: String(name),
        namespace: String(namespace),
        kind,
        file,
        paths: [...sources].map(([, path]) => inFolder('.', path as string)),
      },
    ];
  });
  const covered = (file: string) =>
    all.some(
      (one) =>
        one.file !== file && one.paths.some((path) => path !== '.' && file.startsWith(`${path.replace(/\/$/, '')}/`)),
    );
  const outer = all.filter(({ file }) => !covered(file));
  const wanted = outer.filter(({ kind, name }) => kind === 'ApplicationSet' || ROOT_NAME.test(name));
  const roots = wanted.length > 0 ? wanted : outer.slice(0, 1);
  const withFolder = roots.map((one): ArgoRoot => {
    const folder = folderOf(one.file);
    const kustomization = ['kustomization.yaml', 'kustomization.yml']
      .map((name) => inFolder(folder, name))
      .find((path) => survey.files.has(path));
    const lists = kustomization !== undefined && (survey.text(kustomization) ?? '').includes(baseName(one.file));
    return {
      name: lists ? baseName(folder) : one.name,
      namespace: one.namespace,
      kind: one.kind,
      file: one.file,
      folder: lists ? folder : undefined,
    };
  });
  const once = [...new Map(withFolder.map((one) => [one.folder ?? one.file, one])).values()];
  return once.slice(0, MAX_ARGO);
}
