#!/bin/sh
# Runs all cases in one way and compares with the golden roots.
#
#   way.sh SOURCE_DIR CASE_DIR WORK_DIR RUNNER WAY
#
# WAY: own: as the build runs it; simd-SET with a name as ISO_SIMD takes it; simd-changes: another one of those that the
# processor has at random ticks; simd-nehalem: the fastest one that an emulated processor without AVX has, fewer ticks;
# threads-N: N threads share each step.
# Exits with 77 when processor or build lacks the set. GOLDEN_SCENES in the environment names the scenes.
set -eu
source=$1 cases=$2 work=$3 runner=$4 way=$5
rm -rf "$work"
mkdir -p "$work"
run= options= column=2
case $way in
threads-*) options="--threads ${way#threads-}" ;;
simd-changes) options="--change-simd 1" ;;
simd-nehalem)
  # A sanitizer's shadow memory does not fit into the emulator's.
  if ! command -v qemu-x86_64-static > /dev/null || [ "$(uname -m)" != x86_64 ] || grep -q __asan_init "$runner"; then
    echo "skipped: there is no emulator of x86-64 for this build"
    exit 77
  fi
  run="qemu-x86_64-static -cpu Nehalem" column=3
  # shellcheck disable=SC2086
  ISO_SIMD=sse4.1 $run "$runner" stack "$cases/stack.case" --ticks 1 > "$work/roots.txt"
  if ISO_SIMD=avx2 $run "$runner" stack "$cases/stack.case" --ticks 1 > "$work/roots.txt" 2>&1; then
    echo "a processor without AVX2 was said to have it" >&2
    exit 1
  fi
  ;;
simd-*) export ISO_SIMD="${way#simd-}" ;;
esac
for scene in ${GOLDEN_SCENES:-$(sed '/^#/d; s/ .*//' "$source/tests/golden/scenes.txt")}; do
  ticks=$(awk -v scene="$scene" -v column="$column" '$1 == scene { print $column }' "$source/tests/golden/scenes.txt")
  awk -v scene="$scene" -v ticks="$ticks" '$1 == scene && $2 <= ticks' "$source"/tests/golden/roots*.txt \
    > "$work/expected.txt"
  [ -s "$work/expected.txt" ] || { echo "no golden roots for $scene" >&2; exit 1; }
  code=0
  # shellcheck disable=SC2086
  $run "$runner" "$scene" "$cases/$scene.case" $options --ticks "$ticks" > "$work/roots.txt" || code=$?
  [ $code -ne 77 ] || { echo "skipped: $way"; exit 77; }
  [ $code -eq 0 ] || exit 1
  diff -u "$work/expected.txt" "$work/roots.txt" || { echo "$scene: roots differ: $way" >&2; exit 1; }
done
echo "the golden roots agree: $way"
