#!/bin/sh
# count.sh: the committed figures are well formed, what is not is refused; and two counts of a build are equal.
#
#   count_test.sh COUNT.SH INSTRUCTIONS.CSV WORK BUILD    BUILD may be -: then nothing is counted
set -eu
count=$1
figures=$2
work=$3
build=$4
mkdir -p "$work"
sh "$count" --check "$figures"

# refused NAME SED-SCRIPT EXPECTED
refused() {
    sed "$2" "$figures" >"$work/bad.csv"
    if sh "$count" --check "$work/bad.csv" >"$work/out" || ! grep -q "$3" "$work/out"; then
        echo "$1: not refused as '$3':" >&2
        cat "$work/out" >&2
        exit 1
    fi
}
refused "no header" 1d 'expected scene,steps'
refused "no scene" '2,$d' 'at least one scene'
refused "a scene twice" '2{p;}' 'ascending order'
refused "a scene that is not there" '2s/^[^,]*/aaa/' 'no built-in scene aaa'
refused "a fraction" '2s/,[0-9]*,/,1.5,/' 'whole numbers'
refused "no steps" '2s/,[0-9]*,/,0,/' 'whole numbers'
refused "a short root" '2s/.$//' '16 hexadecimal'
refused "a missing field" '2s/,[^,]*$//' '4 fields'

[ "$build" != - ] || exit 0
# A scene that cannot be counted leaves the committed figures as they are, also in the middle of the list.
mkdir -p "$work/copy" "$work/empty/bin"
cp "$count" "$figures" "$work/copy/"
printf '#!/bin/sh\n[ "$1" != joint-grid ]\n' >"$work/empty/bin/bench_count"
chmod +x "$work/empty/bin/bench_count"
if sh "$work/copy/${count##*/}" --write "$work/empty" 2>/dev/null ||
    ! cmp -s "$figures" "$work/copy/${figures##*/}"; then
    echo "figures without a scene that could not be counted were written" >&2
    exit 1
fi
sh "$count" "$build" stack 3 >"$work/first.csv"
sh "$count" "$build" stack 3 >"$work/second.csv"
cmp "$work/first.csv" "$work/second.csv"
sh "$count" --check "$work/first.csv"
sh "$count" --compare "$build" stack 3 sandbox 1 >"$work/compared"
[ "$(cat "$work/compared")" = "stack            not comparable
sandbox          not comparable" ] || { cat "$work/compared" >&2; exit 1; }
sh "$count" "$build" stack 6 >"$work/more.csv"
awk -F, '
    FNR == 2 { n[++files] = $3 }
    END { exit !(n[2] > 1.5 * n[1] && n[2] < 3 * n[1]) }' "$work/first.csv" "$work/more.csv" || {
    echo "six steps do not take about twice the instructions of three" >&2
    exit 1
}
