import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseContextMap } from '../../src/config/parse.ts';
import type { Draft } from '../../src/init/survey.ts';
import { mapText } from '../../src/init/write-map.ts';
import { folder } from '../worktree/repository.ts';
import { proposalOf, stagesOf } from './survey.ts';

const PLAY = '- hosts: all\n  tasks:\n    - ansible.builtin.ping:\n';
const play = (task: string) => `- hosts: all\n  tasks:\n    - ${task}\n`;
const KUSTOMIZATION = 'resources: [a.yaml]\n';
const flux = (name: string, path: string, needs: string[] = []) =>
  `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: ${name}, namespace: flux-system}\nspec:\n  path: ${path}\n  dependsOn: [${needs.map((one) => `{name: ${one}}`).join(', ')}]\n`;

interface Case {
  layout: string;
  files: Record<string, string>;
  stages: string[];
}

const LAYOUTS: Case[] = [
  {
    layout: 'make: what the default target starts, one behind the other',
    files: {
      Makefile:
        'default: vms cluster clean\n\nvms:\n\tterraform -chdir=tf apply\n\ncluster:\n\tansible-playbook -i hosts.ini site.yml\n\nclean:\n\trm -rf out\n',
      'tf/main.tf': 'resource "null_resource" "a" {}\n',
      'site.yml': PLAY,
      'hosts.ini': 'a\n',
    },
    stages: ['vms: make vms <- check', 'cluster: make cluster <- check vms'],
  },
  {
    layout: 'make: other makefiles behind -C',
    files: {
      Makefile: 'all: metal\n\nmetal:\n\tmake -C metal\n',
      'metal/Makefile': 'default: boot\nboot:\n\tansible-playbook boot.yml\n',
      'metal/boot.yml': PLAY,
    },
    stages: ['metal: make metal <- check'],
  },
  {
    layout: 'just: modules, and a recipe that asks whether one is sure',
    files: {
      justfile: "mod boot 'boot'\n\n[private]\nlog:\n    echo hi\n",
      'boot/mod.just':
        "[confirm]\n[doc('The whole cluster')]\ncluster: nodes\n    helmfile -f apps.yaml sync\n\n[private]\nnodes:\n    talosctl apply-config -f a.yaml\n",
    },
    stages: ['boot-cluster: just --yes boot cluster <- check'],
  },
  {
    layout: 'Taskfile: includes, with what calls another',
    files: {
      'Taskfile.yaml':
        "version: '3'\nincludes:\n  talos: .taskfiles/talos\ntasks:\n  bootstrap:\n    cmds: [{task: talos:bootstrap}, kubectl apply -k flux]\n",
      '.taskfiles/talos/Taskfile.yaml':
        "version: '3'\ntasks:\n  bootstrap: {cmds: ['talosctl bootstrap']}\n  reset: {cmds: ['talosctl reset']}\n",
      'flux/kustomization.yaml': KUSTOMIZATION,
    },
    stages: ['talos-bootstrap: task talos:bootstrap <- check', 'bootstrap: task bootstrap <- check talos-bootstrap'],
  },
  {
    layout: 'package.json: scripts that bring something up',
    files: {
      'package.json':
        '{"scripts": {"deploy": "docker compose -f c.yaml up -d", "test": "jest", "predeploy": "true"}}\n',
    },
    stages: ['deploy: npm run deploy <- check'],
  },
  {
    layout: 'scripts that README names',
    files: { 'bootstrap.sh': '#!/bin/bash\nkubectl apply -f app.yaml\n', 'README.md': 'Run `./bootstrap.sh`.\n' },
    stages: ['bootstrap: ./bootstrap.sh <- check'],
  },
  {
    layout: 'Ansible: the main playbook from where ansible.cfg lies, with the inventory that it names',
    files: {
      'ansible/ansible.cfg': '[defaults]\ninventory = hosts.ini\n',
      'ansible/hosts.ini': 'a\n',
      'ansible/site.yml': '- import_playbook: base.yml\n',
      'ansible/base.yml': PLAY,
      'ansible/reboot.yml': PLAY,
    },
    stages: ['ansible: ansible-playbook site.yml <- check'],
  },
  {
    layout: 'Terraform: root folders, no modules; a plan that deletes ends before it is applied',
    files: {
      'tf/main.tf': 'provider "a" {}\nmodule "vm" {\n  source = "./modules/vm"\n}\n',
      'tf/modules/vm/main.tf': 'resource "a" "b" {}\n',
    },
    stages: ['tf: terraform -chdir=tf apply -input=false mendloop.tfplan <- check'],
  },
  {
    layout: 'helmfile and talconfig, as README has them',
    files: {
      'helmfile.yaml': 'releases: []\n',
      'talos/talconfig.yaml': 'clusterName: home\n',
      'README.md': '1. `cd talos && talhelper genconfig`\n2. `helmfile sync`\n',
    },
    stages: [
      'talos-config: cd talos && talhelper genconfig --config-file talconfig.yaml <- check',
      'helmfile: helmfile --file helmfile.yaml sync <- check talos-config',
    ],
  },
  {
    layout: 'Flux: the kustomizations of one cluster that no other brings in, in the order of dependsOn',
    files: {
      'clusters/home/apps.yaml': flux('apps', './apps', ['infra']),
      'clusters/home/infra.yaml': flux('infra', './infra'),
      'clusters/test/infra.yaml': flux('infra', './infra'),
      'apps/web/ks.yaml': flux('web', './apps/web/app'),
      'apps/web/app/kustomization.yaml': KUSTOMIZATION,
    },
    stages: [
      'flux-infra: flux reconcile kustomization infra --namespace flux-system --with-source <- check',
      'flux-apps: flux reconcile kustomization apps --namespace flux-system --with-source <- check flux-infra',
    ],
  },
  {
    layout: 'Flux: behind flux-system come the parts of its cluster',
    files: {
      'clusters/home/flux-system/gotk-components.yaml': 'kind: Namespace\n',
      'clusters/home/flux-system/gotk-sync.yaml': flux('flux-system', './clusters/home'),
      'clusters/home/apps.yaml': flux('apps', './apps'),
    },
    stages: [
      'flux: flux reconcile kustomization flux-system --namespace flux-system --with-source <- check',
      'flux-apps: flux reconcile kustomization apps --namespace flux-system --with-source <- check flux',
    ],
  },
  {
    layout: 'Argo CD: the application that has the others',
    files: {
      'argo/root.yaml':
        'apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: root, namespace: argocd}\nspec: {source: {path: argo/apps}}\n',
      'argo/apps/web.yaml':
        'apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, namespace: argocd}\nspec: {source: {path: web}}\n',
    },
    stages: ['argocd-root: kubectl apply -n argocd -f argo/root.yaml <- check'],
  },
  {
    layout: 'kustomizations that no other takes in',
    files: {
      'base/kustomization.yaml': KUSTOMIZATION,
      'overlays/home/kustomization.yaml': 'resources: [../../base]\n',
    },
    stages: ['overlays-home: kubectl apply -k overlays/home <- check'],
  },
  {
    layout: 'compose files, with the data of the checkout',
    files: {
      'README.md':
        '```sh\ncd web\ndocker compose up -d # first\ncd ../db && docker-compose -f docker-compose.yml up\n```\n',
      'web/compose.yaml': 'services: {web: {image: a}}\n',
      'db/docker-compose.yml': 'services: {db: {image: b}}\n',
    },
    stages: [
      'web: docker compose --project-directory "$MENDLOOP_HOME/web" -f web/compose.yaml up --detach --wait <- check',
      'db: docker compose --project-directory "$MENDLOOP_HOME/db" -f db/docker-compose.yml up --detach --wait <- check web',
    ],
  },
];

for (const { layout, files, stages } of LAYOUTS) {
  test(layout, async () => {
    const proposal = await proposalOf({ 'README.md': '# lab\n', ...files });
    assert.equal(stagesOf(proposal), stages);
    assert.is(proposal.stages[0]?.name, 'check');
    const parsed = parseContextMap(mapText(proposal), 'map');
    assert.ok(parsed.ok, JSON.stringify(parsed));
  });
}

const DESTROYS: [how: string, files: Record<string, string>][] = [
  ['by its name', { Makefile: 'deploy-nuke:\n\tansible-playbook a.yml\n' }],
  ['by its own words', { Makefile: 'deploy:\n\tterraform apply\n\tterraform destroy -auto-approve\n' }],
  ['by a prerequisite', { Makefile: 'deploy: fresh\n\tkubectl apply -f a\nfresh:\n\ttalosctl reset\n' }],
  [
    'by a script that it calls',
    { Makefile: 'deploy:\n\t./up.sh\n\tkubectl apply -f a\n', 'up.sh': '#!/bin/bash\nwipefs -a /dev/sda\n' },
  ],
  [
    'by a script that a script calls',
    { 'deploy.sh': '#!/bin/bash\nbash lib/x.sh\nkubectl apply -f a\n', 'lib/x.sh': '#!/bin/bash\nqm destroy 100\n' },
  ],
  [
    'by a playbook behind a wrapper',
    {
      Makefile: 'deploy:\n\t./run.sh ansible-playbook up.yml\n',
      'run.sh': '#!/bin/bash\ncd lab && exec "$@"\n',
      'lab/up.yml': play('ansible.builtin.command: kubeadm reset --force'),
    },
  ],
  ['by a task of its playbook', { 'site.yml': play('ansible.builtin.command: kubeadm reset --force') }],
  [
    'by a role of its playbook',
    {
      'site.yml': '- hosts: all\n  roles: [reset]\n',
      'roles/reset/tasks/main.yml': '- ansible.builtin.command: "true"\n',
    },
  ],
  ['by the folder of a compose file', { 'teardown/compose.yaml': 'services: {a: {image: a}}\n' }],
  [
    'in a Taskfile',
    {
      'Taskfile.yml':
        "version: '3'\ntasks:\n  deploy: {deps: [old], cmds: ['helm upgrade a b']}\n  old: {cmds: ['zpool destroy tank']}\n",
    },
  ],
  ['in a justfile', { justfile: 'deploy: gone\n    kubectl apply -f a\n\n[private]\ngone:\n    flux uninstall -s\n' }],
  ['in package.json', { 'package.json': '{"scripts": {"deploy": "kubectl apply -f a && kubectl delete ns web"}}' }],
];

for (const [how, files] of DESTROYS) {
  test(`what destroys is no stage: ${how}`, async () => {
    const proposal = await proposalOf({ 'README.md': 'make deploy, `./deploy.sh`, `site.yml`\n', ...files });
    assert.equal(stagesOf(proposal), []);
  });
}

test('files that destroy are protected; a playbook that only does so under a condition is a stage', async () => {
  const proposal = await proposalOf({
    'site.yml': play('ansible.builtin.command: kubeadm reset\n      when: again | bool'),
    'reset.yml': PLAY,
    'tools/disks.sh': '#!/bin/bash\nsgdisk --zap-all /dev/sdb\n',
    'README.md': 'ansible-playbook site.yml\n',
  });
  assert.equal(stagesOf(proposal), ['ansible: ansible-playbook site.yml <- check']);
  assert.equal(proposal.protect, ['reset.yml', 'tools/disks.sh']);
});

const installing = (
  file: string,
  text: string,
  task = `ansible.builtin.template: {src: ${file}, dest: /srv/tftp/}`,
) => ({
  Makefile: 'metal:\n\tmake -C metal\n',
  'metal/Makefile': 'default:\n\tansible-playbook -i hosts boot.yml\n',
  'metal/hosts': 'a\n',
  'metal/boot.yml': '- hosts: localhost\n  roles: [pxe]\n- hosts: all\n  roles: [wake]\n',
  'metal/roles/pxe/tasks/main.yml': `- ${task}\n`,
  'metal/roles/wake/tasks/main.yml': '- community.general.wakeonlan: {mac: "{{ mac }}"}\n',
  [`metal/roles/pxe/templates/${file}`]: text,
});
const KICKSTART = 'text\nclearpart --all --drives={{ disk }}\nautopart\n%packages\n%end\n';

for (const [file, text] of [
  ['node.ks.j2', KICKSTART],
  ['preseed.cfg.j2', 'd-i debian-installer/locale string C\nd-i partman-auto/method string lvm\n'],
  ['user-data.j2', '#cloud-config\nautoinstall:\n  version: 1\n  storage:\n    layout: {name: lvm}\n'],
  ['cloud.yml.j2', '#cloud-config\ndisk_setup:\n  /dev/sdb:\n    overwrite: true\n'],
  ['first.j2', '#cloud-config\nruncmd:\n  - sgdisk --zap-all /dev/sdb\n'],
  ['node.bu', 'variant: flatcar\nstorage:\n  disks:\n    - device: /dev/sda\n      wipe_table: true\n'],
] as const) {
  test(`what installs machines anew is no stage: ${file}`, async () => {
    const proposal = await proposalOf(installing(file, text));
    assert.equal(stagesOf(proposal), []);
    const why = proposal.left.find(({ what }) => what === 'make metal')?.why ?? '';
    assert.match(why, `it would destroy: it installs machines anew: metal/roles/pxe/templates/${file}, line `);
  });
}

test('a long line that installs machines anew is quoted in whole words', async () => {
  const text = KICKSTART.replace('{{ disk }}', '{{ disks_of_the_machine }} --initlabel --disklabel=gpt-for-all');
  const { left } = await proposalOf(installing('node.ks.j2', text));
  assert.match(left.map(({ why }) => why).join('\n'), /line 2: clearpart .* --initlabel …$/m);
});

test('a role whose templates empty no disk, or hand that out under a condition, is a stage', async () => {
  const stage = ['metal: make metal <- check'];
  const template = 'ansible.builtin.template: {src: node.ks.j2, dest: /srv/}';
  for (const [file, text, task] of [
    ['node.ks.j2', KICKSTART.replace('--all', '--none')],
    ['node.ks.j2', KICKSTART.replace('clearpart', '# clearpart')],
    ['node.ks.j2', KICKSTART, `${template}\n  when: again | bool`],
    ['node.ks.j2', KICKSTART, `when: again | bool\n  block:\n    - ${template}`],
    ['cloud.yml.j2', '#cloud-config\nwrite_files:\n  - path: /etc/motd\n    content: wipefs is a tool\n'],
    ['claim.yml.j2', 'kind: PersistentVolumeClaim\nspec:\n  resources: {requests: {storage: 1Gi}}\n'],
    ['notes.md.j2', 'Run wipefs -a /dev/sdb by hand.\n'],
  ] as const) {
    assert.equal(stagesOf(await proposalOf(installing(file, text, task))), stage, `${file}: ${text} ${task}`);
  }
  const unused = { 'metal/roles/other/templates/node.ks.j2': KICKSTART, ...installing('motd.j2', 'hello\n') };
  assert.equal(stagesOf(await proposalOf(unused)), stage, 'a role that it does not run');
});

test('a role that tidies up is judged by what that runs, not by its name', async () => {
  const role = (prune: string) => ({
    'site.yml': '- hosts: all\n  roles: [podman]\n',
    'README.md': 'ansible-playbook site.yml\n',
    'roles/podman/tasks/main.yml': '- ansible.builtin.include_tasks: prune.yml\n',
    'roles/podman/tasks/prune.yml': `- ansible.builtin.${prune}\n`,
  });
  const timer = await proposalOf(role('copy: {src: prune.timer, dest: /etc/systemd/system/prune.timer}'));
  assert.equal(stagesOf(timer), ['ansible: ansible-playbook site.yml <- check']);
  assert.equal(stagesOf(await proposalOf(role('command: zpool destroy tank'))), []);
  const plugin = await proposalOf(role('debug: {}\n- kubernetes.core.helm_plugin: {plugin_name: diff, state: absent}'));
  assert.is(stagesOf(plugin).length, 1, 'a plugin of a tool holds nothing');
  const release = await proposalOf(role('debug: {}\n- kubernetes.core.helm: {name: web, state: absent}'));
  assert.equal(stagesOf(release), []);
});

test('at most twelve stages, the rest with the reason; what asks, looks or is a daily chore is none', async () => {
  const names = Array.from({ length: 200 }, (_, i) => `deploy-${i}`);
  const targets = names.map((name, i) => `${name}:\n\tkubectl apply -f ${i}.yaml\n`).join('\n');
  const others =
    'lint:\n\tyamllint .\nconsole:\n\tbash\nupgrade-nodes:\n\ttalosctl apply\ndeploy-to:\n\tkubectl apply -f $(HOST)\n';
  const proposal = await proposalOf({
    Makefile: `all: ${names.join(' ')}\n${targets}${others}`,
    'README.md': '# lab\n',
  });
  assert.is(proposal.stages.length, 12);
  const reasons = new Map(proposal.left.map(({ what, why }) => [what, why]));
  assert.match(reasons.get('make lint') ?? '', /something for the stage check/);
  assert.match(reasons.get('make console') ?? '', /a person at a terminal/);
  assert.match(reasons.get('make upgrade-nodes') ?? '', /no part of bringing the lab up/);
  assert.is(reasons.get('make deploy-to'), 'it asks for HOST');
  assert.is(proposal.left.filter(({ why }) => /12 stages are enough/.test(why)).length, 189);
  assert.match(
    mapText(proposal),
    /^# - 12 stages are enough to begin with\n(?:# {7}deploy-\d+: make deploy-\d+\n){6}# {7}and 183 more$/m,
  );
});

test('README leads: its order, into included files, and nothing it does not name', async () => {
  const proposal = await proposalOf({
    'README.md': 'bootstrap was `task lab:up` once\n```sh\ntask lab:nodes\ntask lab:up\n```\n',
    'Taskfile.yml': 'includes: {lab: ops/Taskfile.yml, drop: other.yml}\ntasks: {}\n',
    'other.yml': 'tasks: {web: bash remove-web.sh}\n',
    'remove-web.sh': 'kubectl delete ns web\n',
    'ops/Taskfile.yml': [
      'vars: {PLAY: uv run ansible-playbook}',
      'tasks:',
      "  up: {cmds: ['{{.PLAY}} -i ops/hosts ops/site.yml']}",
      "  nodes: {cmds: ['{{.PLAY}} -i ops/hosts ops/nodes.yml']}",
      "  storage: {cmds: ['{{.PLAY}} -i ops/hosts ops/storage.yml']}",
      '',
    ].join('\n'),
    ...{ 'ops/site.yml': PLAY, 'ops/nodes.yml': PLAY, 'ops/storage.yml': PLAY, 'ops/hosts': '[all]\na\n' },
    ...Object.fromEntries(
      Array.from({ length: 7 }, (_, i) => [`apps/a${i}/compose.yaml`, 'services: {a: {image: a}}\n']),
    ),
  });
  assert.equal(stagesOf(proposal), ['lab-nodes: task lab:nodes <- check', 'lab-up: task lab:up <- check lab-nodes']);
  assert.equal(proposal.stages[2]?.files, ['Taskfile.yml', 'ops/Taskfile.yml', 'ops/hosts', 'ops/site.yml']);
  const many = proposal.left.filter(({ why }) => why.startsWith('nothing says when it runs, or whether'));
  assert.match(many.map(({ what }) => what).join('\n'), /^a0: docker compose .*apps\/a0/m);
});

const WEB = 'services: {a: {image: a}}\n';
const ORDERS: [how: string, files: Record<string, string>, stages: string[]][] = [
  ['no order at all: only check', { 'a/compose.yaml': WEB, 'b/compose.yaml': WEB }, []],
  ['one alone needs no order', { 'a/compose.yaml': WEB }, ['a <- check']],
  [
    'what a document names comes, what none names does not',
    { 'a/compose.yaml': WEB, 'b/compose.yaml': WEB, 'docs/setup.md': '    cd b\n    docker compose up -d\n' },
    ['b <- check'],
  ],
  [
    'numbered steps, also against the order of the file of targets',
    {
      'README.md': '1. Nodes: `make z`\n2. Then `make a`.\n',
      Makefile: 'a:\n\thelmfile sync\nz:\n\ttalosctl bootstrap\n',
    },
    ['z <- check', 'a <- check z'],
  ],
  [
    'a block of code goes before a sentence above it',
    {
      'README.md': 'After `make b` and `make a`:\n```\nmake a\nmake b\n```\n',
      Makefile: 'b:\n\thelmfile sync\na:\n\ttalosctl bootstrap\n',
    },
    ['a <- check', 'b <- check a'],
  ],
  [
    'a target that only calls others goes before README',
    {
      'README.md': '`make b` and `make a`, or all at once: `make`\n',
      Makefile: 'all: a b\na:\n\thelmfile sync\nb:\n\ttalosctl bootstrap\n',
    },
    ['a <- check', 'b <- check a'],
  ],
  [
    'steps of a job of CI',
    {
      '.github/workflows/up.yaml':
        'jobs: {up: {steps: [{run: "terraform -chdir=z apply"}, {run: "cd a\\nhelmfile sync", working-directory: .}, {run: make lint}]}}\n',
      'z/main.tf': 'resource "a" "b" {}\n',
      'a/helmfile.yaml': 'releases: []\n',
      'b/helmfile.yaml': 'releases: []\n',
    },
    ['z <- check', 'a-helmfile <- check z'],
  ],
  [
    'steps of an aggregate with arguments, private and twice',
    {
      justfile: 'mod boot\n',
      'boot/mod.just':
        "[confirm]\nup: nodes (config 'node') apps config\n[private]\nnodes:\n    talosctl apply-config -f a\n[private]\nconfig lb='x':\n    talosctl kubeconfig\n[private]\napps:\n    helmfile sync\n",
    },
    [
      'boot-nodes <- check',
      'boot-config-node <- check boot-nodes',
      'boot-apps <- check boot-config-node',
      'boot-config <- check boot-apps',
    ],
  ],
  [
    'a makefile of a folder behind one target of an aggregate',
    {
      Makefile: 'all: metal apps\nmetal:\n\tmake -C metal\napps:\n\thelmfile sync\n',
      'metal/Makefile': 'default: boot cluster\nboot:\n\ttalosctl reset\ncluster:\n\ttalosctl bootstrap\n',
    },
    ['cluster <- check', 'apps <- check cluster'],
  ],
  [
    'variables go with the steps of another makefile, and what installs machines anew is seen behind them',
    {
      Makefile: 'all: metal apps\nmetal:\n\tmake -C metal env=prod\napps:\n\thelmfile sync\n',
      'metal/Makefile': 'default: boot cluster\nboot:\n\twipefs -a /dev/sda\ncluster:\n\ttalosctl bootstrap\n',
    },
    ['cluster <- check', 'apps <- check cluster'],
  ],
  [
    'what makes the kubeconfig that another reads comes before it',
    {
      Makefile:
        'KUBECONFIG = $(shell pwd)/metal/kubeconfig.yaml\nhelp:\n\t@echo hi\nroot:\n\tkubectl apply -f root.yaml\nmetal:\n\tmake -C metal\n',
      'metal/Makefile':
        'default: prepare cluster\nprepare:\n\tansible-playbook p.yml\ncluster:\n\tansible-playbook c.yml\n',
      'metal/p.yml': PLAY,
      'metal/c.yml': PLAY,
    },
    ['prepare <- check', 'cluster <- check prepare', 'root <- check cluster'],
  ],
  [
    'two targets that do the same in different places: their owner has to say which',
    {
      'README.md': 'On machines:\n\n`make k3s`\n\nor on Proxmox:\n\n`make k3s-proxmox`\n\nthen\n\n`make apps`\n',
      Makefile: 'apps:\n\thelmfile sync\nk3s:\n\tk3sup install\nk3s-proxmox:\n\tk3sup install --a\n',
    },
    ['apps <- check'],
  ],
  [
    'sections on something else are passed over',
    {
      'README.md': '# Upgrade\n`make b`\n# Start\n`make a`\n## Troubleshooting\n`make b`\n',
      Makefile: 'b:\n\thelmfile sync\na:\n\ttalosctl bootstrap\n',
    },
    ['a <- check'],
  ],
  [
    'a cluster that README names first, of several',
    {
      'README.md': '| 1 | Zeta |\n| 2 | alpha |\n',
      'clusters/alpha/a.yaml': flux('apps', './apps/alpha'),
      'clusters/zeta/a.yaml': flux('infra', './infra'),
    },
    ['flux-infra <- check'],
  ],
  [
    'several clusters of which nothing says which this is for',
    { 'clusters/alpha/a.yaml': flux('apps', './apps/alpha'), 'clusters/zeta/a.yaml': flux('infra', './infra') },
    [],
  ],
];

for (const [how, files, stages] of ORDERS) {
  test(`the order is the owner's: ${how}`, async () => {
    const proposal = await proposalOf({ 'README.md': '# lab\n', ...files });
    assert.equal(
      proposal.stages.slice(1).map(({ name, needs }) => `${name} <- ${needs.join(' ')}`),
      stages,
    );
  });
}

const COMMANDS: [written: string, command: string][] = [
  [
    'ansible-playbook -i inventories/mine/hosts site.yml -b -K',
    'ansible-playbook -i inventories/mine/hosts -b --become-password-file .become-password site.yml',
  ],
  [
    'ansible-playbook site.yml -bK --limit web --ask-vault-pass',
    'ansible-playbook -b --become-password-file .become-password --vault-password-file .vault-password site.yml',
  ],
  ['ansible-playbook site.yml -e env=prod -l <host> -t docker', 'ansible-playbook -e env=prod site.yml'],
  ['ansible-playbook --check site.yml', 'ansible-playbook site.yml'],
];

for (const [written, command] of COMMANDS) {
  test(`a playbook is run as its owner wrote it, without what needs a person or narrows it: ${written}`, async () => {
    const { stages } = await proposalOf({ 'site.yml': PLAY, 'README.md': `\`\`\`sh\n$ ${written}\n\`\`\`\n` });
    assert.is(stages[1]?.command, command);
    assert.equal(
      stages[1]?.wants.filter((path) => /password/.test(path)),
      command.match(/\.\w+-password\b/g) ?? [],
    );
  });
}

test('an inventory of which git has only an example is never given a name of our own', async () => {
  const files = { 'site.yml': PLAY, 'inventories/sample/inventory': 'a\n' };
  const alone = await proposalOf(files);
  assert.equal(stagesOf(alone), []);
  assert.match(alone.left[0]?.why ?? '', /git has only an example of its inventory/);
  const copied = await proposalOf({ ...files, 'README.md': '`cp -r inventories/sample inventories/mine`\n' });
  assert.equal(stagesOf(copied), ['ansible: ansible-playbook -i inventories/mine/inventory site.yml <- check']);
});

test('Terraform is planned, applied and checked with the values and the workspace that README names', async () => {
  const { stages } = await proposalOf({
    'main.tf': 'provider "a" {}\n',
    'vars/home.tfvars': 'a = 1\n',
    'README.md': '```\nterraform workspace new home\nterraform apply --var-file="vars/home.tfvars"\n```\n',
  });
  assert.match(
    stages[1]?.command ?? '',
    /workspace select -or-create=true home\nterraform plan -input=false -var-file=vars\/home\.tfvars /,
  );
  assert.match(String(stages[1]?.verify), /^terraform plan -var-file=vars\/home\.tfvars .*-detailed-exitcode/);
});

test('what holds secrets or gives them out, by what configuration files say, is protected', async () => {
  const { protect } = await proposalOf({
    'site.yml': PLAY,
    'ansible.cfg': '[defaults]\nvault_password_file = ./pass.sh\n',
    'pass.sh': '#!/bin/sh\npass show vault\n',
    'group_vars/all/vault.yml': '$ANSIBLE_VAULT;1.1;AES256\n6162\n',
    'k/db.yaml': 'kind: Secret\nsops:\n    age: []\n    mac: ENC[a]\n',
    '.sops.yaml': 'creation_rules:\n  - path_regex: .*\n',
    'secrets/a.env': 'A=ENC[b]\nsops_mac=ENC[c]\n',
    '.gitattributes': '*.tfvars filter=git-crypt diff=git-crypt\n',
    'keys/deploy.pem': 'a\n',
    'README.md': '`ansible-playbook site.yml`\n',
  });
  assert.equal(protect, [
    '**/*.tfvars',
    'group_vars/all/vault.yml',
    'k/db.yaml',
    'keys/deploy.pem',
    'pass.sh',
    'secrets/a.env',
  ]);
});

test('check runs every time, and may have edited what its lines read', async () => {
  const { stages } = await proposalOf({
    'k/kustomization.yaml': 'resources: [../base]\n',
    'base/kustomization.yaml': 'configMapGenerator: [{files: [a.conf]}]\n',
    'base/a.conf': 'a\n',
    'site.yml': '- hosts: all\n  roles: [web]\n',
    'roles/web/tasks/main.yml': '- ansible.builtin.ping:\n',
    'README.md': 'ansible-playbook site.yml\n',
  });
  assert.is(stages[0]?.always, true);
  for (const pattern of ['**/*.yaml', 'k/', 'base/', 'roles/', 'site.yml'])
    assert.ok(stages[0]?.files.includes(pattern), pattern);
});

test('a linter leaves out the files that it names, not itself, and says where', async () => {
  const tried: string[] = [];
  const { stages, notes } = await proposalOf(
    Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [`${name}.yaml`, `${name}: 1\n`])),
    {
      tryOut: async (command) => {
        tried.push(command);
        const bad = command.includes("':!b.yaml'");
        const output = 'a.yaml:1:1: [warning] document start\nb.yaml:3:5: [error] too many spaces\n';
        return bad || !command.includes('yamllint') ? { ok: true } : { ok: false, complaint: 'b.yaml', output };
      },
    },
  );
  assert.match(
    stages[0]?.command ?? '',
    /^git ls-files -z '\*\.yaml' '\*\.yml' ':!ai' ':!b\.yaml' \| xargs -0 -r yamllint /m,
  );
  assert.equal(notes, ['yamllint: it fails today: b.yaml:3:5: [error] too many spaces']);
  assert.is(tried.length, 2);
});

test('names that mendloop uses itself get a word before them', async () => {
  const proposal = await proposalOf({
    Makefile: 'all: plan-b run\nplan-b:\n\thelm upgrade a b\nrun:\n\thelm upgrade c d\n',
  });
  assert.ok(proposal.stages.some(({ name }) => name === 'run-run'));
});

test('ignored files are carried: secrets by their names, settings as what their text is; caches are not', async () => {
  const proposal = await proposalOf(
    { 'site.yml': PLAY, 'tf/main.tf': 'resource "a" "b" {}\n', 'README.md': 'site.yml' },
    {
      ignored: {
        '.env': 'A=b',
        'tf/terraform.tfstate': '{}',
        'hosts.ini': '[k3s]\n10.0.0.1\n',
        'inventory.yml': 'all: {vars: {ansible_password: hunter2hunter2}}\n',
        'node_modules/': '',
        'tf/.terraform/': '',
        'age.key': 'AGE-SECRET-KEY-1',
      },
    },
  );
  const carried = proposal.carry.map(({ path, secret }) => `${path} ${secret}`).sort();
  assert.equal(carried, [
    '.env true',
    'age.key true',
    'hosts.ini false',
    'inventory.yml true',
    'tf/terraform.tfstate true',
  ]);
  assert.not.match(JSON.stringify(proposal) + mapText(proposal), /hunter2|AGE-SECRET/);
});

test('what .gitignore names and a stage runs with is carried, unless git has files of it all the same', async () => {
  const proposal = await proposalOf({
    '.gitignore': '/group_vars/\n!/group_vars/all.yml\n/kubeconfig\n',
    'group_vars/all.yml': 'a: 1\n',
    Makefile: 'KUBECONFIG = kubeconfig\ndeploy:\n\tKUBECONFIG=kubeconfig kubectl apply -k .\n\tls group_vars\n',
    'README.md': 'make deploy',
  });
  assert.equal(
    proposal.carry.map(({ path }) => path),
    ['kubeconfig'],
  );
});

test('what its owner still has to make is carried and required by name', async () => {
  const proposal = await proposalOf({
    'ansible.cfg': '[defaults]\ninventory = inventory.yml\n',
    'inventory-sample.yml': 'all: {}\n',
    'site.yml': PLAY,
    'README.md': 'ansible-playbook site.yml',
  });
  assert.equal(proposal.stages[1]?.wants, ['inventory.yml']);
  assert.equal(
    proposal.carry.map(({ path, secret }) => [path, secret]),
    [['inventory.yml', true]],
  );
});

test('state of Terraform is carried and required before there is any, unless a backend keeps it', async () => {
  const files = { Makefile: 'TF = terraform -chdir=tf\nall:\n\t$(TF) apply\n', 'README.md': '# lab\n' };
  const main = 'resource "a" "b" {}\n';
  const local = await proposalOf({ ...files, 'tf/main.tf': main });
  assert.equal(
    [local.stages[1]?.wants, local.stages[1]?.files],
    [['tf/terraform.tfstate'], ['Makefile', 'tf/main.tf']],
  );
  assert.match(
    mapText(local).replace(/\n +# /g, ' '),
    /so before the first run of run-all: touch tf\/terraform\.tfstate/,
  );
  const remote = await proposalOf({ ...files, 'tf/main.tf': `terraform {\n  backend "s3" {}\n}\n${main}` });
  assert.equal([remote.stages[1]?.wants, remote.carry], [[], []]);
});

test('a file below a folder that .gitignore names is carried with that folder', async () => {
  const proposal = await proposalOf({
    '.gitignore': '/inventory/home/\n',
    'ansible.cfg': '[defaults]\ninventory = inventory/home/hosts.ini\n',
    'site.yml': PLAY,
    'README.md': 'site.yml',
  });
  assert.equal(
    proposal.carry.map(({ path, secret }) => [path, secret]),
    [['inventory/home', true]],
  );
});

test('of what git has only an example, and .gitignore names it, the thing itself is carried', async () => {
  const proposal = await proposalOf({
    '.gitignore': 'config.yml\n',
    'example.config.yml': 'a: 1\n',
    'other.example.yml': 'a: 1\n',
    'site.yml': PLAY,
    'README.md': 'site.yml',
  });
  assert.equal(
    proposal.carry.map(({ path, secret }) => [path, secret]),
    [['config.yml', true]],
  );
});

test('a playbook behind a wrapper: the files where it lies may be mended, and no check is made up', async () => {
  const { stages } = await proposalOf({
    Makefile: 'all:\n\trunner/run.sh ansible-playbook install.yml\n',
    'runner/run.sh': '#!/bin/bash\ncd ansible\nexec "$@"\n',
    'ansible/ansible.cfg': '[defaults]\ninventory = hosts.yml\n',
    'ansible/hosts.yml': 'all: {}\n',
    'ansible/install.yml': PLAY,
    'ansible/roles/a/tasks/main.yml': '- ansible.builtin.ping:\n',
    'README.md': '# lab\n',
  });
  assert.equal(stages[1]?.files, [
    'Makefile',
    'ansible/hosts.yml',
    'ansible/install.yml',
    'ansible/roles/',
    'runner/run.sh',
  ]);
  assert.equal(stages[1]?.verify, []);
});

const MADE_OF: [what: string, files: Record<string, string>, expected: string[]][] = [
  [
    'the file of its target, what that includes, its script, and what the script reads',
    {
      Makefile: 'include lab.mk\nall: web\n',
      'lab.mk': 'web:\n\tscripts/web.sh >out/web.log\n',
      'scripts/web.sh':
        '#!/bin/bash\ncd infra/web\ncut -d / -f 1 /config/made.yaml\nsed s/a/b/ "$DIR/web.tmpl" >config/made.yaml\nkubectl apply -f apps -f crd.yaml\n',
      'scripts/web.tmpl': 'a\n',
      'scripts/other.tmpl': 'a\n',
      'config/made.yaml': 'a: 1\n',
      'out/web.log': 'written\n',
      'apps/web.yaml': 'a: 1\n',
      'infra/web/notes.md': 'where it works\n',
      'crd.yaml': 'a: 1\n',
    },
    ['Makefile', 'apps/', 'crd.yaml', 'lab.mk', 'scripts/web.sh', 'scripts/web.tmpl'],
  ],
  [
    'the modules of its Terraform folder, and tracked values',
    {
      'Taskfile.yml': "version: '3'\ntasks:\n  up: {cmds: ['terraform -chdir=tf apply']}\n",
      'tf/main.tf': 'resource "a" "b" {}\nmodule "vm" {\n  source = "../modules/vm/"\n}\n',
      'tf/home.auto.tfvars': 'a = 1\n',
      'modules/vm/main.tf': 'module "disk" {\n  source = "../disk"\n}\n',
      'modules/disk/main.tf': 'resource "a" "c" {}\n',
      'modules/unused/main.tf': 'resource "a" "d" {}\n',
    },
    ['Taskfile.yml', 'modules/disk/main.tf', 'modules/vm/main.tf', 'tf/home.auto.tfvars', 'tf/main.tf'],
  ],
  [
    'the bases of its kustomization',
    {
      'overlays/home/kustomization.yaml': 'resources: [../../base, a.yaml]\n',
      'base/kustomization.yaml': 'resources: [b.yaml]\ncomponents: [parts/c]\n',
      'base/parts/c/kustomization.yaml': 'kind: Component\n',
      'other/base.yaml': 'a: 1\n',
    },
    ['overlays/home/', 'base/'],
  ],
  [
    'its inventory and the variables beside that',
    {
      'site.yml': PLAY,
      'ansible.cfg': '[defaults]\ninventory = inventory/home/hosts.ini\n',
      'inventory/home/hosts.ini': 'a\n',
      'inventory/home/group_vars/all.yml': 'a: 1\n',
      'inventory/sample/hosts.ini': 'a\n',
    },
    ['inventory/home/group_vars/', 'inventory/home/hosts.ini', 'site.yml'],
  ],
];

test('where git has only an example of ansible.cfg, it is wanted with the inventory that it names: without it no host is found', async () => {
  const { stages, carry } = await proposalOf({
    'deploy.sh': '#!/bin/bash\nansible-playbook site.yml\n',
    'site.yml': PLAY,
    'ansible.example.cfg': '[defaults]\ninventory = inventory/home/hosts.ini ; adapt this\n',
    'README.md': './deploy.sh\n',
  });
  assert.equal(stages[1]?.wants, ['inventory/home/hosts.ini', 'ansible.cfg']);
  const why = 'the stage deploy wants it, and it is still to be made';
  assert.equal(
    carry.map((one) => [one.path, one.why]),
    [
      ['inventory/home/hosts.ini', why],
      ['ansible.cfg', `${why}; ansible.example.cfg is an example of it`],
    ],
  );
});

test('what is wanted in a folder beside an example of it is carried with all that lies in that folder', async () => {
  const { carry } = await proposalOf({
    'site.yml': PLAY,
    'ansible.cfg': '[defaults]\ninventory = inventory/home/hosts.ini\n',
    'inventory/sample/hosts.ini': 'a\n',
    'inventory/sample/group_vars/all.yml': 'a: 1\n',
    'README.md': 'ansible-playbook site.yml\n',
  });
  const why = 'the stage ansible wants it, and it is still to be made; inventory/sample is an example of it';
  assert.equal(carry, [{ path: 'inventory/home', secret: true, why }]);
});

test('what a check only reads may be mended: an inventory, a compose file', async () => {
  const { stages } = await proposalOf({
    Makefile: 'cluster:\n\tansible-playbook -i hosts.ini site.yml\n',
    'site.yml': PLAY,
    'hosts.ini': 'a\n',
    'README.md': '# lab\n',
  });
  assert.equal(stages[1]?.verify, ['ansible all -i hosts.ini -m ansible.builtin.ping']);
  assert.equal([stages[1]?.files, stages[1]?.wants], [['Makefile', 'hosts.ini', 'site.yml'], []]);
  const { stages: composed } = await proposalOf({
    Makefile: 'web:\n\tdocker compose -f web/compose.yaml up -d\n',
    'web/compose.yaml': 'services: {web: {image: a}}\n',
    'README.md': '# lab\n',
  });
  assert.match(String(composed[1]?.verify), /web\/compose\.yaml/);
  assert.equal([composed[1]?.files, composed[1]?.wants], [['Makefile', 'web/compose.yaml'], []]);
});

for (const [what, files, expected] of MADE_OF) {
  test(`the files of a stage are all that it is made of: ${what}`, async () => {
    const { stages } = await proposalOf({ 'README.md': '# lab\n', ...files });
    assert.equal(stages[1]?.files, expected);
  });
}

test('without compose that is said at the stages that run it; docker-compose is taken where docker has no plugin', async () => {
  const files = { 'web/compose.yaml': 'services: {web: {image: a}}\n', 'README.md': '# lab\n' };
  const none = await proposalOf(files, { compose: 'none' });
  const note = /It fails here as it is: docker has no compose plugin, and there is no docker-compose\./;
  assert.match(mapText(none).replace(/\n +# /g, ' '), note);
  const target = await proposalOf(
    { Makefile: 'deploy:\n\tdocker compose -f c.yaml up -d\n', 'README.md': '# lab\n' },
    { compose: 'none' },
  );
  assert.match(mapText(target).replace(/\n +# /g, ' '), note);
  const { stages } = await proposalOf(files, { compose: 'docker-compose' });
  assert.match(stages[1]?.command ?? '', /^docker-compose --project-directory /);
  assert.equal(stages[1]?.tools, ['docker-compose']);
  const runs = (compose: string) =>
    [
      `run() { ${compose} "$@"; }`,
      'wanted="$(run config --services)"',
      'test "$(echo "$wanted" | sort)" = "$(run ps --services --status running | sort)"',
    ].join('\n');
  assert.equal(stages[1]?.verify, [
    runs('docker-compose --project-directory "$MENDLOOP_HOME/web" -f web/compose.yaml'),
  ]);
  const inTarget = async (line: string) =>
    (await proposalOf({ Makefile: `deploy:\n\t${line}\n`, 'README.md': '# lab\n' })).stages[1]?.verify;
  assert.equal(await inTarget('cd web && docker compose up -d'), [runs('cd web && docker compose')]);
  assert.equal(await inTarget('docker compose -f $(FILE) up -d'), undefined, 'it asks for FILE');
  assert.equal(await inTarget('docker compose -f "$$FILE" up -d'), []);
  const missing = await proposalOf(files, { compose: 'none', missing: ['docker'] });
  assert.not.match(mapText(missing).replace(/\n +# /g, ' '), note, 'doctor names a tool that is not installed');
});

/** A line of a script, and what the check of its stage runs before `config` and `ps`; undefined: there is no check. */
const COMPOSE_LINES: [line: string, compose: string | undefined][] = [
  ['docker compose -f w/c.yaml down && docker compose -f w/c.yaml up -d', 'docker compose -f w/c.yaml'],
  [
    'docker compose -f c.yaml pull; docker compose -f c.yaml --profile "a b" up',
    'docker compose -f c.yaml --profile "a b"',
  ],
  ['cd web && docker compose build && docker compose up -d', 'cd web && docker compose'],
  ['(cd web && docker-compose up)', 'cd web && docker-compose'],
  ['docker compose ps | grep web || docker compose --verbose up -d', 'docker compose --verbose'],
  ['DOCKER_HOST=ssh://nas docker compose up -d', 'DOCKER_HOST=ssh://nas docker compose'],
  ['sudo docker compose -f c.yaml up -d', 'sudo docker compose -f c.yaml'],
  ['docker compose --verbose down up', undefined],
  ['docker compose run web up', undefined],
  ["ssh nas 'cd /srv/db && docker compose up -d'", undefined],
  ['ssh nas "echo \\"a\\" && docker compose up -d"', undefined],
  ['ssh nas docker compose up -d', undefined],
  ["ssh nas '\n  cd /srv/db\n  docker compose up -d\n'", undefined],
  ['ssh nas <<EOF\n  docker compose up -d\nEOF', undefined],
  ["ssh nas <<'EOF'\n  docker compose up -d\nEOF", undefined],
  ["cat > a <<'EOF'\nit's\nEOF\necho \"it's\"\ntest 'a' && docker compose up -d", 'docker compose'],
  ['docker compose -f `make file` up -d', undefined],
];

for (const [line, compose] of COMPOSE_LINES) {
  test(`a check of compose only looks: ${JSON.stringify(line)}`, async () => {
    const { stages } = await proposalOf({ 'deploy.sh': `#!/bin/bash\n${line}\n`, 'README.md': './deploy.sh\n' });
    const run = stages[1]?.verify.map((one) => /^run\(\) \{ (.*) "\$@"; \}\n/.exec(String(one))?.[1]);
    assert.equal([stages[1]?.name, run], ['deploy', compose === undefined ? [] : [compose]]);
  });
}

test('no check holds where its tool cannot tell: the cluster or docker is away', async () => {
  const { stages } = await proposalOf({
    'helmfile.yaml': 'releases: []\n',
    'web/compose.yaml': 'services: {web: {image: a}}\n',
    '.envrc': 'export KUBECONFIG=./kubeconfig\n',
    'README.md': '`helmfile sync`, `docker compose -f web/compose.yaml up`\n',
  });
  const bin = folder();
  const judged = (verify: Draft['verify'], answer: string) => {
    for (const tool of ['helm', 'docker']) writeFileSync(join(bin, tool), `#!/bin/sh\n${answer}\n`, { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env.PATH}`, MENDLOOP_HOME: bin };
    return verify.map((check) => spawnSync('bash', ['-ec', String(check)], { env }).status === 0);
  };
  const [, helm, compose] = stages;
  assert.equal([helm?.name, compose?.name], ['helmfile', 'web']);
  for (const stage of [helm, compose]) {
    assert.equal(judged(stage?.verify ?? [], 'echo "cannot connect" >&2; exit 1'), [false]);
    assert.equal(judged(stage?.verify ?? [], 'exit 0'), [true]);
  }
  assert.equal(judged(helm?.verify ?? [], 'echo broken'), [false]);
  const check = String(helm?.verify[0]);
  const { stdout } = spawnSync('bash', ['-ec', check], {
    env: { PATH: `${bin}:${process.env.PATH}` },
    encoding: 'utf8',
  });
  assert.is(stdout, 'failed or pending: broken\n', 'the log says which');
  assert.equal(judged(helm?.verify ?? [], 'echo "$KUBECONFIG"'), [false], 'helm is told which cluster');
});

test('a playbook without an inventory is checked by the nodes of the cluster only where it has to do with one', async () => {
  const verifyOf = async (role: string) => {
    const play = `- hosts: all\n  roles: [${role}]\n`;
    return (await proposalOf({ 'site.yml': play, '.envrc': 'export KUBECONFIG=./kubeconfig\n' })).stages[1]?.verify;
  };
  assert.equal(await verifyOf('truenas'), []);
  assert.match(String(await verifyOf('k3s_server')), 'kubectl wait --for=condition=Ready nodes');
});

test('a playbook is the check of another one when its whole name says so', async () => {
  const verifyOf = async (name: string) =>
    (await proposalOf({ 'site.yml': PLAY, [name]: PLAY, 'README.md': 'ansible-playbook site.yml' })).stages[1]?.verify;
  assert.equal(await verifyOf('verify.yml'), ['ansible-playbook verify.yml']);
  assert.equal(await verifyOf('smoke-test.yml'), ['ansible-playbook smoke-test.yml']);
  assert.equal(await verifyOf('verify-and-repair.yml'), []);
});

test('a check that fails today, takes long or has no tool here is a comment with the reason', async () => {
  const proposal = await proposalOf(
    {
      'a.sh': '#!/bin/bash\ntrue\n',
      'b.yaml': 'a: 1\n',
      'site.yml': PLAY,
      'tf/a.tf': 'resource "a" "b" {}\n',
      'README.md': '`ansible-playbook site.yml`',
    },
    {
      missing: ['yamllint'],
      tryOut: async (command) =>
        command.includes('terraform')
          ? { late: true }
          : command.includes('ansible')
            ? { ok: false, complaint: 'ERROR! no such role' }
            : { ok: true },
    },
  );
  const command = proposal.stages[0]?.command ?? '';
  assert.match(command, /^git ls-files .* \| xargs -0 -r -n 1 bash -n$/m);
  assert.match(command, /^# Left out: yamllint is not installed here\.$/m);
  assert.match(command, /^# Left out: it fails today: ERROR! no such role \(site\.yml\)$/m);
  assert.match(command, /^# Left out: there was no time here to try terraform to its end\. \(tf\)$/m);
  assert.equal(proposal.stages[0]?.tools, ['shellcheck']);
});

test('what there was no time to try is not called failing', async () => {
  const folders = ['a', 'b', 'c', 'd', 'e', 'f'];
  const { notes } = await proposalOf(
    Object.fromEntries(folders.map((name) => [`${name}/kustomization.yaml`, KUSTOMIZATION])),
    {
      missing: ['yamllint'],
      tryOut: async (command) =>
        /^kubectl kustomize [b-f] [^\n]*$/.test(command) ? { late: true } : { ok: false, complaint: 'no a.yaml' },
    },
  );
  assert.equal(notes.slice(1), [
    'kubectl: it fails today: no a.yaml',
    'there was no time here to try kubectl on 5 of 6.; so c, d, e, f',
  ]);
});

test('where every check fails and nothing brings anything up, nothing is proposed, and why is kept', async () => {
  const given = {
    missing: ['shellcheck'],
    tryOut: async () => ({ ok: false as const, complaint: 'line 1: syntax error' }),
  };
  const { stages, notes } = await proposalOf({ 'lib/a.sh': 'if\n' }, given);
  assert.equal(
    [stages, notes],
    [[], ['bash: it fails today: line 1: syntax error', 'shellcheck is not installed here.']],
  );
});

test('a helmfile that is rendered for its CRDs is not synced, nor with what stands beside it', async () => {
  const crds = 'helmDefaults:\n  args: [--include-crds, --no-hooks]\nreleases: []\n';
  const proposal = await proposalOf({
    'a/crds/helmfile.yaml': crds,
    'a/helmfile.yaml': 'releases: []\n',
    'b/helmfile.d/00-crds.yaml': crds,
    'b/helmfile.d/01-apps.yaml': 'releases: []\n',
    'README.md': '`helmfile -f a/helmfile.yaml sync`, `helmfile -f b/helmfile.d/01-apps.yaml sync`\n',
  });
  assert.equal(stagesOf(proposal), [
    'a-helmfile: helmfile --file a/helmfile.yaml sync <- check',
    'b-helmfile: helmfile --file b/helmfile.d/01-apps.yaml sync <- check a-helmfile',
  ]);
  assert.equal(
    proposal.left.map(({ what }) => what),
    ['helmfile --file a/crds/helmfile.yaml sync', 'helmfile --file b/helmfile.d/00-crds.yaml sync'],
  );
});

test('a target that README only shows with words behind it is not run without them', async () => {
  const { left, stages } = await proposalOf({
    justfile: 'vm *ARGS:\n    qm create {{ARGS}}\n\ncluster *ARGS:\n    helmfile sync {{ARGS}}\n',
    'README.md': '```\njust vm <command>  # Make VMs\njust cluster <name>\njust cluster\n```\n',
  });
  assert.equal(left, [{ what: 'just vm', why: 'README gives it words: <command>' }]);
  assert.equal(
    stages.map(({ name }) => name),
    ['check', 'cluster'],
  );
});

test('every kustomization is built, however many there are', async () => {
  const folders = Array.from({ length: 123 }, (_, i) => `k${i}`);
  const { stages } = await proposalOf(
    Object.fromEntries(folders.map((name) => [`${name}/kustomization.yaml`, KUSTOMIZATION])),
  );
  for (const folder of folders) assert.match(stages[0]?.command ?? '', new RegExp(`^  ${folder}(?: |;)`, 'm'));
});

test('the container that a repository is edited in is no part of the lab', async () => {
  const { stages } = await proposalOf({
    '.devcontainer/docker-compose.yml': 'services: {app: {image: a}}\n',
    'web/compose.yaml': 'services: {web: {image: a}}\n',
  });
  assert.equal(
    stages.map(({ name }) => name),
    ['check', 'web'],
  );
});

const ASKING: [play: string, why: string | undefined][] = [
  ['  vars_prompt: [{name: user}]\n', 'it asks for user'],
  ['  vars_prompt: [{name: user, default: pi}]\n', undefined],
  ['  tasks: [{assert: {that: [peer is defined, peer in all]}}]\n', 'it asks for peer'],
  ['  tasks: [{assert: {that: peer is defined}, when: false}]\n', undefined],
  ['  vars: {peer: a}\n  tasks: [{assert: {that: peer is defined}}]\n', undefined],
  ['  tasks: [{ansible.builtin.assert: {that: lan is defined}}]\n', undefined],
  ['  tasks: [{ansible.builtin.pause: {prompt: Sure?}}]\n', 'it asks a person'],
  ['  tasks: [{pause: {seconds: 3}}]\n', undefined],
  ['  tasks: [{pause: {prompt: It restarts, seconds: 3}}]\n', undefined],
  ['  tasks: [{pause: {prompt: It restarts, minutes: 1}}]\n', undefined],
  ['  tasks: [{command: id, register: peer}, {assert: {that: peer is defined}}]\n', undefined],
  ['  tasks: [{block: [{set_fact: {peer: a}}]}, {assert: {that: peer is defined}}]\n', undefined],
  ['  tasks: [{assert: {that: peer is defined}}, {set_fact: {peer: a}}]\n', 'it asks for peer'],
  ['  vars_files: [settings.yml]\n  tasks: [{assert: {that: dns is defined}}]\n', undefined],
  ['  tasks: [{assert: {that: dns is defined}}]\n', 'it asks for dns'],
  ['  tasks: [{assert: {that: port is defined}}]\n', undefined],
  ['  tasks: [{assert: {that: shell is defined}}]\n', undefined],
  ['  tasks: [{assert: {that: ansible_default_ipv4 is defined}}]\n', undefined],
];

for (const [text, why] of ASKING) {
  test(`a playbook that asks is no stage: ${JSON.stringify(text)}`, async () => {
    const { left, stages } = await proposalOf({
      'site.yml': `- hosts: all\n${text}`,
      'group_vars/all.yml': 'lan: 10.0.0.0/8\n',
      'settings.yml': 'dns: 10.0.0.1\n',
      'roles/web/defaults/main.yml': 'port: 80\n',
      'roles/web/vars/main.yml': 'shell: sh\n',
      'hosts.ini': 'a\n',
    });
    assert.equal(
      [stages.some(({ name }) => name === 'ansible'), left.map((one) => one.why)],
      [why === undefined, why === undefined ? [] : [why]],
    );
  });
}

test('a runner or script that is too large to be read is told of', async () => {
  const texts = { Makefile: 'up:\n\thelmfile sync\n', 'a.sh': '#!/bin/sh\n', 'crds.yaml': 'a: 1\n' };
  const { left } = await proposalOf(texts, { tooLarge: Object.keys(texts) });
  assert.equal(
    left.map(({ what, why }) => `${what}: ${why}`),
    ['Makefile: it is too large to be read', 'a.sh: it is too large to be read'],
  );
});

test('of several files only those that fail are left out', async () => {
  const proposal = await proposalOf(
    { 'a/kustomization.yaml': KUSTOMIZATION, 'b/kustomization.yaml': KUSTOMIZATION },
    {
      missing: ['yamllint'],
      tryOut: async (command) => (/kustomize b/.test(command) ? { ok: false, complaint: 'no a.yaml' } : { ok: true }),
    },
  );
  assert.match(proposal.stages[0]?.command ?? '', /^kubectl kustomize a >\/dev\/null$/m);
  assert.match(proposal.stages[0]?.command ?? '', /^# Left out: it fails today: no a\.yaml \(b\)$/m);
  const plays = { 'a/site.yml': PLAY, 'b/site.yml': PLAY };
  const failing = await proposalOf(plays, { tryOut: async () => ({ ok: false, complaint: 'no role' }) });
  assert.equal(failing.notes.length, new Set(failing.notes).size, failing.notes.join('\n'));
});

test('broken YAML, Makefiles and JSON are passed over, and the rest is read', async () => {
  const proposal = await proposalOf({
    'site.yml': '- hosts: [\n  a: : b\n',
    'Taskfile.yml': 'tasks: [\n',
    'package.json': '{"scripts": ',
    Makefile: 'deploy\n  kubectl apply\n\t\t:::=\nup:\n\thelm upgrade a b\n\t\\\n',
    'web/compose.yaml': 'services: {a: *none}\n',
    'README.md': 'make up',
  });
  assert.equal(stagesOf(proposal), ['up: make up <- check']);
});

test('what makejinja renders for a commit is told where it lies, and is checked where it is always written', async () => {
  const files = {
    Makefile: 'configure:\n\tmakejinja\n',
    'README.md': 'make configure\n',
    'makejinja.toml':
      '[makejinja]\ninputs = ["./t"]\noutput = "./"\nexclude_patterns = ["*.partial.yaml.j2"]\njinja_suffix = ".j2"\n',
    't/a.partial.yaml.j2': 'a: 1\n',
    't/kubernetes/a.yaml.j2': '{% if a %}\na: 1\n{% endif %}\n',
    't/kubernetes/b.yaml.j2': 'b: 1\n',
    't/talos/c.yaml.j2': 'c: 1\n',
  };
  const [, render] = (await proposalOf({ ...files, '.gitignore': '/talos/\n' })).stages;
  assert.equal(render?.verify, [{ yaml: 'kubernetes/b.yaml' }, { yaml: 'talos/c.yaml' }]);
  assert.ok(
    render?.why.includes(
      'It renders into ai/worktree; to commit that yourself, once it is green: cp -R ai/worktree/kubernetes .',
    ),
  );
  const ignored = await proposalOf({ ...files, '.gitignore': '/talos/\n/kubernetes\n' });
  assert.not.match(ignored.stages[1]?.why.join(' ') ?? '', /It renders into/);
});

test('leaves that nothing needs may fail alone', async () => {
  const proposal = await proposalOf({
    'a/compose.yaml': 'services: {a: {image: a}}\n',
    'b/compose.yaml': 'services: {b: {image: b}}\n',
    'tf/main.tf': 'resource "a" "b" {}\n',
    'docs/setup-a.md': '`terraform -chdir=tf apply`, `docker compose -f a/compose.yaml up`\n',
    'docs/setup-b.md': '`terraform -chdir=tf apply`, `docker compose -f b/compose.yaml up`\n',
  });
  const skips = proposal.stages.map(({ name, on_failure }) => `${name} ${on_failure ?? 'halt'}`);
  assert.equal(skips, ['check halt', 'tf halt', 'a skip', 'b skip']);
});

test.run();
