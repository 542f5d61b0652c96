#!/bin/sh
# Draws the pictures of the documents, listed in proto/pictures.txt.
#
#   sh proto/pictures.sh REPLAY [FOLDER]    REPLAY is the isostep-replay to draw with; into proto/ by default
#
# After a change of scenes, joints or drawing: cmake --build --preset release --target pictures
set -eu

case $# in
1 | 2) ;;
*)
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
replay=$1
here=$(cd "$(dirname "$0")" && pwd)
to=${2-$here}
mkdir -p "$to/joints" "$to/joints3" "$to/pictures"

grep -v '^#' "$here/pictures.txt" | while read -r picture scene options; do
    case $scene in
    */*) scene=$here/$scene.json ;;
    esac
    # shellcheck disable=SC2086 # one word per option
    "$replay" render "$scene" $options --out "$to/$picture.svg" >/dev/null </dev/null
    size=$(wc -c <"$to/$picture.svg")
    if [ "$size" -gt 61440 ]; then
        echo "$picture.svg has $size bytes; a picture of the documents has at most 61440" >&2
        exit 1
    fi
done
