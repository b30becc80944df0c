# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2034,SC2154
# kubectl apply, delete and kustomize.

kubectl_apply() {
  local words=() path status=0
  flags 'kubectl apply' 'filename,f= kustomize,k= recursive,R server-side force-conflicts field-manager= dry-run? prune selector,l= wait
    timeout= validate? overwrite output,o=' "$@"
  ((${#ARGS[@]} == 0)) || fail "error: Unexpected args: [${ARGS[*]}]"$'\n'"See 'kubectl apply -h' for help and examples"
  [[ -n ${FLAG[filename]:-} || -n ${FLAG[kustomize]:-} ]] || fail 'error: must specify one of -f and -k'
  case ${FLAG[dry-run]:-none} in
    none) FLAG[dry-run]='' ;;
    client | server) ;;
    *) fail "error: Invalid dry-run value (${FLAG[dry-run]}). Must be \"none\", \"server\", or \"client\"." ;;
  esac
  [[ -z ${FLAG[prune]:-} ]] || lab_error "'kubectl apply --prune' is not simulated"
  while IFS= read -r path; do
    [[ -n $path ]] || continue
    [[ $path != - ]] || lab_error "'kubectl apply -f -' is not simulated"
    [[ -e $path ]] || fail "error: the path \"$path\" does not exist"
    words+=(-f "$path")
  done <<<"${FLAG[filename]:-}"
  path=${FLAG[kustomize]:-}
  if [[ -n $path ]]; then
    [[ -d $path ]] || fail "error: evalsymlink failure on '$path' : lstat $path: no such file or directory"
    words+=(-k "$path")
  fi
  reach_server
  lock_world
  apply_manifests "$NAMESPACE" '' "${words[@]}" || status=1
  [[ -n ${FLAG[dry-run]} ]] || reconcile_releases
  return "$status"
}

# Builds without a server, as the real one does.
kubectl_kustomize() {
  local staging object status=0
  flags 'kubectl kustomize DIR' 'load-restrictor= output,o=' "$@"
  ((${#ARGS[@]} <= 1)) || fail 'error: specify one path to kustomization.yaml'
  staging=$(mktemp -d)
  node "$lab/lib/manifests.mjs" "$staging" -k "${ARGS[0]:-.}" || lab_error 'the manifest reader failed'
  for object in "$staging"/[0-9]*/; do
    [[ ! -d $object || $(<"$staging/count") -eq 0 ]] || { echo '---' && cat "$object/yaml"; }
  done
  [[ ! -s $staging/errors ]] || { cat "$staging/errors" >&2 && status=1; }
  rm -rf "$staging"
  return "$status"
}

kubectl_delete() {
  local names target
  flags 'kubectl delete' 'ignore-not-found wait timeout= now' "$@"
  ((${#ARGS[@]} > 0)) || fail 'error: You must provide one or more resources by argument or filename.'
  names=("${ARGS[@]:1}")
  if [[ ${ARGS[0]} == */* ]]; then
    names=("${ARGS[0]#*/}")
    ARGS[0]=${ARGS[0]%%/*}
  fi
  ((${#names[@]} > 0)) || fail 'error: resource(s) were provided, but no name was specified'
  reach_server
  lock_world
  kind_named "${ARGS[0]}" || fail "error: the server doesn't have a resource type \"${ARGS[0]}\""
  [[ $K_SCOPE == Namespaced ]] || NAMESPACE=_
  singular
  for name in "${names[@]}"; do
    target=$ETCD/objects/$NAMESPACE/$K_RESOURCE/$name
    if [[ ! -e $target.facts ]]; then
      [[ -z ${FLAG[ignore-not-found]:-} ]] || continue
      fail "Error from server (NotFound): $K_RESOURCE \"$name\" not found"
    fi
    [[ $K_KIND != Namespace ]] || rm -rf "${ETCD:?}/objects/$name"
    [[ $K_KIND != HelmRelease ]] || uninstall_release "$NAMESPACE" "$name"
    rm -f "$target".{facts,yaml,status}
    if [[ $K_SCOPE == Namespaced ]]; then
      echo "$SINGULAR \"$name\" deleted from $NAMESPACE namespace"
    else
      echo "$SINGULAR \"$name\" deleted"
    fi
  done
}

uninstall_release() {
  local file
  for file in "$ETCD/objects/$1"/*/*.facts; do
    ! grep -qx "release=$1/$2" "$file" || rm -f "${file%.facts}".{facts,yaml,status}
  done
}
