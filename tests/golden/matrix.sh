#!/bin/sh
# Builds the core and the runner with one compiler and set of flags, runs all cases, compares with the golden roots.
#
#   matrix.sh SOURCE_DIR CASE_DIR WORK_DIR TARGET FLAGS…
#
# TARGET: a compiler (gcc, clang); aarch64, armhf (32 bit), riscv64 or s390x (big-endian) by cross compiler and
# emulator, where large scenes run fewer ticks (scenes.txt); or wasm (clang and Node).
# GOLDEN_RUN_OPTIONS in the environment is passed to the runner; GOLDEN_SCENES names the scenes.
set -eu

source=$1 cases=$2 work=$3 target=$4
shift 4
here=$source/tests/golden
scenes=${GOLDEN_SCENES:-$(sed '/^#/d; s/ .*//' "$here/scenes.txt")}
emulated=
rm -rf "$work"
mkdir -p "$work/include"
# Another processor's compiler must not see this machine's headers, only this one, which has no dependency.
cp "${XXHASH_HEADER:-/usr/include/xxhash.h}" "$work/include/"

common="-std=c17 -I$source/core/include -I$source/core/games/include -I$source/core/src -isystem $work/include"
native="-llibfixmath" link=
case $target in
  aarch64 | riscv64 | s390x) emulated=yes compiler=$target-linux-gnu-gcc run=qemu-$target-static ;;
  armhf) emulated=yes compiler=arm-linux-gnueabihf-gcc run=qemu-arm-static ;;
  wasm) compiler=clang run="node $here/golden_wasm.mjs" native=
    common="$common --target=wasm32 -ffreestanding -nostdlib -mbulk-memory -I$source/core/src/base/freestanding"
    common="$common -DISO_NO_LIBFIXMATH" link="-Wl,--no-entry,-z,stack-size=262144,--stack-first" ;;
  *) compiler=$target run= ;;
esac
[ -z "$emulated" ] || common="$common -DISO_NO_LIBFIXMATH" link=-static native=
runner=golden_runner.c
[ "$target" = wasm ] && runner=golden_wasm.c
# How many ticks of a scene are run.
ticks() { awk -v scene="$1" -v emulated="$emulated" '$1 == scene { print emulated ? $3 : $2 }' "$here/scenes.txt"; }

# What is built stays in $work/core: proto's tests on another processor stand on it (determinism/proto.sh). Files of
# different folders have the same names.
mkdir "$work/core" "$work/folder"
for folder in "$source"/core/src/*/ "$source"/core/src/*/*/ "$source"/core/src/*/*/*/ "$source"/core/games/ \
              "$source"/core/games/kit/; do
  [ -n "$(find "$folder" -maxdepth 1 -name '*.c')" ] || continue
  # shellcheck disable=SC2086
  (cd "$work/folder" && $compiler $common "$@" -c "$folder"*.c)
  for object in "$work"/folder/*.o; do
    mv "$object" "$work/core/$(echo "${folder#"$source"/core/}" | tr / -)${object##*/}"
  done
done
# shellcheck disable=SC2086
$compiler $common $link "$@" "$here/$runner" "$work"/core/*.o $native -o "$work/runner"

for scene in $scenes; do
  # shellcheck disable=SC2086
  $run "$work/runner" "$scene" "$cases/$scene.case" ${emulated:+--ticks "$(ticks "$scene")"} \
    ${GOLDEN_RUN_OPTIONS:-} || exit 1
done > "$work/roots.txt"

for scene in $scenes; do
  awk -v scene="$scene" -v ticks="$(ticks "$scene")" '
    $1 == scene && $2 <= ticks { print; found = 1 }
    END { exit !found }' \
    "$here"/roots*.txt || { echo "no golden roots for $scene" >&2; exit 1; }
done > "$work/expected.txt"

if diff -u "$work/expected.txt" "$work/roots.txt"; then
  echo "$(wc -l < "$work/roots.txt") roots of $(echo "$scenes" | wc -w) scenes agree: $target $*"
else
  echo "golden roots differ: $target $*" >&2
  exit 1
fi
