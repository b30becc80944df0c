# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2034
# The one world of the simulated lab: plain files below ai/state/lab in home. Readers take no lock, because every file
# is put in place by rename; writers call lock_world first.

if [[ -z ${MENDLOOP_HOME:-} ]]; then
  echo "${0##*/}: simulated lab: MENDLOOP_HOME is not set, so there is no lab to work on" >&2
  exit 1
fi
LAB=$MENDLOOP_HOME/ai/state/lab

# How long things take, in milliseconds: long enough that a script which does not wait fails.
BOOT_MS=150 INSTALL_MS=200 SERVICES_MS=50 API_MS=150 KUBELET_MS=300 POD_MS=100
# A timeout on a command line is for real machines; the lab is this much faster.
LAB_SPEED=100

lock_world() {
  mkdir -p "$LAB"
  [[ -e $LAB/.gitignore ]] || echo '*' >"$LAB/.gitignore"
  exec 9>>"$LAB/.lock"
  flock -w 60 9 || lab_error 'the lab is locked by another command'
}

unlock_world() { exec 9>&-; }

lab_error() {
  echo "${0##*/}: simulated lab: $*" >&2
  exit 1
}

# Milliseconds since 1970 in NOW.
now() {
  NOW=${EPOCHREALTIME//[.,]/}
  NOW=${NOW%???}
}

put() {
  printf '%s\n' "$2" >"$1.new.$$"
  mv -f "$1.new.$$" "$1"
}

# Fills FACT from a file of key=value lines.
read_facts() {
  local line
  FACT=()
  while IFS= read -r line; do FACT[${line%%=*}]=${line#*=}; done <"$1"
}
declare -A FACT=()

# until_true LIMIT_MS COMMAND...: polls, in the lab's faster time.
until_true() {
  local end
  now
  end=$((NOW + ($1 / LAB_SPEED < 1000 ? 1000 : $1 / LAB_SPEED)))
  shift
  until "$@"; do
    now
    ((NOW < end)) || return 1
    sleep 0.05
  done
}

# The virtual machine with this address in VM; false when there is none.
find_vm() {
  local config
  for config in "$LAB"/vms/*/config; do
    [[ -e $config ]] || continue
    if [[ $(<"$config") == *"ip=$1/"* ]]; then
      VM=${config%/config}
      return 0
    fi
  done
  return 1
}

listed() { [[ -e $LAB/$1 ]] && grep -qxF -- "$2" "$LAB/$1"; }

# Why nothing answers at this address in WHY; true when something does. Leaves VM.
reachable() {
  WHY='no route to host'
  ! listed unreachable "$1" || return 1
  find_vm "$1" || return 1
  [[ $(<"$VM/status") == running ]] || return 1
  now
  WHY='connection refused'
  ((NOW >= $(<"$VM/started") + BOOT_MS)) || return 1
  [[ ! -e $VM/disk/installed ]] || ((NOW >= $(<"$VM/disk/installed") + INSTALL_MS))
}
