#!/usr/bin/env bash
# Deploys the applications of config/apps and waits until they run.
set -euo pipefail
# shellcheck source=stages/lib.sh
. stages/lib.sh
use_cluster

kubectl apply -k config/apps
wait_for_workloads apps
