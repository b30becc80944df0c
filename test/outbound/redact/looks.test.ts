// How much a word looks like a secret, and which values are none: a row on each side of every limit.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as looks from '../../../src/outbound/redact/looks.ts';

const { isDrawn, isHighEntropy, isNoSecret, isProse, isRandom, lookOf, looksChosen, strangeness, strangeParts } = looks;

/** Letters and digits without an order: mixed, and twenty-four of small ones. */
const MIXED = 'xQ7zK2vB9wJ4mX8pG3hF';
const SMALL = 'x7zk2vb9wj4mx8pg3hfq5xzk';
const HEX = '0a1b2c3d4e5f60718293a4b5';

function assertEach<T>(of: (word: string) => T, rows: readonly (readonly [result: T, words: readonly string[]])[]) {
  for (const [result, words] of rows) for (const word of words) assert.is(of(word), result, word);
}

test('strange are letters that do not follow each other, and digits beside letters, not digits in a row', () => {
  assertEach(strangeness, [
    [0, ['', 'x', '1234', 'the']],
    [1, ['aaaa', 'qxz', 'QXZ', 'a1b2', 'a{b', 'a@b']],
    [1 / 3, ['the12', '12the', 'THE1']],
  ]);
});

test('a word looks like nothing, a word, bytes, a choice, a mix, or a draw', () => {
  assertEach(lookOf, [
    [
      looks.NONE,
      ['aB!dE', 'a'.repeat(513), 'me@host', 'server.lan', 'AAAAB3NzaC1', 'age1qqqqqq', 'change_me1', 'ab cd ef1']
        .concat([HEX.slice(0, 15), 'abc-def', 'key_abcdefabcdefabcdefabcdef', 'xq/zK2/vB9/wJ4/mX8/pG3/hFq7'])
        .concat(['a/b1c2d3', 'Pa(ss)w0rd', 'hunter!', '123456!', 'sun-flower']),
    ],
    [
      looks.PLAIN,
      ['abcdef', 'abcdefabcdefabcd', 'password', 'qXzKvBw', 'HomeLabServer', 'sun-flower7', 'a'.repeat(512)],
    ],
    [looks.BYTES, [HEX.slice(0, 16), '0a1b2c3d-4e5f-6071', `key_${HEX}`]],
    [looks.CHOSEN, ['qXzKvBwJ', 'QxzkVbwjMxp', 'Sun-flower7', 'sunflower7', 'SunFlower77', 'HTTPServer2', 'wed,nes']],
    [looks.MIXED, ['Hunter!', 'hunter2!', 'aB!dEf', 'Sunflower77x', 'sUn7flower', MIXED.slice(0, 11)]],
    [looks.DRAWN, [MIXED.slice(0, 12), `${MIXED.slice(0, 12)}-home`, 'xq7/zK2/vB9/wJ4/mX8/pG3/hFq']],
  ]);
});

test('drawn: twenty of mixed case with a digit, or twenty-four with two, less than three fifths of them digits', () => {
  assertEach(isDrawn, [
    [
      true,
      [MIXED, SMALL, SMALL.toUpperCase(), 'xqzKvbwjmxpghfqxzk7B', 'xqzkvbwjmxpghfqxzkvbq7w2', '12345678901xQzKvBwJm'],
    ],
    [
      false,
      ['', MIXED.slice(1), MIXED.toLowerCase(), SMALL.slice(1), 'xqzKvbwjmxpghfqxzkBB', 'xqzkvbwjmxpghfqxzkvbqwz2'],
    ],
    [false, ['123456789012xQzKvBwJ', '0a1B2c3D4e5F60718293a4B5', 'theSameServerOfTheHome1', `${'xQ'.repeat(128)}7`]],
  ]);
  assert.is(isDrawn(MIXED.slice(0, 12), 12), true);
});

test('of a word joined by signs the parts count that are no words, numbers or digests, within 256 characters', () => {
  const parts = (word: string) => strangeParts(word, 3);
  assert.is(parts('xq7-home-zK2.ab3_cD4/ef5+gh6=ij7:kl8'), 'xq7zK2ab3cD4ef5gh6ij7kl8');
  assertEach(parts, [
    ['', ['aB', 'deadbee1', '1234567', `${'-'.repeat(254)}xQ7`]],
    ['abC', ['abC-k7']],
    ['deadbe1', ['deadbe1']],
  ]);
});

test('of high entropy: sixteen characters and more, eight different ones, half of them strange neighbours', () => {
  const half = `${'zkvbwjxq'.repeat(16)}un${'in'.repeat(63)}`;
  assertEach(isHighEntropy, [
    [true, ['xQ7zK2vB9wJ4mX8p', 'xq7zk2vbxq7zk2vb', `https://me:${MIXED}@x`, `+${MIXED}`, half.slice(0, -1)]],
    [false, ['xQ7zK2vB9wJ4mX8', 'xq7zk2vxq7zk2vxq7', 'the-home-of-the-lab', `sha256:${MIXED}`, `/${MIXED}`]],
    [false, [`${'xq7zk2v'.repeat(37).slice(0, 256)}B`, `${half}x`]],
  ]);
});

test('random: hexadecimal of a length of keys, base32, or drawn by chance', () => {
  const hex = (length: number) => HEX.repeat(2).slice(0, length);
  assertEach(isRandom, [
    [true, [hex(32), hex(39), hex(41), hex(32).toUpperCase(), hex(39).toUpperCase(), hex(41).toUpperCase()]],
    [true, ['JBSWY3DPEHPK3PXP', 'QWERTYUIOPASDFGHJKLZ', MIXED.slice(0, 16), SMALL.slice(0, 18), 'xQ7z/K2vB9+wJ4mX=']],
    [false, [hex(31), hex(40), hex(40).toUpperCase(), 'ab'.repeat(16), 'AB'.repeat(16), 'JBSWY3DPEHPK3PX']],
    [false, ['JBSWYDPEHPKPXPJB', 'QWERTYUIOPASDFGHJKL', MIXED.slice(0, 15), SMALL.slice(0, 17), 'xQzKvBwJmXpGhFqX']],
    [false, ['xQ7zK2vB9wJ4mX!p']],
  ]);
});

test('chosen: six characters and more, a letter among them, and a digit, a sign or a capital inside', () => {
  assertEach(looksChosen, [
    [true, ['abcde1', 'abcde!', 'abCdef', 'ABCDE1']],
    [false, ['abcd1', 'abcdef', '12345!', 'Abcdef']],
  ]);
});

test('no secret is what is too short, a number, a place, a name of its own or of a Secret', () => {
  const rows: [isNone: boolean, key: string, separator: string, values: string[]][] = [
    [true, 'password', ':', ['ab', '--!', '123456', 'Token', 'PASSWORD']],
    [false, 'password', ':', ['abc', '1234567', 'db_password', 'github_app_id']],
    [true, 'passwords', ':', ['1234567']],
    [true, 'token', ':', ['/srv/lab', 'secret/s3', 'DB_PASSWORD', 'var.token', '10.0.0.1:80', 'https://x/y']],
    [false, 'token', ':', ['/srv/lab=', `/${MIXED}`, `secret/${SMALL}`, 'XQ7_ZK2VB9', 'runner-secret', 'a/b']],
    [true, 'password', '=', ['db_password']],
    [false, 'password', '=', ['db-password']],
    [true, 'apiKey', ':', ['db-password']],
    [false, 'api_key', ':', ['db-password']],
    [true, 'secretKey', ':', ['github_app_id']],
    [false, 'secretKey', '=', ['github_app_id']],
    [true, 'secret', ':', ['runner-secret', 'flux-system/sops-age']],
    [true, 'githubConfigSecret', ':', ['runner-set']],
    [false, 'githubConfigSecret', ':', ['runner7']],
    [false, 'githubConfigToken', ':', ['runner-set']],
    [false, 'clientSecret', ':', ['runner-set']],
  ];
  for (const [isNone, key, separator, values] of rows)
    for (const value of values) assert.is(isNoSecret(value, key, separator), isNone, `${key}${separator} ${value}`);
});

test('prose: a word that messages begin with; four words under a name that messages have, too', () => {
  const rows: [boolean, string, string?][] = [
    [true, 'is wrong'],
    [false, 'issue'],
    [true, 'some words of four', 'pass'],
    [false, 'some words of four', 'passphrase'],
    [false, 'some words of', 'pass'],
  ];
  for (const [isOne, value, key] of rows) assert.is(isProse(value, key), isOne, value);
});

test.run();
