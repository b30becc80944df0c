// The repositories of examples/ with their tidied maps: run, broken by a commit, mended, promoted, and green again.
import { execSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../needs.ts';
import { fixTrail } from '../run/probe.ts';
import { EXAMPLE_NEEDS, type Example, exampleEnv, exampleFiles, OWN_FILES } from './example.ts';
import { AI, contextMap, type Done, type Files, folder, PACKAGE, scenario, write } from './scenario.ts';

const PERSON = { GIT_CONFIG_COUNT: '2', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'Owner' };
const OWNER = { ...PERSON, GIT_CONFIG_KEY_1: 'user.email', GIT_CONFIG_VALUE_1: 'owner@example.org' };
const textOf = ({ stdout, stderr }: Done) => stdout + stderr;

interface Changes {
  /** What lies beside what git has. */
  local?: Files;
  /** Other files than the example's. */
  files?: Files;
  /** What `ai/context_map.yaml` says otherwise. */
  map?: (text: string) => string;
}

/** The example with its map committed; answers come from a program that the loop asks. */
function adopted(name: Example, { local = {}, files = {}, map = (text) => text }: Changes = {}) {
  const all = { ...exampleFiles(name, 'adopted'), ...files };
  const answers = folder();
  const loop = {
    unattended: 'all',
    executors: ['command'],
    escalations: [],
    wait: { backoff: ['1ms', '1ms', '1ms'] },
    plugins: { command: { argv: [join(PACKAGE, 'test/fixtures/model/by-number'), answers] } },
  };
  const s = scenario({
    ...all,
    'ai/context_map.yaml': map(String(all['ai/context_map.yaml'])),
    'ai/loop.yaml': JSON.stringify(loop),
  });
  s.write({ ...OWN_FILES[name](), ...local });
  const env = exampleEnv(name);
  return {
    ...s,
    run: (...args: string[]) => s.run(args, { env }),
    /** Replaces a text of a file by a commit; it must be there. */
    change(path: string, from: string, to: string) {
      const before = s.read(path);
      assert.ok(before.includes(from), `${path} has ${from}`);
      s.commit({ [path]: before.replace(from, to) });
    },
    /** What the model says from now on. */
    answers(...texts: string[]) {
      for (const path of readdirSync(answers)) rmSync(join(answers, path));
      write(answers, Object.fromEntries(texts.map((answer, i) => [`answer-${i + 1}`, answer])));
    },
    prompts: () =>
      readdirSync(answers)
        .filter((path) => path.startsWith('prompt-'))
        .sort()
        .map((path) => readFileSync(join(answers, path), 'utf8')),
    statuses: () => Object.values(s.stages()).map(({ status }) => status),
  };
}
type Adopted = ReturnType<typeof adopted>;

/** An answer as models give them. */
const replace = (path: string, from: string, to: string) =>
  `${path}\n<<<<<<< SEARCH\n${from}\n=======\n${to}\n>>>>>>> REPLACE\n`;

/** What became of fixes in the end: that one holds comes before, where other stages have a say. */
const ends = (s: Adopted) => fixTrail(s.events()).filter((line) => line !== 'fix.judged holds');
const ran = (s: Adopted) =>
  s
    .events()
    .filter(({ type }) => type === 'attempt.started')
    .map(({ stage }) => stage);
const notices = (s: Adopted) => s.events().flatMap(({ type, data }) => (type === 'notice' ? [String(data.text)] : []));

/** Lands what was verified; what promote showed before. */
async function land(s: Adopted, path: string, text: string): Promise<string> {
  const shown = await s.run('promote');
  assert.is(shown.exit, 0, textOf(shown));
  const tip = s.git('rev-parse', AI);
  assert.match(shown.stdout, `mendloop promote --accept ${tip}`);
  const landed = await s.run('promote', '--accept', tip);
  assert.is(landed.exit, 0, textOf(landed));
  assert.equal([s.read(path).includes(text), s.git('status', '--porcelain')], [true, '']);
  return shown.stdout;
}

const TOKEN = 'K10a7d0f3c9e55b1c2::server:91b7e6d2f0';
const VARIABLES = 'inventory/my-cluster/group_vars/all.yml';
const ansible = (more: Changes = {}) =>
  adopted('ansible-k3s', {
    local: { [VARIABLES]: `---\napiserver_endpoint: 10.0.10.10\nk3s_token: ${TOKEN}\n` },
    ...more,
  });
const UNIT = 'roles/k3s_server/templates/k3s.service.j2';
const start = (flags: string) => `ExecStart=/usr/local/bin/k3s server ${flags} --token {{ k3s_token }}`;

needs(...EXAMPLE_NEEDS['ansible-k3s'])(
  'Ansible, inventory ignored and carried: a renamed variable is mended and lands; nonsense never is',
  async () => {
    const s = ansible();
    s.change('group_vars/all.yml', 'flannel_iface: eth0', 'flannel_interface: eth0');
    s.answers(
      // Nonsense; what a check runs; and what is right.
      replace('roles/download/tasks/main.yml', '    mode: "0755"', '    mode: "0750"'),
      replace('roles/node_ready/tasks/main.yml', '  changed_when: false', '  changed_when: false\n  when: false'),
      replace(UNIT, start('--flannel-iface={{ flannel_iface }}'), start('--flannel-iface={{ flannel_interface }}')),
    );
    const mended = await s.run();
    assert.is(mended.exit, 0, textOf(mended));
    assert.equal(ends(s), [
      ...['fix.intended', 'fix.committed', 'fix.judged no_effect'],
      'fix.refused protected',
      ...['fix.intended', 'fix.committed', 'fix.judged kept'],
    ]);
    for (const prompt of s.prompts()) assert.not.match(prompt, TOKEN);
    await land(s, UNIT, 'flannel_interface');
    assert.is(s.git('diff', '--stat', 'HEAD~2', '--', 'roles/download', 'roles/node_ready'), '');

    // Nothing is left of it; and the same mistake on all four hosts, in whichever order they say so.
    s.change('group_vars/all.yml', 'v1.30.4+k3s1', 'v1.31.4+k3s2');
    s.answers(replace('group_vars/all.yml', 'k3s_version: v1.31.4+k3s2', 'k3s_version: v1.31.4+k3s1'));
    const again = await s.run();
    assert.is(again.exit, 0, textOf(again));
    assert.equal(ends(s), ['fix.intended', 'fix.committed', 'fix.judged kept']);
    assert.match(s.prompts()[0] ?? '', /HTTP Error 404: Not Found.*releases\/download\/v1\.31\.4\+k3s2\/k3s/);
  },
);

const withoutCarry = (text: string) => text.replace(/^carry: .*\n/m, '');
needs(...EXAMPLE_NEEDS['ansible-k3s'])(
  'Ansible, inventory not carried: no run is green, and everybody says what to carry',
  async () => {
    const s = ansible({ map: withoutCarry });
    for (const command of ['validate', 'doctor']) {
      assert.match(textOf(await s.run(command)), /inventory\/my-cluster.*\n?.*carry/, command);
    }
    const first = await s.run();
    assert.is(first.exit, 1, textOf(first));
    assert.match(notices(s).join('\n'), /inventory\/my-cluster.*carry/);

    // Nothing is required, and nothing checked: the playbook does nothing and is content.
    const map = s.read('ai/context_map.yaml').replace(/^ +(?:verify|requires): .*\n/gm, '');
    s.commit({ 'ai/context_map.yaml': map });
    const second = await s.run();
    assert.match(notices(s).join('\n'), /inventory\/my-cluster.*carry/, textOf(second));
  },
);

const SECRET = 'mendloop@pve!loop=6c1d4f0e-52a7-4a18-9d3f-0b7e21c5a9f4';
const terraform = (more: Changes = {}) =>
  adopted('make-terraform', {
    local: {
      'terraform/terraform.tfvars': `pve_endpoint  = "https://10.0.0.2:8006"\npve_api_token = "${SECRET}"\n`,
    },
    ...more,
  });

needs(...EXAMPLE_NEEDS['make-terraform'])(
  'make and Terraform, variables and state carried: a renamed variable is mended, and no secret told',
  async () => {
    const s = terraform();
    s.change('terraform/variables.tf', 'variable "node_memory"', 'variable "memory"');
    s.answers(replace('terraform/variables.tf', 'variable "memory" {', 'variable "node_memory" {'));
    const mended = await s.run();
    assert.is(mended.exit, 0, textOf(mended));
    assert.equal(
      [ends(s), new Set(s.statuses())],
      [['fix.intended', 'fix.committed', 'fix.judged kept'], new Set(['green'])],
    );
    const [prompt = ''] = s.prompts();
    assert.match(prompt, 'Reference to undeclared input variable');
    assert.not.match(prompt, SECRET);
    const { serial, resources } = JSON.parse(s.read('terraform/terraform.tfstate'));
    assert.equal([serial, resources.length], [1, 3], 'the state is the owner’s own');
    assert.ok(lstatSync(s.path('ai/worktree/terraform/terraform.tfstate')).isSymbolicLink());
  },
);

needs(...EXAMPLE_NEEDS['make-terraform'])(
  'make and Terraform, nothing carried: state is refused, and missing variables are named',
  async () => {
    const s = terraform({ map: withoutCarry });
    assert.match(textOf(await s.run('doctor')), /terraform\.tfstate is Terraform state/);
    const refused = await s.run();
    assert.equal([refused.exit, /E_STATE_UNCARRIED/.test(refused.stderr)], [2, true], textOf(refused));
    s.commit({ 'ai/context_map.yaml': `${s.read('ai/context_map.yaml')}carry: [terraform/terraform.tfstate]\n` });
    const failed = await s.run();
    assert.is(failed.exit, 1, textOf(failed));
    assert.match(notices(s).join('\n'), 'add terraform/terraform.tfvars to carry');
    assert.equal(ran(s), ['check'], 'nothing was brought up without them');
  },
);

const TEMPLATE = 'templates/kubernetes/apps/web/deployment.yaml.j2';
const RENDERED = 'kubernetes/apps/web/deployment.yaml';

const QUOTED = ['  replicas: #{ web_replicas }#', '  replicas: "#{ web_replicas }#"'] as const;
const UNQUOTE = replace(TEMPLATE, QUOTED[1], QUOTED[0]);

needs(...EXAMPLE_NEEDS['talos-flux'])(
  'rendered templates, ignored output: a fault in a template is mended where it is',
  async () => {
    const s = adopted('talos-flux');
    s.change(TEMPLATE, ...QUOTED);
    s.answers(
      // Does not render; renders to the same; and what is right.
      replace(TEMPLATE, QUOTED[1], '  replicas: #{ web_replica }#'),
      replace('cluster.yaml', 'web_replicas: 2', 'web_replicas: "2"'),
      UNQUOTE,
    );
    const mended = await s.run('render', 'check');
    assert.is(mended.exit, 0, textOf(mended));
    assert.equal(ends(s), [
      // The stage that the fix made stale fails with it: undone, and green without it shows who broke it.
      ...['fix.intended', 'fix.committed', 'fix.judged undone', 'fix.prepared', 'fix.judged broke'],
      ...['fix.intended', 'fix.committed', 'fix.judged no_effect'],
      ...['fix.intended', 'fix.committed', 'fix.judged kept'],
    ]);
    // Made again before each judgement, and without what was undone.
    assert.equal(ran(s), ['render', 'check', 'render', 'render', 'check', 'render', 'check', 'render', 'check']);
    const [prompt = ''] = s.prompts();
    for (const word of [RENDERED, TEMPLATE, "'/spec/replicas': got string, want"]) assert.match(prompt, word);
  },
);

needs(...EXAMPLE_NEEDS['talos-flux'])(
  'rendered templates, tracked output: promote names the command that brings it in',
  async () => {
    const files = { '.gitignore': '/talos/\n/secrets.yaml\n', [RENDERED]: '# not rendered yet\n' };
    const s = adopted('talos-flux', { files });
    s.change(TEMPLATE, ...QUOTED);
    s.answers(UNQUOTE);
    const mended = await s.run('render', 'check');
    assert.is(mended.exit, 0, textOf(mended));
    const shown = await land(s, TEMPLATE, QUOTED[0]);
    const [, command = 'false'] = /render writes anew from this what git tracks: .*\n +(git .*)/.exec(shown) ?? [];
    execSync(command, { cwd: s.home, env: { ...process.env, ...OWNER } });
    assert.equal([s.read(RENDERED).includes('replicas: 2'), s.git('status', '--porcelain')], [true, '']);
  },
);

needs(...EXAMPLE_NEEDS['talos-flux'])(
  'a fix with which a stage overwrites its check broke it; the check stays, and sees drift from then on',
  async () => {
    const check = 'scripts/web_is_up.sh';
    const apply = {
      command: '. ./deploy.env; touch "$MENDLOOP_OUT/web"; echo applied | tee "$REPORTS/web_is_up.sh"',
      files: ['deploy.env'],
      verify: [check],
    };
    const s = adopted('talos-flux', {
      files: {
        'deploy.env': 'REPORTS=reports\n',
        'ai/context_map.yaml': contextMap({ apply }),
        [check]: '#!/bin/sh\ntest -e "$MENDLOOP_OUT/web"\n',
      },
    });
    s.answers(replace('deploy.env', 'REPORTS=reports', 'REPORTS=scripts'));
    const first = await s.run();
    assert.equal([first.exit, s.stages().apply?.status], [3, 'give_up'], textOf(first));
    assert.equal(ends(s), ['fix.intended', 'fix.committed', 'fix.judged broke']);
    assert.match(textOf(first), `changed ${check}`);
    assert.equal(readFileSync(s.path('ai/worktree', check)), readFileSync(s.path(check)));

    s.commit({ 'reports/.gitignore': '*\n!.gitignore\n', 'deploy.env': 'REPORTS=reports # of what was applied\n' });
    const mended = await s.run();
    assert.is(mended.exit, 0, textOf(mended));
    rmSync(s.path('ai/state/out/apply/web'));
    const drifted = await s.run();
    assert.equal([drifted.exit, ran(s)], [0, ['apply']], textOf(drifted));
    assert.match(textOf(drifted), /apply +drifted/);
  },
);

test.run();
