#!/usr/bin/env bash
# Installs Traefik, waits for its address and routes the host names of config/ingress/routes.yaml to the applications.
set -euo pipefail
# shellcheck source=stages/lib.sh
. stages/lib.sh
use_cluster

kubectl apply -f config/ingress/traefik.yaml
wait_for_release ingress traefik
kubectl --namespace ingress wait service/traefik --for=jsonpath='{.status.loadBalancer.ingress}' --timeout=2m
kubectl apply -f config/ingress/routes.yaml
kubectl --namespace ingress get service traefik --output jsonpath='{.status.loadBalancer.ingress[0].ip}' \
  >"$MENDLOOP_OUT/address.new"
mv "$MENDLOOP_OUT/address.new" "$MENDLOOP_OUT/address"
echo "ingress address: $(cat "$MENDLOOP_OUT/address")"
