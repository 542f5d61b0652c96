#!/bin/sh
# Shows that the host compiles without HTTP (-DISO_HTTP=OFF), which nobody builds every day: what only HTTP's sources
# include is missing there.
#
#   no_http.sh CC SERVER_DIR -IDIR…
set -eu
compiler=$1 server=$2
shift 2
count=0
failed=0
# As in server/CMakeLists.txt.
for file in "$server"/base/*.c "$server"/host/*.c "$server"/host/*/*.c "$server"/transport/*.c; do
    case $file in
    */host/main.c | */host/web/*.c | */transport/web*.c) continue ;;
    esac
    "$compiler" -std=c17 -D_GNU_SOURCE -DISO__VERSION='"0"' -Wall -Wextra -Werror -fsyntax-only "$@" "$file" ||
        failed=$((failed + 1))
    count=$((count + 1))
done
[ "$count" -ge 40 ] || { echo "only $count files were found below $server" >&2; exit 1; }
[ "$failed" -eq 0 ] || { echo "$failed of $count files do not compile without HTTP" >&2; exit 1; }
echo "$count files compile without HTTP"
