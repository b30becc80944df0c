# Writes the hosts file of the lab from the addresses in config/dns.yaml.
set -euo pipefail
while IFS=': ' read -r name address; do
  if [[ $address == 192.168.* ]]; then echo "$address $name.home.arpa"; fi
done <config/dns.yaml >"$MENDLOOP_OUT/hosts"
