#!/usr/bin/env bash
# The controllers run, both releases are Ready and the address pool is there.
set -euo pipefail
# shellcheck source=stages/lib.sh
. stages/lib.sh
use_cluster

# Not `flux check`: it also fails when a newer flux command line has been published.
wait_for_workloads flux-system
kubectl --namespace metallb-system wait helmrelease/metallb --for=condition=Ready --timeout=10s
kubectl --namespace cert-manager wait helmrelease/cert-manager --for=condition=Ready --timeout=10s
kubectl --namespace metallb-system get ipaddresspools.metallb.io homelab
kubectl get clusterissuers.cert-manager.io homelab-ca
