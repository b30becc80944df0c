# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2034,SC2154
# What controllers do in a real cluster: pods become ready, releases are installed, load balancers get addresses.
# Nothing runs in the background: state follows from the stored times whenever somebody looks.

# Pods can run once a node that takes them is Ready.
schedulable() {
  local member
  [[ -z ${SCHEDULABLE:-} ]] || return 0
  list_nodes "https://$SERVER"
  for member in "${MEMBERS[@]}"; do
    [[ $member != *'|True|true|'* ]] || { SCHEDULABLE=1 && return 0; }
  done
  return 1
}

unpullable() {
  local image pattern
  [[ -e $LAB/unpullable ]] || return 1
  while IFS= read -r pattern; do
    for image in ${FACT[images]:-}; do
      [[ -z $pattern || $image != *"$pattern"* ]] || return 0
    done
  done <"$LAB/unpullable"
  return 1
}

# Of the workload in FACT.
workload_ready() {
  now
  ((NOW >= FACT[changed] + POD_MS)) && ! unpullable && schedulable
}

# Of the object in FACT, by the name of the condition.
has_condition() {
  case ${FACT[kind]}:$1 in
    Deployment:Available | Pod:Ready) workload_ready ;;
    HelmRelease:Ready) release_ready ;;
    HelmRepository:Ready) repository_ready ;;
    Certificate:Ready | ClusterIssuer:Ready | Issuer:Ready) ((NOW >= FACT[changed])) ;;
    CustomResourceDefinition:Established | Namespace:*) [[ $1 == Established ]] ;;
    Node:Ready) [[ ${FACT[state]} == True ]] ;;
    *) return 1 ;;
  esac
}

repository_ready() {
  local chart url rest
  MESSAGE="stored artifact: revision 'sha256:${#FACT[url]}'"
  while IFS=$'\t' read -r chart url rest; do
    [[ $url != "${FACT[url]%/}" ]] || return 0
  done <"$lab/charts/index.tsv"
  MESSAGE="failed to fetch Helm repository index: failed to cache index to temporary file: failed to fetch ${FACT[url]%/}/index.yaml : 404 Not Found"
  return 1
}

# Of the release in FACT; MESSAGE is what its status says.
release_ready() {
  local status=$ETCD/objects/${FACT[namespace]}/helmreleases.helm.toolkit.fluxcd.io/${FACT[name]}.status file
  local release=${FACT[namespace]}/${FACT[name]}
  MESSAGE='Reconciliation in progress'
  [[ -e $status ]] || return 1
  MESSAGE=$(<"$status")
  [[ $MESSAGE == *succeeded* ]] || return 1
  local -A FACT=()
  for file in "$ETCD/objects/${release%/*}"/{deployments,daemonsets,statefulsets}.apps/*.facts; do
    [[ -e $file ]] || continue
    read_facts "$file"
    [[ ${FACT[release]} == "$release" ]] || continue
    workload_ready || { MESSAGE="Running 'install' action with timeout of 5m0s" && return 1; }
  done
}

# Installs every release that can be installed and is not. Needs the lock.
reconcile_releases() {
  local file
  namespace_exists flux-system || return 0
  for file in "$ETCD"/objects/*/helmreleases.helm.toolkit.fluxcd.io/*.facts; do
    [[ -e $file ]] || continue
    reconcile_release "$file"
  done
}

reconcile_release() {
  local file=$1 status text chart version
  local -A FACT=()
  status=${file%.facts}.status
  [[ ! -e $status || $(<"$status") != *succeeded* || $status -ot $file ]] || return 0
  read_facts "$file"
  [[ ${FACT[suspended]} != True ]] || return 0
  if find_chart "${FACT[source]}" "${FACT[chart]}" "${FACT[version]}"; then
    # Its name is the chart's own; the output belongs to the controller's log.
    if text=$(apply_manifests "${FACT[namespace]}" "${FACT[namespace]}/${FACT[name]}" -f "$lab/charts/$chart.yaml" 2>&1 >/dev/null); then
      text="Helm install succeeded for release ${FACT[namespace]}/${FACT[name]}.v1 with chart $chart@$version"
    else
      text="Helm install failed for release ${FACT[namespace]}/${FACT[name]} with chart $chart@$version: ${text//$'\n'/ }"
    fi
  else
    text=$MESSAGE
  fi
  [[ -e $status && $(<"$status") == "$text" && $text != *succeeded* ]] || put "$status" "$text"
}

# Sets chart and version of what a repository has, or MESSAGE.
find_chart() {
  local name url have repository=$ETCD/objects/${1%/*}/helmrepositories.source.toolkit.fluxcd.io/${1#*/}.facts
  local prefix="HelmChart '${1%/*}/${FACT[namespace]}-${FACT[name]}' is not ready:"
  MESSAGE="$prefix failed to get source: HelmRepository.source.toolkit.fluxcd.io \"${1#*/}\" not found"
  [[ -e $repository ]] || return 1
  local -A FACT=()
  read_facts "$repository"
  while IFS=$'\t' read -r name url have; do
    [[ $name == "$2" && $url == "${FACT[url]%/}" ]] || continue
    chart=$name version=$have
    ! version_fits "$have" "$3" || return 0
  done <"$lab/charts/index.tsv"
  if repository_ready; then
    MESSAGE="$prefix invalid chart reference: failed to get chart version for remote reference: no '$2' chart with version matching '$3' found"
  else
    MESSAGE="$prefix no artifact available for HelmRepository source '${1#*/}'"
  fi
  return 1
}

version_fits() {
  local have=${1#v} want=${2#v}
  case $want in
    '*' | '>'* | '^'* | '~'*) return 0 ;;
    *.x | *.'*') [[ $have == "${want%.*}".* ]] ;;
    *) [[ $have == "$want" ]] ;;
  esac
}

# The address that MetalLB gives the service in FACT, in ADDRESS.
load_balancer_address() {
  local file wanted=${FACT[namespace]}/${FACT[name]} index=0 first
  ADDRESS=''
  [[ ${FACT[type]:-} == LoadBalancer ]] || return 1
  set -- "$ETCD"/objects/metallb-system/ipaddresspools.metallb.io/*.facts
  [[ -e $1 && -d $ETCD/objects/metallb-system/l2advertisements.metallb.io ]] || return 1
  local -A FACT=()
  for file in "$ETCD"/objects/*/services/*.facts; do
    read_facts "$file"
    [[ ${FACT[namespace]}/${FACT[name]} != "$wanted" ]] || break
    [[ ${FACT[type]} != LoadBalancer ]] || index=$((index + 1))
  done
  read_facts "$1"
  first=${FACT[addresses]%%[-,/]*}
  ADDRESS=${first%.*}.$((${first##*.} + index))
}
