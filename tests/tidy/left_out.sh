#!/bin/sh
# Shows that no test vanishes without a word: where Chipmunk is not found its test is skipped by its name, and with
# ISO_COMPLETE configuring fails and names it.
#
#   left_out.sh SOURCE_DIR WORK_DIR CC
set -eu
source=$1 work=$2 compiler=$3
rm -rf "$work"
mkdir -p "$work"

# An empty value stands for a search that has found nothing.
configure() {
    cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_C_COMPILER="$compiler" -DISO_TESTS=ON \
        -DCHIPMUNK_LIBRARY= "$@" >"$work/log" 2>&1
}
fail() {
    echo "$*" >&2
    tail -n 20 "$work/log" >&2
    exit 1
}

configure || fail "without Chipmunk nothing can be configured"
ctest --test-dir "$work/build" -R '^test_chipmunk_joints$' >"$work/log" 2>&1 || fail "a test that is left out fails"
grep -q 'test_chipmunk_joints (Skipped)' "$work/log" || fail "the test without Chipmunk is not skipped by its name"
! configure -DISO_COMPLETE=ON || fail "nothing is said of the test that is left out"
tr -s ' \n' '  ' <"$work/log" |
    grep -q 'the test test_chipmunk_joints would be left out: chipmunk-dev is not installed' ||
    fail "the test that is left out is not named"
echo "a test that is left out is skipped by its name, or an error"
