#!/bin/sh
# Two builds of Isostep in one session for some seconds: the server of one with clients of the other, and the other way
# round. Every client checks every root; the recording is verified by both replay tools.
#
#   mixed.sh BUILD_A BUILD_B SECONDS    folders with bin/isostep-server, -client, -replay
set -eu

a=$1 b=$2 seconds=$3
ticks=$((seconds * 60))
work=$(mktemp -d)
pids=
cleanup() {
    for pid in $pids; do kill -9 "$pid" 2>/dev/null || true; done
    rm -rf "$work"
}
trap cleanup EXIT
fail() {
    echo "mixed: $*" >&2
    for file in "$work"/*.log; do
        echo "--- ${file##*/}" >&2
        tail -n 10 "$file" >&2
    done
    exit 1
}
field() { tail -n 1 "$1" | sed -n "s/.*\"$2\":\"\{0,1\}\([^,\"}]*\).*/\1/p"; }

# host WAY SERVER_BUILD OWN OTHER: in the background; clients of both builds join.
host() {
    way=$1 build=$2
    mkdir "$work/$way"
    "$build/bin/isostep-server" --tcp 127.0.0.1:0 --tick-rate 60 --record "$work/$way" --for $((seconds + 30)) \
        >"$work/$way.out" 2>"$work/$way-server.log" &
    server=$!
    pids="$pids $server"
    tries=0
    until grep -q '^ready ' "$work/$way.out"; do
        tries=$((tries + 1))
        { [ "$tries" -le 200 ] && kill -0 "$server" 2>/dev/null; } || fail "the server of $build did not get ready"
        sleep 0.05
    done
    address=$(sed -n 's/^ready tcp=\([^ ]*\).*/\1/p' "$work/$way.out")
}

# play WAY NAME BUILD BOT: in the background.
play() {
    "$3/bin/isostep-client" "$address" --name "$2" --bot "$4" --ticks "$ticks" --json \
        >"$work/$1-$2.json" 2>"$work/$1-$2.log" &
    pids="$pids $!"
    players="$players $!"
}

players=
host ab "$a"
server_ab=$server
play ab near "$a" wander
play ab far "$b" builder
host ba "$b"
server_ba=$server
play ba near "$b" wander
play ba far "$a" builder
for pid in $players; do
    wait "$pid" || fail "a client ended with exit code $?"
done
kill -TERM "$server_ab" "$server_ba"
wait "$server_ab" || fail "the server of $a ended with exit code $?"
wait "$server_ba" || fail "the server of $b ended with exit code $?"
pids=

for way in ab ba; do
    recording=$(find "$work/$way" -name '*.isr')
    for build in "$a" "$b"; do
        "$build/bin/isostep-replay" verify --json "$recording" >"$work/verify.json" 2>"$work/verify.log" ||
            fail "$way does not verify with $build"
    done
    for name in near far; do
        file=$work/$way-$name.json
        [ "$(field "$file" desyncs)" = 0 ] || fail "$way: $name saw desyncs"
        checked=$(field "$file" hashes_checked)
        [ "$checked" -ge "$ticks" ] || fail "$way: $name checked $checked roots"
        last=$(field "$file" last_tick)
        "$a/bin/isostep-replay" info --tick "$last" --json "$recording" >"$work/info.json" 2>"$work/info.log"
        [ "$(field "$work/info.json" hash)" = "$(field "$file" last_hash)" ] ||
            fail "$way: $name ended with another root than was recorded"
        echo "$way: $name checked $checked roots, up to tick $last, all equal"
    done
done
