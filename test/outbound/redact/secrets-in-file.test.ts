// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates and variables of the shell
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isHighEntropy } from '../../../src/outbound/redact/looks.ts';
import { isSecretName } from '../../../src/outbound/redact/names.ts';
import { RedactionError } from '../../../src/outbound/redact/secret.ts';
import { openValues, secretsInEnv, secretsInText } from '../../../src/outbound/redact/secrets-in-file.ts';
import { dice, letters, uuid } from './fill.ts';
import { password } from './planted.ts';

const [A, B, C] = [password(1), password(2), password(3)];
const values = (path: string, text: string) => secretsInText(path, text).secrets.map(({ value }) => value);
const base64 = (text: string) => Buffer.from(text).toString('base64');

test('every value of 8 characters and more of a KEY=VALUE file is a secret, quoted, exported or commented', () => {
  const text = `# a comment\nA=${A}\nexport B="${B}"\nC='${C}' # old\nD=homelab-prod\nE=short\nF = with spaces in it\nG=\n`;
  const found = values('.env', text);
  for (const value of [A, B, C, 'homelab-prod', 'with spaces in it']) assert.ok(found.includes(value), value);
  assert.not(found.includes('short'));
  assert.ok(values('.env', `K="a\\nb${A}"\n`).includes(`a\nb${A}`));
  assert.ok(values('.env', `K="first ${A}\nsecond ${B}"\nL=x\n`).includes(`first ${A}\nsecond ${B}`));
  assert.ok(values('.env', `URL=postgres://u:p%40ss-${A}@db/x\n`).includes(`p@ss-${A}`));
  const commented = values('.env', `K=${A} # ${B}\nL="${C}" # none\n`);
  assert.equal(
    [A, `${A} # ${B}`, C, `"${C}" # none`].map((value) => commented.includes(value)),
    [true, true, true, false],
  );
});

test('a file without a telling name is data when its first line looks so, behind blank lines and comments', () => {
  for (const text of [
    '\n# mine\n\nuser: someone\npassword: wordword\n',
    '\n{"user": "someone", "password": "wordword"}\n',
  ]) {
    assert.equal(values('credentials', text), ['wordword'], text);
  }
});

test('the first character of a value counts for its entropy', () => {
  // Eight different characters twice are just enough; without the first they are not.
  const edge = 'aB3dE5gHaB3dE5gH';
  assert.equal([isHighEntropy(edge), isHighEntropy(edge.slice(1))], [true, false]);
});

test('a secret-like name makes a secret of 4 characters and more; shorter and usual words are told with their place', () => {
  const { short, secrets } = secretsInText(
    '.env',
    'A_PASSWORD=abc\nB_PASSWORD=admin\nMODE=dev\nC_PW=abc12\nTOKEN_TTL=60\n',
  );
  assert.equal(short, [
    { value: 'abc', from: '.env, A_PASSWORD' },
    { value: 'admin', from: '.env, B_PASSWORD' },
  ]);
  assert.equal(secrets, [{ value: 'abc12', kind: 'password', from: '.env, C_PW' }]);
});

test('TOML is read like YAML: by its keys, and an error when it does not parse', () => {
  const toml = `title = "homelab-production"\n[db]\npassword = "wordword"\nhosts = ["pve1.home.lan"]\nplain = "${B}"\n`;
  assert.equal(values('x.toml', toml), ['wordword', B]);
  assert.throws(() => secretsInText('x.toml', 'a = [\n'), /x\.toml does not parse/);
});

test('a key may come twice; what is nested more than 200 deep is refused', () => {
  assert.ok(values('x.yaml', `password: ${A}\npassword: ${B}\n`).includes(B));
  const nested = (depth: number) => `${'['.repeat(depth)}"${A}"${']'.repeat(depth)}`;
  assert.equal(values('x.json', nested(200)), [A]);
  assert.throws(() => values('x.json', nested(201)), /x\.json is nested too deeply/);
});

test('a reference or a template is no secret, whatever its key', () => {
  assert.equal(
    values('.env', 'A_PASSWORD=${OTHER_PASSWORD}\nB_TOKEN=$(cat /run/token)\nC_TOKEN={{ vault_token }}\n'),
    [],
  );
});

test('values of a file that holds no secret, but for those under secret-like names', () => {
  assert.equal(openValues('inv.env', `HOST=pve-rack-room\nN=3\nDB_PASSWORD=${A}\n`), ['pve-rack-room', '3']);
  assert.equal(openValues('inv.yaml', `host: {name: pve-rack-room}\ntoken: ${A}\n`), ['pve-rack-room']);
});

test('in YAML and JSON keys and looks decide', () => {
  const yaml = `user: admin-user\npassword: ${'word'.repeat(2)}\nclient-key-data: ${base64(`key ${A}`)}\nplain: ${B}\nhost: pve1.home.lan\nsecretName: web-tls-certificate\nkey: node-role.kubernetes.io/master\nnested:\n  tokens: [{a: long-enough-x}]\n---\nz: {apiKey: "${C}"}\nid: ${uuid(dice(1))}\n`;
  const found = values('x.yaml', yaml);
  for (const value of ['wordword', `key ${A}`, B, C, 'long-enough-x']) assert.ok(found.includes(value), value);
  assert.is(found.length, 6, found.join('\n'));
});

test('Terraform state: sensitive attributes and outputs', () => {
  const state = {
    outputs: { kubeconfig: { value: 'not random at all', sensitive: true }, name: { value: 'homelab-production' } },
    resources: [
      {
        instances: [
          {
            attributes: { description: 'quite harmless words', login: { word: 'hidden words here' } },
            sensitive_attributes: [
              [
                { type: 'get_attr', value: 'login' },
                { type: 'index', value: { value: 'word', type: 'string' } },
              ],
            ],
          },
        ],
      },
    ],
  };
  assert.equal(values('terraform.tfstate', JSON.stringify(state)).sort(), ['hidden words here', 'not random at all']);
});

test('a Kubernetes Secret counts as written and decoded; a block of settings counts line by line', () => {
  const found = values(
    's.yaml',
    `kind: Secret\nstringData:\n  env: |\n    A=${A}\n    MODE=homelab\ntoken: ${base64(B)}\n`,
  );
  for (const value of [A, B, base64(B)]) assert.ok(found.includes(value), value);
});

test('a file of one word is that secret; of other texts the random words; of a key its body', () => {
  assert.equal(values('token', `${'plain-word'}\n`), ['plain-word']);
  assert.equal(values('notes', `the login is ${A} since may\n`), [A]);
  const body = letters('b64', 64, dice(1));
  assert.ok(
    values('id_ed25519', `-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n-----END OPENSSH PRIVATE KEY-----\n`).includes(
      body,
    ),
  );
});

test('YAML and JSON that do not parse are an error that names the file and no value', () => {
  for (const [path, text] of [
    ['x.yaml', `a: [${A}\nb`],
    ['x.json', `{"a": "${A}`],
    ['kubeconfig', 'a: b: c: d'],
  ] as const) {
    try {
      secretsInText(path, text);
      assert.unreachable(path);
    } catch (error) {
      assert.instance(error, RedactionError, path);
      assert.is((error as Error).message, `the carried file ${path} does not parse, so its secrets are not known`);
    }
  }
});

test('variables with secret-like names are secrets, others are not', () => {
  const env = {
    PGPASSWORD: A,
    CF_API_TOKEN: B,
    AWS_ACCESS_KEY_ID: C,
    HOME: '/home/somebody',
    TOKEN_FILE: '/run/token-file',
    PIN: '1234',
  };
  const { secrets, short } = secretsInEnv(env);
  assert.equal(
    secrets.map(({ value }) => value),
    [A, B, C],
  );
  assert.equal(short, [{ value: '1234', from: 'the variable PIN' }]);
});

test('quotes of settings: a backslash hides one of two kinds alone, an empty value ends at once, an open one with the file', () => {
  assert.equal(values('.env', 'A=""\nB=homelab-prod\n'), ['homelab-prod']);
  assert.equal(values('.env', "A='ab\\'\nB=homelab-prod\n"), ['homelab-prod']);
  assert.equal(values('.env', 'A="first line\nsecond line'), ['first line\nsecond line']);
  assert.equal(values('.env', "A='one\\ntwo-three'\n"), ['one\\ntwo-three']);
  assert.equal(values('.env', 'A=one\\ntwo-three\n'), ['one\\ntwo-three']);
});

test('how long a value must be: 8 characters, or 4 under a secret-like name', () => {
  assert.equal(values('.env', 'A=12345678\nB=1234567\n'), ['12345678']);
  const { secrets, short } = secretsInText('.env', 'A_PASSWORD=abcd\nB_PASSWORD=abc\n');
  assert.equal(
    [secrets, short].map((list) => list.map(({ value }) => value).join()),
    ['abcd', 'abc'],
  );
});

test('a password of an address that is no percent-encoding counts as it is', () => {
  const word = 'p%20wednes%E0%A4';
  assert.equal(values('.env', `URL=postgres://u:${word}@db/x\n`).slice(1), [word]);
});

test('what the filter would mask in a carried text is known wherever it appears: addresses, elements, columns, logins, lists', () => {
  const word = 'wednesday-lake';
  const texts: [path: string, text: string][] = [
    ['.env', `DSN=lab:${word}@tcp(db)/lab\n`],
    ['.env', `URL=postgres://lab:${word}@db/lab\n`],
    ['.env', `OPTIONS={"password":"${word}"}\n`],
    ['lab.ini', `mode=on\n[db]\npassword: ${word}\n`],
    ['lab.tfvars', `db_passwords = ["${word}", "tuesday-hill"]\n`],
    ['lab.tfvars', `db_password = <<EOT\n${word}\nEOT\n`],
    ['values.yaml', `url: redis://:${word}@cache/0\n`],
    ['values.yaml', `run: mysql -u root -p${word} lab\n`],
    ['values.yaml', `app.conf: |\n  db:\n    password: ${word}\n`],
    ['state.json', JSON.stringify({ Env: ['TZ=UTC', `DB_PASSWORD=${word}`] })],
    ['lab.toml', `dsn = "postgres://lab:${word}@db/lab"\n`],
    ['lab.nix', `{\n  services.db.password = "${word}";\n}\n`],
    ['netrc', `machine git.lan login lab password ${word}\n`],
    ['pgpass', `db:5432:lab:lab:${word}\n`],
    ['lab.xml', `<db><password>${word}</password></db>\n`],
    ['users.csv', `user,password\nlab,${word}\n`],
  ];
  for (const [path, text] of texts) assert.ok(values(path, text).includes(word), `${path}: ${text}`);
  assert.ok(values('.env', `URL=postgres://lab:x%26${word}@db/lab\n`).includes(`x&${word}`));
  const env = {
    DATABASE_URL: `postgres://lab:${A}@db/lab`,
    CACHE_URL: 'redis://cache:6379/0',
    LAB_SESSION: letters('', 40, dice(3)),
  };
  assert.equal(
    secretsInEnv(env).secrets.map(({ value }) => value),
    [A, env.LAB_SESSION],
  );
});

test('what only speaks of secrets in a carried text is none, and no word of its own when short', () => {
  const text =
    'note: the password must be changed\nurl: https://git.lan/lab\nimage: web:1.2@sha256:0a\nlink: ssh://git@git.lan\n';
  assert.equal(values('values.yaml', text), []);
  assert.equal(values('values.yaml', 'url: redis://:lake@cache/0\n'), []);
  assert.equal(secretsInText('values.yaml', 'url: redis://:lake@cache/0\n').short, []);
});

test('the data of a Secret counts whatever its keys are, and the password of a login in base64', () => {
  const manifest = `kind: Secret\ndata:\n  anything: ${base64('wednesday')}\n---\nkind: ConfigMap\ndata:\n  anything: ${base64('tuesdays')}\n`;
  const found = values('x.yaml', manifest);
  assert.equal([found.includes('wednesday'), found.includes('tuesdays')], [true, false]);
  assert.ok(values('config.json', JSON.stringify({ auths: { lan: { auth: base64(`lab:${A}`) } } })).includes(A));
});

test('a line of several words is the secret of a file with a secret-like name; a number of six digits is long enough', () => {
  assert.equal(values('lab/vault_pass', 'four words of mine\n'), ['four words of mine']);
  assert.equal(values('lab/notes.txt', 'four words of mine\n'), []);
  const { secrets, short } = secretsInText(
    'x.yaml',
    'a: {pw: wednesday}\nb: {password: 482913}\nc: {password: 8080}\n',
  );
  assert.equal(
    [secrets, short].map((list) => list.map(({ value }) => value).join()),
    ['wednesday,482913', '8080'],
  );
});

test('a blank behind a backslash is part of a value', () => {
  assert.ok(values('.env', 'A_PASSWORD=blue\\ hour\n').includes('blue hour'));
});

test('numbers count only under a secret-like key; comments count in YAML', () => {
  assert.equal(values('x.yaml', 'a: {password: 12345678}\nport: 23456789\n'), ['12345678']);
  assert.equal(values('x.yaml', `a: 1 # ${letters('', 24, dice(4))}\n`), [letters('', 24, dice(4))]);
});

test('what is no data after all is read as settings', () => {
  assert.equal(values('noname', '{"a": [\nA_PASSWORD=wednesday'), ['wednesday']);
});

test('Terraform names attributes by steps, by a name alone, or by a value in a value', () => {
  const state = (path: unknown) => {
    const attributes = { auth: { word: 'wednesday' }, plain: 'tuesdays' };
    return values('x.tfstate', JSON.stringify({ instances: [{ sensitive_attributes: [path], attributes }] }));
  };
  const step = (value: unknown) => ({ type: 'get_attr', value });
  assert.equal(state([step('auth'), step('word')]), ['wednesday']);
  assert.equal(state('plain'), ['tuesdays']);
  assert.equal(state([step({ value: 'plain', type: 'string' })]), ['tuesdays']);
  assert.equal(state([null]), []);
});

test('names', () => {
  const yes = [
    'DB_PASSWORD',
    'adminPassword',
    'TF_VAR_pm_api_token_secret',
    'tls.key',
    'secretboxEncryptionSecret',
    'SLACK_WEBHOOK',
  ];
  const no = [
    'PWD',
    'HOME',
    'secretName',
    'TOKEN_TTL',
    'SSH_AUTH_SOCK',
    'KEYBOARD',
    'compass',
    'monkey',
    'MONKEY_ISLAND',
  ];
  assert.equal([...yes, ...no].filter(isSecretName), yes);
});

test('high entropy: keys are, names, addresses, digests, dates and paths are not', () => {
  const no = [
    'ghcr.io/fluxcd/source-controller:v1.2.3',
    `sha256:${letters('hex', 64, dice(1))}`,
    uuid(dice(2)),
    'homelab-cluster-production-01',
  ];
  for (const value of [
    ...no,
    'https://pve1.lan:8006/api2/json',
    '2026-11-16T05:12:44Z',
    '/var/lib/rancher/k3s/server',
  ]) {
    assert.not(isHighEntropy(value), value);
  }
  for (const value of [A, letters('hex', 32, dice(3)), letters('b64', 44, dice(4))])
    assert.ok(isHighEntropy(value), value);
});

test.run();
