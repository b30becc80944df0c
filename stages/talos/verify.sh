#!/usr/bin/env bash
# Every machine is a cluster member and Ready in Kubernetes.
set -euo pipefail
# shellcheck source=stages/lib.sh
. stages/lib.sh

export TALOSCONFIG=$MENDLOOP_OUT/talosconfig KUBECONFIG=$MENDLOOP_OUT/kubeconfig
members=$(talosctl get members)
ready=$(kubectl get nodes --no-headers)
while IFS=$'\t' read -r _ name _ <&3; do
  [[ $members == *" $name "* ]] || die "$name is not a member of the Talos cluster"
  grep -Eq "^$name +Ready " <<<"$ready" || die "$name is not Ready: $(grep "^$name " <<<"$ready" || echo 'unknown to Kubernetes')"
  echo "$name: Ready"
done 3<"$MENDLOOP_OUTPUTS/vms/nodes.tsv"
