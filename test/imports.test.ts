// Who may import whom: the one table, and a proof that breaking it is noticed.
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  cycles,
  type Doors,
  type ImportRules,
  importsOf,
  isIn,
  loadedWith,
  tableFaults,
  violations,
} from './import-rules.ts';

const only = (...rows: string[]): Doors => ({ only: rows });
const allBut = (...rows: string[]): Doors => ({ allBut: rows });

const RULES: ImportRules = {
  folders: {
    'src/shape.ts': only(),
    'src/events.ts': only(),
    'src/errors.ts': only(),
    'src/config': only(),
    // The work queue as people write it, and what the loop writes into it.
    'src/backlog': only('src/config'),
    'src/plan': only('src/config'),
    'src/failure': only('src/config'),
    'src/triage': only('src/config', 'src/plan', 'src/failure'),
    // What a repository defines and uses.
    'src/repository': only('src/config'),
    'src/fix': only('src/config', 'src/repository'),
    'src/outbound/redact': only('src/config'),
    'src/outbound': only('src/config', 'src/plan', 'src/failure', 'src/triage', 'src/repository', 'src/fix'),
    // Does what it is told and knows no policy.
    'src/io': only('src/outbound'),
    // The thread that judges, and the grammar and vocabularies it reads with.
    'src/io/gate': only('src/repository', 'src/fix', 'src/io'),
    // Events on disk, and what is folded from them.
    'src/journal': only('src/config', 'src/plan', 'src/triage', 'src/outbound', 'src/io'),
    // Plugins are loaded and called, not judged; only looking for their files touches io.
    'src/plugin': only('src/config', 'src/failure', 'src/repository', 'src/fix', 'src/outbound', 'src/io/links.ts'),
    // Knows git, and nothing of stages; of the work queue how its files are merged.
    'src/worktree': only('src/backlog', 'src/repository', 'src/io'),
    // Slurm's programs, and what they say; knows nothing of stages.
    'src/slurm': only('src/io'),
    'src/stage': allBut(),
    // Attempts on other machines: files, programs, schedulers.
    'src/backend': allBut(),
    'src/mend': allBut(),
    'src/run': allBut(),
    // Plans of a caller's own, by the schedule that drives the runs of stages.
    'src/plan-api': only('src/config', 'src/plan', 'src/io', 'src/run/schedule.ts', 'src/run/within-limits.ts'),
    'src/promote': allBut(),
    // What starts runs by itself; only schedulers.ts touches the machine.
    'src/cron': only('src/config', 'src/io', 'src/worktree', 'src/stage'),
    // Changes nothing.
    'src/inspect': allBut('src/promote'),
    // Reads a repository and proposes; only look.ts touches the machine.
    'src/init': only('src/config', 'src/fix', 'src/outbound', 'src/io', 'src/stage', 'src/worktree'),
    // Shows what it is handed.
    'src/console': allBut(
      'src/config',
      'src/journal',
      'src/worktree',
      'src/stage',
      'src/run',
      'src/promote',
      'src/inspect',
      'src/init',
    ),
    // Shows the same as HTML: text that is escaped, and drawings.
    'src/page': only('src/triage', 'src/outbound', 'src/io', 'src/journal', 'src/inspect', 'src/console'),
    // Pages of a home, and who may ask for them.
    'src/serve': allBut(),
    'src/cli': allBut(),
    'src/index.ts': only('src/plan', 'src/plugin', 'src/plan-api'),
    // Behind the door for plugins, and the door: the only ones that reach the egress.
    'src/model': only('src/config', 'src/fix', 'src/outbound', 'src/plugin', 'src/io/egress'),
    'src/model.ts': only(
      'src/config',
      'src/repository',
      'src/fix',
      'src/outbound',
      'src/plugin',
      'src/model',
      'src/io/egress',
    ),
    'src/testing': only(),
    plugins: only('src/model.ts'),
  },
  shared: ['src/shape.ts', 'src/events.ts', 'src/errors.ts'],
  besides: {
    'src/plugin/built-ins.ts': 'plugins',
    'src/plugin/import-plugin.ts': 'scripts/typescript.mjs',
    'src/io/gate/gate.ts': 'scripts/typescript.mjs',
    // What a person is asked, and how they answer.
    'src/console/ask-person.ts': 'src/stage/run.ts',
    'src/console/board.ts': 'src/stage/run.ts',
    'src/console/status-lines.ts': 'src/journal',
  },
  plain: [
    'node:crypto',
    'node:events',
    'node:path',
    'node:path/posix',
    'node:url',
    'node:util',
    'diff',
    'fastest-levenshtein',
    'picomatch',
    'smol-toml',
    'yaml',
    'zod',
  ],
  outside: {
    'src/io': ['*'],
    // A regular expression in a context of its own can be stopped.
    'src/failure/classify.ts': ['node:vm'],
    'src/outbound/redact/rule.ts': ['node:vm'],
    'src/plugin/bare-imports.mjs': ['node:fs', 'node:module'],
    'src/plugin/import-plugin.ts': ['computed'],
    'src/serve/app.ts': ['hono', 'hono/streaming'],
    'src/cli/serve.ts': ['node:os'],
    'src/testing': ['node:http', 'node:https', 'node:net'],
    'plugins/executors/known-fixes/programs.ts': ['node:fs/promises'],
    'src/model/retry.ts': ['node:timers/promises'],
  },
  pure: [
    'src/shape.ts',
    'src/events.ts',
    'src/errors.ts',
    'src/config',
    'src/backlog',
    'src/plan',
    'src/failure',
    'src/triage',
    'src/repository',
    'src/fix',
    'src/outbound',
  ],
};

const ROOT = `${resolve(import.meta.dirname, '..')}/`;
const filesOf = (...tops: string[]) =>
  new Map(
    tops.flatMap((top) =>
      readdirSync(`${ROOT}${top}`, { recursive: true, encoding: 'utf8' })
        .map((path) => `${top}/${path}`)
        .filter((path) => /\.[cm]?[jt]s$/.test(path))
        .map((path): [string, string] => [path, readFileSync(`${ROOT}${path}`, 'utf8')]),
    ),
  );
const tree = filesOf('src', 'plugins');

test('every import of src and plugins goes through a door of the table, with the flow and never in a circle', () => {
  assert.ok(tree.size > 100);
  assert.equal(tableFaults(RULES), []);
  assert.equal(violations(tree, RULES), []);
});

test('what a file exports never changes: in a bundle others may hold what it was when they were loaded', () => {
  const changing = [...tree].filter(([, text]) => /^export (?:let|var)\b/m.test(text));
  assert.equal(
    changing.map(([path]) => path),
    [],
  );
});

test('tests and scripts import each other in no circle either', () => {
  assert.equal(cycles(filesOf('src', 'plugins', 'scripts', 'test')), []);
});

test('the table has no row, exception or module that nothing needs', () => {
  const imports = [...tree].flatMap(([path, text]) => importsOf(path, text).map(({ to }) => ({ path, to })));
  const uses = (place: string, isMeant: (to: string) => boolean) =>
    imports.some(({ path, to }) => isIn(path, place) && isMeant(to));
  const { folders, besides, plain, outside } = RULES;
  const idle = [
    ...Object.keys(folders).filter((row) => ![...tree.keys()].some((path) => isIn(path, row))),
    ...Object.entries(besides).filter(([path, place]) => !uses(path, (to) => isIn(to, place))),
    ...plain.filter((name) => !imports.some(({ to }) => to === name)),
    ...Object.entries(outside).flatMap(([place, names]) =>
      names.filter((name) => name !== '*' && !uses(place, (to) => to === name)).map((name) => `${place}: ${name}`),
    ),
  ];
  assert.equal(idle, []);
});

test('docs/architecture.md has every folder of src, in the order of the table', () => {
  const text = readFileSync(`${ROOT}docs/architecture.md`, 'utf8');
  const rows = [...text.matchAll(/^\| `([a-z-]+)\/`/gm)].map(([, name]) => `src/${name}`);
  assert.equal(
    rows,
    Object.keys(RULES.folders).filter((row) => /^src\/[a-z-]+$/.test(row)),
  );
  const folders = readdirSync(`${ROOT}src`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.equal(rows.toSorted(), folders.map(({ name }) => `src/${name}`).toSorted());
});

test('what only prints the state loads no zod, simple-git or zx', () => {
  const loaded = ['main', 'status'].flatMap((name) => [...loadedWith(`src/cli/${name}.ts`, tree)]);
  assert.ok(loaded.includes('yaml'), 'the way from status to its packages is seen');
  assert.equal(
    loaded.filter((name) => ['zod', 'simple-git', 'zx', 'zx/core'].includes(name)),
    [],
  );
});

const MADE_UP: ImportRules = {
  folders: {
    'src/errors.ts': only(),
    'src/config': only(),
    'src/outbound/redact': only('src/config'),
    'src/outbound': only('src/config'),
    'src/io': only('src/config/paths.ts'),
    'src/run': allBut('src/config'),
    plugins: only('src/io/egress'),
  },
  shared: ['src/errors.ts'],
  besides: { 'src/io/built-ins.ts': 'plugins' },
  plain: ['node:path', 'zod'],
  outside: { 'src/io': ['*'], 'src/run/clock.ts': ['node:timers'] },
  pure: ['src/config'],
};

// In two parts: the bundle of the tests puts an address in its place, in texts too.
const HERE = ['import', 'meta.url'].join('.');

const BREACHES: readonly [path: string, text: string, refused: string | undefined][] = [
  // Allowed.
  [
    'src/run/a.ts',
    "import { a } from '../io/a.ts';\nimport { e } from '../errors.ts';\nimport { z } from 'zod';",
    undefined,
  ],
  ['src/run/clock.ts', "import 'node:timers';", undefined],
  ['src/io/b.ts', `export const worker = new URL('./a.ts', ${HERE});`, undefined],
  ['src/io/a.ts', "import * as fs from 'node:fs';\nimport { p } from '../config/paths.ts';", undefined],
  ['src/io/built-ins.ts', "export const load = () => import('../../plugins/a.ts');", undefined],
  ['src/outbound/a.ts', "import { r } from './redact/r.ts';", undefined],
  ['src/config/a.ts', "// import { a } from '../io/a.ts';\n/** process.env */\nexport const a = 'import';", undefined],
  // A door that the table does not have.
  ['src/config/a.ts', "import { a } from '../io/a.ts';", 'may not import src/io/a.ts'],
  ['src/config/a.ts', "import type { A } from '../io/a.ts';", 'may not import src/io/a.ts'],
  ['src/config/a.ts', "import {\n  type A,\n  b,\n} from '../io/a.ts';", 'may not import src/io/a.ts'],
  ['src/config/a.ts', "export { a } from '../io/a.ts';", 'may not import src/io/a.ts'],
  ['src/config/a.ts', "export * from '../io/a.ts';", 'may not import src/io/a.ts'],
  ['src/config/a.ts', "import '../io/a.ts';", 'may not import src/io/a.ts'],
  ['src/config/a.ts', "const a = await import('../io/a.ts');", 'may not import src/io/a.ts'],
  ['src/config/a.ts', "export type A = import(\n  '../io/a.ts'\n).A;", 'may not import src/io/a.ts'],
  ['src/config/a.ts', `new Worker(new URL('../io/a.ts', ${HERE}));`, 'may not import src/io/a.ts'],
  ['src/run/a.ts', "import { a } from '../config/paths.ts';", 'may not import src/config/paths.ts'],
  ['src/io/a.ts', "import { a } from '../config/other.ts';", 'may not import src/config/other.ts'],
  ['src/io/a.ts', "import { a } from '../../plugins/a.ts';", 'may not import plugins/a.ts'],
  ['src/outbound/redact/r.ts', "import { a } from '../a.ts';", 'may not import src/outbound/a.ts'],
  ['plugins/a.ts', "import { a } from '../src/io/a.ts';", 'may not import src/io/a.ts'],
  ['src/errors.ts', "import { a } from './config/a.ts';", 'may not import src/config/a.ts'],
  ['src/attic/a.ts', '', 'no row of the table'],
  // The outside.
  ['src/run/a.ts', "import { readFileSync } from 'node:fs';", 'may not import node:fs'],
  ['src/run/a.ts', "import { readFileSync } from 'fs';", 'may not import fs'],
  ['src/run/a.ts', "import type { Stats } from 'node:fs';", 'may not import node:fs'],
  ['src/run/a.ts', "import { $ } from 'zx';", 'may not import zx'],
  ['plugins/a.ts', "import { connect } from 'node:net';", 'may not import node:net'],
  ['src/run/a.ts', 'const a = await import(name);', 'may not import computed'],
  ['src/run/a.ts', 'const a = await import(`../io/a.ts`);', 'may not import computed'],
  ['src/run/a.ts', "const a = require('fs');", 'may not import computed'],
  // Purity.
  ['src/config/a.ts', 'export const a = process.env.HOME;', 'pure, but uses process.'],
  ['src/config/a.ts', 'export const a = Date.now();', 'pure, but uses Date.now'],
];

test('each breach is seen in a made-up tree, and nothing else', () => {
  assert.equal(tableFaults(MADE_UP), []);
  for (const [path, text, refused] of BREACHES) {
    assert.equal(violations(new Map([[path, text]]), MADE_UP), refused ? [`${path}: ${refused}`] : [], text);
  }
});

test('a circle is seen however its files import each other', () => {
  const circle = new Map([
    ['src/io/a.ts', "import type { B } from './b.ts';"],
    ['src/io/b.ts', "export const c = () => import('./c.ts');"],
    ['src/io/c.ts', "export { a } from './a.ts';"],
  ]);
  assert.equal(violations(circle, MADE_UP), ['cycle: src/io/a.ts → src/io/b.ts → src/io/c.ts → src/io/a.ts']);
});

test('a table with a door against its own order is refused', () => {
  const folders = { 'src/config': only('src/io'), 'src/io': allBut('src/nobody') };
  assert.equal(tableFaults({ ...MADE_UP, folders }), [
    'src/config: src/io is not above it',
    'src/io: src/nobody is not above it',
  ]);
});

test('a package is loaded with a file also through others, but not by a type or a lazy import', () => {
  const files = new Map([
    ['src/a.ts', "import { b } from './b.ts';\nimport type { T } from 'types';\nconst l = () => import('lazy');"],
    ['src/b.ts', "export { z } from 'zod';"],
  ]);
  assert.equal([...loadedWith('src/a.ts', files)], ['src/a.ts', 'src/b.ts', 'zod']);
});

test.run();
