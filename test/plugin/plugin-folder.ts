// Plugins written to a folder, named as ai/loop.yaml would, and loaded.
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Stage } from '../../src/config/context-map.ts';
import { stageSchema } from '../../src/config/context-map.ts';
import { parseLoopConfig } from '../../src/config/parse.ts';
import { formatProblem } from '../../src/config/problem.ts';
import { formatError, MendError } from '../../src/errors.ts';
import { vocabularies } from '../../src/io/gate/vocabularies.ts';
import type { FixFacts, HookName } from '../../src/plugin/contract.ts';
import type { LoadedPlugin } from '../../src/plugin/examine.ts';
import { type LoadInput, loadPlugins, type Plugins } from '../../src/plugin/load.ts';
import { repositoryFromTexts } from '../../src/repository/repository.ts';

const made = mkdtempSync(join(realpathSync(tmpdir()), 'mendloop-plugin-'));

/** A folder `plugins` with these files. */
export function pluginFolder(files: Readonly<Record<string, string>>): string {
  const folder = join(mkdtempSync(join(made, 'f-')), 'plugins');
  mkdirSync(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Loads what `yaml`, an ai/loop.yaml, names; nobody else. A `backend` is named past the configuration, which takes only ours. */
export function load(
  yaml: string,
  files: Readonly<Record<string, string>> | string,
  more: Partial<LoadInput> & { isPackage?: boolean } = {},
): Promise<Plugins> {
  const nobody = ['executors', 'escalations'].filter((list) => !new RegExp(`\\b${list}:`).test(yaml));
  const [, backend = 'local'] = /^backend: (\S+)$/m.exec(yaml) ?? [];
  const named = [...nobody.map((list) => `${list}: []`), yaml.replace(/^backend: .*$/m, '')].join('\n');
  const parsed = parseLoopConfig(named, 'ai/loop.yaml');
  if (!parsed.ok) throw new Error(parsed.problems.map(formatProblem).join('\n'));
  const folder = typeof files === 'string' ? files : pluginFolder(files);
  return loadPlugins({
    loop: { ...parsed.value, backend },
    own: { folder, isPackage: more.isPackage ?? false },
    ...more,
  });
}

/** The whole text of what is refused. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof MendError) return formatError(error);
    throw error;
  }
  return 'nothing was refused';
}

/** Only the lines of its problems. */
export async function problems(work: Promise<unknown>): Promise<string[]> {
  const lines = (await refusal(work)).split('\n');
  return lines.filter((line) => line.startsWith('  - ')).map((line) => line.slice(4));
}

/** A plugin without a file. */
export const plugin = (hook: HookName, work: (context: never) => unknown, options: unknown = {}): LoadedPlugin => ({
  name: 'probe',
  hooks: { [hook]: work as (context: unknown) => unknown },
  options,
});

const stage = stageSchema.parse({ command: 'stages/talos/run.sh', files: ['stages/talos/'] }) as Stage;

/** What a stage that failed looks like to a plugin. */
export const fixFacts = (more: Partial<FixFacts> = {}): FixFacts => ({
  stage: { ...stage, name: 'talos' },
  tree: ['stages/talos/run.sh'],
  places: [],
  shell: { parses: async () => true },
  definitions: async () => ({ repository: repositoryFromTexts(new Map()), vocabulary: vocabularies }),
  prompt: '',
  surroundings: { path: '/usr/bin:/bin', variables: ['PATH'] },
  failure: {
    fingerprint: '0123456789abcdef',
    class: 'unknown',
    error_lines: ['stages/talos/run.sh: line 2: set: -\r: invalid option'],
    excerpt: 'stages/talos/run.sh: line 2: set: -\r: invalid option',
    log: 'ai/logs/talos/r-1.log',
  },
  files: ['stages/talos/run.sh'],
  read: async () => 'set -e\r\n',
  look: async () => 'set -e\r\n',
  tries: [],
  refused: [],
  choices: [],
  limits: { files: 1, changed_lines: 100 },
  ...more,
});
