// What names say of their values.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { kindOfName } from '../../../src/outbound/redact/names.ts';

test('a placeholder says what kind of secret it stands for, by the name that the secret has', () => {
  const kinds = {
    password: ['PGPASSWORD', 'db_passwd', 'admin-pwd', 'root_pw'],
    token: ['GITHUB_TOKEN', 'k3s_token', 'session-jwt', 'bearer', 'gitlab-pat'],
    key: ['api_key', 'tls.crt', 'client-certificate-data', 'ca-cert'],
    secret: ['client_secret', 'CREDENTIALS', 'seed'],
  };
  for (const [kind, names] of Object.entries(kinds)) for (const name of names) assert.is(kindOfName(name), kind, name);
});

test.run();
