// Words as bash would see them: by spelling, and every spelling of a word at all.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the shell
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readable } from '../../../src/fix/shell/hide-templates.ts';
import { readScript } from '../../../src/fix/shell/read-script.ts';
import { fc, runs } from '../../sweep.ts';
import { parse } from '../gate/homelab.ts';
import { spelled } from './spelling.ts';

const wordsOf = (text: string) => (readScript(parse(readable(`run ${text}\n`))).commands[0]?.words ?? []).slice(1);
const texts = (text: string) => wordsOf(text).map((word) => word.text);

const SPELLINGS: [written: string, ...words: string[]][] = [
  ['a b  c', 'a', 'b', 'c'],
  ["'a b'", 'a b'],
  ['"a b"', 'a b'],
  ['a\\ b', 'a b'],
  ["a'b'c", 'abc'],
  ['a"b"\'c\'', 'abc'],
  ['""', ''],
  ["''", ''],
  ["a''b", 'ab'],
  ['a""b', 'ab'],
  ['r\\m', 'rm'],
  ['"a\\"b"', 'a"b'],
  ['"a\\\\b"', 'a\\b'],
  ['"a\\nb"', 'a\\nb'],
  ["'a\\nb'", 'a\\nb'],
  ['"\\$HOME"', '$HOME'],
  ["'$HOME'", '$HOME'],
  ["$'a\\nb'", 'a\nb'],
  ["$'\\x72\\x6d'", 'rm'],
  ["$'\\162\\155'", 'rm'],
  ["$'\\u0072m'", 'rm'],
  ["$'\\U00000072m'", 'rm'],
  ["$'it\\'s'", "it's"],
  ["a$'\\x62'c", 'abc'],
  ['$"a b"', 'a b'],
  ['a\\\nb', 'ab'],
  ['"a\\\nb"', 'ab'],
  ['{a,b}', 'a', 'b'],
  ['x{a,b}y', 'xay', 'xby'],
  ['{a,b}{1,2}', 'a1', 'a2', 'b1', 'b2'],
  ['{a,b{1,2}}', 'a', 'b1', 'b2'],
  ['x{,y}', 'x', 'xy'],
  ['{a}', '{a}'],
  ['"{a,b}"', '{a,b}'],
  ["'{a,b}'", '{a,b}'],
  ['\\{a,b\\}', '{a,b}'],
  ['a=b', 'a=b'],
  ['--x="a b"', '--x=a b'],
  ['*.sh', '*.sh'],
  ['~/a', '~/a'],
  ['a#b', 'a#b'],
  ['a # b', 'a'],
];

for (const [written, ...words] of SPELLINGS) {
  const each = (list: string[]) => [...new Set(list)].sort();
  test(`${JSON.stringify(written)} is ${JSON.stringify(words)}`, () => assert.equal(each(texts(written)), each(words)));
}

const DYNAMIC: [written: string, text: string][] = [
  ['$A', '$A'],
  ['"$A"', '$A'],
  ['${A}', '$A'],
  ['"${A}/b"', '$A/b'],
  ['${A:-b}', '$A'],
  ['${A##*/}', '$A'],
  ['${#A}', '$A'],
  ['$@', '$@'],
  ['"$1"', '$1'],
  ['$?', '$?'],
  ['$(date)', '$(…)'],
  ['`date`', '$(…)'],
  ['"a-$(date)"', 'a-$(…)'],
  ['$((1 + 2))', '$(…)'],
  ['<(date)', '$(…)'],
];

for (const [written, text] of DYNAMIC) {
  test(`${written} is only known at run time`, () => {
    assert.equal(
      wordsOf(written).map((word) => [word.text, word.dynamic]),
      [[text, true]],
    );
  });
}

test('plain words are known, and only those in quotes as a whole are quoted', () => {
  assert.equal(
    wordsOf(`a 'b' "c" d'e' "f$G" 'h'"i"`).map(({ dynamic, quoted }) => [dynamic, quoted]),
    [
      [false, false],
      [false, true],
      [false, true],
      [false, false],
      [true, true],
      [false, true],
    ],
  );
});

test('braces make no more words than anyone reads', () => {
  assert.ok(texts('{a,b}'.repeat(20)).length <= 64);
});

test('any word however it is spelled is read as that word', () => {
  const word = fc.string({
    unit: fc.constantFrom(...'rm-/.ab0 \'"$`\\{},;|&<>()#*~=é\t'),
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(
      word.chain((plain) => fc.tuple(fc.constant(plain), spelled(plain))),
      ([plain, written]) => {
        // The grammar takes an escaped blank at either end of a word for a blank.
        fc.pre(!/\\[ \t]/.test(written));
        assert.equal(texts(written), [plain], written);
      },
    ),
    runs(300, 30_000),
  );
});

test.run();
