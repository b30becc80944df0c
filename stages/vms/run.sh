#!/usr/bin/env bash
# Creates the virtual machines of config/proxmox/vms.tsv that are missing, and starts those that are not running.
set -euo pipefail
# shellcheck source=stages/lib.sh
. stages/lib.sh
need_qm
# shellcheck source=config/proxmox/host.conf
. config/proxmox/host.conf

create() {
  pve_qm create "$vmid" --name "$name" --tags "talos,$role" --ostype l26 --machine q35 \
    --cpu host --cores "$cores" --memory "$memory" --balloon 0 \
    --scsihw virtio-scsi-single --scsi0 "$storage:$disk,discard=on,iothread=1,ssd=1" \
    --ide0 "$storage:cloudinit" --ide2 "$image,media=cdrom" --boot 'order=scsi0;ide2' \
    --net0 "virtio,bridge=$bridge" --ipconfig0 "ip=$address/$prefix,gw=$gateway" --nameserver "$nameserver" \
    --agent enabled=1 --onboot 1
}

present=$(pve_qm list)
: >"$MENDLOOP_OUT/nodes.tsv.new"
while IFS=$'\t' read -r vmid name role cores memory disk address <&3; do
  [[ -n $vmid && $vmid != \#* ]] || continue
  state=$(awk -v vmid="$vmid" '$1 == vmid { print $3 }' <<<"$present")
  [[ -n $state ]] || create
  [[ $state == running ]] || pve_qm start "$vmid"
  echo "$name ($vmid): was ${state:-missing}, is running"
  printf '%s\t%s\t%s\n' "$role" "$name" "$address" >>"$MENDLOOP_OUT/nodes.tsv.new"
done 3<config/proxmox/vms.tsv
mv "$MENDLOOP_OUT/nodes.tsv.new" "$MENDLOOP_OUT/nodes.tsv"
