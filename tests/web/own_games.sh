#!/bin/sh
# Games of somebody's own in the page, as client-sample/web/README.md says: its list of games is one for the modules'
# compiler, and -DISO_WEB_GAMES gives it to each module that is built. What is built of it is the same as of
# tests/web/golden_games.c.
#
#   own_games.sh SOURCE WORK CLANG XXHASH_HEADER
set -eu
source=$1 work=$2 clang=$3 xxhash=$4
rm -rf "$work"
mkdir -p "$work/include"
cp "$xxhash" "$work/include/"

fail() {
    echo "own_games: $*" >&2
    exit 1
}

sed -n '/^## Your own game/,/^## Recordings/{/^```c$/,/^```$/p;}' "$source/client-sample/web/README.md" |
    sed '/^```/d' >"$work/web_games.c"
cat >"$work/rules.c" <<'END'
#include "isostep/isostep.h"
const iso_game my_game = {.name = "my-game", .version = 1, .control_layout = "axes-buttons-8", .control_size = 8};
END
for worlds in -DISO_ONLY_PLANE -DISO_SPACE; do
    "$clang" --target=wasm32 -std=c17 -ffreestanding -nostdlib -Wall -Wextra -Werror -fsyntax-only \
        -DISO_NO_LIBFIXMATH -DISO_NO_THREADS "$worlds" \
        -I "$source/core/src/base/freestanding" -I "$source/core/include" -I "$source/core/games/include" \
        -I "$source/client-sample/web/wasm" -isystem "$work/include" "$work/web_games.c" ||
        fail "the README's list does not compile"
done

configure() {
    cmake -S "$source" -B "$work/build" -G Ninja -DISO_WEB=ON -DISO_TESTS=OFF -DISO_WEB_GAMES="$1" >"$work/log" 2>&1
}
configure "$work/web_games.c" || fail "$(cat "$work/log")"
given=$(ninja -C "$work/build" -t commands isostep-page | grep -c "build\.sh .* $work/web_games\.c" || true)
[ "$given" -eq 3 ] || fail "$given modules of three get the list"
configure "$work/nowhere.c" && fail "a list that is not there is taken"
tr -s ' \n' '  ' <"$work/log" |
    grep -q "ISO_WEB_GAMES: $work/nowhere.c: there is no such file; expected a C file" || fail "$(cat "$work/log")"
echo "three modules get the list"
