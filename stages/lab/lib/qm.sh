# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2034,SC2154
# What the simulated qm does. A machine is vms/<vmid>/: config, status, started, and disk/ once something is on it.

CONFIG_OPTIONS='name tags description ostype machine bios cpu cores sockets memory balloon numa scsihw boot agent onboot
  startup vga serial0 nameserver searchdomain ciuser sshkeys cicustom citype protection template
  scsi0 scsi1 virtio0 virtio1 sata0 ide0 ide1 ide2 ide3 efidisk0 tpmstate0 net0 net1 ipconfig0 ipconfig1'

usage() {
  echo 'USAGE: qm <COMMAND> [ARGS] [OPTIONS]'
  echo
  printf '       qm %s\n' 'config <vmid> [OPTIONS]' 'create <vmid> [OPTIONS]' 'destroy <vmid> [OPTIONS]' 'list [OPTIONS]' \
    'set <vmid> [OPTIONS]' 'shutdown <vmid> [OPTIONS]' 'start <vmid> [OPTIONS]' 'status <vmid> [OPTIONS]' \
    'stop <vmid> [OPTIONS]' 'help [<extra-args>] [OPTIONS]'
}

abort() {
  echo "ERROR: $1" >&2
  usage >&2
  exit 255
}

# Proxmox answers a bad call with the reason and the command's short usage.
bad_call() {
  printf '%s\n' "$@" >&2
  if [[ $verb == list ]]; then echo 'qm list [OPTIONS]'; else echo "qm $verb <vmid> [OPTIONS]"; fi >&2
  exit 255
}

bad_parameter() { bad_call '400 Parameter verification failed.' "$1: $2"; }

fail() {
  echo "$1" >&2
  exit "${2:-255}"
}

declare -A OPTION=()
read_options() {
  local allowed=" ${1//$'\n'/ } " name value
  shift
  vmid=''
  while (($#)); do
    case $1 in
      -*)
        name=${1#-}
        name=${name#-}
        value=${name#*=}
        name=${name%%=*}
        [[ $allowed == *" $name "* ]] || bad_call "Unknown option: $name" '400 unable to parse option'
        if [[ $1 != *=* ]]; then
          (($# > 1)) || bad_call "Option $name requires an argument" '400 unable to parse option'
          value=$2
          shift
        fi
        OPTION[$name]=$value
        ;;
      *)
        [[ -z $vmid && $verb != list ]] || bad_call '400 too many arguments'
        vmid=$1
        ;;
    esac
    shift
  done
  [[ $verb != list ]] || return 0
  [[ -n $vmid ]] || bad_call '400 not enough arguments'
  [[ $vmid =~ ^[0-9]+$ ]] || bad_parameter vmid "type check ('integer') failed - got '$vmid'"
  ((vmid >= 100)) || bad_parameter vmid 'value must have a minimum value of 100'
  VM=$LAB/vms/$vmid
}

need_vm() { [[ -d $VM ]] || fail "Configuration file 'nodes/pve/qemu-server/$vmid.conf' does not exist" 2; }

list() {
  local vm pid size
  set -- "$LAB"/vms/*/
  [[ -d $1 ]] || return 0
  printf '%10s %-20s %-10s %-10s %12s %-10s\n' VMID NAME STATUS 'MEM(MB)' 'BOOTDISK(GB)' PID
  for vm in "$@"; do
    vm=${vm%/}
    size=$(config_of "$vm" scsi0)
    size=${size##*size=}
    pid=0
    [[ $(<"$vm/status") != running ]] || pid=$((20000 + ${vm##*/}))
    printf '%10s %-20s %-10s %-10s %12.2f %-10s\n' "${vm##*/}" "$(config_of "$vm" name)" "$(<"$vm/status")" \
      "$(config_of "$vm" memory)" "${size%%[!0-9]*}" "$pid"
  done
}

config_of() {
  local line
  while IFS= read -r line; do [[ $line != "$2: "* ]] || echo "${line#*: }"; done <"$1/config"
}

number() { [[ ${OPTION[$1]-$2} =~ ^[0-9]+$ ]] || bad_parameter "$1" "type check ('integer') failed - got '${OPTION[$1]}'"; }

check_options() {
  local name storage
  number memory 512
  number cores 1
  ((${OPTION[memory]-512} >= 16)) || bad_parameter memory 'value must have a minimum value of 16'
  ((${OPTION[cores]-1} >= 1)) || bad_parameter cores 'value must have a minimum value of 1'
  [[ ${OPTION[name]-x} =~ ^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$ ]] ||
    bad_parameter name "invalid format - value does not look like a valid DNS name"
  [[ ${OPTION[ipconfig0]-ip=dhcp} =~ (^|,)ip=(dhcp|[0-9]+(\.[0-9]+){3}/[0-9]+)(,|$) ]] ||
    bad_parameter ipconfig0 "invalid format - format error"$'\n'"ipconfig0.ip: value does not look like a valid ipv4 network configuration"
  for name in "${!OPTION[@]}"; do
    [[ $name =~ ^(scsi|virtio|sata|ide|efidisk|tpmstate)[0-9]$ && ${OPTION[$name]} == *:* ]] || continue
    storage=${OPTION[$name]%%:*}
    [[ $storage == local || $storage == local-lvm ]] || fail "storage '$storage' does not exist"
    [[ ${OPTION[$name]} != local:iso/* || ${OPTION[$name]} =~ ^local:iso/[^,]*talos[^,]*\.iso(,|$) ]] ||
      fail "volume '${OPTION[$name]%%,*}' does not exist"
  done
}

# The line that Proxmox keeps for an option: what was asked for is not always what is stored.
stored() {
  local name=$1 value=$2 size mac
  case $name:$value in
    net[0-9]:virtio,*)
      printf -v mac 'BC:24:11:00:%02X:%02X' $((vmid / 256)) $((vmid % 256))
      value=virtio=$mac,${value#virtio,}
      ;;
    ide*:*:cloudinit) value=${value%:*}:vm-$vmid-cloudinit,media=cdrom ;;
    scsi*:*:[0-9]* | virtio*:*:[0-9]* | sata*:*:[0-9]*)
      size=${value#*:}
      size=${size%%[!0-9]*}
      value=${value%%:*}:vm-$vmid-disk-0${value#*:"$size"},size=${size}G
      ;;
  esac
  echo "$name: $value"
}

save_config() {
  local text='' name
  for name in $(printf "%s\n" "${!OPTION[@]}" | sort); do text+=$(stored "$name" "${OPTION[$name]}")$'\n'; done
  put "$1/config" "${text%$'\n'}"
}

create() {
  local new=$LAB/vms/.new.$$ address disk
  [[ ! -d $VM ]] || fail "unable to create VM $vmid - VM $vmid already exists on node 'pve'"
  check_options
  address=${OPTION[ipconfig0]-}
  address=${address#*ip=}
  [[ $address != */* ]] || ! find_vm "${address%%/*}" ||
    lab_error "VM ${VM##*/} already has the address ${address%%/*}"
  VM=$LAB/vms/$vmid
  mkdir -p "$new"
  save_config "$new"
  echo stopped >"$new/status"
  mv "$new" "$VM"
  disk=$(config_of "$VM" scsi0)
  if [[ -n $disk ]]; then
    echo "  Logical volume \"vm-$vmid-disk-0\" created."
    echo "scsi0: successfully created disk '$disk'"
  fi
  [[ ${OPTION[start]-0} != 1 ]] || start
}

set_config() {
  local line
  need_vm
  check_options
  while IFS= read -r line; do
    [[ -v OPTION[${line%%: *}] || " ${OPTION[delete]-} " == *[\ ,]"${line%%: *}"[\ ,]* ]] || OPTION[${line%%: *}]=${line#*: }
  done <"$VM/config"
  unset 'OPTION[delete]'
  save_config "$VM"
  echo "update VM $vmid: done"
}

start() {
  local bridge
  need_vm
  [[ $(<"$VM/status") != running ]] || fail "VM $vmid already running"
  bridge=$(config_of "$VM" net0)
  bridge=${bridge##*bridge=}
  if [[ -n $bridge && ${bridge%%,*} != vmbr0 ]]; then
    echo "bridge '${bridge%%,*}' does not exist" >&2
    echo "kvm: -netdev type=tap,id=net0,ifname=tap${vmid}i0: network script /usr/libexec/qemu-server/pve-bridge failed with status 512" >&2
    fail 'start failed: QEMU exited with code 1'
  fi
  now
  put "$VM/started" "$NOW"
  put "$VM/status" running
}

stop() {
  need_vm
  put "$VM/status" stopped
}

destroy() {
  need_vm
  [[ $(<"$VM/status") != running ]] || fail "VM $vmid is running - destroy failed"
  rm -r "$VM"
  echo "  Logical volume \"vm-$vmid-disk-0\" successfully removed."
}
