#!/usr/bin/env bash
# The monitoring stack runs and has this lab's rules, monitors and dashboard.
set -euo pipefail
# shellcheck source=stages/lib.sh
. stages/lib.sh
use_cluster

wait_for_workloads observability
kubectl --namespace observability get prometheusrules.monitoring.coreos.com homelab
kubectl --namespace observability get servicemonitors.monitoring.coreos.com traefik
kubectl --namespace observability get configmap homelab-dashboard
