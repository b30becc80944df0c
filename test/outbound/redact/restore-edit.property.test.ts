// Whatever an answer does to placeholders: left alone they come back byte for byte, anything else is refused.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRedactor } from '../../../src/outbound/redact/redactor.ts';
import { fc, runs } from '../../sweep.ts';
import { password } from './planted.ts';

const RUNS = runs(60, 3000);
const SECRETS = Array.from({ length: 12 }, (_, i) => password(100 + i));

/** Lines of a file, each its own; those with a number hold that secret. */
const file = fc
  .tuple(
    fc.array(fc.option(fc.nat(7), { freq: 3 }), { minLength: 3, maxLength: 14 }),
    fc.constantFrom('\n', '\r\n'),
    fc.boolean(),
  )
  .filter(([lines]) => lines.some((at) => at !== null))
  .map(([holds, end, last]) => {
    const lines = holds.map((at, i) =>
      at === null
        ? `  setting_${i}_${'abcdefgh'[i % 8]}: value ${i * 7919}`
        : `  entry${i * 31}x: "${SECRETS[at]}" # ${i}`,
    );
    return { lines, end, last };
  });

interface Made {
  lines: string[];
  end: string;
  last: boolean;
}

/** The file as it was, as it is sent, and the way back for an answer. */
function sent({ lines, end, last }: Made) {
  const text = lines.join(end) + (last ? end : '');
  const redactor = createRedactor({ secrets: SECRETS.map((value) => ({ value, kind: 'token', from: '' })) });
  const before = redactor.redact(text);
  const shown = before.split('\n');
  const held = shown.flatMap((line, i) => (/SECRET_\w+_END/.test(line) ? [i] : []));
  const word = (i: number) => /SECRET_\w+_END/.exec(shown[i] as string)?.[0] as string;
  const edited = (after: readonly string[]) =>
    redactor.restoreEdit({ path: 'app.yaml', before, after: after.join('\n') });
  return { text, before, shown, held, word, edited, redactor };
}

const at = <T>(of: readonly T[], pick: number): T => of[pick % of.length] as T;

test('an answer that changes, adds and removes only other lines gives the file back with just that', () => {
  fc.assert(
    fc.property(file, fc.array(fc.tuple(fc.nat(3), fc.nat(50)), { maxLength: 8 }), (made, changes) => {
      const { text, shown, held, edited } = sent(made);
      const original = text.split('\n');
      const masked = new Set(held);
      // The same change to what was sent and to what it stands for.
      const change = (lines: readonly string[]) =>
        lines.flatMap((line, i) => {
          const wanted = changes.flatMap(([what, where], n) => (where % lines.length === i ? [{ what, n }] : []));
          const fresh = wanted.filter(({ what }) => what === 0).map(({ n }) => `  fresh${n}: ${n}`);
          if (masked.has(i) || wanted.length === 0) return [...fresh, line];
          const { what, n } = at(wanted, 0);
          if (what === 1) return fresh;
          return [...fresh, what === 2 ? `  other${n}: changed` : line];
        });
      assert.equal(edited(change(shown)), { ok: true, before: text, after: change(original).join('\n') });
    }),
    RUNS,
  );
});

test('a line with a placeholder may be indented, quoted otherwise or go away', () => {
  fc.assert(
    fc.property(file, fc.nat(), fc.nat(2), (made, pick, how) => {
      const { text, shown, held, edited } = sent(made);
      const where = at(held, pick);
      const change = (lines: readonly string[]) =>
        lines.flatMap((line, i) => {
          if (i !== where) return [line];
          return how === 0 ? [`  ${line}`] : how === 1 ? [line.replaceAll('"', "'")] : [];
        });
      const result = edited(change(shown));
      assert.equal(result, { ok: true, before: text, after: change(text.split('\n')).join('\n') });
    }),
    RUNS,
  );
});

test('a placeholder with letters changed, left out or put in is refused', () => {
  const slip = fc.tuple(fc.nat(), fc.constantFrom('replace', 'drop', 'insert'), fc.constantFrom(...'xQ7_z'));
  fc.assert(
    fc.property(file, fc.nat(), fc.array(slip, { minLength: 1, maxLength: 6 }), (made, pick, slips) => {
      const { shown, held, word, edited } = sent(made);
      const where = at(held, pick);
      let changed = word(where);
      for (const [place, how, letter] of slips) {
        const i = place % changed.length;
        changed = `${changed.slice(0, i)}${how === 'drop' ? '' : letter}${changed.slice(how === 'insert' ? i : i + 1)}`;
      }
      fc.pre(!changed.includes(word(where)));
      const result = edited(shown.map((line, i) => (i === where ? line.replace(word(where), () => changed) : line)));
      assert.is(result.ok, false, `${word(where)} → ${changed}`);
    }),
    RUNS,
  );
});

test('a placeholder on another line, twice, or on a line of its own is refused', () => {
  fc.assert(
    fc.property(file, fc.nat(), fc.nat(), fc.nat(3), (made, pick, to, how) => {
      const { shown, held, word, edited } = sent(made);
      const where = at(held, pick);
      const target = to % shown.length;
      fc.pre(target !== where && (shown[target] as string).trim() !== '');
      const after = [...shown];
      if (how === 0) after[target] = `${shown[target]} ${word(where)}`;
      if (how === 1) after.splice(target, 0, shown[where] as string);
      if (how === 2) after.splice(target, 0, `  note: ${word(where)}`);
      if (how === 3) after[where] = `${shown[where]} ${word(where)}`;
      assert.is(edited(after).ok, false, `${shown.join('\n')}\n→\n${after.join('\n')}`);
    }),
    RUNS,
  );
});

test('a line with a placeholder that is moved past any other line is refused', () => {
  fc.assert(
    fc.property(file, fc.nat(), fc.nat(), (made, pick, to) => {
      const { shown, held, edited } = sent(made);
      const where = at(held, pick);
      const full = shown.filter((line) => line.trim() !== '').length;
      const target = to % full;
      fc.pre(target !== where);
      const after = shown.filter((_, i) => i !== where);
      after.splice(target, 0, shown[where] as string);
      assert.is(edited(after).ok, false, `${shown.join('\n')}\n→\n${after.join('\n')}`);
    }),
    RUNS,
  );
});

test('a placeholder of another file, or one that nobody gave out, is refused', () => {
  fc.assert(
    fc.property(file, fc.nat(), fc.boolean(), (made, pick, known) => {
      const { shown, redactor, edited } = sent(made);
      const foreign = known ? redactor.redact(at(SECRETS.slice(8), pick)) : 'SECRET_bcdf2345_99_token_END';
      assert.is(edited([...shown.slice(0, 1), `  extra: ${foreign}`, ...shown.slice(1)]).ok, false);
      assert.is(redactor.restoreEdit({ path: 'new', before: null, after: `x: ${foreign}\n` }).ok, false);
    }),
    RUNS,
  );
});

test.run();
