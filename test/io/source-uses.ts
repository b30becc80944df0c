// What the source files of a tree use from outside: read from a real parse of each, not from its text.
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

export interface Uses {
  /** Specifiers of import, export … from, import() and require, types not counted. */
  readonly imports: readonly string[];
  /** Of `GLOBALS`, those that are used as globals. */
  readonly globals: readonly string[];
  /** Loads something whose name is only known when it runs. */
  readonly computed: boolean;
}

/** Ways to the network, or to any built-in module, without an import. */
export const GLOBALS = [
  'fetch',
  'WebSocket',
  'EventSource',
  'globalThis',
  'global',
  'eval',
  'Function',
  'process.binding',
];
const MARK = '__used_';

const markOf = (name: string): string => `${MARK}${name.replace('.', '_')}`;

/** What each of `files` (paths below `root`) uses. Throws when one does not parse. */
export async function usesOf(root: string, files: readonly string[]): Promise<Map<string, Uses>> {
  const imports = new Map<string, string[]>();
  const record: Plugin = {
    name: 'record',
    setup: ({ onResolve }) =>
      onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
        if (kind === 'entry-point') return undefined;
        imports.set(importer, [...(imports.get(importer) ?? []), path]);
        return { path, external: true };
      }),
  };
  const named = GLOBALS.map((name) => [name, markOf(name)]);
  const { outputFiles } = await build({
    ...{ absWorkingDir: root, entryPoints: [...files], outdir: 'out', outbase: root, write: false, bundle: true },
    ...{ format: 'esm', platform: 'node', target: 'esnext', logLevel: 'silent', legalComments: 'none' },
    ...{ plugins: [record], define: Object.fromEntries(named), outExtension: { '.js': '.out' } },
  });
  return new Map(
    files.map((file) => {
      const made = join(root, 'out', file.replace(/\.\w+$/, '.out'));
      const text = outputFiles.find(({ path }) => path === made)?.text ?? '';
      const globals = GLOBALS.filter((name) => new RegExp(`\\b${markOf(name)}\\b`).test(text));
      // Also taken apart: const { getBuiltinModule } = process.
      const computed = /(?:\bimport|require)\((?!"[^"]*"[,)])|\bgetBuiltinModule\b/.test(text);
      return [file, { imports: [...new Set(imports.get(join(root, file)))].sort(), globals, computed }];
    }),
  );
}
