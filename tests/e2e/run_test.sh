#!/bin/sh
# What server/run.sh gives to the server: the page's address and a token unless the user has given one, and else only
# what the user gave.
#
#   run_test.sh RUN.SH WORK     nothing is installed or built: each program that would do so is replaced by one that
#   does nothing
set -eu
run=$1
work=$2
rm -rf "$work"
mkdir -p "$work/server" "$work/build/release/bin" "$work/bin" "$work/client-sample/web/node_modules"
cp "$run" "$work/server/run.sh"
printf '#!/bin/sh\n' >"$work/server/install.sh"
printf '#!/bin/sh\necho demo "$@"\n' >"$work/server/demo.sh"
for program in cmake node npm; do
    printf '#!/bin/sh\n' >"$work/bin/$program"
    chmod +x "$work/bin/$program"
done
printf '#!/bin/sh\necho "$@"\n' >"$work/build/release/bin/isostep-server"
chmod +x "$work/build/release/bin/isostep-server"

# gives EXPECTED OPTION…
gives() {
    expected=$1
    shift
    given=$(PATH=$work/bin:$PATH sh "$work/server/run.sh" "$@" 2>/dev/null)
    if [ "$given" != "$expected" ]; then
        echo "run.sh $*: '$given' instead of '$expected'" >&2
        exit 1
    fi
}
token="--http-token @$work/build/release/http-token"
page="--http 127.0.0.1:7780 $token"
gives "$page"
gives "$page --record recordings" --record recordings
gives "$page --http-prefix /play" --http-prefix /play
gives "$token --scene stack --http 0.0.0.0:80" --scene stack --http 0.0.0.0:80
gives "$token --http=127.0.0.1:0" --http=127.0.0.1:0
gives '--http 127.0.0.1:7780 --http-tokens @tokens' --http-tokens @tokens
gives '--http 127.0.0.1:7780 --http-token=0123456789abcdef' --http-token=0123456789abcdef

# The token is for this user alone, stays the same, and stands in the link.
kept=$(cat "$work/build/release/http-token")
[ "$(stat -c %a "$work/build/release/http-token")" = 600 ]
echo "$kept" | grep -qE '^[A-Za-z0-9_-]{43}$'
PATH=$work/bin:$PATH sh "$work/server/run.sh" 2>&1 >/dev/null | grep -qF "http://127.0.0.1:7780/#token=$kept"
[ "$(cat "$work/build/release/http-token")" = "$kept" ]
gives "demo $work/build/release/bin --keep" demo --keep
