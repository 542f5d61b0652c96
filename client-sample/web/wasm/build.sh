#!/bin/sh
# Builds the module: core, games, client library and the border, freestanding for wasm32, as one file without imports.
# It ends with 1 when the module is larger than ISO_WEB_SIZE_MAX bytes (400 kB; 700 kB with ISO_WEB_SPACE).
#
#   build.sh SOURCE_DIR WORK_DIR MODULE [GAMES_C]
#
# GAMES_C is a file that defines iso__web_games (wasm/games.h) with other games than the library's. ISO_WEB_WITHOUT is a
# list of how names of functions begin: what only these need is left out. With either, what an earlier call has left in
# WORK_DIR is used again, so that only this is compiled and linked.
#
# With ISO_WEB_SPACE=1 the module has worlds in space beside those in the plane. It takes a WORK_DIR of its own.
#
# ISO_CLANG and ISO_WASM_OPT name another clang and wasm-opt; XXHASH_HEADER says where xxhash.h is; ISO_JOBS is how many
# files are compiled at a time.
set -eu
source=$1 work=$2 module=$3
here=$source/client-sample/web/wasm
if [ -n "${ISO_WEB_SPACE-}" ]; then
    worlds='' limit=${ISO_WEB_SIZE_MAX:-700000} lists="$here/exports.txt $here/exports3.txt"
else
    worlds=-DISO_ONLY_PLANE limit=${ISO_WEB_SIZE_MAX:-400000} lists=$here/exports.txt
fi
games=${4-}
without=${ISO_WEB_WITHOUT-}
if [ -z "$games$without" ] || [ ! -e "$work/complete" ]; then
    rm -rf "$work"
fi
mkdir -p "$work/include" "$work/objects"
# Of the machine's headers only this one, which has no dependency.
cp "${XXHASH_HEADER:-/usr/include/xxhash.h}" "$work/include/"
if [ -n "$games" ]; then
    games=$(cd "$(dirname "$games")" && pwd)/$(basename "$games")
fi

cd "$source"
flags="--target=wasm32 -std=c17 -flto -ffreestanding -nostdlib -mbulk-memory -Wall -Wextra -Werror -Wno-unused-function
  -DISO_NO_LIBFIXMATH -DISO_NO_THREADS $worlds -DXXH_DEBUGLEVEL=0 -I core/src/base/freestanding -I core/src
  -I core/include -I core/games/include -I proto -I proto/include -I client-sample/lib/include -I client-sample/replay
  -I client-sample/web/wasm -isystem $work/include"
for file in core/src/*/*.c core/src/*/*/*.c core/src/*/*/*/*.c core/games/*.c core/games/kit/*.c client-sample/lib/*.c \
    proto/codec/check.c proto/recording/frames.c proto/recording/header.c proto/recording/keyframe.c \
    proto/recording/recording.c proto/recording/torn.c proto/wire/crc32c.c proto/wire/diff_text.c \
    client-sample/replay/compare/*.c client-sample/web/wasm/*.c; do
    # Where a step spends its time, calls are inlined; everything else is as small as it can be.
    case $file in
    core/src/plane/dynamics/contact_solver.c | core/src/plane/dynamics/contact_prepare.c | \
        core/src/plane/dynamics/contact_row.c | core/src/plane/dynamics/contact_pose.c | \
        core/src/plane/collide/manifold_polygon.c | core/src/plane/joint/plain.c | \
        core/src/space/dynamics/contact_solve.c | core/src/space/dynamics/contact_rows.c | \
        core/src/space/collide/manifold_box.c) echo "-Os $file" ;;
    *) echo "-Oz $file" ;;
    esac
done >"$work/files.txt"
if [ ! -e "$work/complete" ]; then
    # shellcheck disable=SC2016 # the inner shell's words
    CLANG=${ISO_CLANG:-clang} FLAGS=$flags OBJECTS=$work/objects xargs -P "${ISO_JOBS:-2}" -n 2 sh -c '
        $CLANG $FLAGS "$1" -c -o "$OBJECTS/$(echo "$2" | tr / -).o" "$2"' sh <"$work/files.txt"
    touch "$work/complete"
fi
own_games=$work/objects/client-sample-web-wasm-games.c.o
objects=$(find "$work/objects" -name '*.o' | sort)
if [ -n "$games" ]; then
    # shellcheck disable=SC2086 # one word per option
    ${ISO_CLANG:-clang} $flags -Oz -c -o "$module.games.o" "$games"
    objects="$(echo "$objects" | grep -vxF "$own_games" || true) $module.games.o"
fi

left_out=$(printf '/^%s/d; ' '#' $without) # one word per beginning
# shellcheck disable=SC2086 # one word per list
exports=$(sed "${left_out}s/^/--export=/" $lists)
# Headers leave each file its own copy of the same functions: equal ones are merged.
# shellcheck disable=SC2086 # one word per option and file
wasm-ld --no-entry --lto-O2 -mllvm -enable-merge-functions --gc-sections --strip-all -z stack-size=262144 \
    --stack-first $exports -o "$module.linked" $objects
# clang leaves locals and blocks that the format does not need: a tenth of the module.
"${ISO_WASM_OPT:-wasm-opt}" -Oz --enable-bulk-memory --enable-mutable-globals "$module.linked" -o "$module.part"
size=$(wc -c <"$module.part")
echo "$(basename "$module"): $size bytes, $(gzip -9c "$module.part" | wc -c) compressed"
if [ "$size" -gt "$limit" ]; then
    echo "$(basename "$module") is larger than $limit bytes" >&2
    exit 1
fi
mv "$module.part" "$module"
rm -f "$module.linked" "$module.games.o"
