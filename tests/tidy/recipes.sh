#!/bin/sh
# Holds what the documents say is to be touched to add a thing against a thing of that kind that is there.
#
#   recipes.sh ROOT DOCUMENT EXAMPLES
#
# DOCUMENT has a section "Files to touch to add X" with a table | to add | files | then |. EXAMPLES has a line for each
# of its rows:
#
#   TO ADD | NAME | WORDS | ELSEWHERE
#
# NAME takes the place of NAME in the row's paths. WORDS, with commas between them, are what a file has that knows the
# thing. Each file of the second column must have one of them; after "if" it need not, and a folder needs a file that
# does. A source file that has one is named by the row, in a folder that it names, or under ELSEWHERE: what uses the
# thing and needs nothing for the next one. WORDS of "-": the paths are there, and no more is known.
#
# Prints one line per violation.
set -u
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
cd "$1" || exit 2
document=$2
examples=$3
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# ROW|HOW|PATH of each path in the table; ROW|row| of each row.
awk -f "$here/recipes.awk" "$document" > "$work/paths"
sed -n 's/ *| */|/g; /^[^#]/p' "$examples" > "$work/examples"

cut -d'|' -f1 "$work/examples" | sort > "$work/examples.rows"
sed -n 's/|row|$//p' "$work/paths" | sort > "$work/document.rows"
comm -13 "$work/examples.rows" "$work/document.rows" | sed "s|^|$document: no example in $examples of: |"
comm -23 "$work/examples.rows" "$work/document.rows" | sed "s|^|$examples: $document has no row: |"
[ -s "$work/document.rows" ] || echo "$document: no rows"

# What people write in code: documents, tests, pictures, scenes and what is generated follow.
sources() {
    grep -rlwE --include='*.[ch]' --include='*.proto' --include='*.ts' --include='*.mjs' --include='*.sh' \
        --include=CMakeLists.txt --include=openapi.json --exclude-dir=node_modules \
        -e "$1" core proto server client-sample 2> /dev/null
}

while IFS='|' read -r row name words elsewhere; do
    words=$(echo "$words" | sed 's/, */|/g')
    grep -F "$row|" "$work/paths" | awk -F'|' -v row="$row" '$1 == row && $2 != "row"' |
        sed "s|NAME|$name|g" > "$work/row"
    while IFS='|' read -r _ how path; do
        if [ ! -e "$path" ]; then
            [ "$how" != must ] && [ "$how" != then ] && [ "$path" != "${path#*"$name"}" ] ||
                echo "$document: $row: $path is not there"
        elif [ "$words" != - ] && [ "$how" = must ] && ! grep -rqwE --exclude-dir=node_modules -e "$words" "$path"; then
            echo "$document: $row: $path has nothing of $words"
        fi
    done < "$work/row"
    [ "$words" != - ] || continue
    {
        cut -d'|' -f3 "$work/row"
        printf '%s\n' "$elsewhere" | tr ' ' '\n'
    } | grep . | sort -u > "$work/named"
    sources "$words" | awk -v row="$document: $row" '
        FNR == NR { named[$0] = 1; if ($0 ~ /\/$/) folders[$0] = 1; next }
        $0 in named { next }
        {
            for (folder in folders) if (index($0, folder) == 1) next
            print row ": " $0 " is not named"
        }' "$work/named" -
    # What is named for nothing would hide the next one.
    printf '%s\n' "$elsewhere" | tr ' ' '\n' | grep . | while read -r path; do
        [ -e "$path" ] && grep -rqwE -e "$words" "$path" || echo "$examples: $row: $path has nothing of $words"
    done
done < "$work/examples"
