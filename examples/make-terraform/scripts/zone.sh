#!/usr/bin/env bash
# Writes the zone of the house: a line for each output of Terraform.
set -euo pipefail
zone=$1
mkdir -p "$(dirname "$zone")"
{
  cat scripts/zone.head
  terraform -chdir=terraform output -json | jq -r 'to_entries[] | "\(.key) IN A \(.value.value | split("/")[0])"'
} >"$zone.new"
mv "$zone.new" "$zone"
echo "$(grep -c ' IN A ' "$zone") names in $zone"
