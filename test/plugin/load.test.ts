import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { SHIPPED } from '../../src/config/loop-config.ts';
import { BUILT_INS, type BuiltIns } from '../../src/plugin/built-ins.ts';
import { loadPlugins } from '../../src/plugin/load.ts';
import { load, pluginFolder, problems, refusal } from './plugin-folder.ts';

const propose = (name: string) => `export default { name: '${name}', propose: () => ({ pass: 'no' }) };`;
const names = (plugins: readonly { name: string }[]) => plugins.map(({ name }) => name);

const shipped = { executors: ['ollama'], escalations: [], notifiers: [], backends: ['local'] };
const builtIns = new Map([
  ['executors/ollama', async () => ({ default: { name: 'ollama', propose: () => ({ pass: 'no' }) } })],
]);

test('without a named plugin nothing is loaded, whatever lies in the folder', async () => {
  const loaded = await load('', { 'executors/bomb.mjs': 'throw new Error("loaded");' });
  assert.equal(loaded, { executors: [], escalations: [], notifiers: [], backend: undefined, rules: [] });
});

test('a plugin is TypeScript, an ES module, or JavaScript of either kind, in the folder of its list or above it', async () => {
  const loaded = await load('executors: [d, c, b, a]', {
    'executors/a.ts': `interface A { pass: string }
      export default { name: 'a' as const, propose: (): A => ({ pass: 'no' }) };`,
    'executors/b.mjs': propose('b'),
    'c.js': propose('c'),
    'executors/d.js': `module.exports = { name: 'd', propose: () => ({ pass: 'no' }) };`,
  });
  assert.equal(names(loaded.executors), ['d', 'c', 'b', 'a']);
});

test('a plugin in several lists is one plugin', async () => {
  const text = `
    let loads = 0;
    export default { name: 'x', propose() {}, notify() {}, options: undefined };
    if (++loads > 1) throw new Error('twice');`;
  const loaded = await load('executors: [x]\nnotifiers: [x]', { 'x.mjs': text });
  assert.is(loaded.executors[0], loaded.notifiers[0]);
});

test('a plugin finds other files of its folder, and the zod and mendloop that are running', async () => {
  const loaded = await load('executors: [x]', {
    'lib/words.ts': 'export const why: string = "no";',
    'executors/x.ts': `
      import { z } from 'zod';
      import { MendError } from 'mendloop';
      import { why } from '../lib/words.ts';
      export default { name: 'x', options: z.strictObject({ error: z.string().default(MendError.name) }), propose: () => ({ pass: why }) };`,
  });
  assert.equal(loaded.executors[0]?.options, { error: 'MendError' });
});

test('settings are checked by the schema of the plugin, and get its defaults', async () => {
  const text = `
    import { z } from 'zod';
    const host = z.strictObject({ url: z.string(), tries: z.int().min(1).default(3) });
    export default { name: 'x', options: z.strictObject({ host }), propose() {} };`;
  const yaml = (settings: string) => `executors: [x]\nplugins: { x: ${settings} }`;
  const loaded = await load(yaml('{ host: { url: here } }'), { 'x.mjs': text });
  assert.equal(loaded.executors[0]?.options, { host: { url: 'here', tries: 3 } });
  const options = loaded.executors[0]?.options as { host: object } | undefined;
  assert.ok(Object.isFrozen(options?.host));
  assert.equal(await problems(load('executors: [x]', { 'x.mjs': text })), [
    'x: plugins.x.host: missing; expected a mapping',
  ]);
  assert.equal(await problems(load(yaml('{ hosts: 1, host: { url: 1, tries: 0 } }'), { 'x.mjs': text })), [
    'x: plugins.x.host.url: expected text (put it in quotes), got the number 1',
    'x: plugins.x.host.tries: expected a number of at least 1, got the number 0',
    'x: plugins.x.hosts: unknown key; did you mean "host"?',
  ]);
});

test('settings that nobody takes, and schemas that cannot be used, are refused', async () => {
  const zod = (options: string) =>
    `import { z } from 'zod'; export default { name: 'x', options: ${options}, propose() {} };`;
  const yaml = 'executors: [x]\nplugins: { x: { to: me } }';
  assert.equal(await problems(load(yaml, { 'x.mjs': propose('x') })), [
    'x: it takes no settings, but plugins.x has to',
  ]);
  assert.equal(await problems(load(yaml, { 'x.mjs': zod('{ to: "text" }') })), [
    'x: its options are not a schema of zod 4',
  ]);
  assert.equal(
    await problems(load(yaml, { 'x.mjs': zod('z.looseObject({}).refine(() => { throw new Error("boom"); })') })),
    ['x: its options cannot be used: boom'],
  );
  assert.equal(await problems(load(yaml, { 'x.mjs': zod('z.looseObject({}).transform(() => new Map())') })), [
    'x: its options cannot be used: it holds a Map',
  ]);
  assert.equal(await problems(load('plugins: { local: { cores: 2 } }', {})), [
    'local: it takes no settings, but plugins.local has cores',
  ]);
});

test('everything that is wrong with every plugin is one error, the name on each line', async () => {
  const files = {
    'b.mjs': 'export default {\n  name: "b"\n  propose: 3 };',
    'c.mjs': 'throw new Error("boom\\n  twice");',
    'd.mjs': 'import "./nowhere.mjs";',
    'e.mjs': 'import "no-such-package";',
    'f.mjs': 'import { nope } from "mendloop";',
    'g.mjs': 'export const plugin = {};',
    'h.mjs': 'export default () => ({});',
    'i.mjs': 'export default { name: "j", kind: "helper", propse() {}, notify: "me" };',
    'k.mjs': 'export default { name: "k" };',
    'l.mjs': 'export default { get name() { throw new Error("bomb"); } };',
  };
  const yaml = 'executors: [b, c, d, e, f, g, h, i, k, l, n]';
  assert.is(
    await refusal(load(yaml, files)),
    `error E_PLUGIN: plugins that ai/loop.yaml names have 14 problems
  - b: plugins/b.mjs cannot be loaded: Unexpected identifier 'propose' (to see where: node --check plugins/b.mjs)
  - c: plugins/c.mjs cannot be loaded: boom twice
  - d: plugins/d.mjs cannot be loaded: Cannot find module 'plugins/nowhere.mjs' imported from plugins/d.mjs
  - e: plugins/e.mjs cannot be loaded: Cannot find package 'no-such-package' imported from plugins/e.mjs
  - f: plugins/f.mjs cannot be loaded: The requested module 'mendloop' does not provide an export named 'nope' (plugins/f.mjs:1)
  - g: plugins/g.mjs has no default export
  - h: its default export is a function; expected a plugin
  - i: its name is "j"; expected "i"
  - i: its kind is "helper"; expected one of executor, escalation, notifier, backend
  - i: it has an unknown hook "propse"; did you mean "propose"?
  - i: its notify is a string; expected a function
  - k: it has no hook; expected one of classify, check, propose, escalate, notify, answers, backend
  - l: reading its default export threw: bomb
  - n: named under executors, but it does not ship and is not in plugins/executors/n.ts, .mjs or .js
  next:  mend it, check with: mendloop validate, and commit it; a run reads plugins/ as committed`,
  );
});

test('a mistake in TypeScript is told with its file', async () => {
  const [line = '', ...more] = await problems(
    load('executors: [a]', { 'a.ts': 'export default {\n  name: "a"\n  b };' }),
  );
  assert.match(line, /^a: plugins\/a\.ts cannot be loaded: \S/);
  assert.not.match(line, /file:|\/tmp/);
  assert.equal(more, []);
});

test('a module that never settles is not waited for', async () => {
  const files = { 'a.mjs': 'await new Promise(() => {});', 'b.mjs': 'export function then() {}' };
  assert.equal(await problems(load('executors: [a, b]', files, { importLimitMs: 300 })), [
    'a: plugins/a.mjs was not loaded within 0.3 s',
    'b: plugins/b.mjs was not loaded within 0.3 s',
  ]);
});

test('a plugin must have the hook of each list that names it, and no hook of another', async () => {
  const files = {
    'a.mjs': 'export default { name: "a", notify() {} };',
    'b.mjs': 'export default { name: "b", propose() {}, notify() {} };',
    'c.mjs': 'export default { name: "c", kind: "notifier", notify() {} };',
    'd.mjs': 'export default { name: "d", classify: () => [] };',
    'e.mjs': 'export default { name: "e", kind: "executor", propose() {} };',
  };
  assert.equal(await problems(load('executors: [a, b, c, e]\nescalations: [b]\nbackend: d', files)), [
    'a: it is named under executors, but has no hook propose; it has notify',
    'b: it is named under escalations, but has no hook escalate; it has propose, notify',
    'c: it is of kind notifier, but named under executors',
    'd: it is named under backend, but has no hook backend; it has classify',
  ]);
  assert.equal(await problems(load('executors: [b]', files)), [
    'b: it has the hook notify, but is not named under notifiers',
  ]);
  assert.equal(names((await load('executors: [e]\nnotifiers: [a, c]', files)).notifiers), ['a', 'c']);
});

test('settings alone keep a plugin ready: it is checked, and only its rules count', async () => {
  const files = {
    'x.mjs': 'export default { name: "x", propose() {}, classify: () => [{ match: "y", class: "unknown" }] };',
  };
  const loaded = await load('plugins: { x: {} }', files);
  assert.equal(loaded.executors, []);
  assert.equal(loaded.rules.length, 1);
  assert.equal(await problems(load('plugins: { y: {} }', files)), [
    'y: named under plugins, but it does not ship and is not in plugins/y.ts, .mjs or .js',
  ]);
});

test('a name near one that ships gets a hint, with a folder of own plugins and without', async () => {
  const line =
    'olama: named under executors, but it does not ship and is not in plugins/executors/olama.ts, .mjs or .js; did you mean "ollama"?';
  assert.equal(await problems(load('executors: [olama]', {}, { shipped, builtIns })), [line]);
  assert.equal(await problems(load('executors: [olama]', {}, { shipped, builtIns, own: undefined })), [line]);
});

test('a plugin that ships is imported only when it is named, and only for its list', async () => {
  let imports = 0;
  const ollama = async () => {
    imports += 1;
    return builtIns.get('executors/ollama')?.();
  };
  const counted = new Map([['executors/ollama', ollama]]);
  await load('executors: []', {}, { shipped, builtIns: counted });
  assert.is(imports, 0);
  assert.equal(names((await load('executors: [ollama]', {}, { shipped, builtIns: counted })).executors), ['ollama']);
  assert.is(imports, 1);
  assert.equal(await problems(load('notifiers: [ollama, local]', {}, { shipped, builtIns })), [
    'ollama: it ships for executors, but is named under notifiers',
    'local: it ships for backend, but is named under notifiers',
  ]);
});

test('an own file with the name of a plugin that ships is refused, except in the package itself', async () => {
  const files = { 'executors/ollama.mjs': 'throw new Error("loaded");', 'backends/local.ts': '' };
  assert.equal(await problems(load('executors: [ollama]', files, { shipped, builtIns })), [
    'ollama: plugins/executors/ollama.mjs has the name of a plugin that ships; give it another',
    'local: plugins/backends/local.ts has the name of a plugin that ships; give it another',
  ]);
  const loaded = await load('executors: [ollama]', files, { shipped, builtIns, isPackage: true });
  assert.equal(names(loaded.executors), ['ollama']);
});

test('two files of one name, folders and links are refused', async () => {
  const folder = pluginFolder({ 'a.ts': propose('a'), 'executors/a.mjs': propose('a'), 'b.mjs/x': '' });
  const outside = pluginFolder({ 'c.mjs': propose('c'), 'd.mjs': 'throw new Error("loaded");' });
  symlinkSync(join(outside, 'c.mjs'), join(folder, 'c.mjs'));
  symlinkSync(outside, join(folder, 'notifiers'));
  assert.equal(await problems(load('executors: [a, b, c]\nnotifiers: [d]', folder)), [
    'a: there is more than one: plugins/a.ts, plugins/executors/a.mjs',
    'b: plugins/b.mjs is a folder; expected a file',
    'c: plugins/c.mjs is a link; expected a file',
    'd: plugins/notifiers is a link; expected a folder',
  ]);
});

test('a name that leads out of the folder is refused, whoever let it through', async () => {
  const folder = pluginFolder({});
  writeFileSync(join(folder, '../evil.mjs'), 'throw new Error("loaded");');
  mkdirSync(join(folder, 'executors'));
  const loop = {
    executors: ['../evil', '../../evil', '/evil', 'a\0b', ''],
    escalations: [],
    notifiers: [],
    backend: 'local',
    plugins: {},
  };
  const why = 'not the name of a plugin: letters, digits, "-" and "_", at most 64';
  for (const own of [{ folder, isPackage: false }, undefined]) {
    assert.equal(
      await problems(loadPlugins({ loop, own })),
      loop.executors.map((name) => `${name}: ${why}`),
    );
  }
});

test('a name that ships for several lists is another plugin in each, with settings for all or by list', async () => {
  const shippedTwice = { executors: ['x'], escalations: [], notifiers: ['x'], backends: ['local'] };
  const options = z.strictObject({ argv: z.array(z.string()) });
  const twice: BuiltIns = new Map<string, () => Promise<unknown>>([
    ['executors/x', async () => ({ default: { name: 'x', kind: 'executor', options, propose() {} } })],
    ['notifiers/x', async () => ({ default: { name: 'x', kind: 'notifier', options, notify() {} } })],
  ]);
  const loaded = (yaml: string) => load(yaml, {}, { shipped: shippedTwice, builtIns: twice });
  const both = 'executors: [x]\nnotifiers: [x]\n';
  const same = await loaded(`${both}plugins: { x: { argv: [a] } }`);
  assert.equal([same.executors[0]?.options, same.notifiers[0]?.options], [{ argv: ['a'] }, { argv: ['a'] }]);
  assert.equal(
    [Object.keys(same.executors[0]?.hooks ?? {}), Object.keys(same.notifiers[0]?.hooks ?? {})],
    [['propose'], ['notify']],
  );
  const apart = await loaded(`${both}plugins: { x: { executors: { argv: [a] }, notifiers: { argv: [b] } } }`);
  assert.equal([apart.executors[0]?.options, apart.notifiers[0]?.options], [{ argv: ['a'] }, { argv: ['b'] }]);
  const one = await loaded('executors: []\nnotifiers: [x]\nplugins: { x: { argv: [a] } }');
  assert.equal([names(one.executors), names(one.notifiers)], [[], ['x']]);
  // Settings alone, or of a list that does not name it, keep it ready.
  assert.equal(names((await loaded('plugins: { x: { argv: [a] } }')).executors), []);
  assert.equal(
    names(
      (
        await loaded(
          'executors: []\nnotifiers: [x]\nplugins: { x: { executors: { argv: [a] }, notifiers: { argv: [b] } } }',
        )
      ).executors,
    ),
    [],
  );
  const wrong = (yaml: string) => problems(loaded(yaml));
  assert.equal(await wrong(both), ['x: plugins.x.argv: missing; expected a list']);
  assert.equal(await wrong(`${both}plugins: { x: { executors: { argv: [a] } } }`), [
    'x: plugins.x.notifiers.argv: missing; expected a list',
  ]);
  assert.equal(
    await wrong('executors: []\nnotifiers: [x]\nplugins: { x: { executors: { argv: 3 }, notifiers: { argv: [b] } } }'),
    ['x: plugins.x.executors.argv: expected a list, got the number 3'],
  );
  assert.equal(await wrong('executors: []\nnotifiers: [x]\nplugins: { x: { notifiers: { argv: [b] }, argv: [a] } }'), [
    'x: plugins.x: "argv" stands beside notifiers; put it below them',
  ]);
  assert.equal(await wrong('executors: []\nnotifiers: [x]\nplugins: { x: { notifiers: [b] } }'), [
    'x: plugins.x: expected a mapping below notifiers',
  ]);
  assert.equal(await wrong('escalations: [x]\nplugins: { x: { argv: [a] } }'), [
    'x: it ships for executors, notifiers, but is named under escalations',
  ]);
});

test('names of Object.prototype are names like others', async () => {
  const loaded = await load('executors: [constructor]', { 'constructor.mjs': propose('constructor') });
  assert.equal(names(loaded.executors), ['constructor']);
  assert.equal(loaded.executors[0]?.options, {});
});

test('the plugins that ship are those that can be imported, and the loop itself', async () => {
  const all = Object.entries(SHIPPED).flatMap(([list, names]) => names.map((name) => `${list}/${name}`));
  assert.equal([...BUILT_INS.keys(), ...SHIPPED.backends.map((name) => `backends/${name}`)].sort(), all.sort());
  for (const [place, load] of BUILT_INS) {
    const { default: plugin } = (await load()) as { default: { name: string; kind: string } };
    assert.is(`${plugin.kind}s/${plugin.name}`, place);
  }
});

test.run();
