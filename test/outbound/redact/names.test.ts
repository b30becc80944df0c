// What names say of their values.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { kindOfName, NO_NAME, SECRET, strengthOf } from '../../../src/outbound/redact/names.ts';

test('a placeholder says what kind of secret it stands for, by the name that the secret has', () => {
  const kinds = {
    password: ['PGPASSWORD', 'db_passwd', 'admin-pwd', 'root_pw'],
    token: ['GITHUB_TOKEN', 'k3s_token', 'session-jwt', 'bearer', 'gitlab-pat'],
    key: ['api_key', 'tls.crt', 'client-certificate-data', 'ca-cert'],
    secret: ['client_secret', 'CREDENTIALS', 'seed'],
  };
  for (const [kind, names] of Object.entries(kinds)) for (const name of names) assert.is(kindOfName(name), kind, name);
});

test('a private key is one in short, too, and a public one is none', () => {
  for (const name of ['privkey', 'priv_key', 'wgPrivKey', 'PrivateKey']) assert.is(strengthOf(name), SECRET, name);
  for (const name of ['pubkey', 'pub_key', 'PublicKey']) assert.is(strengthOf(name), NO_NAME, name);
});

test.run();
