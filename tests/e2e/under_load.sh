#!/bin/sh
# Runs every end-to-end test and every page again and again beside two busy loops. One that waits for a time instead of
# an event fails here.
#
#   under_load.sh BUILD [TIMES [NAMES]]
#
# TIMES: 10. NAMES: a regular expression, for some of the tests.
set -eu
build=$1
times=${2:-10}
names=${3:-.}
here=$(cd "$(dirname "$0")" && pwd)

# Each ends with this script, however that ends.
for loop in 1 2; do
    while kill -0 $$ 2>/dev/null; do
        step=0
        while [ $step -lt 100000 ]; do step=$((step + 1)); done
    done &
    [ $loop -eq 1 ] && loops=$! || loops="$loops $!"
done
# shellcheck disable=SC2064,SC2086 # the loops of now
trap "kill $loops 2>/dev/null" EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
ctest --test-dir "$build" -L '^e2e$' -R "$names" --repeat "until-fail:$times" --output-on-failure --no-tests=error \
    -j 4 --resource-spec-file "$here/../real_time.json"
