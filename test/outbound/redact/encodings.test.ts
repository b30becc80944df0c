// The forms in which a known value is looked for.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formsOf } from '../../../src/outbound/redact/encodings.ts';

test('a value as it is, as shells and formats write it, in base64 from any byte on, and in hexadecimal', () => {
  const forms = formsOf("a'b c$%");
  assert.equal(
    forms.filter(({ random }) => !random).map(({ text }) => text),
    ["a'b c$%", "a'\\''b c$%", "a''b c$%", "a'b+c$%", "a'b c$$%", "a'b c$%%"],
  );
  assert.equal(
    formsOf('ab?~>')
      .filter(({ base64 }) => base64)
      .map(({ text }) => text),
    ['YWI/fj', 'FiP34+', 'hYj9+P', 'YWI_fj', 'FiP34-', 'hYj9-P'],
  );
  assert.equal(formsOf('o~').slice(-2), [
    { text: '6f7e', random: true },
    { text: '6F7E', random: true },
  ]);
});

test('each form comes once, and long values are not looked for in hexadecimal', () => {
  assert.equal(
    formsOf('12').map(({ text }) => text),
    ['12', 'MT', 'Ey', 'xM', '3132'],
  );
  const hex = (length: number) => formsOf('~'.repeat(length)).some(({ text }) => text.startsWith('7e7e'));
  assert.equal([hex(512), hex(513)], [true, false]);
});

test.run();
