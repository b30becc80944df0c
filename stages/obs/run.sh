#!/usr/bin/env bash
# Installs Prometheus, Alertmanager and Grafana, then the rules and monitors of this lab.
set -euo pipefail
# shellcheck source=stages/lib.sh
. stages/lib.sh
use_cluster

kubectl apply -f config/obs/stack.yaml
flux reconcile source helm prometheus-community
wait_for_release observability kube-prometheus-stack
# Only now does the cluster know these kinds.
kubectl apply -f config/obs/rules.yaml -f config/obs/dashboards.yaml
