import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryKills } from '../../src/io/memory-kills.ts';
import { folder } from '../environment.ts';

function machine(files: Record<string, string>): string {
  const root = folder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const FIRST = {
  'proc/self/cgroup': '5:devices:/\n4:cpu,memory:/slurm_n1/job_1/task_0\n0::/\n',
  'sys/fs/cgroup/memory/slurm_n1/job_1/task_0/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n',
  'sys/fs/cgroup/memory.events': 'oom_kill 7\n',
};
const SECOND = {
  'proc/self/cgroup': '0::/system.slice/job_1/task_0\n',
  'sys/fs/cgroup/system.slice/job_1/task_0/memory.events': 'low 0\noom 4\noom_kill 3\noom_group_kill 9\n',
};

test('kills for memory are read from the control group of the job, of either version, and are 0 without one', () => {
  const without = { 'proc/self/cgroup': '4:memory:/\n0::/\n' };
  assert.equal(
    [FIRST, SECOND, without, {}].map((files) => memoryKills('1', machine(files))),
    [2, 3, 0, 0],
  );
});

test("kills in a control group that others share are nobody's in particular", () => {
  const shared = {
    'proc/self/cgroup': '0::/system.slice/slurmd.service\n',
    'sys/fs/cgroup/system.slice/slurmd.service/memory.events': 'oom_kill 3\n',
  };
  assert.equal([memoryKills('1', machine(shared)), memoryKills(undefined, machine(shared))], [0, 0]);
  assert.equal([memoryKills('2', machine(FIRST)), memoryKills(undefined, machine(SECOND))], [0, 0]);
});

test.run();
