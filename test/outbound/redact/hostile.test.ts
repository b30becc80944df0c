import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findInColumns } from '../../../src/outbound/redact/columns.ts';
import { createRedactor } from '../../../src/outbound/redact/redactor.ts';
import { UNITS } from '../../exams/redaction/hostile.ts';
import { cpuTime } from '../../failure/cpu-time.ts';
import { cases, fc, runs } from '../../sweep.ts';
import { dice, letters } from './fill.ts';
import { ordinaryLines } from './ordinary.ts';

const LONG = cases(128 * 1024, 1024 * 1024);
const LIMIT_MS = 12_000;
/**
 * A line of 64 KB should take 100 ms at most. The suite takes an eighth of that; the limit leaves room for
 * a machine that is shared, and is far below what time that grows with the square would take.
 */
const SIZE = cases(8 * 1024, 64 * 1024);
const SIZE_LIMIT_MS = cases(75, 150);
const of = (value: string) => ({ value, kind: 'token', from: '' });

/** The least of a few tries: what else the machine does counts once. */
function leastTime(text: string): number {
  const { redact } = createRedactor({ secrets: [of('a-secret-of-words'), of(letters('', 40, dice(9)))] });
  const tries = [0, 1, 2, 3].map(() => () => cpuTime(() => redact(text)));
  return tries.reduce((least, next) => (least < SIZE_LIMIT_MS / 2 ? least : Math.min(least, next())), LIMIT_MS * 2);
}

const repeated = (unit: string): string => unit.repeat(Math.ceil(SIZE / unit.length));

test('much of the same hostile word on one line takes as long as any other text', () => {
  for (const unit of UNITS) {
    const spent = leastTime(repeated(unit));
    assert.ok(spent < SIZE_LIMIT_MS, `${JSON.stringify(unit)}: ${spent} ms`);
  }
});

test('a value that is longer than any rule reads is masked to its end, however long it is', () => {
  const { redact } = createRedactor({ secrets: [] });
  for (const unit of ['*:*:*:*:', '1: password: ', 'mysql -u a -p 7hunter', 'user a on >h4']) {
    const masked = redact(`${repeated(unit)}\nthe next line\n`);
    assert.is(redact(masked), masked, unit);
    assert.match(masked, /^[^\n]*SECRET[^\n]*\nthe next line\n$/, unit);
    assert.ok(masked.length < 1000, `${unit}: ${masked.length}`);
  }
  const word = `-p ${'x4'.repeat(1000)}`;
  assert.match(redact(`tool ${word} --dry-run`), /^tool -p (?:SECRET_\w+)+ --dry-run$/);
});

test('whatever hostile words follow each other', () => {
  const words = fc.array(fc.constantFrom(...UNITS), { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(words, (some) => {
      const spent = leastTime(repeated(some.join('')));
      assert.ok(spent < SIZE_LIMIT_MS * 2, `${JSON.stringify(some)}: ${spent} ms`);
    }),
    runs(4, 300),
  );
});

const inColumns = (text: string): string[] => findInColumns(text).map(({ start, end }) => text.slice(start, end));

test('each row of a table is read once, however many headings stand above it', () => {
  const [heading, row] = ['user,token\n', 'ann,Kr0kodil9\n'];
  assert.is(inColumns(heading.repeat(150) + row.repeat(150)).length, 150);
});

test('a table is masked to its last row, however long it is', () => {
  assert.is(inColumns(`user,token\n${'ann,Kr0kodil9\n'.repeat(1000)}`).length, 1000);
});

test('a heading inside of a table adds its columns, and takes none away', () => {
  assert.ok(inColumns('name,token\nann,Kr0kodil9\npassword,name\ncorrecthorse,bob').includes('correcthorse'));
  assert.ok(inColumns('user,password\nuser,token\nann,correcthorse').includes('correcthorse'));
});

test('secrets that begin alike, or repeat one letter, cost no more', () => {
  const secrets = [
    ...Array.from({ length: 2000 }, (_, i) => of(`https://a-long-beginning/${i}`)),
    of(`${'a'.repeat(60)}b`),
    of(`${'a'.repeat(5000)}b`),
  ];
  const { redact } = createRedactor({ secrets });
  for (const unit of ['a', 'https://', 'https://a-long-beginning/']) {
    const spent = cpuTime(() => redact(unit.repeat(Math.ceil(LONG / unit.length))));
    assert.ok(spent < LIMIT_MS, `${unit}: ${spent} ms`);
  }
});

test('10,000 secrets are kept in mind, and a long log is searched for all of them', () => {
  const roll = dice(5);
  const secrets = Array.from({ length: 10_000 }, () => of(letters('', 12 + Math.floor(roll() * 40), roll)));
  const log = ordinaryLines(cases(2000, 12_000), roll).map((line, i) =>
    i % 100 === 0 ? `${line} ${secrets[i % 10_000]?.value}` : line,
  );
  let masked = '';
  const spent = cpuTime(() => {
    masked = createRedactor({ secrets }).redact(log.join('\n'));
  });
  assert.ok(spent < LIMIT_MS, `${spent} ms`);
  for (let i = 0; i < log.length; i += 100) assert.not(masked.includes(secrets[i % 10_000]?.value as string));
});

test.run();
