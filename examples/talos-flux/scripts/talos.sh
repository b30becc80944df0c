#!/usr/bin/env bash
# Configures the node, starts etcd on it once, and fetches kubeconfig. talos/node.env is rendered.
set -euo pipefail
# shellcheck source=/dev/null
. talos/node.env
umask 077

talosctl gen config "$CLUSTER" "https://$NODE:6443" --with-secrets secrets.yaml --config-patch @talos/patch.yaml \
  --install-disk "$DISK" --output-types controlplane --output controlplane.yaml --with-docs=false \
  --with-examples=false --force
talosctl gen config "$CLUSTER" "https://$NODE:6443" --with-secrets secrets.yaml \
  --output-types talosconfig --output talosconfig --force
talosctl config endpoint "$NODE"
talosctl config node "$NODE"

# A node without a configuration takes one from anybody; later only from who has the secrets.
until talosctl version >/dev/null 2>&1 || talosctl get disks --insecure >/dev/null 2>&1; do sleep 1; done
apply=(talosctl apply-config)
talosctl version >/dev/null 2>&1 || apply+=(--insecure)
"${apply[@]}" --file controlplane.yaml
rm controlplane.yaml

until talosctl version >/dev/null 2>&1; do sleep 1; done
for _ in {1..60}; do
  answer=$(talosctl bootstrap 2>&1) && break
  [[ $answer == *AlreadyExists* ]] && break
  sleep 1
done
talosctl health --wait-timeout 5m
talosctl kubeconfig kubeconfig --merge=false --force
