# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2034,SC2154
# How the simulated talosctl finds a node: talosconfig, endpoints, certificates.

TALOSCONFIG_FILE=${FLAG[talosconfig]:-${TALOSCONFIG:-$HOME/.talos/config}}

# The value of a key in the talosconfig, which the lab's own `gen config` wrote.
talosconfig_value() {
  local line
  [[ -e $TALOSCONFIG_FILE ]] || return 0
  while IFS= read -r line; do
    line=${line#"${line%%[! ]*}"}
    [[ $line != "$1: "* ]] || { echo "${line#*: }" && return 0; }
  done <"$TALOSCONFIG_FILE"
}

words_of() {
  local list=${1//[\[\],]/ }
  echo "${list//$'\n'/ }"
}

# The nodes a command is for, in NODES.
need_nodes() {
  local list=${FLAG[nodes]:-$(talosconfig_value nodes)}
  read -ra NODES <<<"$(words_of "$list")"
  # shellcheck disable=SC2016 # the real text has backquotes
  ((${#NODES[@]})) ||
    fail 'nodes are not set for the command: please use `--nodes` flag or configuration file to set the nodes to run the command against'
}

one_node() {
  need_nodes
  ((${#NODES[@]} == 1)) || fail "command \"$verb\" is not supported with multiple nodes"
}

dialing() { echo "rpc error: code = Unavailable desc = connection error: desc = \"transport: Error while dialing: dial tcp $1:50000: connect: $2\""; }

UNKNOWN_AUTHORITY='rpc error: code = Unavailable desc = connection error: desc = "transport: authentication handshake failed: tls: failed to verify certificate: x509: certificate signed by unknown authority"'

# Talks to a node as the talosconfig's user; leaves VM and FACT of the node, or the error in WHY.
dial() {
  local node=$1 endpoint
  read -r endpoint _ <<<"$(words_of "${FLAG[endpoints]:-$(talosconfig_value endpoints)}")"
  if [[ -z $endpoint ]]; then
    WHY='failed to determine endpoints'
    return 1
  fi
  dial_one "$endpoint" && dial_one "$node"
}

dial_one() {
  if ! reachable "$1"; then
    WHY=$(dialing "$1" "$WHY")
    return 1
  fi
  WHY=$UNKNOWN_AUTHORITY
  [[ -e $VM/disk/facts ]] || return 1
  read_facts "$VM/disk/facts"
  [[ ${FACT[machine_ca]} == "$(talosconfig_value ca)" ]]
}

# Talks to the maintenance service, which a node has until it is configured.
dial_maintenance() {
  if ! reachable "$1"; then
    WHY=$(dialing "$1" "$WHY")
    return 1
  fi
  WHY='rpc error: code = Unavailable desc = connection error: desc = "error reading server preface: remote error: tls: certificate required"'
  [[ ! -e $VM/disk/facts ]]
}

# The etcd of the cluster that the machine in FACT belongs to, in ETCD; false before bootstrap.
find_etcd() {
  local host=${FACT[endpoint]#*://} vm=$VM
  find_vm "${host%%[:/]*}" || return 1
  ETCD=$VM/disk/etcd
  VM=$vm
  [[ -e $ETCD/bootstrapped ]]
}

talos_config() {
  local key=$1 text
  flags "talosctl config $1 [flags]" '' "${@:2}"
  [[ -e $TALOSCONFIG_FILE ]] || fail 'talos config file is empty'
  if [[ $key == info ]]; then
    printf '%-17s%s\n' 'Current context:' "$(talosconfig_value context)" Nodes: "$(words_of "$(talosconfig_value nodes)")" \
      Endpoints: "$(words_of "$(talosconfig_value endpoints)")"
    return
  fi
  text=$(grep -v "^        ${key}s:" "$TALOSCONFIG_FILE")
  local list="${ARGS[*]}"
  text=${text/$'\n        ca:'/$'\n        '"${key}s: [${list// /, }]"$'\n        ca:'}
  [[ $text == "$(<"$TALOSCONFIG_FILE")" ]] || put "$TALOSCONFIG_FILE" "$text"
}
