// Failures that no change to a repository mends, in the words of the tools; each happens to a sound repository of
// test/fixtures/mistakes. `words` says where they are from.

export interface Outside {
  readonly name: string;
  /** The mistake whose repository it happens to, mended. */
  readonly of: string;
  readonly words: string;
  readonly log: string;
  readonly exit_code: number;
}

export const OUTSIDE: readonly Outside[] = [
  {
    name: 'a state that another terraform has locked',
    of: 'terraform-validation',
    words: 'radius-project/radius#10179 (Error acquiring the state lock)',
    exit_code: 1,
    log: `Initializing the backend...
Initializing modules...
- vm in modules/vm

Terraform has been successfully initialized!
Success! The configuration is valid.


Error: Error acquiring the state lock

Error message: the state is already locked by another terraform client
Lock Info:
  ID:        3d20d141-88c4-bb14-d677-88c5c9ec329a
  Path:
  Operation: OperationTypeApply
  Who:       ops@workbench
  Version:   1.11.4
  Created:   2026-11-12 21:13:45.004096153 +0000 UTC
  Info:


Terraform acquires a state lock to protect the state from being written
by multiple users at the same time. Please resolve the issue above and try
again. For most commands, you can disable locking with the "-lock=false"
flag, but this is not recommended.
`,
  },
  {
    name: 'a release that an interrupted helm left pending',
    of: 'helm-schema',
    words: 'helm/helm#8987 and #10549 (another operation is in progress)',
    exit_code: 1,
    log: `Adding repo cilium https://helm.cilium.io
"cilium" has been added to your repositories

Adding repo jetstack https://charts.jetstack.io
"jetstack" has been added to your repositories

Upgrading release=cert-manager, chart=jetstack/cert-manager

FAILED RELEASES:
NAME           CHART                   VERSION   DURATION
cert-manager   jetstack/cert-manager   v1.17.1         1s

in ./helmfile.yaml: failed processing release cert-manager: command "/usr/local/bin/helm" exited with non-zero status:

ERROR:
  exit status 1

COMBINED OUTPUT:
  Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress
`,
  },
  {
    name: 'a package manager that was interrupted on one host',
    of: 'ansible-handler-name',
    words: 'openebs/openebs#525 and ansible/ansible#8825 (dpkg was interrupted)',
    exit_code: 2,
    log: `
PLAY [Base settings on every machine] ******************************************

TASK [base : Create the staging folder] ****************************************
ok: [nuc1]
ok: [nuc2]
ok: [nas]
ok: [pi4-1]

TASK [base : Write timesyncd.conf] *********************************************
changed: [nuc1]
changed: [nuc2]
changed: [pi4-1]
fatal: [nas]: FAILED! => {"changed": false, "msg": "'/usr/bin/apt-get -y -o \\"Dpkg::Options::=--force-confdef\\" install 'python3-apt'' failed: E: dpkg was interrupted, you must manually run 'dpkg --configure -a' to correct the problem. \\n", "rc": 100, "stderr": "E: dpkg was interrupted, you must manually run 'dpkg --configure -a' to correct the problem. \\n", "stdout": ""}

PLAY RECAP *********************************************************************
nas                        : ok=1    changed=0    unreachable=0    failed=1    skipped=0    rescued=0    ignored=0   
nuc1                       : ok=2    changed=1    unreachable=0    failed=0    skipped=0    rescued=0    ignored=0   
nuc2                       : ok=2    changed=1    unreachable=0    failed=0    skipped=0    rescued=0    ignored=0   
pi4-1                      : ok=2    changed=1    unreachable=0    failed=0    skipped=0    rescued=0    ignored=0   
`,
  },
  {
    name: 'a cluster that was bootstrapped before',
    of: 'talos-kubespan-level',
    words: 'siderolabs/talos#4136 (etcd data directory is not empty)',
    exit_code: 201,
    log: `task: [talos:generate-config] talhelper genconfig --env-file talenv.yaml
generated config for k8s-1 in ./clusterconfig/home-k8s-1.yaml
generated config for k8s-2 in ./clusterconfig/home-k8s-2.yaml
generated config for k8s-3 in ./clusterconfig/home-k8s-3.yaml
generated client config in ./clusterconfig/talosconfig
task: [bootstrap:talos] /home/ops/homelab/ai/worktree/scripts/apply-all.sh
error executing bootstrap: rpc error: code = AlreadyExists desc = etcd data directory is not empty
task: Failed to run task "bootstrap:talos": exit status 1
`,
  },
  {
    name: 'a graphics driver that is not loaded on the host',
    of: 'compose-variable-name',
    words: 'NVIDIA/nvidia-docker#1252 and HonuRobotics/dockwater#10 (nvidia-container-cli: initialization error)',
    exit_code: 1,
    log: `Creating network "media_default" with the default driver
Creating media_qbittorrent_1 ... done
Creating media_jellyfin_1    ... error

ERROR: for media_jellyfin_1  Cannot start service jellyfin: OCI runtime create failed: runc create failed: unable to start container process: error during container init: error running hook #0: error running hook: exit status 1, stdout: , stderr: nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown
Encountered errors while bringing up the project.
`,
  },
];
