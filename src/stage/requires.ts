// What must be there before a stage starts: everything that is missing, named at once, with how to get it.
import { dirname, join, normalize } from 'node:path';
import type { ContextMap, Stage } from '../config/context-map.ts';
import { pathMatcher } from '../config/paths.ts';
import { fileFacts, findTool } from '../io/files.ts';

/** Where the tools of the shipped stages come from. */
const TOOL_SOURCES: Readonly<Record<string, string>> = {
  qm: 'part of Proxmox VE: run this on the Proxmox host, or set PROXMOX_HOST to reach it by ssh',
  pvesh: 'part of Proxmox VE: run this on the Proxmox host',
  ssh: 'apt install openssh-client',
  talosctl: 'https://www.talos.dev, "talosctl", or brew install siderolabs/tap/talosctl',
  kubectl: 'https://kubernetes.io/docs/tasks/tools/, or brew install kubectl',
  flux: 'https://fluxcd.io/flux/installation/, or brew install fluxcd/tap/flux',
  helm: 'https://helm.sh/docs/intro/install/',
  jq: 'apt install jq',
};

/** One line for each thing of `stage.requires` that is missing. */
export function missingRequirements(
  stage: Pick<Stage, 'requires'>,
  where: { root: string; path: string; env: Readonly<Record<string, string | undefined>> },
): string[] {
  const { env, tools, files } = stage.requires;
  return [
    ...env.filter((name) => !where.env[name]).map((name) => `environment variable ${name} is not set`),
    ...tools.filter((tool) => !findTool(tool, where.path)).map(missingTool),
    ...files.filter((file) => !fileFacts(join(where.root, file))).map((file) => `file ${file} does not exist`),
  ];
}

/**
 * The required files that a fix could add, when nothing else is missing: below the stage's own `files`, in a folder that
 * exists. Empty when a person is needed.
 */
export function addableFiles(
  { requires, files }: Pick<Stage, 'requires' | 'files'>,
  where: { root: string; path: string; env: Readonly<Record<string, string | undefined>> },
): string[] {
  const others = missingRequirements({ requires: { ...requires, files: [] } }, where);
  const missing = requires.files.map(plainPath).filter((file) => !fileFacts(join(where.root, file)));
  const isStageFile = pathMatcher(files);
  const mayBeAdded = (file: string) =>
    isStageFile(file) && fileFacts(join(where.root, dirname(file)))?.isFolder === true;
  return others.length === 0 && missing.every(mayBeAdded) ? missing : [];
}

const plainPath = (path: string): string => normalize(path).replace(/\/$/, '');

/** How to get a tool, where that is known. */
export const toolSource = (tool: string): string | undefined =>
  Object.hasOwn(TOOL_SOURCES, tool) ? TOOL_SOURCES[tool] : undefined;

function missingTool(tool: string): string {
  const source = toolSource(tool);
  return `tool ${tool} is not on PATH${source ? ` (${source})` : ''}`;
}

/** What the stages of a map require of one kind, each once. */
export const required = ({ stages }: Pick<ContextMap, 'stages'>, kind: 'tools' | 'env'): string[] => [
  ...new Set(Object.values(stages).flatMap(({ requires }) => requires[kind])),
];

/** One line for every tool that the stages require and PATH lacks, shown before the first of them starts. */
export function missingTools(stages: readonly (Pick<Stage, 'requires'> | undefined)[], path: string): string[] {
  const tools = [...new Set(stages.flatMap((stage) => stage?.requires.tools ?? []))];
  return tools.filter((tool) => !findTool(tool, path)).map(missingTool);
}
