import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { definePlugin } from '../../src/plugin/define.ts';
import { HOOKS, hookOf, LISTS } from '../../src/plugin/hooks.ts';

test('each list calls for one hook, and each hook says how answers combine and what its failure means', () => {
  assert.equal(
    LISTS.map((list) => [list, hookOf(list)]),
    [
      ['executors', 'propose'],
      ['escalations', 'escalate'],
      ['notifiers', 'notify'],
      ['backends', 'backend'],
    ],
  );
  assert.equal(
    Object.entries(HOOKS).map(
      ([name, { combine, failure, timeoutMs }]) => `${name} ${combine} ${failure} ${timeoutMs}`,
    ),
    [
      'classify all stops 10000',
      'check all ignored 10000',
      'propose first provider 300000',
      'escalate first provider 600000',
      'notify all ignored 30000',
      'backend one stops 30000',
    ],
  );
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
