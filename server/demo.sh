#!/bin/sh
# The demonstration: hosts, plays, records, breaks, verifies; ends with a table of what was checked.
#
#   sh server/demo.sh BINARIES    called by run.sh
#
# Everything runs on a free port of loopback and in a folder of its own that is removed at the end.
set -u

bin=$1
work=$(mktemp -d)
pids=
table=$work/table
: >"$table"

cleanup() {
    # Our own processes only, each by its number.
    for pid in $pids; do
        kill -9 "$pid" 2>/dev/null
    done
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

say() { printf '%s\n' "$*"; }

# check TEXT COMMAND…: one row of the table.
check() {
    text=$1
    shift
    if "$@" >/dev/null 2>&1; then result=ok; else result=FAILED; fi
    printf '  %-6s  %s\n' "$result" "$text" >>"$table"
}

# field FILE NAME: a number or string of the JSON object on the last line.
field() { tail -n 1 "$1" | sed -n "s/.*\"$2\":\"\{0,1\}\([^,\"}]*\).*/\1/p"; }

# client NAME OPTION…: one in the background; its number is then in $client.
client() {
    name=$1
    shift
    "$bin/isostep-client" "$address" --name "$name" --json "$@" >"$work/$name.json" 2>"$work/$name.log" &
    client=$!
    pids="$pids $client"
}

started=$(date +%s)
elapsed() { echo $(($(date +%s) - started)); }

# play_until SECOND: shows what the server says meanwhile.
shown=0
play_until() {
    while [ "$(elapsed)" -lt "$1" ]; do
        sleep 1
        # Only whole lines: the server may be writing one.
        lines=$(wc -l <"$work/server.log")
        if [ "$lines" -gt "$shown" ]; then
            sed -n "$((shown + 1)),${lines}p" "$work/server.log" |
                sed 's/^isostep-server: [a-z]*: session main:/          server:/'
            shown=$lines
        fi
        printf '  %3s s   recorded: %s bytes\n' "$(elapsed)" "$(cat "$work"/rec/*.isr.part 2>/dev/null | wc -c)"
    done
}

say "1. A server on a free port of this machine, recording"
mkdir "$work/rec"
: >"$work/server.out" >"$work/server.log"
"$bin/isostep-server" --tcp 127.0.0.1:0 --record "$work/rec" >"$work/server.out" 2>"$work/server.log" &
server=$!
pids="$pids $server"
tries=0
until grep -q '^ready ' "$work/server.out"; do
    tries=$((tries + 1))
    if [ "$tries" -gt 100 ] || ! kill -0 "$server" 2>/dev/null; then
        say "the server did not get ready:"
        cat "$work/server.log"
        exit 1
    fi
    sleep 0.1
done
ready=$(cat "$work/server.out")
say "          $ready"
address=${ready#ready tcp=}
address=${address%% *}

say "2. Anna wanders about, Bob builds; all of them step the same world and check every root"
client anna --bot wander
anna=$client
client bob --bot builder
bob=$client
play_until 5
say "3. Carl joins late: a snapshot, then the ticks since, while nobody waits"
client carl --bot wander
carl=$client
play_until 9
say "4. Bob is killed in the middle of everything"
kill -9 "$bob"
play_until 11
say "5. Dora's memory flips one bit at tick 840: the desync must be found in that tick"
client dora --bot idle --drill flip@840
dora=$client
play_until 19
say "6. Anna and Carl leave, the session ends: SIGTERM seals the recording"
kill -TERM "$anna" "$carl"
wait "$anna"
anna_code=$?
wait "$carl"
carl_code=$?
wait "$dora"
dora_code=$?
kill -TERM "$server"
wait "$server"
server_code=$?
wait "$bob" 2>/dev/null
pids=
sed -n "$((shown + 1)),\$p" "$work/server.log" | sed 's/^isostep-server: /          /'

recording=$(echo "$work"/rec/*.isr*)
say "7. The recording is replayed: every tick again, every root compared"
"$bin/isostep-replay" verify --json "$recording" >"$work/verify.json" 2>"$work/verify.log"
verify_code=$?
in_time="$(field "$work/verify.json" ticks) ticks in $(field "$work/verify.json" seconds) s"
say "          $in_time, $(field "$work/verify.json" speed) times real time: $(field "$work/verify.json" result)"

say "8. One command in a copy is changed, with a right checksum: no file check can notice, the replay must"
"$bin/isostep-replay" perturb "$recording" --tick 600 --command change --keep-roots -o "$work/edited.isr" \
    >"$work/edit.out" 2>&1
edit_code=$?
edited_tick=$(sed -n 's/.*tick \([0-9]*\).*/\1/p' "$work/edit.out" | head -n 1)
say "          $(head -n 1 "$work/edit.out" | sed 's/^[^:]*: //')"
"$bin/isostep-replay" verify --json "$work/edited.isr" >"$work/edited.json" 2>"$work/edited.log"
edited_code=$?
bad_tick=$(field "$work/edited.json" first_bad_tick)
say "          the replay differs first after tick $bad_tick"

# What the players computed on their own is what the recording holds: the root of Anna's last tick.
"$bin/isostep-replay" info --tick "$(field "$work/anna.json" last_tick)" --json "$recording" \
    >"$work/info.json" 2>/dev/null

num() { [ "${1:-0}" -ge "$2" ] 2>/dev/null; }
check "Anna checked $(field "$work/anna.json" hashes_checked) roots, 0 desyncs, and left with exit code 0" \
    test "$anna_code:$(field "$work/anna.json" desyncs)" = 0:0
carl_checked="$(field "$work/carl.json" hashes_checked) roots, 0 desyncs"
check "Carl joined late, at tick $(field "$work/carl.json" first_tick), and checked $carl_checked" \
    test "$carl_code:$(field "$work/carl.json" desyncs)" = 0:0
check "Bob's death cost nobody a tick: Anna confirmed $(field "$work/anna.json" last_tick) ticks in 19 s" \
    num "$(field "$work/anna.json" last_tick)" 1020
dora_found=$(sed -n 's/.*desync: after tick \([0-9]*\).*/\1/p' "$work/dora.log" | head -n 1)
check "Dora's flipped bit was found after tick $dora_found, exit code $dora_code" \
    grep -q "after tick 840" "$work/dora.log"
check "The server named Dora's desync as well" grep -q "state differs" "$work/server.log"
check "Dora ended with exit code 1" test "$dora_code" = 1
check "SIGTERM: exit code $server_code, the recording is sealed" test "$server_code:$recording" = "0:${recording%.part}"
check "The replay of the recording is equal, bit for bit, exit code $verify_code" \
    test "$verify_code:$(field "$work/verify.json" result)" = 0:ok
check "The recording's root after Anna's last tick is Anna's" \
    test "$(field "$work/info.json" hash)" = "$(field "$work/anna.json" last_hash)"
check "The changed command of tick $edited_tick was found in tick $bad_tick, exit code $edited_code" \
    test "$edit_code:$edited_code:$bad_tick" = "0:1:$edited_tick"

say ""
say "Verified:"
cat "$table"
if grep -q FAILED "$table"; then
    say ""
    say "Something failed. The logs:"
    for log in "$work"/*.log; do
        say "--- ${log##*/}"
        tail -n 15 "$log"
    done
    exit 1
fi
