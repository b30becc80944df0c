// Proxmox: virtual machines, containers, storage. Its API is read at a few paths; others reach into guests.
import { matching, NAME, operands, type Tool, verbsWith } from '../grammar.ts';

const VMID = operands(matching('the number of a VM', /^\d{3,9}$/), 1, 1);
const NODE = '/nodes/[A-Za-z0-9][A-Za-z0-9-]{0,62}';
const PATHS = matching(
  'a path such as /cluster/resources or /nodes/<node>/qemu/<vmid>/config',
  new RegExp(
    `^(?:/version|/nodes|/storage|/pools|/cluster/(?:status|resources|tasks|ha/status/current|options)|${NODE}/(?:status|version|qemu|lxc|` +
      'storage|network|services|tasks|time|disks/list)|' +
      `${NODE}/(?:qemu|lxc)/\\d{3,9}/(?:config|pending|status/current|snapshot)|` +
      `${NODE}/tasks/UPID:[\\w.:@!-]{1,150}/(?:status|log))$`,
  ),
);

const verb = verbsWith();
const proxmox = (name: string, ...verbs: Tool['verbs'][]): Tool => ({ name, wholeWords: true, verbs: verbs.flat() });
const guests = (name: string): Tool =>
  proxmox(name, verb('list'), verb('status', '--verbose', VMID), verb('config, pending, listsnapshot', '', VMID));

export const PROXMOX: readonly Tool[] = [
  guests('qm'),
  guests('pct'),
  proxmox('pvesh', verb('get', '--output-format <json|json-pretty|yaml|text>', operands(PATHS, 1, 1))),
  proxmox('pvesm', verb('status'), verb('list', '', operands(NAME, 1, 1))),
  proxmox('pvecm', verb('status, nodes')),
  proxmox('pveversion', verb('', '-v --verbose')),
  { name: 'zpool', verbs: verb('status, list', '-v -x', { operand: matching('a pool', /^[A-Za-z][\w.-]*$/) }) },
  { name: 'zfs', verbs: verb('list', '-r -H', { operand: matching('a dataset', /^[A-Za-z][\w./-]*$/) }) },
];
