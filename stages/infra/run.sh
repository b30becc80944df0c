#!/usr/bin/env bash
# Installs Flux and what everything else stands on: addresses for load balancers (MetalLB) and certificates (cert-manager).
set -euo pipefail
# shellcheck source=stages/lib.sh
. stages/lib.sh
use_cluster

flux install
kubectl apply -f config/flux/
wait_for_release metallb-system metallb
wait_for_release cert-manager cert-manager
# Only now does the cluster know these kinds.
kubectl apply -f config/infra/
