import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { classify } from '../../src/failure/classify.ts';
import { load, problems } from './plugin-folder.ts';

const rules = (name: string, list: string) =>
  `export default { name: '${name}', propose() {}, classify: () => (${list}) };`;

test('rules come in the order of the plugins, then of each list, and before the built-in ones', async () => {
  const loaded = await load('executors: [b, a]\nplugins: { c: {} }', {
    'a.mjs': rules('a', '[{ match: "disk", class: "missing_file" }]'),
    'b.mjs': rules(
      'b',
      '[{ match: "^disk$", class: "proxmox_error", transient: true }, { match: "denied", class: "unknown" }]',
    ),
    'c.mjs': `export default { name: 'c', classify: async () => [{ match: 'x', class: 'unknown', external: true, advice: 'Call me' }] };`,
  });
  assert.equal(loaded.rules, [
    {
      name: 'classify of the plugin b: ^disk$',
      match: /^disk$/m,
      class: 'proxmox_error',
      transient: true,
      external: false,
    },
    { name: 'classify of the plugin b: denied', match: /denied/m, class: 'unknown', transient: false, external: false },
    {
      name: 'classify of the plugin a: disk',
      match: /disk/m,
      class: 'missing_file',
      transient: false,
      external: false,
    },
    {
      name: 'classify of the plugin c: x',
      match: /x/m,
      class: 'unknown',
      transient: false,
      external: true,
      advice: 'Call me',
    },
  ]);
  const classed = (errors: string) =>
    classify({ errors, around: { before: '', behind: '' }, exitCode: 1 }, loaded.rules);
  assert.equal(classed('one\ndisk\ntwo').rules, ['classify of the plugin b: ^disk$']);
  assert.equal(classed('permission denied').class, 'unknown');
  assert.equal(classed('no space on disk').class, 'missing_file');
});

test('settings reach the rules', async () => {
  const text = `
    import { z } from 'zod';
    export default {
      name: 'x',
      options: z.strictObject({ word: z.string() }),
      classify({ options }) { return [{ match: options.word, class: 'unknown' }]; },
    };`;
  const loaded = await load('plugins: { x: { word: hunter } }', { 'x.mjs': text });
  assert.equal(loaded.rules[0]?.match, /hunter/m);
});

test('rules that are not sound stop the run before it starts, with all that is wrong', async () => {
  const files = {
    'a.mjs': rules('a', '[{ match: "(", class: "netwrk_error" }, { match: "a*", class: "unknown" }]'),
    'b.mjs': rules('b', '[{ match: /disk/, class: "unknown" }]'),
    'c.mjs': rules('c', '{}'),
    'd.mjs': rules('d', 'nowhere'),
    'e.mjs': 'export default { name: "e", notify() {} };',
  };
  assert.equal(await problems(load('executors: [a, b, c, d, e]', files)), [
    'e: it is named under executors, but has no hook propose; it has notify',
    'a: classify answered outside its schema: [0].match: not a regular expression: unterminated group; [0].class: expected one of permission_denied, missing_file, command_not_found, network_error, yaml_parse_error, talos_error, proxmox_error, config_error, unknown, got "netwrk_error"; did you mean "network_error"?; [1].match: "a*" matches the empty text, so it would match everything',
    'b: classify gave an answer that cannot be read: it holds a RegExp',
    'c: classify answered outside its schema: expected a list, got an empty mapping',
    'd: classify threw: nowhere is not defined',
  ]);
});

test.run();
