#!/bin/sh
# Counts the instructions of what a server does with a tick of four members and with a command, by callgrind.
#
#   session.sh BUILD    prints the instructions of a tick without commands and of a command, with its part of the step
set -eu
LC_ALL=C
export LC_ALL
[ $# -eq 1 ] && [ -x "$1/bin/bench_session" ] || { sed -n 's/^#   //p' "$0" >&2; exit 2; }
command -v valgrind >/dev/null || { echo "session.sh: valgrind is not installed" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for count in 0 4; do
    ISO_SIMD=portable valgrind --tool=callgrind --collect-atstart=no --callgrind-out-file="$work/out" \
        "$1/bin/bench_session" "$count" >"$work/said" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
    # The last total is that of the whole run.
    awk -v commands="$(sed 's/ .*//' "$work/said")" '
        /^(summary|totals):/ { total = $2 }
        END { print commands, total }' \
        "$work/out"
done | awk '
    NR == 1 { idle = $2 }
    NR == 2 { printf "a tick without commands: %d\na command: %d\n", idle / 300, ($2 - idle) / $1 }'
