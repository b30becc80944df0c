# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2034,SC2154
# talosctl gen: secrets and configurations. Nothing made here is a real key.

random_hex() {
  local bytes
  bytes=$(od -An -N"$1" -tx1 /dev/urandom)
  echo "${bytes//[$' \n']/}"
}

not_a_key() { printf 'simulated lab, not a real %s: %s' "$1" "$2" | base64 | tr -d '\n'; }

may_write() { [[ ! -e $1 || -n ${FLAG[force]:-} ]] || fail "file \"$1\" already exists, use --force to overwrite"; }

gen_secrets() {
  local file
  flags 'talosctl gen secrets [flags]' 'output-file,o= talos-version= from-controlplane-config= from-kubernetes-pki= kubernetes-bootstrap-token= force,f' "$@"
  arguments 0
  file=${FLAG[output-file]:-secrets.yaml}
  may_write "$file"
  write_secrets "$file"
}

write_secrets() {
  local file=$1 id name text
  id=$(random_hex 16)
  text="cluster:
    id: $(not_a_key id "$id")
    secret: $(not_a_key 'cluster secret' "$id")
secrets:
    bootstraptoken: ${id:0:6}.${id:6:16}
    secretboxencryptionsecret: $(not_a_key 'encryption secret' "$id")
trustdinfo:
    token: ${id:8:6}.${id:14:16}
certs:"
  for name in etcd k8s k8saggregator os; do
    text+=$'\n'"    $name:
        crt: $(not_a_key "certificate of $name" "$id")
        key: $(not_a_key "private key of $name" "$id")"
  done
  put "$file" "$text"
  chmod 600 "$file"
}

gen_config() {
  local types out secrets type patch flag words=()
  flags 'talosctl gen config <cluster name> <cluster endpoint> [flags]' 'additional-sans= config-patch= config-patch-control-plane= config-patch-worker=
    dns-domain= force,f install-disk= install-image= kubernetes-version= output,o= output-dir= output-types,t= registry-mirror= talos-version=
    version= with-cluster-discovery with-docs with-examples with-kubespan with-secrets=' "$@"
  arguments 2
  case ${ARGS[1]} in
    https://?*) ;;
    *://*) fail "the control plane endpoint URL should have scheme https://"$'\n'"try: \"https://${ARGS[1]#*://}\"" ;;
    *) fail "no scheme specified for the cluster endpoint URL"$'\n'"try: \"https://${ARGS[1]}\"" ;;
  esac
  types=${FLAG[output-types]:-controlplane,worker,talosconfig}
  for type in ${types//,/ }; do
    [[ $type == controlplane || $type == worker || $type == talosconfig ]] || fail "1 error occurred:"$'\n\t'"* invalid output type: \"$type\""
  done
  secrets=${FLAG[with-secrets]:-}
  if [[ -z $secrets ]]; then
    echo 'generating PKI and tokens' >&2
    secrets=$(mktemp)
    write_secrets "$secrets"
  fi
  [[ -e $secrets ]] || fail "failed to load secrets bundle: open $secrets: no such file or directory"
  for flag in config-patch config-patch-control-plane config-patch-worker; do
    while IFS= read -r patch; do [[ -z $patch ]] || words+=("--$flag" "$patch"); done <<<"${FLAG[$flag]:-}"
  done
  out=${FLAG[output]:-${FLAG[output-dir]:-$PWD}}
  write_config
}

# One output type means that --output is a file, several that it is a folder.
write_config() {
  local made type target
  made=$(mktemp -d)
  # shellcheck disable=SC2064 # the folder of now
  trap "rm -rf '$made'" EXIT
  if [[ $types != talosconfig ]]; then
    type=${types//talosconfig/}
    type=${type//,,/,}
    type=${type#,}
    node "$lab/lib/machineconfig.mjs" generate "$made" "$secrets" "${type%,}" "cluster=${ARGS[0]}" "endpoint=${ARGS[1]}" \
      "disk=${FLAG[install-disk]:-/dev/sda}" "kubernetes=${FLAG[kubernetes-version]:-1.34.1}" \
      "image=${FLAG[install-image]:-ghcr.io/siderolabs/installer:${FLAG[talos-version]:-v1.11.5}}" "${words[@]}" || exit 1
  fi
  [[ $types != *talosconfig* ]] || write_talosconfig >"$made/talosconfig"
  for type in ${types//,/ }; do
    target=$type.yaml
    [[ $type != talosconfig ]] || target=talosconfig
    if [[ $out == - ]]; then
      cat "$made/$target"
      continue
    fi
    [[ $types != *,* && -z ${FLAG[output-dir]:-} ]] || mkdir -p "$out"
    if [[ $types == *,* || -n ${FLAG[output-dir]:-} ]]; then type=$out/$target; else type=$out; fi
    may_write "$type"
    put "$type" "$(<"$made/$target")"
    echo "Created $type" >&2
  done
}

write_talosconfig() {
  local crt
  crt=$(grep -A1 '^    os:' "$secrets")
  printf '%s\n' "context: ${ARGS[0]}" 'contexts:' "    ${ARGS[0]}:" '        endpoints: []' "        ca: ${crt##*crt: }" \
    "        crt: $(not_a_key 'client certificate' "${ARGS[0]}")" "        key: $(not_a_key 'client key' "${ARGS[0]}")"
}
