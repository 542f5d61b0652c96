#!/bin/sh
# Installs a build into a scratch prefix, moves it, builds tests/embedding/orbit against it, by CMake and by pkg-config
# alone, and plays: one build hosts, the other joins and replays. The programs that the library brings must say that
# they do not know the game.
#
#   check.sh SOURCE_DIR BUILD_DIR WORK_DIR CC
set -eu

source=$1 build=$2 work=$3 compiler=$4
example=$source/tests/embedding/orbit
rm -rf "$work"
mkdir -p "$work/records"
server=
trap 'test -z "$server" || kill -9 "$server" 2>/dev/null || true' EXIT

fail() {
    echo "embedding: $*" >&2
    for file in "$work"/*.log; do
        echo "--- ${file##*/}" >&2
        tail -n 20 "$file" >&2
    done
    exit 1
}

# quietly NAME COMMAND…: its output goes to NAME.log.
quietly() {
    name=$1
    shift
    "$@" >"$work/$name.log" 2>&1 </dev/null || fail "failed: $*"
}

# refused NAME CODE TEXT COMMAND…: must end with that exit code and say that text.
refused() {
    name=$1 wanted=$2 text=$3
    shift 3
    code=0
    "$@" >"$work/$name.log" 2>&1 </dev/null || code=$?
    [ "$code" -eq "$wanted" ] || fail "exit code $code instead of $wanted: $*"
    grep -q "$text" "$work/$name.log" || fail "says nothing of \"$text\": $*"
}

# Nothing of the package may depend on where it was installed.
quietly install cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$work/prefix"
bin=$work/prefix/bin

quietly configure cmake -S "$example" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$compiler" \
    -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Werror"
quietly build cmake --build "$work/cmake"

PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name isostep.pc)")
export PKG_CONFIG_PATH
flags=$(pkg-config --cflags --libs isostep-server isostep-client-main isostep-replay)
# shellcheck disable=SC2086 # one word per flag
quietly compile "$compiler" -std=c17 -Wall -Wextra -Wpedantic -Werror "$example/orbit.c" $flags -o "$work/orbit"

"$work/cmake/orbit" server --scene "$example/space.json" --tcp 127.0.0.1:0 --record "$work/records" --for 60 \
    >"$work/ready" 2>"$work/server.log" &
server=$!
tries=0
until grep -q '^ready ' "$work/ready"; do
    tries=$((tries + 1))
    { [ "$tries" -le 200 ] && kill -0 "$server" 2>/dev/null; } || fail "the server did not get ready"
    sleep 0.05
done
address=$(sed -n 's/^ready tcp=\([^ ]*\).*/\1/p' "$work/ready")

refused stranger 4 "a game that this program does not have" "$bin/isostep-client" "$address" --name stranger --ticks 10
"$work/orbit" client "$address" --name luna --bot wander --ticks 240 --json >"$work/luna.json" 2>"$work/luna.log" &
luna=$!
quietly io "$work/cmake/orbit" client "$address" --name io --bot wander --ticks 200 --json
wait "$luna" || fail "the client from pkg-config ended with exit code $?"
for file in luna.json io.log; do
    grep -q '"desyncs":0' "$work/$file" || fail "$file knows of desyncs"
    [ "$(sed -n 's/.*"hashes_checked":\([0-9]*\).*/\1/p' "$work/$file")" -ge 200 ] || fail "$file has not checked 200 roots"
done

kill -TERM "$server"
wait "$server" || fail "the server ended with exit code $?"
server=
recording=$(find "$work/records" -name '*.isr')
[ -n "$recording" ] || fail "there is no sealed recording"
quietly verify "$work/orbit" replay verify --json "$recording"
grep -q '"result":"ok"' "$work/verify.log" || fail "the recording does not verify"

refused foreign-replay 3 "does not know the game 'orbit'" "$bin/isostep-replay" verify "$recording"
refused foreign-server 2 "orbit" "$bin/isostep-server" --scene "$example/space.json" --tcp 127.0.0.1:0 --for 1
echo "one file, built by CMake and by pkg-config, hosts, joins and replays its own game"
