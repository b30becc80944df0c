// Lines as they are in every log, full of things that look random and must stay readable.
import { letters, uuid } from './fill.ts';

const pick = <T>(roll: () => number, of: readonly T[]): T => of[Math.floor(roll() * of.length)] as T;

const MAKERS: readonly ((roll: () => number) => string)[] = [
  (r) => `HEAD is now at ${letters('hex', 7, r)} Merge branch 'main' of git.lab:infra`,
  (r) => `commit ${letters('hex', 40, r)}`,
  (r) => `Digest: sha256:${letters('hex', 64, r)}`,
  (r) => `pulled ghcr.io/fluxcd/source-controller:v1.${Math.floor(r() * 9)}.0@sha256:${letters('hex', 64, r)} in 1.2s`,
  (r) => `${letters('hex', 64, r)}  talos-amd64.iso`,
  (r) => `"integrity": "sha512-${letters('b64', 86, r)}==",`,
  (r) => `ED25519 key fingerprint is SHA256:${letters('b64', 43, r)}.`,
  (r) => `proxmox_vm_qemu.cp[0]: Creation complete after 42s [id=pve1/qemu/${Math.floor(r() * 900)}]`,
  (r) => `request id ${uuid(r)} took 12 ms`,
  (r) => `pod/coredns-${letters('hex', 10, r)}-${letters('low', 5, r)} condition met`,
  (r) => `UPID:pve1:000A1B2C:0123ABCD:6600${letters('hex', 4, r).toUpperCase()}:qmstart:100:root@pam:`,
  (r) =>
    `2026-11-16T05:${10 + Math.floor(r() * 49)}:07.${Math.floor(r() * 999)}Z INFO  reconcile finished name=apps revision=main@sha1:${letters('hex', 40, r)}`,
  (r) => `net0: virtio=BC:24:11:${letters('hex', 2, r)}:${letters('hex', 2, r)}:0F,bridge=vmbr0,tag=20`,
  () => 'error: secret "sops-age" not found in namespace flux-system',
  () => 'Error from server (Forbidden): secrets is forbidden: User "system:node:cp1" cannot list resource "secrets"',
  () => "sh: 12: Syntax error: unexpected token: 'fi'",
  () => 'yaml: line 12: did not find expected key: mapping values are not allowed here',
  () => 'passwd: password updated successfully',
  () => 'Password authentication is disabled to avoid man-in-the-middle attacks.',
  () => 'secretName: web-tls',
  () => '        key: node-role.kubernetes.io/control-plane',
  () =>
    'I1116 05:12:44.123456       1 leaderelection.go:250] attempting to acquire leader lease kube-system/kube-controller-manager',
  () => 'fatal: Authentication failed for https://git.lab/infra/homelab.git/',
  () => '+ talosctl -n 10.0.0.11 -e 10.0.0.10 apply-config --insecure -f /tmp/controlplane.yaml',
  () => 'curl: (7) Failed to connect to pve1.lan port 8006 after 1203 ms: Connection refused',
  () => 'npm warn deprecated glob@7.2.3: Glob versions prior to v9 are no longer supported',
  () => 'max_tokens: 4096, temperature: 0.2, num_ctx: 16384',
  () => '/var/run/secrets/kubernetes.io/serviceaccount/token: no such file or directory',
  () => 'export KUBECONFIG=/srv/lab/out/kubeconfig',
  () => '  - name: DB_PASSWORD\n    valueFrom:\n      secretKeyRef:',
  () => 'x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error")',
  () => 'wg0: peer 10.6.0.2/32, latest handshake 1 minute, 12 seconds ago',
  (r) => `etcd member ${letters('hex', 16, r)} is healthy: committed proposal: took = 9.4ms`,
  (r) => `resourceVersion: "${Math.floor(r() * 1e9)}"  uid: ${uuid(r)}`,
  (r) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${letters('b64', 43, r)} root@pve1`,
  (r) => `PublicKey = ${letters('b64', 43, r)}=`,
  (r) => `recipient: age1${letters('low', 58, r)}`,
  (r) =>
    `${pick(r, ['node', 'vm', 'disk'])} ${pick(r, ['cp1', 'wk2', 'pve1'])}: ${pick(r, ['ok', 'unhealthy', 'timed out'])} after ${Math.floor(r() * 90)}s`,
];

/** `count` lines, each kind as often as any other. */
export const ordinaryLines = (count: number, roll: () => number): string[] =>
  Array.from({ length: count }, (_, i) => (MAKERS[i % MAKERS.length] as (typeof MAKERS)[number])(roll));
