// A long mask lets others have the thread, and makes what it would make at once.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { maskInTurns } from '../../src/io/mask-in-turns.ts';
import { findNamedValues, namedValues } from '../../src/outbound/redact/named-values.ts';
import { createRedactor } from '../../src/outbound/redact/redactor.ts';

const lines = (count: number, lead: string) =>
  Array.from({ length: count }, (_, i) => `${lead}${i}: password${i}=Xk29fh${i}k "x\\"`).join('\n');
const LONG = lines(2000, 'a');
const options = { secrets: [], nonce: 'bcdfghjk' };

test('what is built is what is built at once, with the same placeholders', async () => {
  const texts = ['token=Xk29fh3k', LONG, '', lines(1500, 'b'), LONG, 'no secret'];
  const build = (mask: (text: string) => string) => texts.map((text) => [mask(text), mask(mask(text)).length]);
  assert.equal(await maskInTurns(createRedactor(options), build), build(createRedactor(options).redact));
});

test('others have their turns while a long text is masked', async () => {
  let turns = 0;
  let isDone = false;
  const other = () => {
    turns++;
    if (!isDone) setImmediate(other);
  };
  setImmediate(other);
  await maskInTurns(createRedactor(options), (mask) => mask(LONG));
  isDone = true;
  assert.ok(turns > 2, `${turns}`);
});

test('two long texts at a time do not disturb each other', async () => {
  const redactor = createRedactor({ secrets: [] });
  const texts = [LONG, lines(1800, 'b'), `\u001b[1m${lines(1000, 'c')}`];
  const masked = await Promise.all(texts.map((text) => maskInTurns(redactor, (mask) => mask(text))));
  for (const [i, text] of texts.entries()) {
    assert.equal(redactor.restore(masked[i] as string), { ok: true, text });
    assert.not.match(masked[i] as string, 'Xk29fh');
  }
});

test('names are found in each of two texts that are searched in turn', () => {
  const texts = [LONG, lines(1800, 'a line of the other text that is far longer than those of the first one ')];
  const open = texts.map((text) => namedValues(text));
  const spans: unknown[] = [undefined, undefined];
  while (spans.includes(undefined))
    for (const [i, steps] of open.entries()) spans[i] ??= steps.next().value ?? undefined;
  assert.equal(
    spans,
    texts.map((text) => findNamedValues(text)),
  );
});

test('what was masked in turns is at hand, and is not masked again', async () => {
  const { redactInSteps, redact, ...rest } = createRedactor(options);
  let begun = 0;
  const counting = (text: string) => {
    begun++;
    return redactInSteps(text);
  };
  const masked = await maskInTurns({ ...rest, redact, redactInSteps: counting }, (mask) => mask(LONG));
  assert.ok(begun <= 2, `${begun}`);
  assert.is(redact(LONG), masked);
  assert.equal(redactInSteps(LONG).next(), { done: true, value: masked });
});

test('what cannot be masked is refused, in the first turn and in a later one', async () => {
  const failing = (long: boolean) => {
    const redactor = createRedactor(options);
    function* redactInSteps(): Generator<void, string> {
      if (long) for (const until = performance.now() + 30; performance.now() < until; ) yield;
      throw new Error('too much');
    }
    return maskInTurns({ ...redactor, redactInSteps }, (mask) => mask('x')).then(
      () => 'sent',
      (error: Error) => error.message,
    );
  };
  assert.equal([await failing(false), await failing(true)], ['too much', 'too much']);
});

test.run();
