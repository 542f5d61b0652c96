#!/bin/sh
# The same roots must come out when the state is saved and restored, recoded, handed to a fresh process, or robbed of
# its caches on the way, or when pieces of a step are done in another order.
#   disturb.sh SOURCE_DIR CASE_DIR WORK_DIR RUNNER   (GOLDEN_SCENES names the scenes)
set -eu
source=$1 cases=$2 work=$3 runner=$4
rm -rf "$work"
mkdir -p "$work"
compare() { # scene label file
  grep -h "^$1 " "$source"/tests/golden/roots*.txt | diff -u - "$3" || { echo "$1: roots differ: $2" >&2; exit 1; }
}
for scene in ${GOLDEN_SCENES:-$(sed '/^#/d; s/ .*//' "$source/tests/golden/scenes.txt")}; do
  for how in --restore --recode "--drop-caches 1" "--drop-caches 2" "--restore --recode --drop-caches 3" \
             "--pieces 1"; do
    # shellcheck disable=SC2086
    "$runner" "$scene" "$cases/$scene.case" $how > "$work/roots.txt"
    compare "$scene" "$how" "$work/roots.txt"
  done
  # Into a fresh process: the first writes a snapshot at tick 50, the second goes on from it.
  "$runner" "$scene" "$cases/$scene.case" --save 50 "$work/snapshot"
  "$runner" "$scene" "$cases/$scene.case" --resume "$work/snapshot" > "$work/roots.txt"
  compare "$scene" "fresh process" "$work/roots.txt"
done
echo "save, restore, encode, decode, a fresh process, lost caches and pieces in any order leave no trace"
