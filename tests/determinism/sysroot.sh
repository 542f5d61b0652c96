#!/bin/sh
# The foreign libraries of the proto tests for another processor, from Debian's packages, unpacked into a folder:
# nothing is installed. sysroot.sh DEBIAN_ARCHITECTURE DIR
set -eu
arch=$1
mkdir -p "$2"
root=$(cd "$2" && pwd)
[ ! -e "$root/complete" ] || exit 0
mkdir -p "$root/apt/state/lists/partial" "$root/apt/cache/archives/partial" "$root/debs"
: > "$root/apt/status"
apt() {
  apt-get -q -o Dir::State="$root/apt/state" -o Dir::State::status="$root/apt/status" -o Dir::Cache="$root/apt/cache" \
    -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o APT::Sandbox::User=root -o Debug::NoLocking=1 "$@"
}
# A list that cannot be had is no matter when the packages are in another.
apt update || echo "sysroot.sh: some lists are missing" >&2
cd "$root/debs"
apt download libprotobuf-c1 libprotobuf-c-dev libzstd1 libzstd-dev libjson-c5 libjson-c-dev libcmocka0 libcmocka-dev
for deb in *.deb; do
  dpkg -x "$deb" "$root"
done
touch "$root/complete"
