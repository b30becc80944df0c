# Makes a folder for the data of each service.
set -euo pipefail
for service in photos music; do
  mkdir -p "data/$service"
done
