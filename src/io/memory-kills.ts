// What the kernel killed because a control group, as schedulers and containers make them, had used up its memory.
import { join } from 'node:path';
import { ifPossible, readText } from './store.ts';

/** How often that happened so far in the control group of this process; 0 where nobody counts it. */
export function memoryKills(root = '/'): number {
  const groups = ifPossible(() => readText(join(root, 'proc/self/cgroup'))) ?? '';
  const counters = [...groups.matchAll(/^\d+:(.*?):(.*)$/gm)].flatMap(([, controllers = '', path = '']) => {
    if (controllers === '') return [join(root, 'sys/fs/cgroup', path, 'memory.events')];
    const hasMemory = controllers.split(',').includes('memory');
    return hasMemory ? [join(root, 'sys/fs/cgroup/memory', path, 'memory.oom_control')] : [];
  });
  const kills = counters.map((file) => /^oom_kill (\d+)$/m.exec(ifPossible(() => readText(file)) ?? '')?.[1] ?? 0);
  return kills.reduce((sum: number, one) => sum + Number(one), 0);
}
