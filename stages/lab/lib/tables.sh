# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2034,SC2154
# The tables of `kubectl get` and `flux get`.

# print_table SEPARATION: the tab-separated lines of ROWS as columns. (read would swallow an empty cell between tabs.)
print_table() {
  local row i cells widths=() line
  for row in "${ROWS[@]}"; do
    IFS=$'\x1f' read -ra cells <<<"${row//$'\t'/$'\x1f'}"
    for i in "${!cells[@]}"; do ((${#cells[i]} <= ${widths[i]:-0})) || widths[i]=${#cells[i]}; done
  done
  for row in "${ROWS[@]}"; do
    IFS=$'\x1f' read -ra cells <<<"${row//$'\t'/$'\x1f'}"
    line=''
    for i in "${!cells[@]}"; do
      ((i == ${#cells[@]} - 1)) || printf -v "cells[$i]" "%-${widths[i]}s$1" "${cells[i]}"
      line+=${cells[i]}
    done
    echo "$line"
  done
}

age() {
  local seconds=$(((NOW - $1) / 1000))
  if ((seconds < 120)); then
    AGE=${seconds}s
  elif ((seconds < 7200)); then
    AGE=$((seconds / 60))m
  else
    AGE=$((seconds / 3600))h
  fi
}

declare -A HEADERS=(
  [Node]='NAME\tSTATUS\tROLES\tAGE\tVERSION' [Namespace]='NAME\tSTATUS\tAGE' [Service]='NAME\tTYPE\tCLUSTER-IP\tEXTERNAL-IP\tPORT(S)\tAGE'
  [Deployment]='NAME\tREADY\tUP-TO-DATE\tAVAILABLE\tAGE' [StatefulSet]='NAME\tREADY\tAGE' [Pod]='NAME\tREADY\tSTATUS\tRESTARTS\tAGE'
  [DaemonSet]='NAME\tDESIRED\tCURRENT\tREADY\tUP-TO-DATE\tAVAILABLE\tNODE SELECTOR\tAGE' [Ingress]='NAME\tCLASS\tHOSTS\tADDRESS\tPORTS\tAGE'
  [HelmRelease]='NAME\tAGE\tREADY\tSTATUS' [HelmRepository]='NAME\tURL\tAGE\tREADY\tSTATUS' [ConfigMap]='NAME\tDATA\tAGE'
  [Event]='LAST SEEN\tTYPE\tREASON\tOBJECT\tMESSAGE' [IPAddressPool]='NAME\tAUTO ASSIGN\tAVOID BUGGY IPS\tADDRESSES'
)

table() {
  local object prefix=''
  ROWS=()
  [[ -z ${FLAG[all-namespaces]:-} || $K_SCOPE == Cluster ]] || prefix='NAMESPACE\t'
  [[ -n ${FLAG[no-headers]:-} ]] || printf -v 'ROWS[0]' '%b' "$prefix${HEADERS[$K_KIND]:-NAME\tAGE}"
  now
  for object in "${OBJECTS[@]}"; do
    load_object "$object"
    age "${FACT[created]}"
    prefix=''
    [[ -z ${FLAG[all-namespaces]:-} || $K_SCOPE == Cluster ]] || prefix=${FACT[namespace]}$'\t'
    case $K_KIND in
      Pod | Event) "rows_of_$K_KIND" ;;
      *) row_of_object && ROWS+=("$prefix$ROW") ;;
    esac
  done
  ((${#ROWS[@]} > (${#FLAG[no-headers]} > 0 ? 0 : 1))) || return 0
  print_table '   '
}

row_of_object() {
  local ready=0 total
  case $K_KIND in
    Node)
      ROW="${FACT[name]}	NotReady"
      [[ ${FACT[state]} != True ]] || ROW="${FACT[name]}	Ready"
      [[ ${FACT[type]} == worker ]] && ROW+='	<none>' || ROW+='	control-plane'
      ROW+="	$AGE	${FACT[version]}"
      ;;
    Namespace) ROW="${FACT[name]}	Active	$AGE" ;;
    Deployment | StatefulSet)
      total=${FACT[replicas]}
      ! workload_ready || ready=$total
      ROW="${FACT[name]}	$ready/$total	$total	$ready	$AGE"
      [[ $K_KIND == Deployment ]] || ROW="${FACT[name]}	$ready/$total	$AGE"
      ;;
    DaemonSet)
      list_nodes "https://$SERVER"
      total=${#MEMBERS[@]}
      ! workload_ready || ready=$total
      ROW="${FACT[name]}	$total	$total	$ready	$total	$ready	<none>	$AGE"
      ;;
    Service)
      ROW='<none>'
      [[ ${FACT[type]} != LoadBalancer ]] || ROW='<pending>'
      ! load_balancer_address || ROW=$ADDRESS
      ROW="${FACT[name]}	${FACT[type]}	10.96.$((${#FACT[name]} % 250)).$((FACT[created] % 250))	$ROW	${FACT[ports]}	$AGE"
      ;;
    Ingress) ROW="${FACT[name]}	${FACT[class]}	${FACT[hosts]}	$(ingress_address)	80, 443	$AGE" ;;
    ConfigMap) ROW="${FACT[name]}	${FACT[entries]}	$AGE" ;;
    HelmRelease) release_ready && ROW=True || ROW=False
      ROW="${FACT[name]}	$AGE	$ROW	$MESSAGE" ;;
    HelmRepository) repository_ready && ROW=True || ROW=False
      ROW="${FACT[name]}	${FACT[url]}	$AGE	$ROW	$MESSAGE" ;;
    IPAddressPool) ROW="${FACT[name]}	true	false	[\"${FACT[addresses]//,/\",\"}\"]" ;;
    *) ROW="${FACT[name]}	$AGE" ;;
  esac
}

# An ingress has the address of its class's load balancer.
ingress_address() {
  local file=$ETCD/objects/ingress/services/${FACT[class]}.facts
  [[ -e $file ]] || return 0
  read_facts "$file"
  ! load_balancer_address || echo "$ADDRESS"
}

rows_of_Pod() {
  local i count=${FACT[replicas]} state=ContainerCreating ready=0/1
  if workload_ready; then
    state=Running ready=1/1
  elif unpullable; then
    state=ImagePullBackOff
  elif ! schedulable; then
    state=Pending
  fi
  for ((i = 0; i < count; i++)); do
    ROWS+=("$prefix${FACT[name]}-$i	$ready	$state	0	$AGE")
  done
}

rows_of_Event() {
  if unpullable; then
    ROWS+=("$prefix$AGE	Warning	Failed	pod/${FACT[name]}-0	Failed to pull image \"${FACT[images]%% *}\": rpc error: code = NotFound desc = failed to pull and unpack image: not found")
  elif ! schedulable; then
    ROWS+=("$prefix$AGE	Warning	FailedScheduling	pod/${FACT[name]}-0	0/${#MEMBERS[@]} nodes are available")
  fi
}
