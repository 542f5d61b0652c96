#!/bin/sh
# A script of this folder that is called wrongly prints how it is called: each form that stands in its head, in a line
# of its own.
#
#   usage_test.sh FOLDER
set -u
failed=0
for name in building commands count session sessions; do
    script=$1/$name.sh
    said=$(sh "$script" 2>&1)
    code=$?
    forms=$(sed -n 's/^#   //p' "$script" | grep -o "$name[.]sh " | wc -l)
    told=$(echo "$said" | grep -c "^$name[.]sh ")
    if [ "$code" -ne 2 ] || [ "$forms" -eq 0 ] || [ "$told" -ne "$forms" ]; then
        echo "$name.sh: exit code $code, $told of $forms forms are printed:" >&2
        echo "$said" >&2
        failed=1
    fi
done
exit $failed
