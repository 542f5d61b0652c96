#!/bin/sh
# Builds docker/Dockerfile and runs what docker/compose.yaml describes, without a container engine: buildah with plain
# folders as storage and chroot as isolation, on a base image made by mmdebstrap. Needs root, buildah and mmdebstrap.
#
#   sh docker/check.sh [WORK_DIR]    build/container by default; the base image in it is made once
#
# Checks: the image has the size that docker/README.md says; the health check of the compose files is answered, and
# fails where no server is; server and two clients run from it, not as root, on a root that cannot be written;
# both clients leave with exit code 0 and with the root that the recording has for their last tick.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
work=${1:-$root/build/container}
base=docker.io/library/debian:bookworm-slim
[ "$(id -u)" -eq 0 ] || { echo "docker/check.sh needs root" >&2; exit 2; }
sh "$root/server/install.sh" buildah mmdebstrap util-linux
mkdir -p "$work/run"

container=
server=
buildah() { command buildah --storage-driver vfs --root "$work/storage" --runroot "$work/run" "$@"; }
cleanup() {
    [ -z "$server" ] || kill -9 "$server" 2>/dev/null || true
    [ -z "$container" ] || buildah rm "$container" >/dev/null 2>&1 || true
}
trap cleanup EXIT
fail() {
    echo "container: $*" >&2
    for file in "$work"/*.log; do
        echo "--- ${file##*/}" >&2
        tail -n 20 "$file" >&2
    done
    exit 1
}

if ! buildah inspect --type image "$base" >/dev/null 2>&1; then
    echo "making the base image"
    mmdebstrap --quiet --variant=minbase bookworm "$work/base.tar" >"$work/base.log" 2>&1 || fail "mmdebstrap failed"
    container=$(buildah from scratch)
    buildah add "$container" "$work/base.tar" / >/dev/null
    buildah commit --rm "$container" "$base" >/dev/null 2>&1
    container=
    rm -f "$work/base.tar"
fi

echo "building the image"
buildah bud --isolation chroot --pull-never -f "$root/docker/Dockerfile" -t isostep "$root" >"$work/build.log" 2>&1 ||
    fail "the build failed"
container=$(buildah from --pull-never isostep)
image=$(buildah mount "$container")
size=$(du -sb --apparent-size "$image" | cut -f 1)
files=$(find "$image" -type f | wc -l)
echo "image: $size bytes, $files files"
said=$(tr '\n' ' ' <"$root/docker/README.md" |
    sed -n 's/.* \([0-9]*\)\.\([0-9]\) MB in \([0-9]*\) files.*/\1\200000 \3/p')
[ -n "$said" ] || fail "docker/README.md does not say how large the image is"
[ $((size * 10)) -gt $((${said% *} * 9)) ] && [ $((size * 10)) -lt $((${said% *} * 11)) ] ||
    fail "docker/README.md says ${said% *} bytes"
[ "$files" -eq "${said#* }" ] || fail "docker/README.md says ${said#* } files"
[ "$(buildah inspect --format '{{.OCIv1.Config.User}}' "$container")" = 65532:65532 ] || fail "the image runs as root"

# A volume for the recordings, as the compose file has it.
rm -rf "$work/recordings"
mkdir "$work/recordings"
chown 65532:65532 "$work/recordings"

# inside COMMAND…: in the image, read-only but for the volume, as its user, without any capability.
inside() {
    exec unshare --mount sh -eu -c '
        image=$1 recordings=$2
        shift 2
        mount --bind "$image" "$image"
        mount -o remount,ro,bind "$image"
        mount --bind "$recordings" "$image/recordings"
        exec setpriv --no-new-privs chroot --userspec=65532:65532 "$image" "$@"' sh "$image" "$work/recordings" "$@"
}

(inside /usr/bin/isostep-server --tcp 127.0.0.1:0 --record /recordings --for 60) \
    >"$work/server.out" 2>"$work/server.log" &
server=$!
tries=0
until grep -q '^ready ' "$work/server.out"; do
    tries=$((tries + 1))
    { [ "$tries" -le 100 ] && kill -0 "$server" 2>/dev/null; } || fail "the server did not get ready"
    sleep 0.1
done
address=$(sed -n 's/^ready tcp=\([^ ]*\).*/\1/p' "$work/server.out")
owner=$(stat -c %u "$(find "$work/recordings" -name '*.isr*' | head -n 1)")
[ "$owner" -eq 65532 ] || fail "the recording belongs to user $owner"

# The command of the compose files' health checks, at this server's port.
for compose in compose hosting; do
    grep -qF '["CMD", "/usr/bin/isostep-client", "127.0.0.1:7790", "--list"]' "$root/docker/$compose.yaml" ||
        fail "$compose.yaml has another health check than the one that is tried here"
done
(inside /usr/bin/isostep-client "$address" --list) >"$work/list.log" 2>&1 || fail "the health check fails"
grep -q '^main ' "$work/list.log" || fail "the health check does not find the session"
(inside /usr/bin/isostep-client 127.0.0.1:1 --list) >"$work/list.log" 2>&1 &&
    fail "the health check is answered where no server is"

(inside /usr/bin/isostep-client "$address" --name anna --bot wander --ticks 300 --json) \
    >"$work/anna.json" 2>"$work/anna.log" &
anna=$!
(inside /usr/bin/isostep-client "$address" --name bob --bot builder --ticks 300 --json) \
    >"$work/bob.json" 2>"$work/bob.log" &
bob=$!
wait "$anna" || fail "anna ended with exit code $?"
wait "$bob" || fail "bob ended with exit code $?"
kill -TERM "$server"
wait "$server" || fail "the server ended with exit code $?"
server=

recording=$(find "$work/recordings" -name '*.isr')
[ -n "$recording" ] || fail "there is no sealed recording"
(inside /usr/bin/isostep-replay verify "/recordings/${recording##*/}") >"$work/verify.log" 2>&1 ||
    fail "the recording does not verify"
field() { tail -n 1 "$1" | sed -n "s/.*\"$2\":\"\{0,1\}\([^,\"}]*\).*/\1/p"; }
for name in anna bob; do
    tick=$(field "$work/$name.json" last_tick)
    hash=$(field "$work/$name.json" last_hash)
    (inside /usr/bin/isostep-replay info --tick "$tick" --json "/recordings/${recording##*/}") \
        >"$work/info.json" 2>"$work/info.log"
    recorded=$(field "$work/info.json" hash)
    echo "$name: tick $tick, root $hash, recorded $recorded, $(field "$work/$name.json" hashes_checked) roots checked"
    [ -n "$hash" ] && [ "$hash" = "$recorded" ] || fail "$name does not agree"
done
echo "server and clients agree"
