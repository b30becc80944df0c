// Where a value stands to its name, and what around it stays: whole texts, with *** for what is masked.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRedactor } from '../../../src/outbound/redact/redactor.ts';
import type { Secret } from '../../../src/outbound/redact/secret.ts';

function shown(text: string, secrets: readonly Secret[] = []): string {
  return createRedactor({ secrets })
    .redact(text)
    .replace(/SECRET_\w+?_END/g, '***');
}

/** Each text with its *** put back masks to itself: «word» is what is masked. */
function assertMasked(texts: readonly string[]): void {
  for (const text of texts)
    assert.is(shown(text.replace(/[«»]/g, '')), text.replace(/«[^»]*»/g, '***'), JSON.stringify(text));
}

test('a directive is a line of its own: by the gap, a name of several words, a login or lines like it', () => {
  assertMasked([
    'password wednesday',
    'password  wednesday',
    'password   «wednesday»',
    'admin-password «wednesday»',
    'user root\npassword «wednesday»\n',
    'user root\ntoken wednesday\n',
    'login root token «wednesday»',
    'login root password «wednesday» and more',
    'db_password plain «wednesday»',
    'db_password wednesday plain',
  ]);
});

test('a login is a user and a word with a colon between, behind a name that speaks of one', () => {
  assertMasked(['the auth me:«hunter» is here\n', 'token me:wednesday\n']);
});

test('the data of a Secret are masked, a list of its data is not', () => {
  assertMasked([
    'kind: Secret\ndata:\n  fib: «wednesday»\n',
    'kind: Secret\ndata:\n  - fib: wednesday\n  - fub: tuesday\n',
    'kind: Secret\ndata:\n  fib: «wednesday»\n  «- fub»\n',
  ]);
});

test('a table ends where a line has not as many cells; cells of few letters or of several words stay', () => {
  assertMasked([
    'user,password\nroot,«wednesday»\nthat is all\nthis,tuesday77\n',
    'user,password\nroot,two words\n',
    'user,password\nroot,ab\n',
  ]);
});

test('a name goes on with what says which one it is, wherever it stands', () => {
  assertMasked(['x Secret ID = «wednesday»\n', 'a b c Secret ID = «wednesday», Secret ID = «tuesdays»\n']);
});

test('a bar or an angle opens a block only at the end of its line', () => {
  assertMasked(['password: |abc\n', 'password: >wednesday\n', 'password: |\n  «wednesday»\n']);
});

test('values below a name of several secrets end at an empty line', () => {
  assertMasked(['  tokens:\n    a: «Hunter!9x»\n\n    b: Hunter!8x\n']);
});

test('a quoted value is masked, but for what a message quotes', () => {
  assertMasked(["password: '«wednesday»' or so", "x, token: '«wednesday»'", "unexpected token: 'fi'"]);
});

test('of several encoded texts each is read from its own beginning', () => {
  const packed = (text: string) => Buffer.from(text).toString('base64');
  const line = `a ${packed('password=Hunter!9xK')} b ${packed('password=Hunter!7xQ')} c`;
  for (const secret of ['Hunter!9xK', 'Hunter!7xQ']) assert.not.match(shown(line), packed(secret).slice(4, 10));
});

test('pieces of known secrets are found whatever kinds there are', () => {
  const kinds = ['token', 'password', 'key'].map((kind, i) => ({ value: `${i}bKc3Lm9Qr2St7Uv5${i}`, kind, from: '' }));
  for (const { value } of kinds) assert.is(shown(`piece ${value.slice(0, 14)} here`, kinds), 'piece *** here');
});

test('what is beside the base64 of a known secret goes with it, at the very beginning, too', () => {
  const value = 'Kc3Lm9Qr2St7Uv5Wx1';
  const packed = Buffer.from(`x${value}y`).toString('base64');
  assert.match(shown(packed, [{ value, kind: 'token', from: '' }]), /^\*{3}=?$/);
});

test('an option is a word with hyphens before it, alone or in quotes', () => {
  assertMasked([
    'x -token «wednesday»',
    'x a-token wednesday',
    'x --token «wednesday» and more',
    'say "--password «wednesday»"',
  ]);
});

test('some words in quotes are a password, sentences are none', () => {
  assertMasked(["db_password '«my dear old word»'", "db_password 'this is not the word'"]);
});

test('what a name says decides how much its word must look like a secret', () => {
  assertMasked([
    'password is wednesday',
    'password is "«wednesday»"',
    'token is wednesday',
    'the password x wednesday9',
    'password «Hunter!9x» is the key',
    'seed/token_id Hunter!9x',
  ]);
});

test('values that are set: by their name, or by their quotes', () => {
  assertMasked([
    'ENV API_TOKEN «wednesday»',
    'ENV SEED_KEY wednesday',
    'ENV SEED_KEY "«wednesday»"',
    'set token wednesday',
    'option key wednesday',
  ]);
});

test('a value in quotes behind a colon may be what a message quotes, behind a sign of equality it is one', () => {
  assertMasked(['x token = "«wednesday»"', 'got token: "wednesday"', 'password: "«wednesday»" -> "«tuesdays»"']);
});

test('values below a name of several secrets are as deep as it, or deeper, and look chosen', () => {
  assertMasked([
    '  tokens:\n  a: «Hunter!9x»\n',
    '  tokens:\n a: Hunter!9x\n',
    'tokens:\n- «Hunter!9x»\n- wednesday\n- «Hunter!8x»\n',
    'tokens:\n  - a b\n  - Hunter!8x\n',
    'secrets: ["my word", "«Hunter!9x»", "plain"]',
  ]);
});

test('texts of several lines end with their sign, or with all of the text', () => {
  assertMasked([
    'password = """\n«wednesday»\n"""\n',
    'password = """\n«wednesday»',
    'password = <<EOF\n«wednesday»\nEOF\nuser\n',
    'password: |\n  «wednesday»\n  «tuesday7»\nuser: me\n',
    'password: |\n  «wednesday»',
  ]);
});

test('types, defaults and comparisons stand between a name and its value, or in the place of one', () => {
  assertMasked([
    'password: str = "«wednesday»"',
    'a {"password": String::from("«wednesday»")}',
    'if token === undefined',
    'password == x',
    'password=<input>',
  ]);
});

test('a value whose name is a value beside it', () => {
  assertMasked([
    '{"name": "DB_TOKEN", "value": "«wednesday»"}',
    '{"name": "seed", "value": "wednesday"}',
    'name: token_for\nvalue: «Hunter!9x»\n',
    'value: «wednesday»\nname: DB_PASSWORD\n',
  ]);
});

test('arrows lead to a value, unless they are those of a menu', () => {
  assertMasked(['db_token -> «wednesday»', 'password -> «wednesday»', 'Menu token → Hunter', 'token -> «wednesday7x»']);
});

test('the word alone below a line that shows a secret', () => {
  assertMasked(['kubectl get secret token\n«Hunter!9x»\n', 'show password\n\n«Hunter!9x»\n']);
});

test('some words of a setting are a value, what a command follows is none of it', () => {
  assertMasked(['PASSWORD=«my word 7»', 'PASSWORD=«my7word» && run', 'password: my word, and 7 more']);
});

const known = (...given: string[]) => given.map((value) => ({ value, kind: 'token', from: '' }));

test('some words are a password beside lines of pairs, however these are written', () => {
  assertMasked([
    'username=media\npassword=«Water Vole?»\n',
    'username = media\npassword = «Water Vole?»\n',
    'the share is mounted\npassword=Water Vole?\n',
  ]);
});

test('behind a login the first -p is the password, whatever other programs are run later', () => {
  assertMasked(['tool -u root -p «wednesday» && ssh -p 2222 host', 'tool -u root -p «wednesday» ssh -p 2222 host']);
});

test('accounts of a machine are no logins of a database, and the name of a Secret is none', () => {
  assertMasked([
    'daemon:*:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n',
    'db.lan:*:*:app:«wednesday»\n',
    'kube_secret_info{namespace="default",secret="db-token"} 1',
  ]);
});

test('a known secret of 8 characters is masked inside of words, a shorter one only as a word', () => {
  assert.is(shown('x abcd y abc z', known('abcd', 'abc')), 'x *** y abc z');
  assert.is(shown('x abcdefgh y xabcdefghx z', known('abcdefgh')), 'x *** y x***x z');
  assert.is(shown('x abcdefg y xabcdefgx z', known('abcdefg')), 'x *** y xabcdefgx z');
});

test('a known phrase is masked whatever blanks are between its words', () => {
  assert.is(shown('two   words here', known('two words here')), '***');
});

test('a part of 12 characters is masked, of 11 not, and no part of an address', () => {
  assert.is(shown('abcdef-hijk here', known('abcdef-hijkl')), 'abcdef-hijk here');
  assert.is(shown('abcdef-hijkl here', known('abcdef-hijklm')), '*** here');
  const address = 'https://host.example.org/path/longer/more';
  assert.is(
    shown(`see ${address.slice(0, 34)} here ${address}`, known(address)),
    `see ${address.slice(0, 34)} here ***`,
  );
});

test('at most two signs of padding go with the base64 of a known secret', () => {
  const value = 'Kc3Lm9Qr2St7x';
  assert.is(shown(`${Buffer.from(value).toString('base64')}==`, known(value)), '***==');
});

test('a path is open where it begins and ends as a word, at any of its places', () => {
  const masked = (...paths: string[]) => createRedactor({ secrets: [], paths }).redact('password=fib-fub7');
  assert.is(masked('a/xfib-fub7', 'b/fib-fub7/c'), 'password=fib-fub7');
  for (const paths of [[], ['a/xfib-fub7/fib'], ['a/fub7-fib']]) assert.match(masked(...paths), /_END$/);
});

test('a nonce of another form is refused', () => {
  assert.throws(() => createRedactor({ secrets: [], nonce: 'x' }), /^a nonce is 8 of /);
});

test.run();
