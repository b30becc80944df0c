#!/usr/bin/env bash
# Empties the disks of a Proxmox host before it leaves the house. Run it there, by hand.
set -euo pipefail
for disk in /dev/sd?; do
  wipefs --all "$disk"
done
