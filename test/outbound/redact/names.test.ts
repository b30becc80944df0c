// What names say of their values.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isNameChar } from '../../../src/outbound/redact/name-places.ts';
import * as names from '../../../src/outbound/redact/names.ts';
import { withWalls } from '../../../src/outbound/redact/searchable-view.ts';

const { isHarmlessName, isSecretName, kindOfName, strengthOf } = names;

test('a placeholder says what kind of secret it stands for, by the name that the secret has', () => {
  const kinds = {
    password: ['PGPASSWORD', 'db_passwd', 'admin-pwd', 'root_pw'],
    token: ['GITHUB_TOKEN', 'k3s_token', 'session-jwt', 'bearer', 'gitlab-pat'],
    key: ['api_key', 'tls.crt', 'client-certificate-data', 'ca-cert'],
    secret: ['client_secret', 'CREDENTIALS', 'seed'],
  };
  for (const [kind, names] of Object.entries(kinds)) for (const name of names) assert.is(kindOfName(name), kind, name);
});

test('how much a name says: its last word counts, whatever stands behind it that only says which', () => {
  const strengths: [strength: number, names: string[]][] = [
    [names.PASSWORD, ['password', 'dbRootPassword', 'DB_ROOT_PASSWORD', 'db-root.password', 'passphrase2', 'rootpw']],
    [names.PASSWORD, ['password_old', 'pass phrase', 'seed words', 'recovery phrase', 'mot de passe', 'secure string']],
    [names.SECRET, ['token', 'client_secret', 'api key', 'privkey', 'priv_key', 'wgPrivKey', 'PrivateKey', 'app_salt']],
    [names.SECRET, ['tokenValue', 'access_key_id', 'secret id', 'githubtoken', 'apikeys', 'HTTPToken', 'token2']],
    [names.TOUCH, ['token_id', 'password_url', 'tokenid', 'TOKEN_FOR_CI', 'password_for']],
    [names.HINT, ['key', 'keys', 'some_key', 'salt', 'seed', 'cookie', 'basicauth']],
    [names.VAGUE, ['session', 'data', 'code', '2fa']],
    [names.USER, ['root', 'User', 'login']],
    [
      names.NO_NAME,
      ['', 'name', 'phrase', 'catch phrase', 'words', 'passe', 'string', 'word_id', 'user_data', 'id', 'token_file'],
    ],
    [names.NO_NAME, ['PWD', 'bypass', 'existingSecret', 'pubkey', 'pub_key', 'PublicKey', 'public_token', 'cache_key']],
  ];
  for (const [strength, all] of strengths) for (const name of all) assert.is(strengthOf(name), strength, name);
  for (const name of ['pub_token', 'pwd', 'publisher_key']) assert.ok(strengthOf(name) > names.NO_NAME, name);
});

test('names are made of letters of any script, digits and three signs; walls end them', () => {
  const wall = withWalls('x', [{ start: 0, end: 1 }]).text;
  const isIn = (char: string) => isNameChar(char.charCodeAt(0));
  for (const char of 'azAZ09_.-\u0080ñ密') assert.ok(isIn(char), char);
  for (const char of ['', ...'`{@[/:,^\u007f', wall]) assert.not(isIn(char), char);
});

test('settings are secret from a hint on, and open where their name says so', () => {
  assert.equal(['seed', 'session', 'token'].map(isSecretName), [true, false, true]);
  assert.equal(
    ['token_file', 'PWD', 'public_key', 'cache_key', 'sort keys', 'key', 'api_key', 'host'].map(isHarmlessName),
    [true, true, true, true, true, false, false, true],
  );
});

test.run();
