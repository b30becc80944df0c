// Proxmox: virtual machines, containers, storage. Its API is read at a few paths; others reach into guests.
import { matching, NAME, on, oneOf, type Tool, taking, verbs } from '../grammar.ts';

const VMID = { operand: matching('the number of a VM', /^\d{3,9}$/), count: [1, 1] as const };
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

const guests = (name: string): Tool => ({
  name,
  wholeWords: true,
  verbs: [
    { words: 'list' },
    { words: 'status', flags: on('--verbose'), ...VMID },
    ...verbs('config pending', VMID),
    { words: 'listsnapshot', ...VMID },
  ],
});

export const PROXMOX: readonly Tool[] = [
  guests('qm'),
  guests('pct'),
  {
    name: 'pvesh',
    wholeWords: true,
    verbs: [
      {
        words: 'get',
        flags: taking(oneOf('json json-pretty yaml text'), '--output-format'),
        ...{ operand: PATHS, count: [1, 1] },
      },
    ],
  },
  {
    name: 'pvesm',
    wholeWords: true,
    verbs: [{ words: 'status' }, { words: 'list', operand: NAME, count: [1, 1] }],
  },
  { name: 'pvecm', wholeWords: true, verbs: verbs('status nodes') },
  { name: 'pveversion', wholeWords: true, verbs: [{ words: '', flags: on('-v --verbose') }] },
  {
    name: 'zpool',
    verbs: [...verbs('status list', { flags: on('-v -x'), operand: matching('a pool', /^[A-Za-z][\w.-]*$/) })],
  },
  {
    name: 'zfs',
    verbs: [{ words: 'list', flags: on('-r -H'), operand: matching('a dataset', /^[A-Za-z][\w./-]*$/) }],
  },
];
