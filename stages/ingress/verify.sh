#!/usr/bin/env bash
# Traefik runs, still has the address that was handed on, and every application has a route.
set -euo pipefail
# shellcheck source=stages/lib.sh
. stages/lib.sh
use_cluster

wait_for_workloads ingress
address=$(kubectl --namespace ingress get service traefik --output jsonpath='{.status.loadBalancer.ingress[0].ip}')
[[ -n $address ]] || die 'service traefik has no external address'
[[ $address == "$(cat "$MENDLOOP_OUT/address")" ]] || die "service traefik moved to $address"
for app in homepage whoami; do
  kubectl --namespace apps get ingress "$app"
done
