#!/usr/bin/env bash
# Every application runs and can be reached by name inside the cluster.
set -euo pipefail
# shellcheck source=stages/lib.sh
. stages/lib.sh
use_cluster

wait_for_workloads apps
for app in homepage whoami; do
  kubectl --namespace apps get "deployment/$app"
  kubectl --namespace apps get service "$app"
done
