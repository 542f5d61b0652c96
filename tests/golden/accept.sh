#!/bin/sh
# Accepts what a build computes as the golden roots: accept.sh BUILD_DIR
#
# Only on purpose. When the roots of a scene change, the simulation version is raised by one beyond the last committed
# one, here and in core/src/plane/plane.c; a scene that is new gets its line without that. Say in the commit why
# the roots change.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
source=$here/../../core/src/plane/plane.c
mkdir -p "$build/tests/cases"
"$build/tests/golden_make" "$build/tests/cases" "$here/scenes.txt"
for scene in $(sed '/^#/d; s/ .*//' "$here/scenes.txt"); do
  "$build/tests/golden_runner" "$scene" "$build/tests/cases/$scene.case"
done > "$here/roots.txt.new"

# What was accepted since the last commit is replaced, so that one change takes one number. Without a repository
# nothing is known to be uncommitted.
git -C "$here" show HEAD:./versions.txt > "$here/versions.txt.new" 2> /dev/null || cp "$here/versions.txt" "$here/versions.txt.new"
version=$(awk '!/^#/ { last = $1 } END { print last + 0 }' "$here/versions.txt.new")
sh "$here/hashes.sh" "$here/roots.txt.new" > "$here/hashes.new"
if awk 'FNR == NR { if (!/^#/) known[$2] = $3; next } $1 in known && known[$1] != $2 { changed = 1 } END { exit !changed }' \
    "$here/versions.txt.new" "$here/hashes.new"; then
  version=$((version + 1))
fi
awk -v version="$version" 'FNR == NR { if (!/^#/) known[$2] = $3; next } known[$1] != $2 { print version, $1, $2 }' \
  "$here/versions.txt.new" "$here/hashes.new" > "$here/lines.new"
cat "$here/lines.new" >> "$here/versions.txt.new"
{ echo "version $version"; cat "$here/roots.txt.new"; } > "$here/roots.txt"
mv "$here/versions.txt.new" "$here/versions.txt"
sed "s/^#define SIMULATION_VERSION .*/#define SIMULATION_VERSION ${version}u/" "$source" > "$here/plane.new"
cat "$here/plane.new" > "$source"
rm "$here"/*.new
sh "$here/versions.sh" "$here/../.."
