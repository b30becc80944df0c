# Publishes the address at which the services answer.
set -euo pipefail
source config/ingress.conf
if [[ $address != "${subnet%.*}".* ]]; then
  echo "error: config/ingress.conf: $address is not in $subnet" >&2
  exit 1
fi
echo "$address" >"$MENDLOOP_OUT/address"
