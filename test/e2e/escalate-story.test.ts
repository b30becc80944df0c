// One failure of this repository's own simulated lab, from the first try to the base and back, through the real entry: what a
// model could not mend is escalated, looked at, mended, told, promoted, rolled back and undone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startOllamaServer } from '../../src/testing/ollama-server.ts';
import type { AnyEvent } from '../journal/any-event.ts';
import { apiHost, apiSettings, cases, caseText, escalateLab, KEY, labClone, patch, wish } from './escalate-lab.ts';
import { runHere } from './here.ts';
import { diff, offersChoice, saying, TAKE_NONE } from './model-lab.ts';
import { AI, type Done, environment, git, namesIn } from './scenario.ts';

const KUSTOMIZATION = 'config/apps/kustomization.yaml';
const HOMEPAGE = 'config/apps/homepage.yaml';
const LABELS = ['     metadata:', '       labels:'];
const noted = (text: string, fix: string, reason: string) =>
  text.replace(/^Fix: .*$/m, `Fix: ${fix}`).replace(/^Reason: .*$/m, `Reason: ${reason}`);

/** What the small model says: one step forward, then three tries that are of no use. */
const SMALL = [
  noted(diff(KUSTOMIZATION, '-  - whoami.yml', '+  - whoami.yaml'), 'Name the file that is there', 'whoami.yml is not'),
  noted(diff(HOMEPAGE, '-    title: Homelab', '+    title: Home'), 'Shorten the title', 'it may be too long'),
  diff('stages/apps/verify.sh', '-set -euo pipefail', '+set -u'),
  diff('stages/apps/run.sh', '-kubectl apply -k config/apps', '+mkfs.ext4 /dev/sda'),
  diff('ai/loop.yaml', '-lab: simulated', '+lab: real'),
  noted(diff(HOMEPAGE, '-    title: Homelab', '+    title: Lab'), 'Shorten it more', 'it is still too long'),
];
const RIGHT = noted(
  diff(HOMEPAGE, ...LABELS, '-        app: homepag', '+        app: homepage'),
  'Give the pods the label that is selected',
  'the selector does not match the labels of the template',
);

interface Told {
  home: string;
  run(...args: string[]): Promise<Done>;
  asked: string[];
  mended: Done;
}

async function told(): Promise<Told> {
  const host = await apiHost();
  let written = 0;
  const small = await startOllamaServer({
    script: ({ body }) => ({ text: offersChoice(body) ? TAKE_NONE : (SMALL[written++] ?? '') }),
  });
  const home = labClone({
    'ai/loop.yaml': JSON.stringify({
      ...{ lab: 'simulated', unattended: 'all', executors: ['ollama'], escalations: ['api', 'case-file'] },
      plugins: { api: apiSettings(host.url) },
    }),
    [KUSTOMIZATION]: (text) => text.replace('whoami.yaml', 'whoami.yml'),
    [HOMEPAGE]: (text) => text.replace('      labels:\n        app: homepage', '      labels:\n        app: homepag'),
  });
  host.says(
    wish(['kubectl', 'get', 'pods', '-A'], ['talosctl', 'services'], ['kubectl', 'delete', 'deployment', 'homepage']),
    RIGHT,
  );
  const env = { OLLAMA_HOST: small.url, OPENAI_API_KEY: KEY };
  const run = (...args: string[]) => runHere(args, home, environment(env));
  const mended = await run('vms', 'talos', 'infra', 'apps');
  return { home, run, mended, asked: host.asked() };
}

let made: Promise<Told> | undefined;
const once = () => {
  made ??= told();
  return made;
};

/** Everything that became of answers in the run, in order. */
function trail(home: string): string[] {
  const runs = join(home, 'ai/state/runs');
  const text = readFileSync(join(runs, namesIn(runs)[0] as string, 'events.jsonl'), 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as AnyEvent)
    .filter(({ type }) => /^(fix\.(?!intended|committed)|case|failure\.decided|stage\.green)/.test(type))
    .map(({ type, stage, data }) => [type, data.outcome ?? data.code ?? data.tier ?? stage].filter(Boolean).join(' '));
}

const caseOf = (home: string) => {
  const [summary] = Object.values(cases({ path: (...parts) => join(home, ...parts) }));
  assert.ok(summary);
  return summary;
};
const secondOf = (home: string) => caseText({ path: (...parts) => join(home, ...parts) }, caseOf(home).case, 2);
const allIn = (text: string, parts: readonly string[]) => {
  for (const part of parts) assert.ok(text.includes(part), `${part}\n--- is not in ---\n${text}`);
};

test('three tries of no use, two calls of the escalation, a look in between, and the stage is green', async () => {
  const { mended, home, asked } = await once();
  assert.is(mended.exit, 0, mended.stdout + mended.stderr);
  assert.equal(
    trail(home).filter((line) => !/green (?!apps)/.test(line)),
    [
      // With the first fix another failure came in its place, which is progress.
      ...['failure.decided executor', 'failure.decided executor', 'fix.judged no_effect'],
      ...['failure.decided executor', 'fix.refused protected', 'fix.refused destroys', 'fix.refused outside'],
      ...['failure.decided executor', 'fix.judged no_effect', 'failure.decided escalation'],
      ...['stage.green apps', 'fix.judged kept', 'fix.judged kept', 'case.closed apps'],
    ],
  );
  const { state, versions, calls, answers } = caseOf(home);
  assert.equal([state, versions, calls, answers], ['closed', [1, 2], 2, ['diagnostics', 'patch']]);
  assert.is(asked.length, 2);
  assert.ok(asked[1]?.startsWith(secondOf(home).trimEnd()), 'what is kept is what was sent');
  assert.is(git(home, 'status', '--porcelain'), '', 'the checkout is as it was');
});

test('the case alone says what broke, where, and what was tried', async () => {
  const { home } = await once();
  const error =
    'The Deployment "homepage" is invalid: spec.template.metadata.labels: Invalid value: {"app":"homepag"}: `selector` does not match template `labels`';
  allIn(secondOf(home), [
    ...['# apps failed: config_error, exit 1', `- Fingerprint: ${caseOf(home).fingerprint}, seen 3 times`],
    ...['- Spent: 3 of 3 tries, 1 of 3 escalation calls', '- Whole log: ai/logs/apps/', '- Runs: stages/apps/run.sh'],
    ...[`: error lines]\n${error}\n`, `configmap/homepage configured\n${error}\n`],
    ': applied without effect: the same failure came back, and the change was undone\n',
    'Why: the same failure again\nFix: Shorten the title\nReason: it may be too long\n',
    '-    title: Homelab\n+    title: Home\n',
    'Why: the same failure again\nFix: Shorten it more\nReason: it is still too long\n',
    '-    title: Homelab\n+    title: Lab\n',
    ': refused before it was applied\n',
    'refused (protected): stages/apps/verify.sh: it judges or carries stages, or is part of the loop; no fix may change it\n',
    'refused (destroys): stages/apps/run.sh:8: destroys: mkfs.ext4 /dev/sda',
    'refused (outside): ai/loop.yaml',
    '$ kubectl --kubeconfig "$MENDLOOP_OUTPUTS/talos/kubeconfig" --namespace apps get pods -o wide\nexit code 0',
    ...['$ kubectl get pods -A\nexit code ', '$ talosctl services\nexit code '],
    'blocked]\n$ kubectl delete deployment homepage\nnot run: kubectl "delete" is not read-only for sure',
    ...[': file config/apps/homepage.yaml, 64 lines]', '29 |         app: homepag\n'],
    '### Applications',
  ]);
});

test('what was refused is told with what it was to do', async () => {
  const { home } = await once();
  allIn(secondOf(home), ['Fix: Change stages/apps/verify.sh', 'Fix: Change stages/apps/run.sh']);
});

test('diagnostics that the case itself offers reach the cluster that the stages made', async () => {
  const { home } = await once();
  const text = secondOf(home);
  const said = (command: string) => text.split(`$ ${command}\n`)[1]?.split('[end of data')[0] ?? '';
  assert.match(said('kubectl get pods -A'), /^exit code 0.*\n(?:.*\n)*.*whoami-0/);
  assert.match(said('talosctl services'), /^exit code 0/);
});

test('explain, fixes and cases tell the same story', async () => {
  const { home, run } = await once();
  const { fingerprint, case: name } = caseOf(home);
  allIn((await run('explain', fingerprint)).stdout, [
    ...['by ollama (executor): no_effect, the same failure again\n', 'Shorten the title'],
    'Shorten it more',
    ...['by api (escalation): kept, the stage is green\n', 'Give the pods the label that is selected'],
    ...['ollama (executor): protected: ', 'ollama (executor): destroys: ', 'ollama (executor): outside: '],
    'last decision: escalation, 3 of 3 tries spent: first of 3 calls',
  ]);
  allIn((await run('fixes')).stdout, [
    'Give the pods the label that is selected\n    kept: the stage was green with it\n    why:  the selector does not match',
    `for:  config_error ${fingerprint}; by api; in ${HOMEPAGE}`,
    'Name the file that is there\n    kept: the stage was green with it\n',
  ]);
  assert.is((await run('cases')).stdout, 'no case waits; 1 closed (mendloop cases --all)\n');
  assert.match((await run('cases', '--all')).stdout, new RegExp(`^${name} .*closed: the stage is green\n$`, 's'));
  assert.match((await run('cases', 'show', name, '--all')).stdout, '29 |         app: homepag\n');
});

test('promote shows it and lands it; rollback undoes it on the branch, and promoting that on the base', async () => {
  const { home, run } = await once();
  const broken = readFileSync(join(home, HOMEPAGE), 'utf8');
  const tip = git(home, 'rev-parse', AI);
  const shown = (await run('promote')).stdout;
  allIn(shown, [
    `${AI} into main: 2 fixes for 2 failures in 1 stage`,
    'by:   api (escalation), run ',
    `mendloop promote --accept ${tip}\n`,
  ]);
  assert.is((await run('promote', '--accept', tip)).exit, 0);
  const mended = readFileSync(join(home, HOMEPAGE), 'utf8');
  assert.is(mended, broken.replace('app: homepag\n', 'app: homepage\n'));
  assert.is(git(home, 'status', '--porcelain'), '');
  const back = await run('rollback', tip);
  assert.is(back.exit, 0, back.stderr);
  assert.is(git(home, 'show', `${AI}:${HOMEPAGE}`), broken.trimEnd());
  assert.is(readFileSync(join(home, HOMEPAGE), 'utf8'), mended, 'the base keeps it');
  assert.match((await run('promote')).stdout, `${AI} into main: 1 rollback`);
  assert.is((await run('promote', '--accept', git(home, 'rev-parse', AI))).exit, 0);
  assert.is(readFileSync(join(home, HOMEPAGE), 'utf8'), broken);
  assert.match(readFileSync(join(home, KUSTOMIZATION), 'utf8'), 'whoami.yaml', 'the other fix stays');
  assert.is(git(home, 'status', '--porcelain'), '');
});

test('the other protocol: the same way in the small, and the case is in the commit', async () => {
  const lab = await escalateLab({ kind: 'anthropic', loop: { executors: ['ollama'], limits: { executor_tries: 1 } } });
  lab.answers(saying('bad', 'other'));
  lab.host.says(wish(['git', 'log', '--oneline', '-1'], ['rm', '-rf', '/']), patch('good'));
  const ran = await lab.mend();
  assert.is(ran.exit, 0, ran.said);
  assert.equal(
    lab.host.requests.map(({ path, headers }) => [path, headers['x-api-key']]),
    [
      ['/v1/messages', KEY],
      ['/v1/messages', KEY],
    ],
  );
  const [name = ''] = Object.keys(cases(lab));
  allIn(caseText(lab, name, 2), ['$ rm -rf /\nnot run: ', '$ git log --oneline -1\nexit code 0', 'Fix: Say bad\n']);
  assert.match(lab.git('log', '-1', '--format=%B', AI), `Tier: escalation\nPlugin: api\n`);
  assert.match(lab.git('log', '-1', '--format=%B', AI), `Case: ${name}`);
});

test.run();
