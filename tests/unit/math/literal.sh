#!/bin/sh
# Constants from literals (isostep/literal.h) with every compiler that is here, as C17 and as C++17, without
# optimisation and with: the same numbers from all of them, without a warning and without floating-point instructions;
# and what is out of range or no constant does not compile.
#
#   literal.sh SOURCE_DIR TABLE_PROGRAM WORK_DIR CC
set -eu
source=$1 table=$2 work=$3 compiler=$4
mkdir -p "$work"
"$table" >"$work/literal_table.inc"
[ "$(grep -c . "$work/literal_table.inc")" -gt 3000 ] || { echo "literal: the table is short" >&2 && exit 1; }

flags="-Wall -Wextra -Wpedantic -Wconversion -Werror -I$source/core/include -I$work"
flags="$flags $source/tests/unit/math/literal_check.c"
run=0

# checked COMPILER OPTION…: the table with these.
checked() {
    "$@" $flags -o "$work/check"
    "$work/check" >"$work/out" || { echo "literal: $*" >&2 && head -n 20 "$work/out" >&2 && exit 1; }
    run=$((run + 1))
}

# refused TEXT COMPILER OPTION…: an error when the program holds it.
refused() {
    text=$1
    shift
    if "$@" -w "-DLITERAL_REFUSED=$text" $flags -c -o "$work/refused.o" >"$work/out" 2>&1; then
        echo "literal: $* takes $text" >&2
        exit 1
    fi
    run=$((run + 1))
}

for try in "$compiler -std=c17" "gcc -std=c17" "clang -std=c17" "g++ -x c++ -std=c++17" "clang++ -x c++ -std=c++17"; do
    command -v "${try%% *}" >/dev/null || continue
    checked $try -O0
    checked $try -O3
    case $("${try%% *}" -dumpmachine) in
    x86_64-*) checked $try -O0 -mgeneral-regs-only ;;
    esac
    # The table is long, and these are many.
    cp "$work/literal_table.inc" "$work/full"
    : >"$work/literal_table.inc"
    checked $try '-DLITERAL_REFUSED=ISO_FIX16(1.5)'
    for text in 'ISO_FIX16(32768.0)' 'ISO_FIX16(32767.99999237060546875)' 'ISO_FIX16(-32768.00000762939453125)' \
        'ISO_FIX16(1e300)' 'ISO_FIX16(1e300*1e300)' 'ISO_FIX16(number)' 'ISO_WIDE(2147483648.0)' \
        'ISO_WIDE(-2147483649.0)' 'ISO_WIDE(number)' 'ISO_FIX16_RATIO(1,0)' 'ISO_FIX16_RATIO(32768,1)' \
        'ISO_FIX16_RATIO(number,2)' 'ISO_WIDE_RATIO(1,0)' 'ISO_WIDE_RATIO(1,number)' \
        'ISO_WIDE_RATIO(2147483648LL,1)' 'ISO_WIDE_RATIO(-21474836481LL,10)' 'ISO_WIDE_RATIO(1,2000000000)'; do
        refused "$text" $try
    done
    mv "$work/full" "$work/literal_table.inc"
done
echo "$run builds, as they should be"
