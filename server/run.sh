#!/bin/sh
# Installs what is missing (Debian 12), builds, and runs.
#
#   sh server/run.sh          hosts the default session and says how to connect
#   sh server/run.sh demo     plays, records, breaks and verifies a session, in half a minute
#   sh server/run.sh OPTION…  is passed on to isostep-server (see --help), with --http 127.0.0.1:7780 for the page if
#                             there is no --http among the options, and with a token of its own for changes if there
#                             is none
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
bin=$root/build/release/bin

sh "$root/server/install.sh" cmake ninja-build gcc libc6-dev pkg-config \
    libuv1-dev libsodium-dev libseccomp-dev libunistring-dev libprotobuf-c-dev protobuf-c-compiler libfixmath-dev \
    libxxhash-dev libzstd-dev libjson-c-dev node-llhttp libwslay-dev nettle-dev

# The page that browsers get: what it is built with. Without the registry there is a plain page in its place. The
# demonstration needs none.
page() {
    [ "${1-}" != demo ] || return 0
    sh "$root/server/install.sh" clang lld binaryen
    # Node may have come from elsewhere, with an npm of its own that Debian's package would be in conflict with.
    command -v node >/dev/null || sh "$root/server/install.sh" nodejs
    command -v npm >/dev/null || sh "$root/server/install.sh" npm
    if ! node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 18 ? 0 : 1)'; then
        echo "node $(node --version) is older than 18: the page is left out" >&2
        echo -DISO_WEB=OFF
        return 0
    fi
    web=$root/client-sample/web
    list=$web/node_modules/.package-lock.json
    # shellcheck disable=SC3013 # -nt is in every shell here
    if [ ! -f "$list" ] || [ "$web/package-lock.json" -nt "$list" ]; then
        echo "installing client-sample/web/node_modules" >&2
        if ! (cd "$web" && npm ci --no-audit --no-fund --loglevel=error </dev/null >&2); then
            echo "npm ci failed: the page is left out" >&2
            echo -DISO_WEB=OFF
            return 0
        fi
    fi
    echo -DISO_WEB=ON
}

build() {
    # Without the tests, and only what is needed. Standard output stays free for the server's own line.
    # shellcheck disable=SC2086 # one option or none
    cmake -S "$root" --preset release -DISO_TESTS=OFF $web_option >"$log" 2>&1 &&
        cmake --build "$root/build/release" --target "$@" >"$log" 2>&1
}

web_option=$(page "$@")
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "building into build/release/bin; a first build takes minutes, tail -f $log shows how far it is" >&2
if ! build isostep-server isostep-client isostep-replay; then
    cat "$log" >&2
    echo "the build failed" >&2
    exit 1
fi
rm -f "$log"
trap - EXIT

if [ "${1-}" = demo ]; then
    shift
    exec sh "$root/server/demo.sh" "$bin" "$@"
fi
# Nothing is changed over HTTP without a token: one for this folder's servers is kept where only this user can read it.
token_file=$root/build/release/http-token
token() {
    [ -s "$token_file" ] || (umask 077 && head -c 32 /dev/urandom | base64 | tr -d '=\n' | tr '+/' '-_' >"$token_file")
    chmod 600 "$token_file"
    cat "$token_file"
}

count=$#
has_http=no
has_token=no
for option in "$@"; do
    case $option in
        --http | --http=*) has_http=yes ;;
        --http-token | --http-token=* | --http-tokens | --http-tokens=*) has_token=yes ;;
    esac
done
if [ "$has_token" = no ]; then
    fragment="#token=$(token)"
    set -- --http-token "@$token_file" "$@"
    if [ "$has_http" = no ]; then
        echo "The page, which may change things with this: http://127.0.0.1:7780/$fragment" >&2
    else
        echo "Behind the page's address this lets it change things: $fragment" >&2
    fi
fi
[ "$has_http" = yes ] || set -- --http 127.0.0.1:7780 "$@"
if [ "$count" -eq 0 ]; then
    cat >&2 <<TEXT

Play in a browser:    http://127.0.0.1:7780/   (with the token above it can create and end sessions)

Hosting the session "main" with the scene "sandbox" on 127.0.0.1:7790, and over WebSocket, with
health and metrics, on the address above. End it with Ctrl-C.

  Connect a bot:      build/release/bin/isostep-client 127.0.0.1:7790 --bot wander
  Another one:        build/release/bin/isostep-client 127.0.0.1:7790 --bot builder --name bob
  Record:             sh server/run.sh --record recordings
  Verify, after that: build/release/bin/isostep-replay verify recordings/*.isr
  A client of your own: client-sample/lib/README.md walks through one in C;
                      proto/WIRE.md is all that one in another language needs.

TEXT
fi
exec "$bin/isostep-server" "$@"
