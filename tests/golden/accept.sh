#!/bin/sh
# Accepts what a build computes as the golden roots: accept.sh BUILD_DIR
#
# Only on purpose. When the roots of a scene change, the simulation version of its kind of worlds is raised by one
# beyond the last committed one, here and in the kind's kernel (kinds.txt); a scene that is new gets its line without
# that. Say in the commit why the roots change.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
mkdir -p "$build/tests/cases"
"$build/tests/golden_make" "$build/tests/cases" "$here/scenes.txt"

# accept KIND ROOTS VERSIONS KERNEL: the scenes of one kind of worlds.
accept() {
  roots=$here/$2 versions=$here/$3 kernel=$here/../../$4
  for scene in $(awk -v kind="$1" '!/^#/ && $5 == kind { print $1 }' "$here/scenes.txt"); do
    "$build/tests/golden_runner" "$scene" "$build/tests/cases/$scene.case"
  done > "$roots.new"

  # What was accepted since the last commit is replaced, so that one change takes one number. Without a repository
  # nothing is known to be uncommitted.
  git -C "$here" show "HEAD:./$3" > "$versions.new" 2> /dev/null || cp "$versions" "$versions.new"
  version=$(awk '!/^#/ { last = $1 } END { print last ? last : 1 }' "$versions.new")
  sh "$here/hashes.sh" "$roots.new" > "$here/hashes.new"
  if awk '
      FNR == NR { if (!/^#/) known[$2] = $3; next }
      $1 in known && known[$1] != $2 { changed = 1 }
      END { exit !changed }' \
      "$versions.new" "$here/hashes.new"; then
    version=$((version + 1))
  fi
  awk -v version="$version" 'FNR == NR { if (!/^#/) known[$2] = $3; next } known[$1] != $2 { print version, $1, $2 }' \
    "$versions.new" "$here/hashes.new" > "$here/lines.new"
  cat "$here/lines.new" >> "$versions.new"
  { echo "version $version"; cat "$roots.new"; } > "$roots"
  mv "$versions.new" "$versions"
  sed "s/^#define SIMULATION_VERSION .*/#define SIMULATION_VERSION ${version}u/" "$kernel" > "$here/kernel.new"
  cat "$here/kernel.new" > "$kernel"
  rm "$here"/*.new
}
while read -r kind roots versions kernel; do
  case $kind in "#") continue ;; esac # not by ||, within which `set -e` means nothing
  accept "$kind" "$roots" "$versions" "$kernel" < /dev/null
done < "$here/kinds.txt"
sh "$here/versions.sh" "$here/../.."
