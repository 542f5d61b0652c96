#!/bin/sh
# Merges what a run of the fuzzers found (build/fuzz/found) into the committed corpora: of each fuzzer the smallest set
# of inputs that reaches what is not reached yet.
#
#   sh tests/fuzz/merge.sh [NAME…]     after sh tests/run.sh --all or --long; NAME: session, client, …
set -eu
cd "$(dirname "$0")/../.."
# shellcheck disable=SC2046 # one word per fuzzer
[ $# -gt 0 ] || set -- $(sed -n 's/^iso_add_fuzzer(fuzz_\([a-z_]*\) .*/\1/p' tests/fuzz/CMakeLists.txt)
for name in "$@"; do
    found=build/fuzz/found/fuzz_$name
    if [ ! -d "$found" ] || [ ! -x "build/fuzz/tests/fuzz_$name" ]; then
        echo "$name: nothing was found yet: run sh tests/run.sh --all first" >&2
        exit 1
    fi
    before=$(find "tests/fuzz/corpus/$name" -type f | wc -l)
    # New places of the code alone: how often each was passed would add hundreds of inputs.
    "build/fuzz/tests/fuzz_$name" -set_cover_merge=1 -use_counters=0 -max_len=2048 -verbosity=0 \
        "tests/fuzz/corpus/$name" "$found"
    # libFuzzer names inputs by their hash; ours are numbered.
    number=0
    for input in "tests/fuzz/corpus/$name"/*; do
        case ${input##*/} in
        *[!0-9a-f]*) continue ;;
        esac
        [ "${#input}" -gt 40 ] || continue
        while [ -e "tests/fuzz/corpus/$name/$(printf 'found_%02d' "$number")" ]; do number=$((number + 1)); done
        mv "$input" "tests/fuzz/corpus/$name/$(printf 'found_%02d' "$number")"
    done
    echo "$name: $before inputs before, $(find "tests/fuzz/corpus/$name" -type f | wc -l) now"
done
