#!/bin/sh
# Passes on what ctest says, and says once a minute which tests run longest, and how long each of them takes:
#
#   ctest … | sh watch.sh SECONDS [EVERY]
#
# SECONDS: a file of lines NAME SECONDS, for tests that take long (tests/seconds.txt). EVERY: in seconds, 60.
set -u
usual=$1
every=${2:-60}
state=$(mktemp) || exit 2
begun=$(date +%s)

# What has begun and has not ended, the longest first: at most three.
tell() {
    awk -v now="$(date +%s)" -v begun="$begun" '
        FILENAME == ARGV[1] { if ($0 !~ /^#/) usual[$1] = $2; next }
        $1 == "begins" { since[$3] = $2; next }
        $1 == "done" { done = $2; next }
        { delete since[$2] }
        END {
            for (name in since) ++running
            text = sprintf("--- %d:%02d, done: %s", (now - begun) / 60, (now - begun) % 60, done == "" ? "0" : done)
            for (i = 0; i < 3 && i < running; ++i) {
                longest = ""
                for (name in since) if (longest == "" || since[name] < since[longest]) longest = name
                text = text sprintf("%s%s for %d s", i == 0 ? "; longest now: " : ", ", longest, now - since[longest])
                if (longest in usual) text = text sprintf(" of about %d", usual[longest])
                delete since[longest]
            }
            print text
        }' "$usual" "$state"
}

# The clock's sleep holds no pipe open: who reads this must not wait for it.
(while sleep "$every" >/dev/null 2>&1 3>&- 4>&-; do tell; done) &
clock=$!
trap 'kill "$clock" 2>/dev/null; rm -f "$state"' EXIT
while IFS= read -r line; do
    printf '%s\n' "$line"
    case $line in
    *' Start '*[0-9]': '*) echo "begins $(date +%s) ${line##*: }" >>"$state" ;;
    *[0-9]/*[0-9]' Test '*'#'*[0-9]': '*)
        count=${line%% Test *}
        name=${line#*#*: }
        printf 'done %s\nends %s\n' "${count##* }" "${name%% *}" >>"$state"
        ;;
    esac
done
