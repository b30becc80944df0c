// No secret leaves, through the real entry: not in a request, not in what is kept or printed, not on the AI branch; and a
// file that holds one is mended around it.
import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allText, answering, dataOf, diff, type Lab, modelLab, type Ran, whole } from './model-lab.ts';
import { AI, folder, write } from './scenario.ts';

const random = (length: number) => randomBytes(length).toString('hex').slice(0, length);
const WINDOW = 8;

/** Where a text holds a piece of a secret, or of one of its spellings. */
function pieces(text: string, all: Record<string, string>): string[] {
  return Object.entries(all).flatMap(([name, value]) =>
    [value, Buffer.from(value).toString('base64'), encodeURIComponent(value)].flatMap((spelt) => {
      const at = Array.from({ length: spelt.length - WINDOW + 1 }, (_, i) => text.indexOf(spelt.slice(i, i + WINDOW)));
      const first = at.find((place) => place >= 0);
      return first === undefined ? [] : [`${name}: ${text.slice(Math.max(0, first - 60), first + 40)}`];
    }),
  );
}

/** What leaves this machine, or is kept of it. */
const gone = (lab: Lab): Record<string, string> => ({
  requests: JSON.stringify(lab.server.requests.map(({ path, body }) => [path, body])),
  executor: allText(lab, 'ai/logs/executor'),
  commits: lab.git('log', '--format=%B', `HEAD..${AI}`) || 'nothing was committed',
});

/** What is kept and said here; the logs of stages are raw and are left out. */
const kept = async (lab: Lab, runs: readonly Ran[]): Promise<Record<string, string>> => ({
  state: allText(lab, 'ai/state'),
  output: runs.map(({ said }) => said).join('\n'),
  status: (await lab.run(['status'])).stdout + (await lab.run(['fixes'])).stdout,
});

function assertNothing(found: Record<string, string>, all: Record<string, string>): void {
  const held = Object.entries(found).flatMap(([where, text]) => pieces(text, all).map((piece) => `${where}: ${piece}`));
  assert.equal(held, []);
  for (const [where, text] of Object.entries(found)) assert.ok(text.length > 20, `${where} was looked at`);
}

const FILE = 'conf/app.yaml';

/** The line as the model was shown it. */
const sent = (prompt: string, key: string) =>
  (new RegExp(`^\\d+ \\| (  ${key}: .*)$`, 'm').exec(prompt) ?? [])[1] as string;

/** A stage whose log and files hold secrets. A word of a tracked path is none: git shows it to everybody. */
async function secretLab(loop: Record<string, unknown>) {
  const all = {
    carried: `Pw${random(22)}`,
    address: `postgres://app:${random(20)}@db.lan/x?y=1&z=2`,
    environment: `t${random(30)}`,
    token: `ghp_${random(36)}`,
    file: `K${random(26)}`,
  };
  const line = { token: `  token: ${all.token}`, password: `  password: "${all.carried}"` };
  const text = ['app:', '  name: web', line.token, '  mode: bad', line.password, '  port: 80', ''].join('\n');
  const script = `#!/usr/bin/env bash
set -eu
. ./.env
echo "connecting with $DATABASE_PASSWORD to $DATABASE_URL"
echo "Authorization: Bearer $HOMELAB_API_TOKEN"
printf '%s' "$DATABASE_PASSWORD" | base64 -w0; echo
grep token conf/app.yaml
grep -q 'mode: good' conf/app.yaml || { echo "error: conf/app.yaml: mode is bad for $DATABASE_PASSWORD and $HOMELAB_API_TOKEN"; exit 1; }
`;
  const lab = await modelLab({
    stages: { a: { command: 'stages/run.sh', files: ['conf/'] } },
    top: { carry: ['.env'] },
    files: { [FILE]: text, 'stages/run.sh': script, '.gitignore': '.env\n', 'conf/other.txt': `${all.file}\n` },
    loop,
  });
  lab.write({ '.env': `DATABASE_PASSWORD=${all.carried}\nDATABASE_URL='${all.address}'\nFILE_TOKEN=${all.file}\n` });
  lab.env.HOMELAB_API_TOKEN = all.environment;
  return { lab, all, text };
}

const change = ['-  mode: bad', '+  mode: good'];
/** The right answer, with masked lines around it. */
const right = (prompt: string) => diff(FILE, ` ${sent(prompt, 'token')}`, ...change, ` ${sent(prompt, 'password')}`);

/** Mended by a model that first handles the masks wrongly. */
async function mendedAroundSecrets() {
  const { lab, all, text } = await secretLab({ limits: { executor_tries: 4 } });
  lab.answers(
    (prompt) =>
      diff(FILE, `-${sent(prompt, 'token')}`, `+${sent(prompt, 'token').replace(/_(\d+)_/, '_9$1_')}`, ...change),
    (prompt) =>
      diff(FILE, ...change, ` ${sent(prompt, 'password')}`, `+  copy: ${sent(prompt, 'token').split(': ')[1]}`),
    (prompt) => diff(FILE, ...change, ` ${sent(prompt, 'password')}`, '+  other: SECRET_bcdfghjk_7_token_END'),
    whole(text.replace('bad', 'good').replace(all.token, 'x').replace(all.carried, 'y'), FILE),
    whole(text.replace('bad', 'good').replace(all.token, 'x').replace(all.carried, 'y'), FILE),
    right,
  );
  const done = await lab.mend();
  return { lab, all, done, text };
}

let mended: ReturnType<typeof mendedAroundSecrets> | undefined;
const once = () => {
  mended ??= mendedAroundSecrets();
  return mended;
};

test('a file that holds secrets is mended around them; a mask that is changed, moved or made up is refused', async () => {
  const { lab, done, text } = await once();
  assert.is(done.exit, 0, done.said);
  const refused = ['fix.refused placeholder', 'fix.refused placeholder', 'fix.refused placeholder'];
  assert.equal(done.trail, [...refused, 'fix.refused unreadable', 'fix.intended', 'fix.committed', 'fix.judged kept']);
  for (const reasons of dataOf(done, 'fix.refused', 'reasons')) assert.match(String(reasons), FILE);
  assert.match(JSON.stringify(lab.told()[4]), `${FILE} is not shown whole, so it cannot be written whole`);
  assert.is(
    lab.inTree(FILE),
    text.replace('mode: bad', 'mode: good'),
    'the other lines are byte for byte what they were',
  );
  assert.equal(lab.git('diff', '--numstat', 'main', AI), `1\t1\t${FILE}`);
  const [[first = ''] = []] = lab.told();
  for (const key of ['token', 'password']) assert.match(sent(first, key), /SECRET_[a-z0-9]{8}_\d+_[a-z]+_END/);
});

test('of carried files, the environment, stage files and logs nothing is sent, kept of it or committed', async () => {
  const { lab, all } = await once();
  assertNothing(gone(lab), all);
});

test('nor does any of it stand in the journal, the ledger, or what is printed', async () => {
  const { lab, all, done } = await once();
  assertNothing(await kept(lab, [done]), all);
});

test('a fix that waits for a word is kept masked, and taken byte for byte', async () => {
  const { lab, all, text } = await secretLab({ unattended: 'none' });
  lab.answers(right);
  const done = await lab.mend();
  const [name = ''] = dataOf(done, 'case.opened', 'case').map(String);
  assert.is(done.exit, 3, done.said);
  const shown = await lab.run(['cases', 'show', name], { env: lab.env });
  assertNothing({ case: allText(lab, 'ai/escalations'), shown: shown.stdout }, all);
  const answered = await lab.run(['cases', 'answer', name], { env: lab.env });
  assert.is(answered.exit, 0, answered.stderr);
  const after = await lab.mend();
  assert.equal([after.exit, lab.inTree(FILE)], [0, text.replace('mode: bad', 'mode: good')], after.said);
  assertNothing(gone(lab), all);
  assertNothing({ answered: answered.stdout }, all);
});

/** The board shows a stage's log as it grows, as it is; what is said about it holds nothing. */
const question = (said: string) => said.slice(said.indexOf('suggests:'), said.indexOf('apply it?'));

test('nor is a person at a terminal shown any of it in a suggested fix', async () => {
  const { lab, all } = await secretLab({ unattended: 'none' });
  lab.answers(right);
  const done = await answering(lab, 'y\n');
  assert.is(done.exit, 0, done.said);
  assert.match(question(done.said), 'mode: good');
  assertNothing({ shown: question(done.said) }, all);
});

test('where nobody could be asked the question that is kept holds none either', async () => {
  const all = { carried: `Pw${random(22)}`, environment: `t${random(30)}` };
  const script = `#!/usr/bin/env bash\nset -eu\n. ./.env\necho "error: unexpected word $DATABASE_PASSWORD beside $PVE_PASSWORD"\nexit 1\n`;
  const lab = await modelLab({
    stages: { a: { command: 'stages/run.sh', files: ['conf/'] } },
    top: { carry: ['.env'] },
    files: { 'stages/run.sh': script, '.gitignore': '.env\n' },
  });
  lab.write({ '.env': `DATABASE_PASSWORD=${all.carried}\n` });
  lab.answers(
    { status: 503, error: `busy with ${all.carried}` },
    { text: 'x', end: 'error', error: `no ${all.environment}` },
  );
  const env = { PVE_PASSWORD: all.environment };
  const runs = [await lab.mend([], { env }), await lab.mend([], { env })];
  assert.equal([runs.map(({ exit }) => exit), lab.ledger().day.tries], [[1, 1], 0], runs[0]?.said);
  assert.is(dataOf(runs[1] as Ran, 'prompt.saved', 'path').length, 1);
  assertNothing(gone(lab), all);
  const failed = runs.flatMap((run) => dataOf(run, 'plugin.failed', 'reason'));
  assert.is(failed.length, 2);
  assertNothing({ failed: failed.join('\n') }, all);
});

test('a branch and a commit message of the owner that hold a secret are not repeated', async () => {
  const all = { carried: `Pw${random(22)}` };
  const lab = await modelLab({ top: { carry: ['.env'] }, files: { '.gitignore': '.env\n' } });
  lab.write({ '.env': `DATABASE_PASSWORD=${all.carried}\n` });
  lab.git('checkout', '-q', '-b', `try-${all.carried}`);
  lab.git('commit', '-q', '--allow-empty', '-m', `set the password to ${all.carried}`);
  lab.answers(diff('conf/a.txt', '-bad', '+good', ' second'));
  const done = await lab.mend();
  assert.is(done.exit, 0, done.said);
  assertNothing(gone(lab), all);
  assertNothing(await kept(lab, [done]), all);
});

/** The best whole file that can be answered: what was shown, masks and all, with the right line changed; a diff when that was refused. */
const WHOLE_THEN_DIFF = {
  mine: `export default {
  name: 'mine',
  async propose({ read, mask, refused }) {
    const shown = mask(await read('${FILE}'));
    const whole = '${FILE}\\n\`\`\`\\n' + shown.replace('mode: bad', 'mode: good') + '\`\`\`\\n';
    const diff = '--- a/${FILE}\\n+++ b/${FILE}\\n@@ -4 +4 @@\\n-  mode: bad\\n+  mode: good\\n';
    return { answer: refused.length > 0 ? diff : whole };
  },
};
`,
  command: `#!/usr/bin/env bash
prompt="$(cat)"
if grep -q 'masked values' <<< "$prompt"; then
  printf -- '--- a/${FILE}\\n+++ b/${FILE}\\n@@ -4 +4 @@\\n-  mode: bad\\n+  mode: good\\n'
else
  printf '${FILE}\\n\`\`\`\\n'
  sed -nE 's/^[1-6] \\| (app:|  .*)$/\\1/p' <<< "$prompt" | head -6 | sed 's/mode: bad/mode: good/'
  printf '\`\`\`\\n'
fi
`,
};

test('whoever answers: a file that holds a secret is not written whole, however right the answer is', async () => {
  for (const [name, text] of Object.entries(WHOLE_THEN_DIFF)) {
    const side = folder();
    write(side, { 'answer.sh': WHOLE_THEN_DIFF.command });
    const settings = name === 'command' ? { command: { argv: ['bash', `${side}/answer.sh`] } } : {};
    const { lab, text: before } = await secretLab({ executors: [name], plugins: settings });
    if (name === 'mine') lab.commit({ 'plugins/executors/mine.mjs': text });
    const done = await lab.mend();
    assert.is(done.exit, 0, done.said);
    assert.equal(done.trail, ['fix.refused placeholder', 'fix.intended', 'fix.committed', 'fix.judged kept'], name);
    const reason = `${FILE}: it holds masked values; answer with a diff`;
    assert.equal(dataOf(done, 'fix.refused', 'reasons'), [[reason]], name);
    assert.is(lab.inTree(FILE), before.replace('mode: bad', 'mode: good'));
  }
});

test.run();
