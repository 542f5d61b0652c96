#!/bin/sh
# Says which links in the documents of a folder lead nowhere: to a file that is not there, or to a heading that the
# document does not have. Ends with 1 when there is one.
#
#   links.sh FOLDER
set -eu
cd "$1"
found=$(mktemp)
trap 'rm -f "$found"' EXIT

# The names that headings get as anchors: lower case, no signs, a dash for each space.
anchors() {
    sed -n '/^```/,/^```/d; s/^#\{1,6\} //p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'
}

find . -name '*.md' | sort | while read -r document; do
    # Not in code; one link per line.
    sed '/^ *```/,/^ *```/d; s/`[^`]*`//g' "$document" | grep -o '](<\{0,1\}[^)]*)' |
        sed 's/^](//; s/)$//' | sort -u | while read -r link; do
        case $link in
        http://* | https://* | mailto:*) continue ;;
        esac
        path=${link%%#*}
        to=$(dirname "$document")/$path
        [ -n "$path" ] || to=$document
        if [ ! -e "$to" ]; then
            echo "$document: $link: there is no such file"
        elif [ "$link" != "$path" ] && ! anchors "$to" | grep -qx -e "${link#*#}"; then
            echo "$document: $link: there is no such heading"
        fi
    done
done >"$found"
cat "$found"
[ ! -s "$found" ]
