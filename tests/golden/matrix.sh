#!/bin/sh
# Builds the core and the runner with one compiler and set of flags, runs all cases, compares with the golden roots.
#
#   matrix.sh SOURCE_DIR CASE_DIR WORK_DIR TARGET FLAGS…
#
# TARGET: a compiler (gcc, clang), aarch64 or s390x (cross compiler and emulator), or wasm (clang and Node).
# GOLDEN_RUN_OPTIONS in the environment is passed to the runner; GOLDEN_SCENES names the scenes.
set -eu

source=$1 cases=$2 work=$3 target=$4
shift 4
here=$source/tests/golden
scenes=${GOLDEN_SCENES:-sandbox stack mass-ratio large-pyramid joint-grid}
rm -rf "$work"
mkdir -p "$work/include"
# Another processor's compiler must not see this machine's headers, only this one, which has no dependency.
cp "${XXHASH_HEADER:-/usr/include/xxhash.h}" "$work/include/"

common="-std=c17 -I$source/core/include -I$source/core/src -isystem $work/include"
native="-llibfixmath"
case $target in
  aarch64) compiler=aarch64-linux-gnu-gcc run=qemu-aarch64-static common="$common -static -DISO_NO_LIBFIXMATH" native= ;;
  s390x) compiler=s390x-linux-gnu-gcc run=qemu-s390x-static common="$common -static -DISO_NO_LIBFIXMATH" native= ;;
  wasm) compiler=clang run="node $here/golden_wasm.mjs" native=
    common="$common --target=wasm32 -ffreestanding -nostdlib -mbulk-memory -I$source/core/src/base/freestanding -DISO_NO_LIBFIXMATH -Wl,--no-entry" ;;
  *) compiler=$target run= ;;
esac
runner=golden_runner.c
[ "$target" = wasm ] && runner=golden_wasm.c

# shellcheck disable=SC2086
$compiler $common "$@" "$here/$runner" "$source"/core/src/*/*.c $native -o "$work/runner"

for scene in $scenes; do
  # shellcheck disable=SC2086
  $run "$work/runner" "$scene" "$cases/$scene.case" ${GOLDEN_RUN_OPTIONS:-} || exit 1
done > "$work/roots.txt"

for scene in $scenes; do
  grep "^$scene " "$here/roots.txt" || { echo "no golden roots for $scene" >&2; exit 1; }
done > "$work/expected.txt"

if diff -u "$work/expected.txt" "$work/roots.txt"; then
  echo "$(wc -l < "$work/roots.txt") roots of $(echo "$scenes" | wc -w) scenes agree: $target $*"
else
  echo "golden roots differ: $target $*" >&2
  exit 1
fi
