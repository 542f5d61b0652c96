#!/bin/sh
# Programs and libraries are built so that a fault is hard to use: at unknown addresses, with nothing that the loader
# has resolved left to write, no stack that runs, and functions that look after their arrays.
#
#   hardened.sh PROGRAM… [--libraries LIBRARY…]
#
# Prints one line for each thing that is missing, and exits with 1 when there is any.
set -eu
LC_ALL=C
export LC_ALL
bad=$(mktemp)
trap 'rm -f "$bad"' EXIT

missing() {
    echo "$1: $2" >>"$bad"
}

while [ $# -gt 0 ] && [ "$1" != --libraries ]; do
    readelf -hldW "$1" >"$bad.elf"
    grep -q '^ *Type: *DYN (Position-Independent Executable' "$bad.elf" || missing "$1" "it is not position-independent"
    grep -q '^ *GNU_RELRO' "$bad.elf" || missing "$1" "the loader's tables stay writable (-z relro)"
    grep -q 'FLAGS_1.*NOW' "$bad.elf" || missing "$1" "functions are resolved while it runs (-z now)"
    grep -q '^ *GNU_STACK .* RW ' "$bad.elf" || missing "$1" "its stack can be run"
    readelf -sW --dyn-syms "$1" >"$bad.elf"
    grep -q ' __stack_chk_fail' "$bad.elf" || missing "$1" "no function has a stack guard (-fstack-protector-strong)"
    grep -qE ' __[a-z]+_chk(@| |$)' "$bad.elf" || missing "$1" "no size is checked (_FORTIFY_SOURCE)"
    rm -f "$bad.elf"
    shift
done
[ $# -eq 0 ] || shift
for library in "$@"; do
    nm "$library" 2>/dev/null >"$bad.names"
    grep -q ' __stack_chk_fail' "$bad.names" ||
        missing "$library" "no function has a stack guard (-fstack-protector-strong)"
    rm -f "$bad.names"
done
cat "$bad"
[ ! -s "$bad" ] && echo "hardened"
