# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2034,SC2154
# kubectl get.
# shellcheck source=tables.sh
. "$lab/lib/tables.sh"

kubectl_get() {
  local types type name='' found=0 output
  flags 'kubectl get' 'all-namespaces,A output,o= no-headers ignore-not-found raw= selector,l= field-selector= show-labels watch,w sort-by= chunk-size=' "$@"
  output=${FLAG[output]:-}
  case $output in
    '' | name | wide | yaml | jsonpath=*) ;;
    json | custom-columns=* | go-template=* | jsonpath-as-json=*) lab_error "'kubectl get -o ${output%%=*}' is not simulated" ;;
    *) fail "error: unable to match a printer suitable for the output format \"$output\", allowed formats are: custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml" ;;
  esac
  if [[ -n ${FLAG[raw]:-} ]]; then
    reach_server
    [[ ${FLAG[raw]} == /readyz* || ${FLAG[raw]} == /livez* || ${FLAG[raw]} == /healthz* ]] || fail 'Error from server (NotFound): the server could not find the requested resource'
    printf ok
    return
  fi
  ((${#ARGS[@]} > 0)) || fail 'error: Required resource not specified.'$'\n'"See 'kubectl get -h' for help and examples"
  types=${ARGS[0]}
  name=${ARGS[1]:-}
  if [[ $types == */* ]]; then
    name=${types#*/}
    types=${types%%/*}
  fi
  reach_server
  [[ $types != all ]] || types=pods,services,deployments,daemonsets,statefulsets
  for type in ${types//,/ }; do
    kind_named "$type" || fail "error: the server doesn't have a resource type \"$type\""
    collect "$name"
    [[ ${#OBJECTS[@]} -eq 0 ]] || found=1
    if [[ -n $name && ${#OBJECTS[@]} -eq 0 ]]; then
      [[ -n ${FLAG[ignore-not-found]:-} ]] || fail "Error from server (NotFound): $K_RESOURCE \"$name\" not found"
      return 0
    fi
    show_objects
  done
  ((found)) || [[ -n $output && $output != wide ]] || nothing_found
}

nothing_found() {
  if [[ $K_SCOPE == Cluster || -n ${FLAG[all-namespaces]:-} ]]; then
    echo 'No resources found' >&2
  else
    echo "No resources found in $NAMESPACE namespace." >&2
  fi
}

# The facts files of the wanted objects in OBJECTS. Nodes and pods are not stored: their facts are made up on the fly.
collect() {
  local file folder
  OBJECTS=()
  case $K_KIND in
    Node) collect_nodes "$1" && return ;;
    Pod | Event) lab_pods && return ;;
  esac
  folder=$NAMESPACE
  [[ $K_SCOPE == Namespaced ]] || folder=_
  if [[ -n ${FLAG[all-namespaces]:-} && $K_SCOPE == Namespaced ]]; then
    set -- "$1" "$ETCD"/objects/*/"$K_RESOURCE"/*.facts
  else
    set -- "$1" "$ETCD/objects/$folder/$K_RESOURCE"/*.facts
  fi
  for file in "${@:2}"; do
    [[ -e $file ]] || continue
    [[ -n $1 && ${file##*/} != "$1.facts" ]] || OBJECTS+=("$file")
  done
}

collect_nodes() {
  local member
  list_nodes "https://$SERVER"
  for member in "${MEMBERS[@]}"; do
    [[ $member == *'|Missing|'* || (-n $1 && ${member%%|*} != "$1") ]] || OBJECTS+=("node:$member")
  done
}

lab_pods() {
  local kind file
  for kind in deployments daemonsets statefulsets; do
    if [[ -n ${FLAG[all-namespaces]:-} ]]; then
      set -- "$ETCD"/objects/*/"$kind.apps"/*.facts
    else
      set -- "$ETCD/objects/$NAMESPACE/$kind.apps"/*.facts
    fi
    for file in "$@"; do [[ ! -e $file ]] || OBJECTS+=("$file"); done
  done
}

show_objects() {
  local object
  ((${#OBJECTS[@]} > 0)) || return 0
  singular
  case $output in
    name) for object in "${OBJECTS[@]}"; do load_object "$object" && echo "$SINGULAR/${FACT[name]}"; done ;;
    yaml)
      [[ ${OBJECTS[0]} != node:* ]] || lab_error "'kubectl get nodes -o yaml' is not simulated"
      for object in "${OBJECTS[@]}"; do ((${#OBJECTS[@]} == 1)) || echo ---; cat "${object%.facts}.yaml"; done
      ;;
    jsonpath=*) for object in "${OBJECTS[@]}"; do load_object "$object" && jsonpath "${output#*=}" && printf '%s' "$VALUE"; done ;;
    *) table ;;
  esac
}

load_object() {
  if [[ $1 == node:* ]]; then
    local name type state version created
    IFS='|' read -r name type _ state _ version created <<<"${1#node:}"
    FACT=([kind]=Node [name]=$name [type]=$type [state]=$state [version]=$version [created]=$created)
  else
    read_facts "$1"
  fi
}

# The expressions that stages need, of the object in FACT, in VALUE; an absent value is empty, as with the real one.
jsonpath() {
  VALUE=''
  case ${1//[\{\}]/} in
    .metadata.name) VALUE=${FACT[name]} ;;
    .metadata.namespace) VALUE=${FACT[namespace]} ;;
    .status.loadBalancer.ingress) ! load_balancer_address || VALUE="[{\"ip\":\"$ADDRESS\",\"ipMode\":\"VIP\"}]" ;;
    '.status.loadBalancer.ingress[0].ip') ! load_balancer_address || VALUE=$ADDRESS ;;
    .status.readyReplicas | .status.availableReplicas) ! workload_ready || VALUE=${FACT[replicas]} ;;
    .spec.replicas) VALUE=${FACT[replicas]:-} ;;
    .spec.url) VALUE=${FACT[url]:-} ;;
    *) lab_error "the jsonpath $1 is not simulated" ;;
  esac
}
