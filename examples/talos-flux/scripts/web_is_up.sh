#!/usr/bin/env bash
# The web application runs with as many replicas as cluster.yaml says.
set -euo pipefail
export KUBECONFIG=kubeconfig
kubectl wait deployment/web --for=condition=Available --timeout=60s
wanted=$(sed -n 's/^web_replicas: //p' cluster.yaml)
kubectl get deployment web --no-headers | grep "^web  *$wanted/$wanted "
