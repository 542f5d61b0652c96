#!/bin/sh
# The pure parts (core, session, recorder, client library) must build where there is no C library: as one
# WebAssembly module that imports nothing. And none of their files may have writable static data.
#
#   freestanding.sh SOURCE_DIR WORK_DIR LIBRARY…
#
# The libraries are those that the build has made of the files.
# ISO_CLANG names another clang. Exits 77 when there is no clang or linker for wasm32, and with 1 when ISO_COMPLETE is
# set.
set -eu
source=$1
work=$2
shift 2
clang=${ISO_CLANG:-clang}
if ! command -v "$clang" >/dev/null || ! command -v wasm-ld >/dev/null; then
    echo "skipped: $clang or wasm-ld is missing"
    [ -z "${ISO_COMPLETE-}" ] || exit 1
    exit 77
fi
rm -rf "$work"
mkdir -p "$work"

# The C library's headers come last, only for xxhash.h; what they would bring is replaced by the core's own.
flags="--target=wasm32 -std=c17 -O0 -ffreestanding -nostdlib -Wall -Wextra -Werror -Wno-unused-function
    -DISO_NO_LIBFIXMATH -DXXH_DEBUGLEVEL=0
    -I $source/core/src/base/freestanding -I $source/core/src -I $source/core/include -I $source/core/games/include
    -I $source/proto -I $source/proto/include -I $source/server/session -I $source/server/recorder
    -I $source/client-sample/lib/include -idirafter /usr/include"
objects=
for file in "$source"/core/src/*/*.c "$source"/core/src/*/*/*.c "$source"/core/src/*/*/*/*.c "$source"/core/games/*.c \
    "$source"/core/games/kit/*.c "$source"/server/session/*.c "$source"/server/recorder/*.c \
    "$source"/client-sample/lib/*.c \
    "$source"/proto/recording/encode.c "$source"/proto/recording/frames.c "$source"/proto/recording/header.c \
    "$source"/proto/wire/crc32c.c; do
    object=$work/$(echo "${file#"$source"/}" | tr / -).o
    # shellcheck disable=SC2086
    "$clang" $flags -c -o "$object" "$file"
    objects="$objects $object"
done
# shellcheck disable=SC2086
wasm-ld --no-entry --export=iso_session_handle --export=iso_session_next_action --export=iso_recorder_handle \
    --export=iso_client_handle --export=iso_client_next_action --export=iso_world_step \
    -o "$work/isostep.wasm" $objects
echo "one module without imports: $(wc -c <"$work/isostep.wasm") bytes from $(echo "$objects" | wc -w) files"

# Assertions there only trap, unless the build names a function: that one gets file, line and condition.
cat >"$work/hook.c" <<'EOF'
#include "isostep/assert.h"
int hooked(int index);
int hooked(int index) {
    ISO_ASSERT(index < 4321);
    return index;
}
EOF
# shellcheck disable=SC2086
"$clang" $flags -S -o "$work/trap.s" "$work/hook.c"
printf '__attribute__((noreturn)) void my_failed(const char *file, int line, const char *condition);\n%s\n' \
    '#define ISO_ASSERT_FAILED(file, line, condition) my_failed(file, line, condition)' >"$work/hook.h"
# shellcheck disable=SC2086
"$clang" $flags -include "$work/hook.h" -S -o "$work/hook.s" "$work/hook.c"
if ! grep -q unreachable "$work/trap.s" || grep -q 4321\" "$work/trap.s" ||
    ! grep -q 'call.*my_failed' "$work/hook.s" ||
    ! grep -q '"index < 4321"' "$work/hook.s" || ! grep -q '"hook.c"' "$work/hook.s"; then
    echo "an assertion of a freestanding build does not trap, or does not call the function that the build names"
    exit 1
fi

# The same files for this machine, as the build has them in its libraries: object files name their sections.
writable=$(size -A -d "$@" | awk '/^[^ ]*\.o / { file = $1 }
    $1 ~ /^\.(data|bss|tdata|tbss)(\.|$)/ && $1 !~ /\.rel\.ro/ && $2 > 0 { print file, $1, $2, "bytes" }')
if [ -n "$writable" ]; then
    printf 'writable static data in\n%s\n' "$writable"
    exit 1
fi
echo "no writable static data in $# libraries"
