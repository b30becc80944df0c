// Every tool that a model may ask, by name. Left out on purpose: what reads the text of any file (cat, grep), what sends to
// an address of its own choosing (curl, ssh), what starts other programs (bash, env, sudo, xargs), and what only writes.
import type { Tool } from './grammar.ts';
import { CONTAINERS, FLUX, HELM, TALOSCTL } from './tools/cluster.ts';
import { KUBECTL } from './tools/kubectl.ts';
import { GIT, MACHINE, PROXMOX } from './tools/machine.ts';

export const TOOLS: readonly Tool[] = [KUBECTL, TALOSCTL, FLUX, HELM, ...PROXMOX, GIT, ...CONTAINERS, ...MACHINE];

const BY_NAME: ReadonlyMap<string, Tool> = new Map(TOOLS.map((tool) => [tool.name, tool]));

export const findTool = (name: string): Tool | undefined => BY_NAME.get(name);

export const toolNames = (): string => [...BY_NAME.keys()].join(', ');

/** What may be asked, a tool a line: `kubectl get, describe, logs`. */
export function toolLines(): string[] {
  const alone = TOOLS.filter(({ verbs }) => verbs[0]?.words === '').map(({ name }) => name);
  const others = TOOLS.filter(({ name }) => !alone.includes(name));
  return [...others.map(({ name, verbs }) => `${name} ${shortly(verbs.map(({ words }) => words))}`), alone.join(', ')];
}

const MAX_LISTED = 3;

/** `rollout status, rollout history, get` → `rollout (status, history), get` */
function shortly(words: readonly string[]): string {
  const byFirst = new Map<string, string[]>();
  for (const verb of words) {
    const [first = '', ...rest] = verb.split(' ');
    byFirst.set(first, [...(byFirst.get(first) ?? []), rest.join(' ')]);
  }
  const shortened = [...byFirst].map(([first, rest]) => {
    const more = rest.filter((word) => word !== '');
    return more.length === 0 || more.length > MAX_LISTED ? first : `${first} (${more.join(', ')})`;
  });
  return shortened.join(', ');
}
