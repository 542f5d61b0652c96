#!/bin/sh
# Many sessions on one server: how late their ticks are sealed, and what the server does with its processor. The server
# is pinned to one processor, the clients to another; four wandering members in each session, of which one in all steps
# the world, since one processor could not step it for every session. Linux only.
#
#   sessions.sh BUILD [SESSIONS [SECONDS [SCENE]]]    of a release build; by default 128, 60 and sandbox
#
# Late ticks and processor times are those of SECONDS after SESSIONS_SETTLE seconds (10), in which all members join; the
# lateness that the server prints counts from its start on. With perf, and the right to use it, processor times are
# divided further.
set -eu
LC_ALL=C
export LC_ALL

fail() {
    echo "sessions.sh: $1" >&2
    exit "${2:-1}"
}

# need_number WHAT VALUE MAX
need_number() {
    case $2 in
    '' | *[!0-9]* | 0* | ??????*) ;;
    *) [ "$2" -gt "$3" ] || return 0 ;;
    esac
    fail "$1 is '$2': expected a number from 1 to $3" 2
}

if [ $# -lt 1 ] || [ $# -gt 4 ]; then
    sed -n 's/^#   //p' "$0" >&2
    exit 2
fi
build=$1 sessions=${2:-128} seconds=${3:-60} scene=${4:-sandbox}
members=4
settle=${SESSIONS_SETTLE:-10}
need_number SESSIONS "$sessions" 250
need_number SECONDS "$seconds" 3600
need_number SESSIONS_SETTLE "$settle" 3600
for program in isostep-server isostep-client; do
    [ -x "$build/bin/$program" ] || fail "there is no $build/bin/$program" 3
done
command -v taskset >/dev/null || fail "taskset is not installed" 3
command -v node >/dev/null || fail "node is not installed" 3

work=$(mktemp -d)
server='' clients='' is_divided=''
end() {
    for process in $clients $server; do
        kill "$process" 2>/dev/null || true
    done
    wait
    rm -rf "$work"
}
trap end EXIT
trap 'exit 1' INT TERM HUP

# The first two processors that this shell may use; on a machine with one, server and clients share it.
processors=$(taskset -pc $$ | sed 's/.*: //' | tr ',' '\n' |
    awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); ++i) print i }')
first=$(echo "$processors" | sed -n 1p)
second=$(echo "$processors" | sed -n 2p)
second=${second:-$first}

# used PROCESS: its user and system time [ticks of the clock]
used() {
    sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f12,13
}

# pace: how many ticks the server has sealed in all sessions, and how many of them late
pace() {
    taskset -c "$second" node -e '
        fetch(`http://${process.argv[1]}/metrics`).then((answer) => answer.text()).then((text) => {
          const values = (name) => [...text.matchAll(new RegExp(`^${name}[{].* (\\d+)$`, "gm"))];
          const sum = (name) => values(name).reduce((n, [, x]) => n + Number(x), 0);
          console.log(sum("isostep_session_ticks_sealed_total"), sum("isostep_session_ticks_late_total"));
        });' "$http"
}

# wait_for TEXT: until the server has printed it
wait_for() {
    tries=0
    until grep -q "$1" "$work/out" 2>/dev/null; do
        tries=$((tries + 1))
        if [ $tries -eq 600 ] || ! kill -0 "$server" 2>/dev/null; then
            cat "$work/log" >&2
            fail "the server did not start"
        fi
        sleep 0.1
    done
}

taskset -c "$first" "$build/bin/isostep-server" --tcp 127.0.0.1:0 --sessions "$sessions" --scene "$scene" \
    --workers 1 --http 127.0.0.1:0 >"$work/out" 2>"$work/log" &
server=$!
wait_for '^ready'
address=$(sed -n 's/^ready tcp=\([^ ]*\).*/\1/p' "$work/out")
http=$(sed -n 's/^ready .*http=\([^ ]*\).*/\1/p' "$work/out")
[ -n "$http" ] || fail "the server was built without HTTP, which tells of late ticks"
taskset -c "$second" "$build/bin/isostep-client" "$address" --sessions "$sessions" --swarm $((sessions * members)) \
    --verify 1 --bot wander --json >"$work/clients" 2>"$work/trouble" &
clients=$!
sleep "$settle"

# The processor times and, if perf works, samples of where they were spent.
paced_before=$(pace)
before="$(used $server) $(used $clients)"
if command -v perf >/dev/null &&
    perf record -q -F 997 -o "$work/perf" -p $server -- sleep "$seconds" >/dev/null 2>&1; then
    is_divided=yes
else
    sleep "$seconds"
fi
kill -0 "$clients" 2>/dev/null || { cat "$work/trouble" >&2; fail "the clients have ended"; }
after="$(used $server) $(used $clients)"
paced_after=$(pace)

kill -INT "$clients"
wait "$clients" || fail "the clients found trouble: $(cat "$work/trouble")"
clients=''
kill -TERM "$server"
wait "$server" || fail "the server ended with trouble: $(tail -3 "$work/log")"
server=''

said() {
    sed -n "s/.*info: \($1.*\)/\1/p" "$work/log"
}
echo "$sessions sessions of $scene, $members members each; server on processor $first, clients on processor $second"
said 'ran '
echo "$paced_before $paced_after $settle" | awk '{ ticks = $3 - $1; late = $4 - $2
    printf "after %d s: %.2f of 10,000 ticks were sealed late by more than one interval, %d of %d\n",
           $5, (ticks > 0 ? late * 10000 / ticks : 0), late, ticks }'
said 'lateness'
said 'ticks by lateness' | sed 's/.*: *\([0-9]*: \)/\1/' | tr ',' '\n' |
    awk -F: '{ printf "  below %10d us %10d ticks\n", $1, $2 }'
said 'bytes per client'
said 'memory per session'
echo "$before $after $(getconf CLK_TCK) $seconds" | awk '
    function share(from, to) { return (to - from) * 100 / $9 / $10 }
    { printf "server   user %5.1f %%, kernel %5.1f %% of a processor\n", share($1, $5), share($2, $6)
      printf "clients  user %5.1f %%, kernel %5.1f %%\n", share($3, $7), share($4, $8) }'
[ -n "$is_divided" ] || { echo "perf does not work here: the processor time is not divided further"; exit 0; }

# A symbol of the core or of the games is the solver, one of the codec or of protobuf-c encodes or decodes.
{
    nm "$build/core/libisostep.a" "$build/core/libisostep-games.a" 2>/dev/null |
        awk 'NF == 3 && $2 ~ /[tT]/ { print "S", $3 }'
    nm "$build/proto/libisostep-proto.a" 2>/dev/null | awk 'NF == 3 && $2 ~ /[tT]/ { print "E", $3 }'
    perf report -i "$work/perf" --stdio --no-children -F overhead,dso,sym -t '|' 2>/dev/null | grep '|' | sed 's/^/P|/'
} | awk -F'|' '
    $1 != "P" { split($0, word, " "); if (!(word[2] in part)) part[word[2]] = word[1]; next }
    $2 ~ /%/ {
        share = $2 + 0; dso = $3; symbol = $4
        gsub(/ /, "", dso); sub(/^ *\[.\] */, "", symbol); sub(/ *$/, "", symbol)
        sub(/[.](isra|part|constprop|cold).*/, "", symbol)
        if (dso ~ /kernel/ || $4 ~ /\[k\]/) kernel += share
        else if (dso ~ /protobuf/) encoding += share
        else if (dso ~ /isostep/ && part[symbol] == "S") solver += share
        else if (dso ~ /isostep/ && part[symbol] == "E") encoding += share
        else rest += share
    }
    END {
        printf "of the server: solver %.1f %%, encoding and decoding %.1f %%, its other code %.1f %%, kernel %.1f %%\n",
            solver, encoding, rest, kernel
    }'
