#!/bin/sh
# Counts the instructions of reading and building scenes of one kind of thing each, by callgrind.
#
#   building.sh BUILD [COUNT]...    prints kind, count, instructions of reading and of building; by default of 2,500,
#                                   5,000 and 10,000
#   building.sh --check BUILD       fails when twice as many of a kind take much more than twice as long
set -eu
LC_ALL=C
export LC_ALL
check=
[ "${1-}" != --check ] || { check=yes; shift; }
[ $# -ge 1 ] && [ -x "$1/bin/bench_build" ] && { [ -z "$check" ] || [ $# -eq 1 ]; } || {
    sed -n 's/^#   //p' "$0" >&2
    exit 2
}
command -v valgrind >/dev/null || { echo "building.sh: valgrind is not installed" >&2; exit 3; }
build=$1
shift
if [ -n "$check" ]; then
    set -- 400 800 1600
elif [ $# -eq 0 ]; then
    set -- 2500 5000 10000
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
valgrind --tool=callgrind --callgrind-out-file="$work/out" "$build/bin/bench_build" "$@" \
    >"$work/list" 2>"$work/log" || {
    cat "$work/log" >&2
    exit 1
}
# The trigger of a dump names the scene.
for dump in "$work"/out.*; do
    awk '/^desc: Trigger: Client Request: / { sub(/^desc: Trigger: Client Request: /, ""); name = $0 }
         /^(summary|totals):/ { total = $2 }
         END { if (name != "") print name, total }' "$dump"
done >"$work/counts"
awk 'NR == FNR { count[$1 " " $2 " " $3] = $4; next }
     { print $1, $2, count[$1 " " $2 " read"], count[$1 " " $2 " build"] }' "$work/counts" "$work/list" |
    sort -k1,1 -k2,2n >"$work/table"
cat "$work/table"
# What is there once, as the memory of the world, falls out of the differences: of n to 2n, and of 2n to 4n, which are 1
# to 2 when nothing is looked for among all that is there, and up to 1 to 4 when it is.
[ -z "$check" ] || awk '
    function grows(what, a, b, c) {
        if (!(b > a) || (c - b) / (b - a) > 2.5) {
            printf "building.sh: %s %s: %d, %d and %d instructions of 400, 800 and 1,600 are not in proportion\n",
                what, $1, a, b, c
            bad = 1
        }
    }
    NF != 4 { print "building.sh: " $1 " was not counted"; bad = 1 }
    { read[$2] = $3; build[$2] = $4 }
    $2 == 1600 {
        grows("reading", read[400], read[800], read[1600])
        grows("building", build[400], build[800], build[1600])
    }
    END {
        if (NR != 15) {
            print "building.sh: " NR " scenes were counted, expected 15"
            bad = 1
        }
        exit bad
    }' "$work/table" >&2
