# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2034,SC2154
# talosctl commands that change one node, or ask it for something.

talos_apply() {
  local file node staging patch words=()
  flags 'talosctl apply-config [flags]' 'cert-fingerprint= config-patch,p= dry-run file,f= insecure,i mode,m= timeout=' "$@"
  arguments 0
  file=${FLAG[file]:-}
  [[ -n $file ]] || fail 'no filename supplied for configuration'
  [[ -e $file ]] || fail "failed to read configuration from \"$file\": open $file: no such file or directory"
  [[ -s $file ]] || fail 'no configuration data read'
  need_nodes
  case ${FLAG[mode]:-auto} in
    auto | no-reboot | reboot | staged | try) ;;
    *) usage_error "invalid argument \"${FLAG[mode]}\" for \"-m, --mode\" flag: possible options are: auto, interactive, no-reboot, reboot, staged, try" ;;
  esac
  while IFS= read -r patch; do [[ -z $patch ]] || words+=(--config-patch "$patch"); done <<<"${FLAG[config-patch]:-}"
  lock_world
  staging=$(mktemp -d "$LAB/.staging.XXXXXX")
  # shellcheck disable=SC2064 # the folder of now
  trap "rm -rf '$staging'" EXIT
  for node in "${NODES[@]}"; do
    if [[ -n ${FLAG[insecure]:-} ]]; then dial_maintenance "$node"; else dial "$node"; fi || fail "error applying new configuration: $WHY"
  done
  node "$lab/lib/machineconfig.mjs" apply "$staging" "$file" "${words[@]}" 2>"$staging/errors" || {
    patch=$(<"$staging/errors")
    [[ $patch != 'rpc error'* ]] || patch="error applying new configuration: $patch"
    fail "$patch"
  }
  for node in "${NODES[@]}"; do
    find_vm "$node"
    [[ -n ${FLAG[dry-run]:-} ]] || apply_to_vm
    [[ -n ${FLAG[insecure]:-} ]] || echo 'Applied configuration without a reboot'
  done
}

apply_to_vm() {
  mkdir -p "$VM/disk"
  if [[ ! -e $VM/disk/facts ]]; then
    now
    put "$VM/disk/installed" "$NOW"
  fi
  local name
  for name in machineconfig.yaml facts; do
    [[ -e $VM/disk/$name && $(<"$VM/disk/$name") == "$(<"$staging/$name")" ]] || put "$VM/disk/$name" "$(<"$staging/$name")"
  done
}

talos_bootstrap() {
  flags 'talosctl bootstrap [flags]' 'recover-from= recover-skip-hash-check' "$@"
  arguments 0
  one_node
  lock_world
  dial "${NODES[0]}" || fail "error executing bootstrap: $WHY"
  refuse() { fail "error executing bootstrap: rpc error: code = $1 desc = $2"; }
  [[ ${FACT[type]} == controlplane ]] || refuse FailedPrecondition 'bootstrap can only be performed on a control plane node'
  [[ ! -e $VM/disk/etcd/bootstrapped ]] || refuse AlreadyExists 'etcd data directory is not empty'
  now
  ((NOW >= $(<"$VM/disk/installed") + INSTALL_MS + SERVICES_MS)) || refuse FailedPrecondition 'bootstrap is not available yet'
  # shellcheck source=api.sh
  . "$lab/lib/api.sh"
  ETCD=$VM/disk/etcd
  mkdir -p "$ETCD"
  put "$ETCD/ca" "${FACT[cluster_ca]}"
  apply_manifests default '' -f "$lab/charts/kubernetes.yaml" >/dev/null
  now
  put "$ETCD/bootstrapped" "$NOW"
}

talos_kubeconfig() {
  local path server name
  flags 'talosctl kubeconfig [local-path] [flags]' 'force,f force-context-name= merge,m' --merge "$@"
  ((${#ARGS[@]} <= 1)) || usage_error "accepts at most 1 arg(s), received ${#ARGS[@]}"
  one_node
  path=${ARGS[0]:-}
  [[ -n $path || -z ${FLAG[merge]:-} ]] || lab_error 'without a path this would change your own kubeconfig: name a file'
  path=${path:-$PWD}
  [[ ! -d $path ]] || path=${path%/}/kubeconfig
  [[ ! -e $path || -n ${FLAG[force]:-} || -n ${FLAG[merge]:-} ]] ||
    fail "kubeconfig file already exists, use --force to overwrite: \"$path\""
  dial "${NODES[0]}" || fail "error copying: $WHY"
  [[ ${FACT[type]} == controlplane ]] || fail 'error copying: rpc error: code = Unimplemented desc = kubeconfig is only available on control plane nodes'
  find_etcd || fail 'error copying: rpc error: code = FailedPrecondition desc = kubeconfig is not available before bootstrap'
  server=${FACT[endpoint]}
  name=admin@${FACT[cluster]}
  [[ $path != */* ]] || mkdir -p "${path%/*}"
  put "$path" "apiVersion: v1
kind: Config
clusters:
- name: ${FACT[cluster]}
  cluster:
    server: $server
    certificate-authority-data: ${FACT[cluster_ca]}
users:
- name: $name
  user:
    client-certificate-data: $(printf 'simulated lab, not a real certificate' | base64)
    client-key-data: $(printf 'simulated lab, not a real key' | base64)
contexts:
- name: $name
  context:
    cluster: ${FACT[cluster]}
    namespace: default
    user: $name
current-context: $name"
  chmod 600 "$path"
}

talos_version() {
  local node
  flags 'talosctl version [flags]' 'client insecure,i short json' "$@"
  arguments 0
  printf '%s\n\t%s\n\t%s\n' Client: 'Tag:         v1.11.5' 'OS/Arch:     linux/amd64'
  [[ -z ${FLAG[client]:-} ]] || return 0
  echo Server:
  need_nodes
  for node in "${NODES[@]}"; do
    if [[ -n ${FLAG[insecure]:-} ]]; then
      ! dial_maintenance "$node" || WHY='rpc error: code = Unimplemented desc = API is not implemented in maintenance mode'
      fail "error getting version: $WHY"
    fi
    dial "$node" || fail "error getting version: $WHY"
    printf '\t%-12s %s\n' NODE: "$node" Tag: v1.11.5 OS/Arch: linux/amd64 Enabled: RBAC
  done
}
