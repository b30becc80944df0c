import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import { RESERVED_STAGE_NAMES } from '../../src/config/context-map.ts';
import { parseContextMap, parseLoopConfig } from '../../src/config/parse.ts';
import { cpuTime } from '../failure/cpu-time.ts';
import { fc, runs } from '../sweep.ts';

const frozen = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen));

const token = fc.constantFrom(
  ...'stages command needs a : - [ ] { } &x *x | " \' ... !!map !x << # 1 ~ __proto__ ,'.split(' '),
  ...[': ', '\n', '\n  ', '\n    ', '- ', '\t', '---\n', '? ', '%YAML 1.1\n', '\r\n'],
);
const some = fc.oneof(fc.jsonValue(), fc.array(fc.oneof(fc.string(), fc.constantFrom('a', '', './', '[', '{a', '!('))));
const shaped = fc.record({
  stages: fc.record({
    a: fc.record({ command: some, needs: some, files: some, verify: some, diagnostics: some }, { requiredKeys: [] }),
    b: fc.record({ matrix: some, outputs: some, requires: some, retry: some, timeout: some }, { requiredKeys: [] }),
  }),
  protected_files: some,
  carry: some,
  classify: some,
  redact: some,
  limits: some,
});
const hostile = fc.oneof(
  shaped.map((value) => JSON.stringify(value)),
  fc.string({ unit: 'binary' }),
  fc.array(token, { maxLength: 40 }).map((parts) => parts.join('')),
  fc.array(token, { maxLength: 20 }).map((parts) => `stages:\n  a:\n    command: x\n    ${parts.join('')}`),
  fc.json().map((json) => `{"stages": {"a": ${json}}}`),
);

test('no text makes a parser throw, and a refusal always has a reason', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      for (const parsed of [parseContextMap(text, 'f'), parseLoopConfig(text, 'f')]) {
        if (parsed.ok) continue;
        assert.ok(parsed.problems.length > 0);
        for (const { line, column, message } of parsed.problems) {
          assert.ok(line >= 1 && column >= 1 && message !== '' && !message.includes('\n'), JSON.stringify(message));
        }
      }
    }),
    runs(80, 10000),
  );
});

const names = fc.uniqueArray(
  fc.stringMatching(/^[a-z][a-z0-9_-]{0,12}$/).filter((name) => !RESERVED_STAGE_NAMES.includes(name)),
  { minLength: 1, maxLength: 6 },
);
const path = fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8}){0,2}$/).filter((text) => !text.includes('wipe'));
const command = fc.oneof(path, fc.array(path, { minLength: 1, maxLength: 3 }));
const verify = fc.oneof(
  command,
  fc.record({ file: path }),
  fc.record({ nonempty: path.map((p) => `out:${p}`) }),
  fc.record({ json: path, has: fc.constantFrom('a', 'a.b') }, { requiredKeys: ['json'] }),
  fc.record({ contains: fc.record({ file: path, text: fc.string({ minLength: 1 }) }) }),
  fc.record({ tcp: fc.integer({ min: 1, max: 65_535 }).map((port) => `host:${port}`) }),
  fc.record({ http: fc.webUrl(), status: fc.integer({ min: 100, max: 599 }) }, { requiredKeys: ['http'] }),
);
const keys = fc.record(
  {
    command,
    description: fc.string(),
    files: fc.array(path),
    verify: fc.array(verify, { maxLength: 4 }),
    diagnostics: fc.array(path),
    outputs: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), path, { noNullPrototype: true }),
    matrix: fc.dictionary(
      fc.stringMatching(/^[a-z]{1,5}$/),
      fc.uniqueArray(fc.stringMatching(/^[a-z0-9]{1,5}$/), { minLength: 1, maxLength: 4 }),
      { maxKeys: 3, noNullPrototype: true },
    ),
    timeout: fc.constantFrom('1s', '15m', '1h30m'),
    on_failure: fc.constantFrom('halt', 'skip', 'retry'),
    retry: fc.record({ max_attempts: fc.integer({ min: 1, max: 9 }) }),
    priority: fc.integer(),
    always: fc.boolean(),
    rerun: fc.boolean(),
  },
  { requiredKeys: ['command'] },
);
/** Each stage may need only those before it, so there is no circle. */
const maps = names.chain((all) =>
  fc.tuple(...all.map((_, index) => fc.tuple(keys, fc.subarray(all.slice(0, index))))).map((stages) => ({
    stages: Object.fromEntries(stages.map(([stage, needs], index) => [all[index] ?? '', { ...stage, needs }])),
  })),
);

test('every valid map is accepted, keeps what was written, and is frozen all the way down', () => {
  fc.assert(
    fc.property(maps, (map) => {
      const parsed = parseContextMap(stringify(map), 'f');
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
      assert.ok(frozen(parsed.value));
      for (const [name, stage] of Object.entries(map.stages)) {
        const read = parsed.value.stages[name];
        assert.equal(read?.command, stage.command);
        assert.equal(read?.needs, stage.needs);
        assert.equal(read?.files, stage.files ?? []);
        assert.equal(read?.matrix, stage.matrix ?? {});
        assert.is(read?.on_failure, stage.on_failure ?? 'halt');
      }
    }),
  );
});

test('a loop configuration is frozen all the way down, settings of plugins included', () => {
  const parsed = parseLoopConfig('classify: [{ match: a, class: unknown }]', 'f');
  assert.ok(parsed.ok && frozen(parsed.value));
});

test('five hundred stages are read in well under a second', () => {
  const stages = Array.from({ length: 500 }, (_, i) => `  s${i}: { command: x, needs: [${i > 0 ? `s${i - 1}` : ''}] }`);
  assert.ok(cpuTime(() => assert.ok(parseContextMap(`stages:\n${stages.join('\n')}`, 'f').ok)) < 1000);
});

test.run();
