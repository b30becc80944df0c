import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CaseSummary, caseName, isCaseName, isCaseSummary } from '../../src/outbound/case-summary.ts';
import { fc } from '../sweep.ts';

const none = () => false;

test('a case is called by its stage and the first 8 of its fingerprint', () => {
  assert.is(caseName('talos', '1a2b3c4d5e6f', none), 'talos-1a2b3c4d');
});

test('a name that is taken gets a number', () => {
  const taken = new Set(['talos-1a2b3c4d', 'talos-1a2b3c4d-2']);
  assert.is(
    caseName('talos', '1a2b3c4d5e6f', (name) => taken.has(name)),
    'talos-1a2b3c4d-3',
  );
});

test('any stage and any fingerprint give the name of a folder that leads nowhere else', () => {
  for (const [stage, name] of [
    ['../../etc', 'etc-1a2b3c4d'],
    ['talos[host=cp1]', 'talos-host-cp1-1a2b3c4d'],
    ['.hidden', 'hidden-1a2b3c4d'],
    ['', 'stage-1a2b3c4d'],
    ['Ü/\0', 'stage-1a2b3c4d'],
  ] as const)
    assert.is(caseName(stage, '1a2b3c4d5e6f', none), name);
  const any = fc.string({ unit: 'binary', maxLength: 40 });
  fc.assert(
    fc.property(any, any, fc.nat(50), (stage, fingerprint, many) => {
      let left = many;
      return isCaseName(caseName(stage, fingerprint, () => left-- > 0));
    }),
  );
});

test('no path and no odd text is the name of a case', () => {
  for (const text of [
    '',
    '.',
    '..',
    'a/b',
    '../a',
    '/a',
    'a\\b',
    'A',
    'a b',
    '-a',
    '_a',
    '.a',
    'a\n',
    'a\0',
    'é',
    'a'.repeat(121),
  ])
    assert.not.ok(isCaseName(text), JSON.stringify(text));
});

const SUMMARY: CaseSummary = {
  ...{ version: 1, case: 'talos-1a2b3c4d', stage: 'talos', fingerprint: '1a2b3c4d5e6f', class: 'yaml_parse_error' },
  ...{ run: 'r', opened: '2025-01-01T00:00:00.000Z', state: 'open', versions: [1], calls: 0, answers: [] },
};

test('a summary has this shape and no other', () => {
  assert.ok(isCaseSummary(SUMMARY));
  const closed = { time: '2025-01-01T00:00:00.000Z', why: 'the stage is green' };
  assert.ok(
    isCaseSummary({
      ...SUMMARY,
      state: 'closed',
      closed,
      versions: [1, 2],
      calls: 2,
      answers: ['diagnostics', 'patch'],
    }),
  );
  const bad: object[] = [
    ...[
      { version: 2 },
      { case: '../x' },
      { case: undefined },
      { stage: '' },
      { opened: 'yesterday' },
      { state: 'gone' },
    ],
    ...[{ versions: [3] }, { versions: 1 }, { calls: -1 }, { answers: ['poem'] }, { closed: { time: 'x', why: '' } }],
    // Closed and why belong together.
    ...[{ state: 'closed' }, { closed }],
  ];
  for (const more of bad) assert.not.ok(isCaseSummary({ ...SUMMARY, ...more }), JSON.stringify(more));
  for (const odd of [undefined, null, 1, 'x', [], {}]) assert.not.ok(isCaseSummary(odd));
});

test.run();
