// YAML drawn as trees and written in every style: a forbidden act never applies, wherever it hangs; and the gate always answers.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify, type ToStringOptions } from 'yaml';
import { fc, runs } from '../../sweep.ts';
import { edit, judge, rulesFor, verdictOf } from './homelab.ts';
import { ACTS, disguised } from './scripts.ts';

type Tree = Record<string, unknown>;

const style: fc.Arbitrary<ToStringOptions> = fc.record({
  defaultStringType: fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED'),
  collectionStyle: fc.constantFrom('block', 'any', 'flow'),
  lineWidth: fc.constantFrom(0, 40, 100),
  indent: fc.constantFrom(2, 4),
});

const word = fc.constantFrom(
  'web',
  'db',
  'a b',
  'yes',
  '10m',
  '{{ name }}',
  '1.2.3',
  'x: y',
  '# no',
  '',
  'ghcr.io/home/web',
);
const { values } = fc.letrec<{ values: unknown }>((tie) => ({
  values: fc.oneof(
    { maxDepth: 3 },
    word,
    fc.integer({ min: 0, max: 9_999 }),
    fc.boolean(),
    fc.array(tie('values'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('name', 'value', 'port', 'host', 'labels', 'size', 'items'), tie('values'), {
      maxKeys: 3,
    }),
  ),
}));

const TASKS: Tree[] = [
  { name: 'Write it', 'ansible.builtin.template': { src: 'a.j2', dest: '/etc/app/a.conf' } },
  { name: 'Start it', 'ansible.builtin.systemd': { name: 'app', state: 'restarted' }, when: 'app is defined' },
  { name: 'Look', 'ansible.builtin.command': 'kubectl get nodes', register: 'nodes', changed_when: false },
  { name: 'Wait', 'ansible.builtin.wait_for': { port: 6443, timeout: 300 } },
];
const tasks = fc.array(fc.constantFrom(...TASKS), { minLength: 1, maxLength: 4 });

/** The list with one more, at a place. */
const withOne = <T>(list: readonly T[], one: T, at: number): T[] => list.toSpliced(at % (list.length + 1), 0, one);

const command = (families: readonly string[]) =>
  fc
    .constantFrom(...families.flatMap((family) => ACTS[family] ?? []))
    .chain((act) => disguised(act, 1).map((text) => ({ act, text })));

const runTask = command(Object.keys(ACTS)).chain(({ act, text }) =>
  fc.constantFrom<Tree>(
    { name: 'More', 'ansible.builtin.shell': text },
    { name: 'More', shell: text },
    { name: 'More', 'ansible.builtin.shell': { cmd: text, chdir: '/srv' } },
    { name: 'More', 'ansible.builtin.command': { argv: act } },
    { name: 'More', command: act.join(' ') },
    { name: 'More', 'ansible.builtin.raw': text },
    { name: 'More', block: [{ 'ansible.builtin.shell': text }] },
  ),
);
const moduleTask = fc.constantFrom<Tree>(
  { name: 'More', 'ansible.builtin.file': { path: '/srv/data', state: 'absent' } },
  { name: 'More', file: { state: 'absent', path: '{{ data }}' } },
  { name: 'More', 'community.general.filesystem': { dev: '/dev/sdb', fstype: 'ext4', force: true } },
  { name: 'More', 'ansible.builtin.apt': { name: 'nginx' } },
  { name: 'More', 'ansible.builtin.user': { name: 'mine', groups: 'sudo' } },
  { name: 'More', 'ansible.builtin.cron': { name: 'mine', job: '/opt/mine' } },
  { name: 'More', 'ansible.builtin.command': 'kubectl get nodes', ignore_errors: true },
  { name: 'More', 'ansible.builtin.command': 'kubectl get nodes', failed_when: false },
  { name: 'More', 'kubernetes.core.k8s': { kind: 'Namespace', name: 'apps', state: 'absent' } },
);

const play = (list: readonly Tree[], where: string): Tree[] => [{ hosts: 'all', become: true, [where]: list }];
const PATH = 'playbook.yml';

test('playbooks: a forbidden task never applies', () => {
  const where = fc.constantFrom('tasks', 'pre_tasks', 'post_tasks', 'handlers');
  fc.assert(
    fc.property(tasks, fc.oneof(runTask, moduleTask), where, fc.nat(), style, (list, task, key, at, options) => {
      const [before, after] = [play(list, key), play(withOne(list, task, at), key)].map((tree) =>
        stringify(tree, options),
      );
      const change = edit(PATH, after as string, before as string);
      assert.is.not(verdictOf(judge([change], rulesFor(PATH))), 'apply', change.after);
    }),
    runs(125, 30_000),
  );
});

const workload = (container: Tree, more: unknown): Tree => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    replicas: 2,
    template: { spec: { containers: [{ name: 'web', image: 'ghcr.io/home/web:1', ...container }] } },
    more,
  },
});

test('workloads: a container that destroys or sends never applies', () => {
  const path = 'apps/web/deployment.yaml';
  const started = command(['destroys', 'sends']).chain(({ act, text }) =>
    fc.constantFrom<Tree>(
      { command: ['sh', '-c', text] },
      { command: ['/bin/bash'], args: ['-ec', text] },
      { command: act },
      { lifecycle: { preStop: { exec: { command: ['sh', '-c', text] } } } },
    ),
  );
  fc.assert(
    fc.property(started, values, style, (container, more, options) => {
      const [before, after] = [workload({}, more), workload(container, more)].map((tree) => stringify(tree, options));
      const change = edit(path, after as string, before as string);
      assert.is.not(verdictOf(judge([change], rulesFor(path))), 'apply', change.after);
    }),
    runs(100, 30_000),
  );
});

test('any values become any others, in any style: the gate answers', () => {
  const path = 'apps/web/values.yaml';
  fc.assert(
    fc.property(values, values, style, style, (before, after, one, other) => {
      const verdict = judge([edit(path, stringify(after, other), stringify(before, one))], rulesFor(path));
      assert.ok(['apply', 'ask', 'refuse'].includes(verdictOf(verdict)));
    }),
    runs(125, 30_000),
  );
});

test('another number or version in values applies, in any style', () => {
  const path = 'apps/web/values.yaml';
  fc.assert(
    fc.property(
      values,
      style,
      fc.integer({ min: 1, max: 99 }),
      fc.integer({ min: 100, max: 999 }),
      (more, options, from, to) => {
        const text = (n: number) =>
          stringify({ version: `1.${n}.0`, resources: { limits: { memory: `${n}Mi` } }, more }, options);
        assert.equal(judge([edit(path, text(to), text(from))], rulesFor(path)), { ok: true });
      },
    ),
    runs(80, 10_000),
  );
});

test.run();
