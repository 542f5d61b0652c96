#!/bin/sh
# Installs the Debian packages among the arguments that are missing. Does nothing, and needs no
# rights, when all are there.
set -eu

missing=
for package in "$@"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "These packages are missing, and there is no sudo to install them:$missing" >&2
        exit 1
    fi
    as_root=sudo
fi
if ! command -v apt-get >/dev/null; then
    echo "These packages are missing, and there is no apt-get to install them:$missing" >&2
    exit 1
fi

echo "installing:$missing" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() {
    if ! $as_root env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        echo "failed: $*" >&2
        exit 1
    fi
}
run apt-get update -q
# shellcheck disable=SC2086 # one word per package
run apt-get install -q -y --no-install-recommends $missing
