#!/bin/sh
# The parameters that the core reads of any game by their names stand where games are written: in the header, in the
# document of the package, and in that of scenes.
#
#   params.sh SOURCE
set -eu
cd "$1"
names=$(grep -rhoE '_param_whole\([a-z>, -]+"[a-z_]+"' core/src | sed 's/.*"\(.*\)"/\1/' | sort -u)
count=0
wrong=0
for name in $names; do
    count=$((count + 1))
    for file in core/include/isostep/game.h server/packaging/README.md proto/SCENE.md; do
        grep -q "^[|/].*$name.*|\|^///.*$name" "$file" || {
            echo "$file says nothing of the game's parameter $name" >&2
            wrong=1
        }
    done
done
[ "$count" -ge 4 ] || {
    echo "only $count parameters are found in core/src" >&2
    wrong=1
}
exit $wrong
