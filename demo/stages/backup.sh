# Looks whether the latest backup is what was backed up.
set -euo pipefail
expected=$(<backups/photos.sum)
actual=$(git hash-object backups/photos.sql)
if [[ $actual != "$expected" ]]; then
  echo "error: backups/photos.sql: checksum ${actual:0:8}, expected ${expected:0:8}" >&2
  exit 1
fi
