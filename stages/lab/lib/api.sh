# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2034,SC2154
# The simulated Kubernetes API server. Its store is on the control plane's disk, below etcd/objects:
# <namespace, or _>/<resource>/<name>.yaml as applied, .facts what the lab needs of it, .status what its controllers say.

ETCD=''

# Finds the API server that a kubeconfig names. On failure TROUBLE is config, route, refused or tls, and SERVER host:port.
connect() {
  local file=$1 line ca='' host
  TROUBLE=config SERVER=localhost:8080
  [[ -n $file && -s $file ]] || return 1
  while IFS= read -r line; do
    case $line in
      *server:\ *) SERVER=${line##*: } && SERVER=${SERVER#*://} ;;
      *certificate-authority-data:\ *) ca=${line##*: } ;;
    esac
  done <"$file"
  host=${SERVER%:*}
  TROUBLE=refused
  if ! reachable "$host"; then
    [[ $WHY == 'connection refused' ]] || TROUBLE=route
    return 1
  fi
  ETCD=$VM/disk/etcd
  [[ -e $ETCD/bootstrapped ]] || return 1
  ((NOW >= $(<"$ETCD/bootstrapped") + API_MS)) || return 1
  TROUBLE=tls
  [[ $(<"$ETCD/ca") == "$ca" ]]
}

# Every machine configured for this cluster in MEMBERS: name|type|address|state|schedulable|kubernetes|since, where state is
# True (Ready), False, or Missing while Kubernetes has not heard of it.
list_nodes() {
  local config vm address state since last
  local -A FACT=()
  MEMBERS=()
  now
  for config in "$LAB"/vms/*/disk/facts; do
    [[ -e $config ]] || continue
    vm=${config%/disk/facts}
    read_facts "$config"
    [[ ${FACT[endpoint]} == "$1" ]] || continue
    address=$(<"$vm/config")
    address=${address##*ip=}
    address=${address%%/*}
    state=Missing since=0
    if [[ -e $ETCD/bootstrapped ]]; then
      since=$(<"$ETCD/bootstrapped")
      last=$(<"$vm/disk/installed")
      ((last <= since)) || since=$last
      ((NOW < since + API_MS)) || state=False
      last=$(<"$vm/started")
      ((NOW < since + KUBELET_MS || NOW < last + KUBELET_MS)) || [[ $(<"$vm/status") != running ]] ||
        listed unreachable "$address" || state=True
    fi
    MEMBERS+=("${FACT[hostname]:-talos-${vm##*/}}|${FACT[type]}|$address|$state|${FACT[schedulable]}|${FACT[kubernetes]}|$since")
  done
}

# The kinds this server knows, in KINDS: kind|apiVersion|resource|scope|short. Custom ones come from their definitions.
load_kinds() {
  local kind version resource scope short file
  local -A FACT=()
  KINDS=()
  while IFS=$'\t' read -r kind version resource scope short; do
    KINDS+=("$kind|$version|$resource|$scope|$short")
  done <"$lab/lib/kinds.tsv"
  for file in "$ETCD"/objects/_/customresourcedefinitions.apiextensions.k8s.io/*.facts; do
    [[ -e $file ]] || continue
    read_facts "$file"
    add_kinds
  done
}

# Those that the definition in FACT defines.
add_kinds() {
  local version
  for version in ${FACT[versions]//,/ }; do
    KINDS+=("${FACT[crd_kind]}|${FACT[group]}/$version|${FACT[plural]}.${FACT[group]}|${FACT[scope]}|${FACT[short]:--}")
  done
}

# Sets K_KIND, K_RESOURCE and K_SCOPE of an apiVersion and kind.
kind_of() {
  local row
  for row in "${KINDS[@]}"; do
    [[ $row != "$2|$1|"* ]] || { take_kind "$row" && return 0; }
  done
  return 1
}

# The same of what people write: deploy, deployment, deployments, deployments.apps, Deployment.
kind_named() {
  local row word=${1,,} kind resource short
  for row in "${KINDS[@]}"; do
    IFS='|' read -r kind _ resource _ short <<<"$row"
    if [[ $word == "${kind,,}" || $word == "$resource" || $word == "${resource%%.*}" || ",$short," == *",$word,"* ||
      ($resource == *.* && $word == "${kind,,}.${resource#*.}") ]]; then
      take_kind "$row" && return 0
    fi
  done
  return 1
}

take_kind() { IFS='|' read -r K_KIND _ K_RESOURCE K_SCOPE _ <<<"$1"; }

# deployment.apps for deployments.apps: how kubectl names what it touched.
singular() {
  SINGULAR=${K_KIND,,}
  [[ $K_RESOURCE != *.* ]] || SINGULAR+=.${K_RESOURCE#*.}
}

namespace_exists() { [[ -e $ETCD/objects/_/namespaces/$1.facts ]]; }

# apply_manifests NAMESPACE RELEASE (-f PATH)... | -k FOLDER: stores what can be stored, prints a line for each object.
apply_manifests() {
  local namespace=$1 release=$2 staging object failed=0
  shift 2
  staging=$(mktemp -d "$LAB/.staging.XXXXXX")
  node "$lab/lib/manifests.mjs" "$staging" "$@" || lab_error 'the manifest reader failed'
  load_kinds
  for object in "$staging"/[0-9]*/; do
    object=${object%/}
    if [[ -d $object ]] && ((10#${object##*/} <= $(<"$staging/count"))); then apply_object "$object" || failed=1; fi
  done
  if [[ -s $staging/errors ]]; then
    cat "$staging/errors" >&2
    failed=1
  fi
  rm -rf "$staging"
  return "$failed"
}

apply_object() {
  local object=$1 target word
  local -A FACT=()
  read_facts "$object/facts"
  if ! kind_of "${FACT[apiVersion]}" "${FACT[kind]}"; then
    echo "error: resource mapping not found for name: \"${FACT[name]}\" namespace: \"${FACT[namespace]}\" from \"${FACT[file]}\": no matches for kind \"${FACT[kind]}\" in version \"${FACT[apiVersion]}\"" >&2
    echo 'ensure CRDs are installed first' >&2
    return 1
  fi
  if [[ -e $object/refused ]]; then
    cat "$object/refused" >&2
    return 1
  fi
  if [[ -z ${FACT[name]} ]]; then
    echo "error: error when retrieving current configuration of: \"${FACT[file]}\": resource name may not be empty" >&2
    return 1
  fi
  [[ $K_SCOPE == Namespaced ]] || FACT[namespace]=_
  FACT[namespace]=${FACT[namespace]:-$namespace}
  if [[ -n ${FLAG[namespace]:-} && $K_SCOPE == Namespaced && ${FACT[namespace]} != "${FLAG[namespace]}" && -z $release ]]; then
    echo "error: the namespace from the provided object \"${FACT[namespace]}\" does not match the namespace \"${FLAG[namespace]}\". You must pass '--namespace=${FACT[namespace]}' to perform this operation." >&2
    return 1
  fi
  if [[ $K_SCOPE == Namespaced ]] && ! namespace_exists "${FACT[namespace]}"; then
    echo "Error from server (NotFound): error when creating \"${FACT[file]}\": namespaces \"${FACT[namespace]}\" not found" >&2
    return 1
  fi
  target=$ETCD/objects/${FACT[namespace]}/$K_RESOURCE/${FACT[name]}
  word=created
  [[ ! -e $target.yaml ]] || word=configured
  [[ $word == created || $(<"$target.yaml") != "$(<"$object/yaml")" ]] || word=unchanged
  [[ -n ${FLAG[dry-run]:-} || $word == unchanged ]] || store_object
  singular
  case ${FLAG[dry-run]:-} in
    '' | none) ;;
    server) word+=' (server dry run)' ;;
    *) word+=' (dry run)' ;;
  esac
  echo "$SINGULAR/${FACT[name]} $word"
  [[ $K_KIND != CustomResourceDefinition ]] || add_kinds
}

store_object() {
  local key facts=''
  now
  FACT[created]=$NOW FACT[changed]=$NOW FACT[release]=$release
  if [[ $word == configured ]]; then
    facts=$(grep '^created=' "$target.facts")
    FACT[created]=${facts#*=}
    facts=''
  fi
  for key in "${!FACT[@]}"; do facts+="$key=${FACT[$key]}"$'\n'; done
  [[ -d ${target%/*} ]] || mkdir -p "${target%/*}"
  printf '%s' "$facts" >"$object/facts"
  mv "$object/yaml" "$target.yaml"
  mv "$object/facts" "$target.facts"
}
