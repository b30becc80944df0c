import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { definePlugin, HOOKS, hookOf, LISTS } from '../../src/plugin/contract.ts';

test('each list calls for one hook, and each hook has its time; who mends has that of the run', () => {
  assert.equal(
    LISTS.map((list) => [list, hookOf(list)]),
    [
      ['executors', 'propose'],
      ['escalations', 'escalate'],
      ['notifiers', 'notify'],
      ['backends', 'backend'],
    ],
  );
  const times = Object.entries(HOOKS).map(([name, { timeoutMs }]) => `${name} ${timeoutMs / 1000} s`);
  assert.equal(times, [
    'classify 10 s',
    'check 10 s',
    'propose Infinity s',
    'escalate Infinity s',
    'notify 30 s',
    'answers 10 s',
    'backend 30 s',
  ]);
});

test('definePlugin returns what it was given, and knows the types of settings', () => {
  const definition = {
    name: 'x',
    options: z.strictObject({ host: z.string(), ports: z.array(z.int()) }),
  };
  const made = definePlugin({
    ...definition,
    propose({ options, files }) {
      const host: string = options.host;
      const ports: readonly number[] = options.ports;
      return { pass: `${host} ${ports.length} ${files.length}` };
    },
  });
  assert.is(made.options, definition.options);
  const same = definePlugin(made);
  assert.is(same, made);
});

test.run();
