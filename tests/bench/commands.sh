#!/bin/sh
# Counts the instructions of ticks with commands of each kind, by callgrind: what they add to the same tick without
# them.
#
#   commands.sh BUILD            prints kind, dimensions, commands of the tick, carried out, their price, instructions
#   commands.sh --check BUILD    fails when a kind adds more than 20 million, or is not among those that were counted
set -eu
LC_ALL=C
export LC_ALL
check=
[ "${1-}" != --check ] || { check=yes; shift; }
[ $# -eq 1 ] && [ -x "$1/bin/bench_commands" ] || { sed -n 's/^#   //p' "$0" >&2; exit 2; }
command -v valgrind >/dev/null || { echo "commands.sh: valgrind is not installed" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ISO_SIMD=portable valgrind --tool=callgrind --callgrind-out-file="$work/out" "$1/bin/bench_commands" --list \
    >"$work/list" 2>"$work/log" || {
    cat "$work/log" >&2
    exit 1
}
# The trigger of a dump names the tick.
for dump in "$work"/out.*; do
    awk '/^desc: Trigger: Client Request: / { sub(/^desc: Trigger: Client Request: /, ""); name = $0 }
         /^(summary|totals):/ { total = $2 }
         END { if (name != "") print name, total }' "$dump"
done >"$work/counts"
awk 'NR == FNR { count[$1 " " $2 " " $3] = $4; next }
     { kind = $1 " " $2; print $0, count[kind " with"] - count[kind " without"] }' "$work/counts" "$work/list" |
    sort -k2,2n -k6,6nr >"$work/table"
cat "$work/table"
[ -z "$check" ] || awk '
    NF != 6 { print "commands.sh: " $1 " was not counted"; bad = 1 }
    $6 > 20000000 { print "commands.sh: " $3 " commands " $1 " in " $2 " dimensions take " $6 " instructions"; bad = 1 }
    $6 > 1000 * $5 + 500000 {
        print "commands.sh: the price of " $1 " in " $2 " dimensions is too low: " $5 " units, " $6
        bad = 1
    }
    END { if (NR < 60) { print "commands.sh: only " NR " kinds were counted"; bad = 1 } exit bad }' "$work/table" >&2
