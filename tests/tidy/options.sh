#!/bin/sh
# Holds a program's --help against the section "Options" of its README, both ways.
#
#   options.sh PROGRAM README [SUBCOMMAND...]
#
# With subcommands the section has a row for each, and the options of its --help must be those of the row.
# Prints one line per option that only one of the two has, and exits with 1 when there is any. --help itself needs no
# line.
set -u
LC_ALL=C
export LC_ALL
program=$1
readme=$2
shift 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# The options among the words on standard input.
options() {
    grep -oE '(^|[^a-zA-Z0-9-])--[a-z][a-z-]*' | grep -oE '[-]-[a-z][a-z-]*' | grep -vx -e --help | sort -u
}

# What a help text defines: its usage, and the lines that begin with an option. Other lines may speak of other programs.
defined() {
    awk '/^[Uu]sage:/ { usage = 1 } /^$/ { usage = 0 } usage || /^ +(-[a-z][ ,]|--[a-z])/ {
        line = $0
        # Behind the first column stands what is said of it.
        if (!usage && match(line, /[^ ]  +/)) line = substr(line, 1, RSTART)
        print line
    }' | options
}

section() {
    awk '/^## / { within = $0 == "## Options" } within' "$readme"
}

# differ NAME HELP-FILE README-FILE
differ() {
    [ -s "$2" ] || [ -s "$3" ] || echo "$1: no options at all"
    comm -23 "$2" "$3" | sed "s|^|$1: only in --help: |"
    comm -13 "$2" "$3" | sed "s|^|$1: only in ${readme##*/}: |"
}

section > "$work/section"
if [ $# -eq 0 ]; then
    "$program" --help | defined > "$work/help"
    options < "$work/section" > "$work/told"
    differ "${program##*/}" "$work/help" "$work/told" > "$work/out"
else
    "$program" --help | awk '/^  [a-z]+ / { print $1 }' | sort > "$work/known"
    for subcommand in "$@"; do
        echo "$subcommand"
    done | sort | comm -3 - "$work/known" | sed 's|^|the test or --help lacks the subcommand |' > "$work/out"
    for subcommand in "$@"; do
        "$program" "$subcommand" --help | defined > "$work/help"
        grep "^| \`$subcommand\` |" "$work/section" | options > "$work/told"
        differ "$subcommand" "$work/help" "$work/told" >> "$work/out"
    done
fi
cat "$work/out"
[ ! -s "$work/out" ]
