// What a model may be told: everything it needs, and nothing secret; and what is kept of it for people.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { homelab, run } from '../run/homelab.ts';
import { probe as openProbe, probePlugin } from '../run/probe.ts';
import { commit, write } from '../worktree/repository.ts';

/** Made at run time, so that no scanner takes it for a real one. */
const SECRET = ['hunter', 'two', 'is', 'long', 'enough', '77'].join('-');

/** A home that carries one file, and whose stage prints the secret and has it in a file of its own. */
function homeWith(carried: string, text: string) {
  const probe = openProbe();
  const stages = { a: { command: `echo "error: began with ${SECRET} and stopped"; exit 1`, files: ['conf/'] } };
  const home = homelab(
    stages,
    { executors: ['probe'], plugins: { probe: { folder: probe.folder } }, limits: { executor_tries: 1 } },
    {
      'conf/a.txt': `curl -H "X: ${SECRET}"\n`,
      'plugins/executors/probe.mjs': probePlugin(),
      '.gitignore': `${carried}\n`,
    },
  );
  commit(home, { 'ai/context_map.yaml': JSON.stringify({ stages, carry: [carried] }) });
  write(home, { [carried]: text });
  return { home, probe };
}

test('log, files and answers are kept with their secrets masked: prompt, answer and verdict, one file a round', async () => {
  const { home, probe } = homeWith('secrets.env', `API_TOKEN=${SECRET}\n`);
  probe.answers({ answer: `\`\`\`\nuse ${SECRET}` }, { pass: `nothing but ${SECRET}` });
  const ran = await run(home);
  const folder = join(home, 'ai/logs/executor');
  assert.equal(readdirSync(folder), [`${ran.run}-a-1-probe-1.md`, `${ran.run}-a-1-probe-2.md`]);
  const [first = '', second = ''] = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  for (const text of [first, second]) {
    assert.not.match(text, SECRET);
    assert.not.match(text, Buffer.from(SECRET).toString('base64').slice(0, 16));
  }
  const parts = ['# Prompt', /began with SECRET_/, /curl -H "X: SECRET_/, /exit 1/, '# Answer', 'use SECRET_'];
  for (const part of [...parts, '# Verdict', 'unreadable']) assert.match(first, part);
  for (const part of ['nothing but SECRET_', 'no fix was proposed']) assert.match(second, part);
});

test('a value that is also a word of a tracked path stays readable: no path has a placeholder in it', async () => {
  const { home, probe } = homeWith('secrets.env', `API_TOKEN=${SECRET}\nNAMESPACE=cloudflared\n`);
  commit(home, { 'conf/cloudflared/a.yaml': `name: cloudflared\ntoken: ${SECRET}\n` });
  probe.answers({ pass: 'nothing' });
  await run(home);
  const [name = ''] = readdirSync(join(home, 'ai/logs/executor'));
  const text = readFileSync(join(home, 'ai/logs/executor', name), 'utf8');
  for (const part of ['conf/cloudflared/a.yaml', 'name: cloudflared']) assert.match(text, part);
  assert.not.match(text, SECRET);
});

test('a carried file that cannot be understood means that nothing is told to anyone', async () => {
  const { home, probe } = homeWith('kubeconfig.yaml', 'a: [1, 2\nb: "\n');
  const { events } = await run(home);
  assert.equal(probe.asked(), []);
  const reasons = events.filter(({ type }) => type === 'plugin.failed').map(({ data }) => data.reason);
  assert.match(String(reasons[0]), /^nothing is sent to anyone: /);
});

test.run();
