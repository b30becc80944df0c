// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates and variables of the shell
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRedactor, RULES } from '../../../src/outbound/redact/redactor.ts';
import type { Secret } from '../../../src/outbound/redact/secret.ts';
import { RedactionError } from '../../../src/outbound/redact/secret.ts';
import { fc, runs } from '../../sweep.ts';
import { dice, letters } from './fill.ts';
import { ordinaryLines } from './ordinary.ts';
import { leftovers, password, planted } from './planted.ts';

const NONCE = 'bcdf2345';
const secret = (value: string, kind = 'token'): Secret => ({ value, kind, from: 'test' });
const known = (...values: string[]) => createRedactor({ secrets: values.map((v) => secret(v)), nonce: NONCE });
const P = (number: number, kind = 'token') => `SECRET_${NONCE}_${number}_${kind}_END`;

test('secrets that nobody carries are gone from the middle of an ordinary log', () => {
  const { redact, masked } = createRedactor({ secrets: [] });
  const all = planted();
  const lines = ordinaryLines(10 * all.length, dice(3));
  const text = lines.flatMap((line, i) => (i % 10 === 0 ? [line, all[i / 10]?.line ?? ''] : [line])).join('\n');
  const out = redact(text);
  for (const { kind, value } of all) assert.equal(leftovers(out, value), [], kind);
  assert.ok(Object.values(masked()).reduce((a, b) => a + b, 0) >= all.length);
});

test('the same secret is the same placeholder; another form is another; both are counted by kind', () => {
  const value = password(1);
  const { redact, masked } = createRedactor({ secrets: [secret(value, 'password')], nonce: NONCE });
  assert.is(redact(`a ${value} b ${value}`), `a ${P(1, 'password')} b ${P(1, 'password')}`);
  assert.is(redact(Buffer.from(value).toString('base64')), P(2, 'password'));
  assert.is(redact(`c ${value}`), `c ${P(1, 'password')}`);
  assert.equal(masked(), { password: 2 });
});

test('a masked text has the lines of the original, and quotes stay where they were', () => {
  const { redact } = known();
  const body = [1, 2, 3].map((seed) => letters('b64', 64, dice(seed)));
  const pem = ['-----BEGIN RSA PRIVATE KEY-----', ...body, 'abcd==', '-----END RSA PRIVATE KEY-----'];
  assert.is(
    redact(`x:\n  ${pem.join('\n  ')}\ny`),
    `x:\n  ${[pem[0], P(1, 'pem'), P(2, 'pem'), P(3, 'pem'), P(4, 'pem'), pem.at(-1)].join('\n  ')}\ny`,
  );
  assert.is(known().redact('password: "pa ss w0rd"\n'), `password: "${P(1, 'password')}"\n`);
});

test('a key that was cut at either end, has a time before each line, or stands in JSON is masked', () => {
  const lines = [1, 2, 3, 4].map((seed) => letters('b64', 64, dice(seed)));
  const whole = ['-----BEGIN PRIVATE KEY-----', ...lines, 'Qz12==', '-----END PRIVATE KEY-----'];
  const texts = [
    [...whole.slice(0, 4), 'next line of the log'].join('\n'),
    ['…', ...whole.slice(2)].join('\n'),
    whole.slice(2, 5).join('\n'),
    whole.map((line) => `2026-11-16T05:00:00Z cp1 | ${line}`).join('\n'),
    JSON.stringify({ key: whole.join('\n') }),
    JSON.stringify(JSON.stringify({ key: whole.join('\n') })),
  ];
  for (const text of texts) {
    const masked = known().redact(text);
    for (const line of [...lines, 'Qz12==']) assert.not(masked.includes(line), masked);
    assert.is(masked.split('\n').length, text.split('\n').length);
  }
  assert.match(known().redact(texts[0] as string), /\nnext line of the log$/);
});

test('what only looks like a placeholder is masked, so it comes back as what it was', () => {
  const { redact, restore } = known(password(1));
  for (const text of [P(1), P(7), P(1).toLowerCase(), NONCE, P(1).replace(NONCE, 'zzzz9999'), `x${P(3)}y`]) {
    const { redact: mask, restore: unmask } = known();
    assert.is.not(mask(text), text);
    assert.equal(unmask(mask(text)), { ok: true, text });
  }
  assert.is(redact(redact(`x ${password(1)}`)), `x ${P(1)}`);
  assert.equal(restore(P(1)), { ok: true, text: password(1) });
});

test('a placeholder that is changed or made up is refused with the word itself', () => {
  const { redact, restore } = known(password(1));
  redact(password(1));
  const reason = (word: string) => `${word} is no placeholder that was sent; copy them letter by letter`;
  for (const word of [
    P(2),
    P(1).toLowerCase(),
    P(1).replace('_END', ''),
    P(1).replace('token', 'key'),
    `SECRET_${NONCE}`,
  ]) {
    assert.equal(restore(`password: ${word}\n`), { ok: false, reasons: [reason(word)] });
  }
  assert.equal(restore('SECRET_zzzz9999_1_token_END'), { ok: false, reasons: [reason('SECRET_zzzz9999_1_token_END')] });
  assert.equal(restore('SECRET_KEY=x'), { ok: true, text: 'SECRET_KEY=x' });
});

test('values of 4 to 7 characters are masked as words of their own, also in base64 and hexadecimal; shorter ones are not', () => {
  assert.is(
    known('short12').redact('a short12 b, unshort12, c2hvcnQxMg== "short12"'),
    `a ${P(1)} b, unshort12, ${P(2)} "${P(1)}"`,
  );
  assert.is(known('abc').redact('an abc'), 'an abc');
});

test('the patterns of the owner mask their whole match, whatever their flags', () => {
  const { redact } = createRedactor({ secrets: [], rules: [/rack-\d+/i, /\bx{3}$/gm], nonce: NONCE });
  assert.is(redact('RACK-12 and xxx\nrack-9'), `${P(1, 'own')} and ${P(2, 'own')}\n${P(3, 'own')}`);
});

test('values of 4 to 7 characters are also masked in hexadecimal as tools write it, and as `echo` hands it to base64', () => {
  const hex = Buffer.from('short12').toString('hex');
  for (const text of [hex, hex.toUpperCase(), `0x${hex}`, Buffer.from('short12\n').toString('base64')])
    assert.is(known('short12').redact(`got ${text} here`), `got ${P(1)} here`);
});

test('a word of a tracked path is never masked, alone or inside of a path; the rest of the text is', () => {
  const paths = ['apps/network/cloudflared/app/helmrelease.yaml', 'apps/media/plex-server/values.yaml'];
  const secrets = ['cloudflared', 'plex-server', 'cloudflared-secret'].map((value) => secret(value));
  const { redact } = createRedactor({ secrets, paths, nonce: NONCE });
  for (const text of [
    paths[0] as string,
    'namespace: cloudflared',
    'b/apps/media/plex-server/x',
    'password: cloudflared',
  ]) {
    assert.is(redact(text), text);
  }
  assert.is(redact('a cloudflared-secret'), `a ${P(1)}`);
  assert.is(createRedactor({ secrets, nonce: NONCE }).redact('x cloudflared'), `x ${P(1)}`);
});

test('what the owner said is no secret stays, also where another file holds it', () => {
  const { redact } = createRedactor({ secrets: [secret('pve-rack-room')], open: ['pve-rack-room'], nonce: NONCE });
  assert.is(redact('on pve-rack-room'), 'on pve-rack-room');
});

test('a part of a path that is no word of it is masked', () => {
  const { redact } = createRedactor({
    secrets: [secret('plexserv')],
    paths: ['apps/plexserver-plexserv2/x'],
    nonce: NONCE,
  });
  assert.is(redact('a plexserv b'), `a ${P(1)} b`);
});

test('what is masked at one place is masked at others, where nobody would write that word by chance', () => {
  const again = (value: string) => known().redact(`password: ${value}\nlater ${value} x${value}`).split('\n')[1];
  for (const value of ['Hunter29', 'hunter2!']) assert.is(again(value), `later ${P(1, 'password')} x${value}`);
  for (const value of ['Hunter9', 'wednesday', 'my-host-1', 'two words 9', '1234567890'])
    assert.is(again(value), `later ${value} x${value}`);
});

test('a secret inside of base64 takes the characters with it that hold some of its bits', () => {
  const value = 'Hunter29-Hunter30';
  const inside = (before: string, after: string) =>
    known(value).redact(Buffer.from(before + value + after).toString('base64'));
  assert.equal(
    [inside('', ''), inside('abc', 'def'), inside('abcd', 'ef'), inside('abcde', 'f')],
    [P(1), `YWJ${P(1)}kZWY=`, `YWJjZ${P(1)}WY=`, `YWJjZG${P(1)}Y=`],
  );
});

test('a placeholder that is refused is shown with the word around it, shortened', () => {
  const answer = known().restore(`${'x'.repeat(50)}${P(9)}${'y'.repeat(90)}`);
  const word = `${'x'.repeat(40)}${P(9)}${'y'.repeat(90)}`.slice(0, 120);
  assert.equal(answer, { ok: false, reasons: [`${word} is no placeholder that was sent; copy them letter by letter`] });
});

test('template expressions stay, and what stands beside them under a secret-like key does not', () => {
  const { redact } = known();
  const text = 'password: {{ vault_pw }}\ntoken: ${TOKEN:-none}\nx: {% if a %}{{ b_token }}{% endif %}\n';
  assert.is(redact(text), text);
  assert.is(redact('url: postgres://${DB_USER}:hunter22@db/x'), `url: postgres://\${DB_USER}:${P(1, 'password')}@db/x`);
  assert.is(redact('db_password: "abc123def-{{ suffix }}"'), `db_password: "${P(2, 'password')}{{ suffix }}"`);
});

test('a part of 12 characters gives a secret away, unless it is a word by itself', () => {
  const { redact } = known('correct-administrators-staple');
  assert.is(redact('got t-administrators…'), `got ${P(1)}…`);
  assert.is(redact('the administrators of it'), 'the administrators of it');
});

test('a dump of bytes is masked with its characters, whatever stands between them', () => {
  const value = password(8);
  const bytes = [...Buffer.from(`user ${value} and more`)].map((byte) => byte.toString(16).padStart(2, '0'));
  const dump = (at: number) => bytes.slice(at, at + 16).join(' ');
  const texts = [
    bytes.join(':'),
    bytes.map((byte) => `0x${byte}`).join(', '),
    bytes.map((byte) => `\\x${byte}`).join(''),
    `00000000: ${dump(0)}  user ${value.slice(0, 11)}\n00000010: ${dump(16)}  ${value.slice(11)} and mo\n`,
  ];
  for (const text of texts) {
    const masked = known(value).redact(text);
    assert.not(masked.includes(bytes.slice(8, 14).join(' ')), masked);
    assert.match(masked, P(1));
    assert.not(masked.includes(value.slice(11)), masked);
  }
});

test('a token that is wrapped is masked on both lines, and the line after a whole one is not', () => {
  const token = `ghp_${letters('', 36, dice(4))}`;
  const wrapped = known().redact(`got ${token.slice(0, 20)}\n  ${token.slice(20)} from git`);
  assert.is(wrapped, `got ${P(1, 'github')}\n  ${P(2, 'github')} from git`);
  assert.is(known().redact(`got ${token}\nfrom git`), `got ${P(1, 'github')}\nfrom git`);
});

test('a pattern that takes for ever is an error, and nothing is returned', () => {
  const { redact } = createRedactor({ secrets: [], rules: [/(a+)+$/] });
  try {
    redact(`${'a'.repeat(50)}!`);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, RedactionError);
    assert.is((error as Error).message, 'a pattern under redact took longer than 1000 ms: (a+)+$');
  }
});

test('more than can be kept in mind is an error', () => {
  const big = letters('', 1024 * 1024 + 1, dice(1));
  assert.throws(
    () => known(big),
    (error: unknown) => error instanceof RedactionError && /more than 1048576 characters/.test(error.message),
  );
});

// Texts in which secrets, keys, quotes, line breaks and the words of placeholders meet in every way.
const VALUES = [password(5), 'pa ss"w\'rd\\1', 'päss/wörd+1', 'eight888', `a\nb${password(6)}\n${password(7)}`];
const PIECES = [
  ...VALUES,
  ...VALUES.flatMap((v) => [Buffer.from(v).toString('base64'), encodeURIComponent(v), JSON.stringify(v)]),
  ...[
    'password=',
    'token: ',
    '"',
    "'",
    ' ',
    '\n',
    '\r\n',
    '\\n',
    '  ',
    '=',
    ':',
    '-----BEGIN KEY-----',
    '-----END KEY-----',
  ],
  ...[
    'SECRET_',
    '_END',
    '_1_',
    'token',
    NONCE,
    P(1),
    P(99, 'zz'),
    'Bearer ',
    'x',
    '://a:',
    '@',
    '$6$',
    '\uD83D',
    '😀',
    '\u0000',
    '\uffff',
  ],
];
const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((parts) => parts.join(''));
const anything = fc.oneof(
  pieces,
  fc.string({ unit: 'binary' }),
  fc.tuple(pieces, fc.string(), pieces).map((t) => t.join('')),
);

test('redact: again changes nothing, restoring gives the text, lines stay, no known secret is left', () => {
  fc.assert(
    fc.property(anything, (text) => {
      const { redact, restore } = known(...VALUES);
      const masked = redact(text);
      assert.is(redact(masked), masked);
      assert.equal(restore(masked), { ok: true, text });
      assert.is(masked.split('\n').length, text.split('\n').length);
      const plain = masked.replace(/SECRET_bcdf2345_\d+_[a-z]+_END/g, '\u0000');
      for (const value of VALUES) assert.not(plain.includes(value), `${JSON.stringify(text)} → ${masked}`);
    }),
    runs(30, 15000),
  );
});

const ENCODINGS: readonly ((value: string) => string)[] = [
  (v) => v,
  (v) => Buffer.from(v).toString('base64'),
  (v) => Buffer.from(Buffer.from(v).toString('base64')).toString('base64'),
  (v) => Buffer.from(v).toString('hex'),
  (v) =>
    Buffer.from(v)
      .toString('hex')
      .replace(/..(?=.)/g, '$&:'),
  (v) => encodeURIComponent(v),
  (v) => JSON.stringify(JSON.stringify(v)),
  (v) => v.replace(/[^\w]/g, '\\$&'),
];

test('redact: a known secret is gone in every encoding, whatever stands around it', () => {
  const value = fc.string({ minLength: 10, maxLength: 40, unit: fc.constantFrom(...'abcXYZ0189-_!@#%+/=. ') });
  const around = fc.constantFrom('', ' ', '\n', '"', ': ', '=', '\u001b[0m', 'got ', '(', ', ');
  fc.assert(
    fc.property(value, fc.constantFrom(...ENCODINGS), around, around, (given, encode, before, after) => {
      fc.pre(given.trim() === given && /[^ ]{8}/.test(given));
      const text = `x${before} ${encode(given)} ${after}y`;
      const { redact, restore } = known(given);
      const masked = redact(text);
      assert.not(masked.includes(encode(given)), `${JSON.stringify(text)} → ${masked}`);
      assert.equal(restore(masked), { ok: true, text });
    }),
    runs(40, 20000),
  );
});

test('redact: a template expression under a secret-like key stays', () => {
  const name = fc.stringMatching(/^[a-z]{3,12}(_[a-z]{2,8}){0,2}$/);
  const key = fc.constantFrom('password', 'api_token', 'clientSecret', 'DB_PASS', 'private_key');
  const template = fc.constantFrom(
    '{{ @ }}',
    '${@}',
    '$@',
    "\"{{ lookup('env', '@') }}\"",
    '${{ secrets.@ }}',
    '$(cat @)',
  );
  fc.assert(
    fc.property(key, fc.constantFrom(': ', '=', ' = '), template, name, (secretKey, separator, expression, word) => {
      const text = `a\n${secretKey}${separator}${expression.replaceAll('@', word)}\nb`;
      assert.is(known().redact(text), text);
    }),
    runs(20, 5000),
  );
});

test('redact: a digest alone has the form of no secret, and is masked where it holds one or is one', () => {
  const hex = (size: number) =>
    letters('', size, dice(size)).replace(/./g, (char) => (char.charCodeAt(0) % 16).toString(16));
  for (let size = 32; size <= 64; size++)
    assert.equal(
      RULES.filter(({ find }) => find(hex(size)).length > 0).map(({ name }) => name),
      [],
    );
  const { redact } = createRedactor({ secrets: [secret(hex(40))] });
  assert.is(redact(hex(41)), hex(41));
  for (const text of [hex(40), Buffer.from('password: Kr0kodil9x').toString('hex')])
    assert.match(redact(text), 'SECRET_');
});

test('redact: two different texts never become the same', () => {
  fc.assert(
    fc.property(anything, anything, (one, other) => {
      const { redact, restore } = createRedactor({ secrets: VALUES.map((v) => secret(v)) });
      const [a, b] = [redact(one), redact(other)];
      assert.equal(
        [restore(a), restore(b)],
        [
          { ok: true, text: one },
          { ok: true, text: other },
        ],
      );
    }),
    runs(20, 5000),
  );
});

test.run();
