#!/usr/bin/env bash
# Destroys every virtual machine of config/proxmox/vms.tsv and its disks. For a person at a terminal; no stage runs this.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

[[ -t 0 && -t 1 ]] || {
  echo 'refused: this script only runs at a terminal' >&2
  exit 1
}
command -v qm >/dev/null || {
  echo 'refused: run this on the Proxmox node itself' >&2
  exit 1
}

node=$(hostname -s)
vms=$(awk -F'\t' '!/^#/ && NF { print $1 }' config/proxmox/vms.tsv)
echo "On $node these virtual machines and all their disks will be destroyed:"
# shellcheck disable=SC2086 # one line per machine
printf '  %s\n' $vms
read -r -p "Type the name of this node to go on: " answer
[[ $answer == "$node" ]] || {
  echo 'refused: that is not the name of this node; nothing was touched' >&2
  exit 1
}
for vmid in $vms; do
  qm config "$vmid" >/dev/null 2>&1 || continue
  qm stop "$vmid"
  qm destroy "$vmid" --purge 1 --destroy-unreferenced-disks 1
done
