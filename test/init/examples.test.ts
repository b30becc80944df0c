// What init makes of the repositories in examples/ before anybody tidied it. That its stage check is green at once, their pages in
// docs/ show, and test/docs runs them.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { EXAMPLE_NEEDS, EXAMPLES, type Example, rawExample } from '../e2e/example.ts';
import { needs } from '../needs.ts';

interface Stage {
  command: string;
  needs?: string[];
  files?: string[];
  verify?: unknown[];
  requires?: { files?: string[] };
}

interface Expected {
  /** The stages behind check, each as it is written but for what differs in words. */
  stages: Record<string, Stage>;
  carry: unknown[];
  protected_files?: string[];
}

const CASES: Record<Example, Expected> = {
  'ansible-k3s': {
    stages: {
      ansible: {
        command: 'ansible-playbook site.yml',
        needs: ['check'],
        files: ['group_vars/', 'roles/', 'site.yml'],
        verify: ['ansible-playbook verify.yml'],
        requires: { files: ['inventory/my-cluster/hosts.ini'] },
      },
    },
    // The whole folder: the token lies beside the hosts.
    carry: ['inventory/my-cluster'],
    protected_files: ['reset.yml', 'roles/reset/'],
  },
  'make-terraform': {
    stages: {
      vms: {
        command: 'make vms',
        needs: ['check'],
        files: ['Makefile', 'terraform/*.tf'],
        verify: ['terraform -chdir=terraform plan -input=false -lock=false \\\n  -detailed-exitcode >/dev/null\n'],
        requires: { files: ['terraform/terraform.tfvars', 'terraform/terraform.tfstate'] },
      },
      dns: {
        command: 'make dns',
        needs: ['check', 'vms'],
        files: ['Makefile', 'scripts/zone.head', 'scripts/zone.sh'],
      },
    },
    carry: ['terraform/terraform.tfstate', 'terraform/terraform.tfvars'],
    protected_files: ['scripts/wipe_disks.sh'],
  },
  'talos-flux': {
    stages: {
      render: {
        command: 'task render',
        needs: ['check'],
        files: ['Taskfile.yaml', 'cluster.yaml', 'templates/'],
        verify: [{ yaml: 'kubernetes/apps/kustomization.yaml' }, { yaml: 'kubernetes/apps/web/deployment.yaml' }],
      },
      talos: {
        command: 'task talos',
        needs: ['check', 'render'],
        files: ['Taskfile.yaml', 'scripts/talos.sh', 'cluster.yaml', 'templates/'],
        verify: ['TALOSCONFIG=talosconfig talosctl health --wait-timeout 5m'],
        requires: { files: ['secrets.yaml'] },
      },
      flux: {
        command: 'task flux',
        needs: ['check', 'talos'],
        files: ['Taskfile.yaml', 'cluster.yaml', 'templates/'],
        verify: [
          'KUBECONFIG=kubeconfig kubectl diff -k kubernetes/flux >/dev/null',
          'KUBECONFIG=kubeconfig flux check',
        ],
      },
      apps: {
        command: 'task apps',
        needs: ['check', 'flux'],
        files: ['Taskfile.yaml', 'cluster.yaml', 'templates/'],
        verify: ['KUBECONFIG=kubeconfig kubectl diff -k kubernetes/apps >/dev/null'],
      },
    },
    // Not kubeconfig and talosconfig: the stage talos makes them.
    carry: ['secrets.yaml'],
  },
};

for (const [name, expected] of Object.entries(CASES) as [Example, Expected][]) {
  needs(...EXAMPLE_NEEDS[name])(
    `${name}, untouched: its map is valid and planned, and its stages are right`,
    async () => {
      const repo = rawExample(name);
      const { exit, stdout, stderr } = await repo.run('init', '--yes', '--json');
      assert.is(exit, 0, stderr);
      const { plan, left_out_of_check: notes } = JSON.parse(stdout);
      const names = ['check', ...Object.keys(expected.stages)];
      assert.equal(
        plan.rows.map(({ step, state }: { step: string; state: string }) => `${step} ${state}`),
        names.map((stage) => `${stage} TODO`),
      );
      assert.equal(notes, []);
      const map = parse(repo.read('ai/context_map.yaml'));
      assert.equal(names, Object.keys(map.stages));
      for (const [stage, wanted] of Object.entries(expected.stages)) {
        const { command, needs, files, verify, requires } = map.stages[stage];
        const shown = { command, needs, files, ...(verify ? { verify } : {}) };
        assert.equal({ ...shown, ...(requires?.files ? { requires: { files: requires.files } } : {}) }, wanted, stage);
      }
      assert.equal([map.carry.toSorted(), map.protected_files], [expected.carry, expected.protected_files]);
    },
  );
}

needs(
  'yamllint',
  'shellcheck',
  'make',
  'ansible-playbook',
)('the real tools take the examples as they are: yamllint, shellcheck, make and Ansible', () => {
  const run = (cwd: string, command: string) =>
    spawnSync('bash', ['-c', command], { cwd: join(EXAMPLES, cwd), encoding: 'utf8' });
  for (const [cwd, command] of [
    ['.', 'yamllint --strict */*.yaml */*.yml */ai ansible-k3s/*_vars ansible-k3s/inventory ansible-k3s/roles'],
    ['.', 'shellcheck */scripts/*.sh'],
    ['make-terraform', 'make --dry-run all plan'],
    [
      'ansible-k3s',
      'ansible-playbook --inventory inventory/sample/hosts.ini --syntax-check site.yml verify.yml reset.yml',
    ],
  ] as const) {
    const { status, stdout, stderr } = run(cwd, command);
    assert.is(status, 0, `${command}\n${stdout}${stderr}`);
  }
});

test.run();
