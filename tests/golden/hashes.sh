#!/bin/sh
# One line per scene of a list of roots, `scene hash`: the first 64 bits of the SHA-256 of the scene's lines. hashes.sh
# ROOTS
set -eu
awk '$1 != "version" && !seen[$1]++ { print $1 }' "$1" | while read -r scene; do
  printf '%s %s\n' "$scene" "$(grep "^$scene " "$1" | sha256sum | cut -c 1-16)"
done
