// Repositories as people have them, with stand-ins for their tools: adopted, broken by a commit, mended, promoted, and green again.
import { execSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fixTrail } from '../run/probe.ts';
import { AI, type Done, type Files, folder, PACKAGE, scenario, write } from './scenario.ts';

const homelabs = suite('homelabs');

const FIXTURES = join(PACKAGE, 'test/fixtures/homelabs');
const PERSON = { GIT_CONFIG_COUNT: '2', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'Owner' };
const OWNER = { ...PERSON, GIT_CONFIG_KEY_1: 'user.email', GIT_CONFIG_VALUE_1: 'owner@example.org' };
const said = ({ stdout, stderr }: Done) => stdout + stderr;

/** Every file below a folder of the fixtures. */
function filesOf(name: string): Files {
  const at = join(FIXTURES, name);
  const paths = readdirSync(at, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(at, path)).isFile(),
  );
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(at, path))]));
}

interface Own {
  /** What git ignores, and what is there all the same. */
  ignored: string[];
  local?: Files;
  /** Other files than the fixture's. */
  files?: Files;
  /** What `ai/context_map.yaml` says otherwise. */
  map?: (text: string) => string;
}

/** The homelab with its map committed, as an adopter does it; answers come from a program that the loop asks. */
function adopted(name: string, { ignored, local = {}, files = {}, map = (text) => text }: Own) {
  const { 'ai/context_map.yaml': given = '', ...theirs }: Files = { ...filesOf(name), ...files };
  const s = scenario({ '.gitignore': `${ignored.join('\n')}\n`, ...theirs });
  s.write(local);
  const answers = folder();
  const world = folder();
  const loop = {
    executors: ['command'],
    escalations: [],
    wait: { backoff: ['1ms', '1ms', '1ms'] },
    plugins: { command: { argv: [join(FIXTURES, 'bin/model'), answers] } },
  };
  s.commit({ 'ai/context_map.yaml': map(String(given)), 'ai/loop.yaml': JSON.stringify(loop) }, 'Adopt mendloop');
  const env = { PATH: `${join(FIXTURES, 'bin')}:${process.env.PATH}`, HOMELAB_WORLD: world };
  return {
    ...s,
    world,
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
type Homelab = ReturnType<typeof adopted>;

/** An answer as models give them. */
const replace = (path: string, from: string, to: string) =>
  `${path}\n<<<<<<< SEARCH\n${from}\n=======\n${to}\n>>>>>>> REPLACE\n`;

/** What became of fixes in the end: that one holds comes before, where other stages have a say. */
const ends = (s: Homelab) => fixTrail(s.events()).filter((line) => line !== 'fix.judged holds');
const ran = (s: Homelab) =>
  s
    .events()
    .filter(({ type }) => type === 'attempt.started')
    .map(({ stage }) => stage);
const notices = (s: Homelab) => s.events().flatMap(({ type, data }) => (type === 'notice' ? [String(data.text)] : []));

/** Sound from the first look: what `validate` and `doctor` say has nothing to mend, and the first run is green. */
async function firstRun(s: Homelab): Promise<void> {
  const valid = await s.run('validate');
  assert.is(valid.exit, 0, said(valid));
  const doctor = await s.run('doctor');
  assert.is(doctor.exit, 0, said(doctor));
  const first = await s.run();
  assert.is(first.exit, 0, said(first));
  assert.equal(new Set(s.statuses()), new Set(['green']));
}

/** Lands what was verified; the run after that is green, and no fix is left. */
async function land(s: Homelab, path: string, text: string): Promise<string> {
  const shown = await s.run('promote');
  assert.is(shown.exit, 0, said(shown));
  const tip = s.git('rev-parse', AI);
  assert.match(shown.stdout, `mendloop promote --accept ${tip}`);
  const landed = await s.run('promote', '--accept', tip);
  assert.is(landed.exit, 0, said(landed));
  assert.equal([s.read(path).includes(text), s.git('status', '--porcelain')], [true, '']);
  const after = await s.run();
  assert.is(after.exit, 0, said(after));
  assert.equal(ends(s), []);
  assert.match((await s.run('fixes')).stdout, 'no fix is on');
  return shown.stdout;
}

const TOKEN = 'K10a7d0f3c9e55b1c2::server:91b7e6d2f0';
const INVENTORY = {
  'inventory/my-cluster/hosts.ini':
    '[master]\ncp1 ansible_host=10.0.10.11\n\n[node]\nworker1\nworker2\nworker3\n\n[k3s_cluster:children]\nmaster\nnode\n',
  'inventory/my-cluster/group_vars/all.yml': `---\napiserver_endpoint: 10.0.10.10\nk3s_token: ${TOKEN}\n`,
};
const ansible = (more: Partial<Own> = {}) =>
  adopted('ansible', { ignored: ['/inventory/my-cluster/'], local: INVENTORY, ...more });
const UNIT = 'roles/k3s_server/templates/k3s.service.j2';
const start = (flags: string) => `ExecStart=/usr/local/bin/k3s server ${flags} --token {{ k3s_token }}`;

homelabs(
  'Ansible, inventory ignored and carried: a renamed variable is mended and lands; nonsense never is',
  async () => {
    const s = ansible();
    await firstRun(s);
    s.change('group_vars/all.yml', 'flannel_iface: eth0', 'flannel_interface: eth0');
    s.answers(
      // Nonsense; what a check runs; and what is right.
      replace('roles/download/tasks/main.yml', '    mode: "0755"', '    mode: "0755"\n    force: true'),
      replace('roles/verify_nodes/tasks/main.yml', '    src: /run/k3s', '    src: /usr/local/bin/k3s'),
      replace(UNIT, start('--flannel-iface={{ flannel_iface }}'), start('--flannel-iface={{ flannel_interface }}')),
    );
    const mended = await s.run();
    assert.is(mended.exit, 0, said(mended));
    assert.equal(ends(s), [
      ...['fix.intended', 'fix.committed', 'fix.reverted no_effect'],
      'fix.refused protected',
      ...['fix.intended', 'fix.committed', 'fix.judged verified'],
    ]);
    for (const prompt of s.prompts()) assert.not.match(prompt, TOKEN);
    await land(s, UNIT, 'flannel_interface');
    assert.is(s.git('diff', '--stat', 'HEAD~2', '--', 'roles/download', 'roles/verify_nodes'), '');

    // The same mistake on all four hosts, in whichever order they say so.
    s.change('group_vars/all.yml', 'v1.30.4+k3s1', 'v1.31.4+k3s2');
    s.answers(replace('group_vars/all.yml', 'k3s_version: v1.31.4+k3s2', 'k3s_version: v1.31.4+k3s1'));
    const again = await s.run();
    assert.is(again.exit, 0, said(again));
    assert.equal(ends(s), ['fix.intended', 'fix.committed', 'fix.judged verified']);
    assert.match(s.prompts()[0] ?? '', /HTTP Error 404: Not Found.*releases\/download\/v1\.31\.4\+k3s2\/k3s/);
  },
);

const withoutCarry = (text: string) => text.replace(/^carry: .*\n/m, '');
homelabs('Ansible, inventory not carried: no run is green, and everybody says what to carry', async () => {
  const s = ansible({ map: withoutCarry });
  for (const command of ['validate', 'doctor']) {
    assert.match(said(await s.run(command)), /inventory\/my-cluster.*\n?.*carry/, command);
  }
  const first = await s.run();
  assert.is(first.exit, 1, said(first));
  assert.match(notices(s).join('\n'), /inventory\/my-cluster.*carry/);

  // Nothing is required, and nothing checked: the playbook does nothing and is content.
  const map = s.read('ai/context_map.yaml').replace(/^ +(?:verify|requires): .*\n/gm, '');
  s.commit({ 'ai/context_map.yaml': map });
  const second = await s.run();
  assert.match(notices(s).join('\n'), /inventory\/my-cluster.*carry/, said(second));
});

const SECRET = 'mendloop@pve!loop=6c1d4f0e-52a7-4a18-9d3f-0b7e21c5a9f4';
const STATE = { version: 4, terraform_version: '1.11.4', serial: 0, lineage: 'b935ab0f', outputs: {}, resources: [] };
const TERRAFORM = {
  'terraform/terraform.tfvars': `pve_endpoint  = "https://10.0.0.2:8006"\npve_api_token = "${SECRET}"\n`,
  'terraform/terraform.tfstate': JSON.stringify(STATE),
};
const terraform = (more: Partial<Own> = {}) =>
  adopted('terraform', { ignored: ['.terraform/', '*.tfvars', '*.tfstate', '*.tfstate.*'], local: TERRAFORM, ...more });
const MAIN = 'terraform/main.tf';

homelabs('make and Terraform, variables and state carried: a renamed variable is mended and lands', async () => {
  const s = terraform();
  await firstRun(s);
  const state = () => JSON.parse(s.read('terraform/terraform.tfstate')) as typeof STATE;
  assert.equal([state().serial, state().resources.length], [1, 2], 'the state is the owner’s own');
  s.change('terraform/variables.tf', 'variable "node_memory"', 'variable "memory"');
  s.answers(
    replace(MAIN, '  name      = "cp1"', '  # The control plane.\n  name      = "cp1"'),
    replace('terraform/variables.tf', 'variable "memory" {', 'variable "node_memory" {'),
  );
  const mended = await s.run();
  assert.is(mended.exit, 0, said(mended));
  assert.equal(ends(s), [
    ...['fix.intended', 'fix.committed', 'fix.reverted no_effect'],
    ...['fix.intended', 'fix.committed', 'fix.judged verified'],
  ]);
  for (const prompt of s.prompts()) assert.not.match(prompt, SECRET);
  assert.match(s.prompts()[0] ?? '', 'Reference to undeclared input variable');
  await land(s, 'terraform/variables.tf', 'node_memory');
  assert.is(s.git('rev-list', '--count', 'main', '--', MAIN), '1', 'nothing of the wrong fix is in main');

  // Somebody deleted a machine: seen, and made again; its state is still where it was.
  write(s.world, { 'vms.json': '{}' });
  const drifted = await s.run();
  assert.is(drifted.exit, 0, said(drifted));
  assert.match(said(drifted), /vms +drifted/);
  assert.equal(Object.keys(JSON.parse(readFileSync(join(s.world, 'vms.json'), 'utf8'))), ['cp1', 'worker1']);
  assert.ok(lstatSync(s.path('ai/worktree/terraform/terraform.tfstate')).isSymbolicLink());
});

homelabs('make and Terraform, nothing carried: state is refused, and missing variables are named', async () => {
  const s = terraform({ map: withoutCarry });
  assert.match(said(await s.run('doctor')), /terraform\.tfstate is Terraform state/);
  const refused = await s.run();
  assert.equal([refused.exit, /E_STATE_UNCARRIED/.test(refused.stderr)], [2, true], said(refused));
  s.commit({ 'ai/context_map.yaml': `${s.read('ai/context_map.yaml')}carry: [terraform/terraform.tfstate]\n` });
  const failed = await s.run();
  assert.is(failed.exit, 1, said(failed));
  assert.match(notices(s).join('\n'), 'add terraform/terraform.tfvars to carry');
  assert.equal(ran(s), [], 'nothing was done without them');
});

const TEMPLATE = 'templates/apps/web/deployment.yaml.j2';
const RENDERED = 'kubernetes/apps/web/deployment.yaml';
const flux = (ignored: boolean) =>
  adopted('flux', {
    ignored: ignored ? ['/kubernetes/'] : ['*.bak'],
    files: ignored ? {} : { [RENDERED]: '# not rendered yet\n' },
  });

for (const kind of ['ignored', 'tracked']) {
  homelabs(`rendered templates, ${kind} output: a fault in a template is mended where it is, and lands`, async () => {
    const s = flux(kind === 'ignored');
    await firstRun(s);
    assert.equal(ran(s), ['render', 'check', 'apply']);
    s.change(TEMPLATE, '  replicas: #{ web_replicas }#', '  replicas: "#{ web_replicas }#"');
    s.answers(
      // Does not render; renders to the same; and what is right.
      replace(TEMPLATE, '  replicas: "#{ web_replicas }#"', '  replicas: #{ web_replica }#'),
      replace('config.yaml', 'web_replicas: 2', 'web_replicas: "2"'),
      replace(TEMPLATE, '  replicas: "#{ web_replicas }#"', '  replicas: #{ web_replicas }#'),
    );
    const mended = await s.run();
    assert.is(mended.exit, 0, said(mended));
    assert.equal(ends(s), [
      ...['fix.intended', 'fix.committed', 'fix.reverted broke'],
      ...['fix.intended', 'fix.committed', 'fix.reverted no_effect'],
      ...['fix.intended', 'fix.committed', 'fix.judged verified'],
    ]);
    // Made again before each judgement, and without what was taken back.
    assert.equal(ran(s), ['render', 'check', 'render', 'render', 'check', 'render', 'check', 'render', 'check']);
    const [prompt = ''] = s.prompts();
    for (const word of [RENDERED, TEMPLATE, "'/spec/replicas': got string, want"]) assert.match(prompt, word);
    const shown = await land(s, TEMPLATE, '  replicas: #{ web_replicas }#');
    const [, command] = /render writes anew from this what git tracks: .*\n +(git .*)/.exec(shown) ?? [];
    assert.is(command !== undefined, kind === 'tracked', shown);
    if (command === undefined) return;
    execSync(command, { cwd: s.home, env: { ...process.env, ...OWNER } });
    assert.equal([s.read(RENDERED).includes('replicas: 2'), s.git('status', '--porcelain')], [true, '']);
  });
}

homelabs(
  'a fix with which a stage overwrites its check broke it; the check stays, and sees drift from then on',
  async () => {
    const s = flux(true);
    const check = 'scripts/web_is_up.sh';
    s.commit({
      'deploy.env': 'REPORTS=reports\n',
      'ai/context_map.yaml': s
        .read('ai/context_map.yaml')
        .replace(
          /(?<=command: )kubectl.*/,
          '. ./deploy.env; kubectl apply --recursive -f kubernetes | tee "$REPORTS/web_is_up.sh"',
        )
        .replace(/(?<=needs: \[check\]\n +files: \[)/, 'deploy.env, '),
    });
    s.answers(replace('deploy.env', 'REPORTS=reports', 'REPORTS=scripts'));
    const first = await s.run();
    assert.equal([first.exit, s.stages().apply?.status], [3, 'give_up'], said(first));
    assert.equal(ends(s), ['fix.intended', 'fix.committed', 'fix.reverted broke']);
    assert.match(said(first), `changed ${check}`);
    assert.equal(readFileSync(s.path('ai/worktree', check)), readFileSync(s.path(check)));

    s.commit({ 'reports/.gitignore': '*\n!.gitignore\n', 'deploy.env': 'REPORTS=reports # of what was applied\n' });
    const mended = await s.run();
    assert.is(mended.exit, 0, said(mended));
    rmSync(join(s.world, 'objects/deployment/web'));
    const drifted = await s.run();
    assert.equal([drifted.exit, ran(s)], [0, ['apply']], said(drifted));
    assert.match(said(drifted), /apply +drifted/);
  },
);

homelabs.run();
