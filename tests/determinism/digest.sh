#!/bin/sh
# The digests of the arithmetic and of symbolic constraints, with every compiler and for every processor that is
# installed. What a compiler is free to choose, such as the order of arguments, must not show.
#
#   digest.sh SOURCE_DIR WORK_DIR
#
# Exits 77 when only one compiler is there: the unit tests have run that. With ISO_COMPLETE in the environment a
# compiler or emulator that is missing is an error.
set -eu
source=$1
work=$2
rm -rf "$work"
mkdir -p "$work"
count=0

# leave_out NAME TOOL
leave_out() {
    echo "$1: left out, $2 is not installed"
    [ -z "${ISO_COMPLETE-}" ] || exit 1
}

# check NAME RUN COMPILER FLAGS…
check() {
    name=$1 run=$2
    shift 2
    for tool in "$1" ${run%% *}; do
        command -v "$tool" > /dev/null || { leave_out "$name" "$tool"; return 0; }
    done
    # What both programs have is compiled once.
    mkdir "$work/$name"
    (cd "$work/$name" && "$@" -std=c17 -DISO_NO_LIBFIXMATH -I"$source/core/include" -I"$source/core/src" -c \
        "$source"/core/src/math/*.c "$source"/core/src/symbolic/*.c "$source/core/src/base/memory_wasm.c" \
        "$source/core/src/base/assert.c")
    for digest in math/test_math_digest symbolic/test_program_digest; do
        "$@" -std=c17 -DISO_NO_LIBFIXMATH -I"$source/core/include" -I"$source/core/src" \
            "$source/tests/unit/$digest.c" "$work/$name"/*.o -o "$work/${digest#*/}"
        $run "$work/${digest#*/}" || { echo "${digest#*/} fails: $name" >&2; exit 1; }
    done
    count=$((count + 1))
    echo "$name: both digests agree"
}

check gcc-O0 "" gcc -O0
check gcc-O3 "" gcc -O3
check clang-O0 "" clang -O0
check clang-O2-no-int128 "" clang -O2 -DISO_NO_INT128
check aarch64 qemu-aarch64-static aarch64-linux-gnu-gcc -O2 -static
check armhf qemu-arm-static arm-linux-gnueabihf-gcc -O2 -static
check riscv64 qemu-riscv64-static riscv64-linux-gnu-gcc -O2 -static
check s390x qemu-s390x-static s390x-linux-gnu-gcc -O2 -static
if command -v wasm-ld > /dev/null; then
    # The stack lies below all data, so that what grows beyond it traps.
    check wasm "node $source/tests/determinism/digest_wasm.mjs" clang -O2 --target=wasm32 -ffreestanding -nostdlib \
        -mbulk-memory -I"$source/tests/determinism/wasm" -I"$source/core/src/base/freestanding" -Dmain=digest_main \
        -Wl,--no-entry,--export=digest_main,--allow-undefined,-z,stack-size=262144,--stack-first
else
    leave_out wasm wasm-ld
fi
[ "$count" -gt 2 ] || exit 77
