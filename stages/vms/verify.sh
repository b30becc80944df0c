#!/usr/bin/env bash
# Every virtual machine of config/proxmox/vms.tsv runs.
set -euo pipefail
# shellcheck source=stages/lib.sh
. stages/lib.sh
need_qm

failed=0
while IFS=$'\t' read -r vmid name _ <&3; do
  [[ -n $vmid && $vmid != \#* ]] || continue
  status=$(pve_qm status "$vmid") || status='status: missing'
  echo "$name ($vmid): ${status#status: }"
  [[ $status == 'status: running' ]] || failed=1
done 3<config/proxmox/vms.tsv
exit "$failed"
