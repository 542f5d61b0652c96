#!/bin/sh
# The commands of the README's chapters Host, Connect and Replay, as they stand there: what a reader copies has to run.
#
#   readme.sh README PROGRAMS    PROGRAMS: the folder that the README calls build/release/bin
#
# Only addresses differ: the ports are free ones instead of 7790 and 7791. `sh server/run.sh` has a test of its own.
# What runs until it is stopped gets a signal when it has done something.
set -u

work=$(mktemp -d)
pids=
cleanup() {
    for pid in $pids $(cat "$work/replay/pid.txt" 2>/dev/null); do kill -9 "$pid" 2>/dev/null; done
    rm -rf "$work"
}
trap cleanup EXIT
fail() {
    echo "readme: $*" >&2
    for file in "$work"/*.log; do
        echo "--- ${file##*/}" >&2
        tail -n 8 "$file" >&2
    done
    exit 1
}

readme=$1
mkdir -p "$work/build/release"
ln -s "$2" "$work/build/release/bin"
cd "$work" || exit 1
bin=build/release/bin

# The blocks of commands of a chapter.
commands() {
    awk -v chapter="## $1" '/^## / { inside = $0 == chapter } inside && /^```/ { code = $0 == "```sh"; next }
        inside && code && NF' "$readme"
}

# A port that was free a moment ago.
free_port() {
    timeout 20 $bin/isostep-server --tcp 127.0.0.1:0 --for 1 2>/dev/null |
        sed -n 's/^ready tcp=127.0.0.1:\([0-9]*\).*/\1/p'
}

# wait_for FILE TEXT: until a line of the file has the text.
wait_for() {
    n=0
    until grep -q -- "$2" "$1" 2>/dev/null; do
        n=$((n + 1))
        [ $n -lt 600 ] || fail "no '$2' in $1"
        sleep 0.1
    done
}

port=$(free_port)
other=$(free_port)
[ -n "$port" ] && [ -n "$other" ] || fail "no port is free"
ported() { sed "s/:7790/:$port/g; s/:7791/:$other/g"; }

# expect NUMBER STATUS: how a command that was started has ended.
expect() {
    wait "$1"
    status=$?
    [ $status -eq "$2" ] || fail "exit code $status instead of $2: $3"
}

# ---- Replay: all of it in one shell, as it is pasted, in a folder of its own beside the other chapters ----
mkdir -p replay/build/release
ln -s "$2" replay/build/release/bin
commands Replay | ported >replay.txt
echo 'run() { eval "$1"; echo "$? $1" >>codes.txt; [ -z "${!:-}" ] || echo "$!" >pid.txt; }' >replay/replay.sh
while read -r line; do
    echo "run '$line'"
done <replay.txt >>replay/replay.sh
(cd replay && timeout 100 sh replay.sh) >replay.log 2>&1 </dev/null &
replay=$!
pids="$pids $replay"

# ---- Host ----
host_count=0
commands Host | grep -v 'server/run.sh' >host.txt
while read -r line; do
    host_count=$((host_count + 1))
    case $line in *--tcp*) ;; *) line="$line --tcp 127.0.0.1:0" ;; esac
    rm -f host.out
    sh -c "exec $line" >host.out 2>host.log </dev/null &
    pid=$!
    pids="$pids $pid"
    wait_for host.out '^ready tcp=127.0.0.1:[0-9]* .*session='
    kill -TERM $pid
    expect $pid 0 "$line"
done <host.txt
[ $host_count -ge 3 ] || fail "only $host_count commands of the chapter Host"

# ---- Connect ----
$bin/isostep-server --tcp 127.0.0.1:$port >connect.out 2>server.log &
server=$!
pids="$pids $server"
wait_for connect.out '^ready'
commands Connect | ported >connect.txt
count=0
while read -r line; do
    count=$((count + 1))
    status=0
    ends=yes
    case $line in
    *--drill*) status=1 ;;
    *--ticks* | *griefer* | *--list*) ;;
    *) ends=no ;;
    esac
    sh -c "exec $line" >client$count.log 2>&1 </dev/null &
    pid=$!
    pids="$pids $pid"
    if [ $ends = no ]; then
        endless="$pid:$line"
    else
        echo "$pid $status $line" >>started.txt
    fi
done <connect.txt
[ $count -ge 7 ] || fail "only $count commands of the chapter Connect"
while read -r pid status line; do
    expect "$pid" "$status" "$line"
done <started.txt
kill -INT "${endless%%:*}"
expect "${endless%%:*}" 0 "${endless#*:}"
kill -TERM $server
expect $server 0 "the server"

# ---- What the chapter Replay came to ----
expect $replay 0 "the chapter Replay"
bad=$(grep -v '^0 ' replay/codes.txt | grep -v '^1 .*\(--drill\|compare\)')
[ -z "$bad" ] || fail "the chapter Replay: $bad"
[ "$(grep -c '^1 .*compare' replay/codes.txt)" -eq 2 ] || fail "the comparisons find nothing"
grep -q 'in all    1 field: 1 of bodies' replay.log || fail "the flipped bit is not the only difference"
[ "$(grep -c . replay/codes.txt)" -ge 12 ] || fail "only $(grep -c . replay/codes.txt) commands of the chapter Replay"
