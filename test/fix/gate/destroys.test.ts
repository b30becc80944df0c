// What a file would take away for good: commands and tasks that must be found, and others that must not.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the shell
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { destroyingIn, newDestroying } from '../../../src/fix/gate/destroys.ts';
import { fc, runs } from '../../sweep.ts';
import { parse } from './homelab.ts';

const found = (path: string, text: string): string[] =>
  destroyingIn(path, text, parse).map(({ line, words, guarded }) => `${line} ${words}${guarded ? ' (guarded)' : ''}`);

const DESTROY = [
  'rm -rf /srv/data',
  'rm -r ~/.kube',
  'rm --recursive "$HOME/lab"',
  'sudo rm -rf /',
  'rm -fr .',
  'kubectl delete namespace apps',
  'kubectl -n apps delete pvc data',
  '"$KUBECTL" delete namespace web',
  'kubectl delete pvc --all',
  'xargs kubectl delete pvc',
  "ssh pve1 'qm destroy 100 --purge'",
  'ssh pve1 qm destroy 100',
  'flux uninstall --silent',
  'flux -n apps --timeout 5m delete kustomization web',
  'talosctl reset --graceful=false',
  'talosctl -n 10.0.0.1 reset',
  'talosctl upgrade --wipe-mode=all',
  'qm destroy 100',
  'qm rollback 100 before',
  'pct destroy 100',
  'pvesh delete /nodes/pve/qemu/100',
  'zfs destroy tank/a',
  'zpool destroy tank',
  'zpool create -f tank /dev/sdb',
  'terraform destroy -auto-approve',
  'tofu -chdir=tf destroy',
  'terraform apply -destroy',
  'terraform state rm a',
  'pulumi destroy',
  'helm uninstall web',
  'helm un web',
  'docker system prune -af',
  'docker volume rm data',
  'docker compose -f a.yaml down -v',
  'docker-compose down --volumes',
  'mkfs.ext4 /dev/sdb1',
  'wipefs -a /dev/sdb',
  'dd if=/dev/zero of=/dev/sdb',
  'sgdisk --zap-all /dev/sdb',
  'parted -s /dev/sdb mklabel gpt',
  'lvremove -f vg/a',
  'vgremove vg',
  'etcdctl del a --prefix',
  'restic forget --keep-last 1 --prune',
  'git clean -fdx',
  'git reset --hard origin/main',
  'git push --force',
  'git push origin :main',
  'find /srv -name a -delete',
  'shred -u a',
  'truncate -s 0 a.db',
  'dropdb a',
  "psql -c 'DROP TABLE a'",
  'psql <<EOF\nTRUNCATE a;\nEOF',
  'echo "DROP DATABASE a" | mysql',
  'ceph osd purge 1 --yes-i-really-mean-it',
  'k3s-uninstall.sh',
  '/usr/local/bin/k3s-agent-uninstall.sh',
  './wipe_proxmox.sh',
  'kubeadm reset -f',
  'btrfs subvolume delete a',
  'velero backup delete a',
  'aws s3 rm --recursive s3://a',
  'curl -X DELETE http://a.lan/vm',
  'cat a > /dev/sda',
  'cmd=rm; $cmd -rf /srv/a',
  'run() { "$@"; }; run rm -rf /srv/a',
  "bash -c 'if true; then rm -rf /srv/a; fi'",
  'if a; then b; else zpool destroy tank; fi',
  "python3 -c 'shutil.rmtree(a)'",
];

const KEEP = [
  'rm -f /srv/a.pid',
  'rm -rf build',
  'rm -rf /tmp/build',
  'rm -rf "$tmp"',
  'rm -rf /var/lib/apt/lists/*',
  'ls -r /srv',
  'kubectl delete pod web',
  'kubectl -n metallb-system delete rs "$OLD"',
  'kubectl delete job/migrate --ignore-not-found',
  'kubectl get pods',
  'kubectl apply -f delete.yaml',
  'echo kubectl delete namespace apps',
  'log "qm destroy 100"',
  "grep 'DROP TABLE' a.sql",
  "psql -c 'SELECT 1'",
  'apt-get purge -y snapd',
  'git reset HEAD a',
  'git push origin main',
  'git checkout main',
  'docker compose down',
  'docker rm -f web',
  'docker volume ls',
  'helm upgrade --install web chart',
  'terraform apply -auto-approve',
  'terraform plan -destroy-time=1',
  'dd if=/dev/zero of=/tmp/swap bs=1M',
  'dd if=a of=/dev/null',
  'zpool create tank /dev/sdb',
  'parted -l',
  'wipefs /dev/sdb',
  'sfdisk -l /dev/sda',
  'find . -name a',
  'find a -name b -delete',
  'truncate -s 10G disk.img',
  'restic forget --keep-last 3',
  'curl -X POST http://a.lan/delete',
  'clean() { log a; }; clean delete all',
  'make reset',
  'reset',
  'cat <<EOF\nrm -rf /srv\nEOF',
  '# rm -rf /srv',
];

for (const text of DESTROY) test(`destroys: ${text}`, () => assert.is(found('run.sh', text).length > 0, true));
for (const text of KEEP) test(`takes nothing away: ${text}`, () => assert.equal(found('run.sh', text), []));

test('what only looks like a command, or is another language, is not run', () => {
  assert.equal(found('values.yaml', 'a: kubectl delete namespace apps\n'), []);
  assert.equal(found('README.md', 'kubectl delete namespace apps\n'), []);
  assert.equal(found('run.py', 'kubectl delete namespace apps\n'), []);
  assert.equal(found('tool', '#!/usr/bin/env python3\nkubectl delete namespace apps\n'), []);
});

const PLAY = `- hosts: all
  tasks:
    - kubernetes.core.k8s: { name: a, state: absent }
    - filesystem: { dev: /dev/sdb, force: true }
      when: wipe
    - block:
        - docker_volume: { name: a, state: absent }
      when: wipe
    - kubernetes.core.helm_repository: { name: a, state: absent }
    - kubernetes.core.k8s: { name: a, state: present }
    - file: { path: a, state: absent }
    - file: path=/srv/data state=absent
    - ansible.builtin.shell: kubectl delete namespace {{ name }}
      when: wipe
    - command: { cmd: zpool destroy tank }
    - community.general.parted: { device: /dev/sdb, state: absent }
    - command:
        argv: [echo, a]
    - shell: |
        set -e
        kubectl delete namespace b
`;

test('tasks of Ansible that remove what holds data or format it, and commands in them, and whether a condition guards them', () => {
  assert.equal(found('site.yml', PLAY), [
    '3 k8s state: absent',
    '4 filesystem force: true (guarded)',
    '7 docker_volume state: absent (guarded)',
    '12 file state: absent',
    '13 kubectl delete namespace … (guarded)',
    '15 zpool destroy tank',
    '16 parted state: absent',
    '21 kubectl delete namespace b',
  ]);
});

const FILES: [path: string, text: string, ...found: string[]][] = [
  ['Makefile', 'down:\n\techo a\n\t@$(KUBECTL) delete ns \\\n\t\tapps\nup:\n\ttrue\n', '3 $KUBECTL delete ns apps'],
  ['justfile', 'down:\n  @qm destroy {{id}}\n', '2 qm destroy …'],
  [
    'Taskfile.yml',
    'tasks:\n  down:\n    cmds:\n      - cmd: zpool destroy a\n      - zfs destroy b\n  x: zfs destroy c\n',
    '4 zpool destroy a',
    '5 zfs destroy b',
    '6 zfs destroy c',
  ],
  ['package.json', '{"scripts": {"down": "pulumi destroy"}}', '1 pulumi destroy'],
  ['.gitlab-ci.yml', 'a:\n  script:\n    - echo a\n    - zfs destroy b\n', '4 zfs destroy b'],
  [
    'app/Dockerfile',
    'FROM debian\nRUN apt-get update && \\\n  rm -rf /var/lib/apt/lists/*\nRUN rm -rf /srv\n',
    '4 rm -rf /srv',
  ],
  [
    'pod.yaml',
    'kind: Pod\nspec:\n  containers:\n    - command: [sh, -c]\n      args: ["rm -rf /data"]\n    - command: [redis-cli, FLUSHALL]\n',
    '5 rm -rf /data',
    '6 redis-cli FLUSHALL',
  ],
  ['compose.yaml', 'services:\n  a:\n    command: sh -c "rm -rf /data"\n', '3 rm -rf /data'],
  ['chart/templates/job.yaml', 'args:\n{{- if .a }}\n  - -c\n  - rm -rf /data\n{{- end }}\n', '3 rm -rf /data'],
  ['user-data.yaml', 'runcmd:\n  - [zpool, destroy, a]\n  - zfs destroy b\n', '2 zpool destroy a', '3 zfs destroy b'],
];

for (const [path, text, ...expected] of FILES)
  test(`${path}: what runs in it, with its line`, () => assert.equal(found(path, text), expected));

test('new is what was not there, or not as often', () => {
  const before = 'zfs destroy a\nzfs destroy b\n';
  const added = (after: string) =>
    newDestroying({ path: 'a.sh', before, after }, parse).map(({ line, words }) => `${line} ${words}`);
  assert.equal(added(`# moved\n${before}`), []);
  assert.equal(added('zfs destroy b\n'), []);
  assert.equal(added(`${before}zfs destroy a\n`), ['3 zfs destroy a']);
  assert.equal(added('zfs destroy a -r\nzfs destroy b\n'), ['1 zfs destroy a -r']);
  assert.equal(newDestroying({ path: 'a.sh', before: null, after: before }, parse).length, 2);
});

test('whatever a file is, reading it comes to an end without an error', () => {
  const piece = fc.constantFrom(
    '- ',
    'shell: ',
    'rm -rf /',
    '\n',
    '  ',
    '{',
    '[',
    '"',
    "'",
    '$(',
    ')',
    '&a',
    '*a',
    '|',
    '<<E',
    '\t',
    '\\',
  );
  const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
  const path = fc.constantFrom('a.sh', 'a.yaml', 'Makefile', 'justfile', 'Dockerfile', 'package.json', 'a');
  fc.assert(
    fc.property(path, text, (at, given) => void destroyingIn(at, given, parse)),
    runs(300, 10_000),
  );
});

test.run();
