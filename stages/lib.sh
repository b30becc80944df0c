# shellcheck shell=bash
# Sourced by the stage scripts, from the root of the repository.

# .env is the owner's, never committed: PROXMOX_HOST and the like.
if [[ -f .env ]]; then
  set -a
  # shellcheck source=/dev/null
  . ./.env
  set +a
fi

die() {
  echo "error: $*" >&2
  exit 1
}

# qm runs on the Proxmox host: over ssh when PROXMOX_HOST is set, else this machine is the host.
need_qm() {
  [[ -n ${PROXMOX_HOST:-} ]] || command -v qm >/dev/null ||
    die "qm is not on PATH: run this on the Proxmox host, or set PROXMOX_HOST in .env to reach it over ssh"
}
pve_qm() {
  if [[ -n ${PROXMOX_HOST:-} ]]; then
    # -n: ssh would eat the input of the loops that call this.
    ssh -n -o BatchMode=yes "${PROXMOX_USER:-root}@$PROXMOX_HOST" "qm ${*@Q}"
  else
    qm "$@"
  fi
}

# Repeats a command with growing pauses until it succeeds, for at most $1 seconds, then shows why it failed.
# A command that answers 2 says that trying again is of no use.
retry() {
  local limit=$1 pause=100 began=$SECONDS output status
  shift
  # The simulated lab is a hundred times faster.
  [[ ${MENDLOOP_LAB:-} != simulated ]] || limit=$((limit / 100 + 1))
  while true; do
    status=0
    output=$("$@" 2>&1) || status=$?
    [[ -z $output ]] || ((status != 0)) || echo "$output"
    ((status != 0)) || return 0
    ((status != 2 && SECONDS - began < limit)) || break
    sleep "$((pause / 1000)).$(printf %03d $((pause % 1000)))"
    pause=$((pause < 2500 ? pause * 2 : 5000))
  done
  echo "$output" >&2
  echo "error: gave up after $((SECONDS - began)) s: $*" >&2
  return 1
}

# Points kubectl and flux at the cluster that the talos stage made.
use_cluster() {
  export KUBECONFIG=$MENDLOOP_OUTPUTS/talos/kubeconfig
  [[ -s $KUBECONFIG ]] || die "no kubeconfig at $KUBECONFIG: the talos stage writes it"
}

# A release that does not become ready says why in its status.
wait_for_release() {
  kubectl --namespace "$1" wait "helmrelease/$2" --for=condition=Ready --timeout=10m || {
    kubectl --namespace "$1" get "helmrelease/$2" >&2
    return 1
  }
}

# Waits until every deployment, daemon set and stateful set of a namespace runs what it should; else shows the reason.
wait_for_workloads() {
  local workloads workload
  workloads=$(kubectl --namespace "$1" get deployments,daemonsets,statefulsets --output name)
  [[ -n $workloads ]] || die "nothing runs in namespace $1"
  for workload in $workloads; do
    kubectl --namespace "$1" rollout status "$workload" --timeout=5m || {
      kubectl --namespace "$1" get pods,events >&2
      return 1
    }
  done
}
