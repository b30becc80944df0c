#!/usr/bin/env bash
# Installs, with apt, the programs that tests use and Node does not bring: shellcheck, flock, script, setpriv, make, jq,
# yamllint, Ansible, openssl, zsh, fish, Python with its YAML parser and Jinja, cron, systemd-analyze, promtool, Chromium, and
# Slurm (scripts/slurm-cluster.mjs starts one).
set -euo pipefail

packages=()
need() { command -v "$1" >/dev/null 2>&1 || packages+=("$2"); }
need git git
need shellcheck shellcheck
need flock util-linux
need setpriv util-linux
need script bsdutils
need ps procps
need make make
need jq jq
need yamllint yamllint
need openssl openssl
need ansible-playbook ansible-core
need zsh zsh
need fish fish
need crontab cron
need systemd-analyze systemd
need python3 python3
need sbatch slurm-wlm
need munge munge
need chromium chromium
/usr/bin/python3 -c 'import yaml' 2>/dev/null || packages+=(python3-yaml)
/usr/bin/python3 -c 'import jinja2' 2>/dev/null || packages+=(python3-jinja2)

has_promtool() { command -v promtool >/dev/null 2>&1; }

if [ "${#packages[@]}" -eq 0 ] && has_promtool; then exit 0; fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo "install_test_tools: please install: ${packages[*]} $(has_promtool || echo promtool)" >&2
  exit 1
fi
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }
as_root apt-get update -qq
if [ "${#packages[@]}" -gt 0 ]; then as_root apt-get install -y -qq --no-install-recommends "${packages[@]}"; fi
if ! has_promtool; then
  # Only this program of the package: installed, it would start a Prometheus.
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  (cd "$folder" && apt-get download -qq prometheus)
  dpkg-deb --fsys-tarfile "$folder"/prometheus_*.deb | tar -xO ./usr/bin/promtool >"$folder/promtool"
  as_root install -m 755 "$folder/promtool" /usr/local/bin/promtool
fi
