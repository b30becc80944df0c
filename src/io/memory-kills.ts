// What the kernel killed because the control group that Slurm makes for a job had used up its memory.
import { join } from 'node:path';
import { ifPossible, readText } from './store.ts';

/** How often that happened so far to `job`, by its number; 0 where it has no group of its own, for others are counted there too. */
export function memoryKills(job: string | undefined, root = '/'): number {
  const groups = ifPossible(() => readText(join(root, 'proc/self/cgroup'))) ?? '';
  const counters = [...groups.matchAll(/^\d+:(.*?):(.*)$/gm)].flatMap(([, controllers = '', path = '']) => {
    if (!path.split('/').includes(`job_${job}`)) return [];
    if (controllers === '') return [join(root, 'sys/fs/cgroup', path, 'memory.events')];
    const hasMemory = controllers.split(',').includes('memory');
    return hasMemory ? [join(root, 'sys/fs/cgroup/memory', path, 'memory.oom_control')] : [];
  });
  const kills = counters.map((file) => /^oom_kill (\d+)$/m.exec(ifPossible(() => readText(file)) ?? '')?.[1] ?? 0);
  return kills.reduce((sum: number, one) => sum + Number(one), 0);
}
