#!/bin/sh
# Accepts what a build computes as the golden roots: accept.sh BUILD_DIR
# Only on purpose: raise SIMULATION_VERSION in core/src/state/fingerprint.c and say in the commit why the hashes change.
set -eu
here=$(dirname "$0")
build=$1
mkdir -p "$build/tests/cases"
"$build/tests/golden_make" "$build/tests/cases" "$here/scenes.txt"
for scene in $(sed '/^#/d; s/ .*//' "$here/scenes.txt"); do
  "$build/tests/golden_runner" "$scene" "$build/tests/cases/$scene.case"
done > "$here/roots.txt.new"
mv "$here/roots.txt.new" "$here/roots.txt"
git -C "$here" --no-pager diff --stat -- roots.txt
