# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2034,SC2154
# talosctl commands that only look: get, health, service, etcd members.
# shellcheck source=api.sh
. "$lab/lib/api.sh"

talos_get() {
  local node
  flags 'talosctl get <type> [<id>] [flags]' 'insecure,i namespace= output,o= watch,w' "$@"
  ((${#ARGS[@]} >= 1 && ${#ARGS[@]} <= 2)) || usage_error "accepts between 1 and 2 arg(s), received ${#ARGS[@]}"
  need_nodes
  case ${ARGS[0]} in
    member | members | disk | disks | machinestatus | machinestatuses | ms) ;;
    *) fail "rpc error: code = NotFound desc = resource \"${ARGS[0]}\" is not registered" ;;
  esac
  for node in "${NODES[@]}"; do
    if [[ -n ${FLAG[insecure]:-} ]]; then dial_maintenance "$node"; else dial "$node"; fi || fail "$WHY"
    "get_${ARGS[0]:0:2}" "$node"
  done
}

get_di() {
  printf '%-15s %-11s %-6s %-6s %-9s %s\n' NODE NAMESPACE TYPE ID VERSION SIZE "$1" runtime Disk sda 1 '34 GB'
}

get_ma() {
  local stage=running
  [[ -e $VM/disk/facts ]] || stage=maintenance
  printf '%-15s %-11s %-15s %-9s %-9s %-12s %s\n' NODE NAMESPACE TYPE ID VERSION STAGE READY "$1" runtime MachineStatus machine 1 "$stage" true
}
get_ms() { get_ma "$@"; }

get_me() {
  local row='%-15s %-11s %-8s %-10s %-9s %-10s %-14s %-18s %s\n' member name type address
  # shellcheck disable=SC2059 # the row is the format
  printf "$row" NODE NAMESPACE TYPE ID VERSION HOSTNAME 'MACHINE TYPE' OS ADDRESSES
  list_nodes "${FACT[endpoint]}"
  for member in "${MEMBERS[@]}"; do
    IFS='|' read -r name type address _ <<<"$member"
    # shellcheck disable=SC2059
    printf "$row" "$1" cluster Member "$name" 1 "$name" "$type" 'Talos (v1.11.5)' "[\"$address\"]"
  done
}

talos_health() {
  local limit expected
  flags 'talosctl health [flags]' 'control-plane-nodes= init-node= k8s-endpoint= run-e2e server wait-timeout= worker-nodes=' "$@"
  arguments 0
  one_node
  duration "${FLAG[wait-timeout]:-20m}" || usage_error "invalid argument \"${FLAG[wait-timeout]}\" for \"--wait-timeout\" flag: time: invalid duration \"${FLAG[wait-timeout]}\""
  limit=$MS
  dial "${NODES[0]}" || fail "$WHY"
  expected=${FLAG[control-plane-nodes]:-},${FLAG[worker-nodes]:-}
  step() {
    echo "waiting for $1: ..." >&2
    until_true "$limit" "${@:2}" || {
      [[ -z ${PROBLEM:-} ]] || echo "waiting for $1: $PROBLEM" >&2
      fail 'healthcheck error: rpc error: code = DeadlineExceeded desc = context deadline exceeded'
    }
    echo "waiting for $1: OK" >&2
  }
  step 'etcd to be healthy' etcd_healthy
  step 'apid to be ready' true
  step 'all k8s nodes to report' all_report
  step 'all control plane components to be ready' api_answers
  step 'all k8s nodes to report ready' all_ready
}

etcd_healthy() {
  PROBLEM="1 error occurred: * ${NODES[0]}: service \"etcd\" not in expected state \"Running\": current state [Preparing] Running pre state"
  find_etcd
}

api_answers() {
  PROBLEM="Get \"${FACT[endpoint]}/api/v1/nodes\": dial tcp ${FACT[endpoint]#*://}: connect: connection refused"
  now
  ((NOW >= $(<"$ETCD/bootstrapped") + API_MS))
}

all_report() {
  local address
  list_nodes "${FACT[endpoint]}"
  for address in ${expected//,/ }; do
    PROBLEM="can't find expected node with IPs [\"$address\"]"
    [[ "${MEMBERS[*]}" == *"|$address|"[TF]* ]] || return 1
  done
}

all_ready() {
  local member
  list_nodes "${FACT[endpoint]}"
  for member in "${MEMBERS[@]}"; do
    PROBLEM="some nodes are not ready: [${member%%|*}]"
    [[ $member == *'|True|'* ]] || return 1
  done
}

talos_service() {
  local node row etcd=Preparing health='?'
  flags 'talosctl service [<id> [start|stop|restart|status]] [flags]' '' "$@"
  need_nodes
  ((${#ARGS[@]} <= 1)) || lab_error 'services can only be looked at'
  printf '%-15s %-12s %-10s %s\n' NODE SERVICE STATE HEALTH
  # shellcheck disable=SC2059 # the row is the format
  for node in "${NODES[@]}"; do
    printf -v row '%-15s %s' "$node" '%-12s %-10s %s\n'
    dial "$node" || fail "error listing services: $WHY"
    ! find_etcd || { etcd=Running && health=OK; }
    printf "$row" apid Running OK containerd Running OK
    [[ ${FACT[type]} != controlplane ]] || printf "$row" etcd $etcd "$health"
    printf "$row" kubelet $etcd "$health" machined Running OK
  done
}

talos_etcd() {
  subcommand "${1:-}" 'members status'
  flags "talosctl etcd $1 [flags]" '' "${@:2}"
  one_node
  dial "${NODES[0]}" || fail "error getting $1: $WHY"
  [[ ${FACT[type]} == controlplane ]] || fail "error getting $1: rpc error: code = Unimplemented desc = member list is only available on control plane nodes"
  find_etcd || fail "error getting $1: rpc error: code = Unknown desc = context deadline exceeded"
  printf '%-15s %-18s %-10s %-26s %-26s %s\n' NODE ID HOSTNAME 'PEER URLS' 'CLIENT URLS' LEARNER \
    "${NODES[0]}" 1a2b3c4d5e6f7081 "${FACT[hostname]}" "https://${NODES[0]}:2380" "https://${NODES[0]}:2379" false
}
