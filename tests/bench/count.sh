#!/bin/sh
# Counts the instructions of the steps of scenes, by callgrind. Unlike times they are the same in each run on a machine,
# however busy it is. They depend on the compiler and its flags; they are of the portable kernels, which every machine
# has.
#
#   count.sh BUILD [SCENE STEPS]...      prints the figures of a release build as CSV
#   count.sh --write BUILD               writes them into instructions.csv, which is committed
#   count.sh --compare BUILD [SCENE STEPS]...
#                                        prints how they differ from instructions.csv
#   count.sh --check FILE                whether such a file is well formed
set -eu
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
header=scene,steps,instructions,root

# What is counted by default, in the order of the file. Callgrind is 50 times slower than the processor.
scenes="compounds 40 everything 120 joint-grid 10 junkyard 30 large-pyramid 20 large-world 4 many-pyramids 4
ragdolls 120 rain 4 sandbox 120 smash 8 spinner 4 stack 300 tumbler 120 washer 20"

usage() {
    sed -n 's/^#   //p' "$0" >&2
    exit 2
}

# count BUILD SCENE STEPS: one line of the file
count() {
    work=$(mktemp -d)
    if ! ISO_SIMD=portable valgrind --tool=callgrind --collect-atstart=no --toggle-collect=iso_world_step \
        --callgrind-out-file="$work/out" "$1/bin/bench_count" "$2" "$3" >"$work/root" 2>"$work/log"; then
        cat "$work/log" >&2
        rm -rf "$work"
        return 1
    fi
    instructions=$(awk '/^(summary|totals):/ { print $2; exit }' "$work/out")
    echo "$2,$3,$instructions,$(cat "$work/root")"
    rm -rf "$work"
}

# count_all BUILD [SCENE STEPS]...: fails when one of them cannot be counted
count_all() {
    [ $(($# % 2)) -eq 1 ] || usage
    command -v valgrind >/dev/null || { echo "count.sh: valgrind is not installed" >&2; exit 3; }
    [ -x "$1/bin/bench_count" ] || { echo "count.sh: there is no $1/bin/bench_count" >&2; exit 3; }
    build=$1
    shift
    # shellcheck disable=SC2086 # two words per scene
    [ $# -gt 0 ] || set -- $scenes
    echo "$header"
    while [ $# -ge 2 ]; do
        count "$build" "$1" "$2" || return 1 # the shell does not end here by itself when a caller asks how it went
        shift 2
    done
}

# Scenes in ascending order, each once and with a file of its own among the built-in ones; whole numbers; roots.
check() {
    awk -F, -v file="$1" -v header="$header" -v folder="$here/../../proto/scenes" '
        function wrong(what) { print file ":" NR ": " what; bad = 1 }
        NR == 1 { if ($0 != header) wrong("expected " header); next }
        NF != 4 { wrong("expected 4 fields"); next }
        $1 !~ /^[a-z][a-z0-9-]*$/ { wrong("expected the name of a scene"); next }
        (getline line < (folder "/" $1 ".json")) < 1 { wrong("there is no built-in scene " $1) }
        $1 <= last { wrong("expected the scenes in ascending order, each once") }
        $2 !~ /^[1-9][0-9]*$/ || $3 !~ /^[1-9][0-9]*$/ { wrong("expected whole numbers above 0") }
        $4 !~ /^[0-9a-f]+$/ || length($4) != 16 { wrong("expected a root of 16 hexadecimal digits") }
        { last = $1 }
        END { if (NR < 2) { NR = 1; wrong("expected at least one scene") } exit bad }
    ' "$1"
}

# compare BEFORE NOW
compare() {
    awk -F, '
        FNR == 1 { next }
        NR == FNR { before[$1] = $3; steps[$1] = $2; root[$1] = $4; next }
        !($1 in before) || steps[$1] != $2 { printf "%-16s not comparable\n", $1; next }
        {
            other = root[$1] == $4 ? "" : "  another root"
            printf "%-16s %15.0f %15.0f %7.4f%s\n", $1, before[$1], $3, $3 / before[$1], other
        }
    ' "$1" "$2"
}

case ${1-} in
--check)
    [ $# -eq 2 ] && [ -f "$2" ] || usage
    check "$2"
    ;;
--write)
    [ $# -eq 2 ] || usage
    count_all "$2" >"$here/instructions.csv.new" || { rm -f "$here/instructions.csv.new"; exit 3; }
    mv "$here/instructions.csv.new" "$here/instructions.csv"
    ;;
--compare)
    [ $# -ge 2 ] || usage
    shift
    now=$(mktemp)
    trap 'rm -f "$now"' EXIT
    count_all "$@" >"$now"
    compare "$here/instructions.csv" "$now"
    ;;
-* | '')
    usage
    ;;
*)
    count_all "$@"
    ;;
esac
