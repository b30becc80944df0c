#!/usr/bin/env bash
# Makes a folder of links to the programs that every Debian has (its essential and required packages), Node and git, and prints
# it: `PATH=$(scripts/test/bare-path.sh) npm test` runs the tests as on a machine where nothing else is installed.
set -euo pipefail

folder=$(mktemp -d "${TMPDIR:-/tmp}/bare-path-XXXXXX")
for name in node npm npx git; do ln -s "$(command -v "$name")" "$folder/$name"; done
dpkg-query -W -f '${Essential} ${Priority} ${binary:Package}\n' |
  awk '$1 == "yes" || $2 == "required" { print $3 }' |
  xargs dpkg-query -L |
  while read -r path; do
    case "$path" in */bin/* | */sbin/*) [ -f "$path" ] && ln -sf "$path" "$folder/${path##*/}" ;; esac
  done
# Those that Debian chooses among several: awk, which.
for name in awk which; do [ -e "$folder/$name" ] || ln -s "$(command -v "$name")" "$folder/$name"; done
echo "$folder"
