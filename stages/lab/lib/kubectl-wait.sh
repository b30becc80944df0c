# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2034,SC2154
# kubectl wait and kubectl rollout status.
# shellcheck source=kubectl-get.sh
. "$lab/lib/kubectl-get.sh"

kubectl_wait() {
  local type name object limit for
  flags 'kubectl wait' 'for= timeout= all all-namespaces,A selector,l= filename,f= output,o=' "$@"
  for=${FLAG[for]:-}
  case $for in
    condition=?* | jsonpath=?* | create | delete) ;;
    '') fail "error: unrecognized condition: \"\"" ;;
    *) fail "error: unrecognized condition: \"$for\"" ;;
  esac
  wait_limit 30s
  limit=$MS
  ((${#ARGS[@]} > 0)) || fail "error: arguments in resource/name form must have a single resource and name"
  type=${ARGS[0]}
  name=${ARGS[1]:-}
  if [[ $type == */* ]]; then
    name=${type#*/}
    type=${type%%/*}
  fi
  [[ -n $name || -n ${FLAG[all]:-} ]] || fail 'error: resource(s) were provided, but no name, label selector, or --all flag specified'
  reach_server
  kind_named "$type" || fail "error: the server doesn't have a resource type \"$type\""
  singular
  if [[ $for == create || $for == delete ]]; then
    until_true "$limit" "is_there_$for" || fail "error: timed out waiting for the condition on ${K_RESOURCE%%.*}/$name"
    echo "$SINGULAR/$name condition met"
    return
  fi
  collect "$name"
  if ((${#OBJECTS[@]} == 0)); then
    [[ -n $name ]] || fail 'error: no matching resources found'
    fail "Error from server (NotFound): $K_RESOURCE \"$name\" not found"
  fi
  wait_for_each
}

wait_limit() {
  duration "${FLAG[timeout]:-$1}" ||
    usage_error "invalid argument \"${FLAG[timeout]}\" for \"--timeout\" flag: time: invalid duration \"${FLAG[timeout]}\""
}

is_there_create() { collect "$name" && ((${#OBJECTS[@]} > 0)); }
is_there_delete() { ! is_there_create; }

wait_for_each() {
  local status=0
  for object in "${OBJECTS[@]}"; do
    load_object "$object"
    name=${FACT[name]}
    if until_true "$limit" holds; then
      echo "$SINGULAR/$name condition met"
    else
      echo "error: timed out waiting for the condition on ${K_RESOURCE%%.*}/$name" >&2
      status=1
    fi
  done
  return "$status"
}

# Looks at the object anew: it may have changed, or gone.
holds() {
  local want
  SCHEDULABLE=''
  collect "$name"
  ((${#OBJECTS[@]} > 0)) || return 1
  load_object "${OBJECTS[0]}"
  if [[ $for == condition=* ]]; then
    has_condition "${for#condition=}"
    return
  fi
  want=${for#jsonpath=}
  jsonpath "${want%%\}*}"
  [[ $want == *'}='* ]] || { [[ -n $VALUE ]] && return; }
  [[ $want != *'}='* || $VALUE == "${want#*\}=}" ]]
}

kubectl_rollout() {
  local type name limit object said='' label
  [[ ${1:-} == status ]] || {
    [[ " history pause restart resume undo " != *" ${1:-} "* ]] || lab_error "'kubectl rollout $1' is not simulated"
    fail "error: unknown command \"${1:-}\" for \"kubectl rollout\""
  }
  flags 'kubectl rollout status' 'timeout= watch,w revision= selector,l= filename,f=' "${@:2}"
  ((${#ARGS[@]} > 0)) || fail 'error: required resource not specified'
  wait_limit 1h
  limit=$MS
  type=${ARGS[0]%%/*}
  name=${ARGS[0]#*/}
  [[ ${ARGS[0]} == */* ]] || name=${ARGS[1]:?name}
  reach_server
  kind_named "$type" || fail "error: the server doesn't have a resource type \"$type\""
  case $K_KIND in
    Deployment) label=deployment ;;
    DaemonSet) label='daemon set' ;;
    StatefulSet) label=statefulset ;;
    *) fail "error: no status viewer has been implemented for $K_KIND.${K_RESOURCE#*.}" ;;
  esac
  collect "$name"
  ((${#OBJECTS[@]} > 0)) || fail "Error from server (NotFound): $K_RESOURCE \"$name\" not found"
  until_true "$limit" rolled_out || fail 'error: timed out waiting for the condition'
  case $K_KIND in
    StatefulSet) echo "partitioned roll out complete: ${FACT[replicas]} new pods have been updated..." ;;
    *) echo "$label \"$name\" successfully rolled out" ;;
  esac
}

rolled_out() {
  SCHEDULABLE=''
  load_object "${OBJECTS[0]}"
  workload_ready && return
  [[ -n $said ]] || echo "Waiting for $label \"$name\" rollout to finish: 0 of ${FACT[replicas]} updated replicas are available..."
  said=1
  return 1
}
