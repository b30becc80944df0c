# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2034,SC2154
# What the simulated flux does.
# shellcheck source=tables.sh
. "$lab/lib/tables.sh"

reach_server() {
  connect "${FLAG[kubeconfig]:-${KUBECONFIG:-}}" || case $TROUBLE in
    config) fail 'kubernetes configuration load failed: invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable' ;;
    route) unreachable_server "dial tcp $SERVER: connect: no route to host" ;;
    tls) unreachable_server 'tls: failed to verify certificate: x509: certificate signed by unknown authority' ;;
    *) unreachable_server "dial tcp $SERVER: connect: connection refused" ;;
  esac
  load_kinds
}

unreachable_server() {
  fail "failed to get API group resources: unable to retrieve the complete list of server APIs: v1: Get \"https://$SERVER/api/v1\": $1"
}

need_flux() {
  kind_named helmreleases.helm.toolkit.fluxcd.io ||
    fail 'no matches for kind "HelmRelease" in version "helm.toolkit.fluxcd.io/v2"'
}

CONTROLLERS=(source-controller kustomize-controller helm-controller notification-controller)

flux_check() {
  local name bad=0 image
  flags 'flux check' 'pre components= components-extra= poll-interval=' "$@"
  reach_server
  echo '► checking prerequisites'
  echo '✔ Kubernetes 1.34.1 >=1.32.0-0'
  if [[ -n ${FLAG[pre]:-} ]]; then
    echo '✔ prerequisites checks passed'
    return
  fi
  echo '► checking controllers'
  for name in "${CONTROLLERS[@]}"; do
    if controller_ready "$name"; then
      image=${FACT[images]}
      printf '%s\n' "✔ $name: deployment ready" "► $image"
    else
      echo "✗ $name: deployment not ready" >&2
      bad=1
    fi
  done
  ((bad == 0)) || fail 'checks failed'
  echo '✔ all checks passed'
}

controller_ready() {
  local file=$ETCD/objects/$NAMESPACE/deployments.apps/$1.facts
  [[ -e $file ]] || return 1
  read_facts "$file"
  workload_ready
}

controllers_ready() {
  local name
  SCHEDULABLE=''
  for name in "${CONTROLLERS[@]}"; do controller_ready "$name" || return 1; done
}

flux_install() {
  local text
  flags 'flux install' 'components= components-extra= export version,v= registry= image-pull-secret= watch-all-namespaces log-level=
    network-policy cluster-domain= toleration-keys= force' "$@"
  [[ -z ${FLAG[export]:-} ]] || lab_error "'flux install --export' is not simulated"
  echo '✚ generating manifests'
  echo '✔ manifests build completed'
  echo "► installing components in $NAMESPACE namespace"
  reach_server
  lock_world
  FLAG[namespace]=''
  text=$(apply_manifests "$NAMESPACE" '' -f "$lab/charts/flux.yaml" 2>&1) || fail "install failed: $text"
  echo "$text" >&2
  reconcile_releases
  unlock_world
  echo '◎ verifying installation'
  until_true "$LIMIT" controllers_ready || fail 'install failed'
  printf '✔ %s: deployment ready\n' "${CONTROLLERS[@]}"
  echo '✔ install finished'
}

# The words of `flux get` and `flux reconcile` for a kind, in K_KIND and K_RESOURCE.
flux_kind() {
  case "$*" in
    'source helm' | 'sources helm') kind_named helmrepositories ;;
    'source git' | 'sources git') kind_named gitrepositories ;;
    helmrelease | helmreleases | hr) kind_named helmreleases ;;
    kustomization | kustomizations | ks) kind_named kustomizations.kustomize.toolkit.fluxcd.io ;;
    *) fail "unknown command \"${*: -1}\" for \"flux $verb${2:+ $1}\"" ;;
  esac
}

# Splits the arguments into the kind's words and an optional name.
take_kind_and_name() {
  ((${#ARGS[@]} > 0)) || fail "flux $verb needs a resource"
  NAME=${ARGS[1]:-}
  if [[ ${ARGS[0]} == source || ${ARGS[0]} == sources ]]; then
    NAME=${ARGS[2]:-}
    flux_kind "${ARGS[0]}" "${ARGS[1]:-}"
  else
    flux_kind "${ARGS[0]}"
  fi
}

flux_get() {
  local file ready
  flags 'flux get' 'all-namespaces,A no-header status-selector= watch,w' "$@"
  reach_server
  need_flux
  take_kind_and_name
  ROWS=()
  set -- "$ETCD/objects/$NAMESPACE/$K_RESOURCE"/*.facts
  [[ -z ${FLAG[all-namespaces]:-} ]] || set -- "$ETCD"/objects/*/"$K_RESOURCE"/*.facts
  for file in "$@"; do
    [[ -e $file && (-z $NAME || ${file##*/} == "$NAME.facts") ]] || continue
    read_facts "$file"
    ready=False
    MESSAGE='waiting to be reconciled'
    now
    ! has_condition Ready || ready=True
    ROWS+=("${FLAG[all-namespaces]:+${FACT[namespace]}	}${FACT[name]}	${FACT[version]:-${FACT[url]:-}}	${FACT[suspended]:-False}	$ready	$MESSAGE")
  done
  if ((${#ROWS[@]} == 0)); then
    if [[ -n $NAME ]]; then
      echo "✗ $K_KIND object '$NAME' not found in \"$NAMESPACE\" namespace" >&2
    else
      echo "✗ no $K_KIND objects found in \"$NAMESPACE\" namespace" >&2
    fi
    return
  fi
  [[ -n ${FLAG[no-header]:-} ]] || ROWS=("${FLAG[all-namespaces]:+NAMESPACE	}NAME	REVISION	SUSPENDED	READY	MESSAGE" "${ROWS[@]}")
  print_table '  	'
}

flux_reconcile() {
  local file
  flags 'flux reconcile' 'with-source force reset' "$@"
  reach_server
  need_flux
  take_kind_and_name
  [[ -n $NAME ]] || fail "$K_KIND name is required"
  file=$ETCD/objects/$NAMESPACE/$K_RESOURCE/$NAME.facts
  [[ -e $file ]] || fail "$K_RESOURCE \"$NAME\" not found"
  read_facts "$file"
  [[ ${FACT[suspended]:-} != True ]] || fail 'resource is suspended'
  echo "► annotating $K_KIND $NAME in $NAMESPACE namespace"
  echo "✔ $K_KIND annotated"
  lock_world
  reconcile_releases
  unlock_world
  echo "◎ waiting for $K_KIND reconciliation"
  until_true "$LIMIT" reconciled || fail "$K_KIND reconciliation failed: '$MESSAGE'"
  case $K_KIND in
    HelmRelease) echo "✔ applied revision ${MESSAGE##*@}" ;;
    *) echo "✔ fetched revision sha256:${#FACT[url]}" ;;
  esac
}

reconciled() {
  SCHEDULABLE=''
  read_facts "$file"
  now
  has_condition Ready
}
