#!/usr/bin/env bash
# Turns the machines that the vms stage made into one Talos cluster and writes its kubeconfig and talosconfig.
set -euo pipefail
# shellcheck source=stages/lib.sh
. stages/lib.sh
# shellcheck source=config/talos/cluster.conf
. config/talos/cluster.conf

out=$MENDLOOP_OUT
nodes=$MENDLOOP_OUTPUTS/vms/nodes.tsv
addresses() { awk -v role="$1" '$1 == role { print $3 }' "$nodes" | paste -sd, -; }
[[ -s $nodes ]] || die "no node list at $nodes: the vms stage writes it"
control_planes=$(addresses controlplane)
workers=$(addresses worker)
first=${control_planes%%,*}
[[ -n $first ]] || die "no machine in $nodes has the role controlplane"
umask 077
export TALOSCONFIG=$out/talosconfig

# The secrets are the identity of the cluster: made once, kept for ever.
[[ -s $out/secrets.yaml ]] || talosctl gen secrets --output-file "$out/secrets.yaml"
generate=(talosctl gen config "$cluster_name" "https://$first:6443" --with-secrets "$out/secrets.yaml"
  --talos-version "$talos_version" --with-docs=false --with-examples=false --force)
"${generate[@]}" --output-types controlplane,worker --output "$out" \
  --kubernetes-version "$kubernetes_version" --install-disk "$install_disk" \
  --config-patch @config/talos/all.yaml \
  --config-patch-control-plane @config/talos/controlplane.yaml \
  --config-patch-worker @config/talos/worker.yaml
if [[ ! -s $TALOSCONFIG ]]; then
  "${generate[@]}" --output-types talosconfig --output "$TALOSCONFIG"
fi
# shellcheck disable=SC2086 # one word per address
talosctl config endpoint ${control_planes//,/ }
talosctl config node "$first"

configured() { talosctl --nodes "$1" --endpoints "$1" version; }
answers() { configured "$1" >/dev/null 2>&1 || talosctl --nodes "$1" get disks --insecure >/dev/null; }

while IFS=$'\t' read -r role name address <&3; do
  retry 300 answers "$address"
  apply=(talosctl --nodes "$address" --endpoints "$address" apply-config --file "$out/$role.yaml"
    --config-patch "machine: {network: {hostname: $name}}")
  if configured "$address" >/dev/null 2>&1; then
    "${apply[@]}"
  else
    "${apply[@]}" --insecure
  fi
  echo "$name ($address): configured as $role"
done 3<"$nodes"

# A node installs itself and reboots after its first configuration.
while IFS=$'\t' read -r _ _ address <&3; do
  retry 600 configured "$address" >/dev/null
done 3<"$nodes"

# Bootstrapping is done once in the life of a cluster; Talos itself refuses the second time.
bootstrap() {
  local answer
  answer=$(talosctl --nodes "$first" bootstrap 2>&1) && return 0
  case $answer in
    *'code = AlreadyExists'*) return 0 ;;
    *'not available yet'* | *'code = Unavailable'*) echo "$answer" && return 1 ;;
    *) echo "$answer" && return 2 ;;
  esac
}
retry 120 bootstrap
talosctl --nodes "$first" health --wait-timeout 10m --control-plane-nodes "$control_planes" --worker-nodes "$workers"

# A fresh kubeconfig has a new certificate each time: keep one that works, so that later stages see no change.
if ! kubectl --kubeconfig "$out/kubeconfig" get nodes >/dev/null 2>&1; then
  talosctl --nodes "$first" kubeconfig "$out/kubeconfig" --merge=false --force
fi
