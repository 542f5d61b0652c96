#!/bin/sh
# Puts together the image's files: the programs, the shared libraries that they name, their licences, and a user.
#
#   assemble.sh INSTALLED IMAGE    inside the Dockerfile's first stage
set -eu

installed=$1 image=$2
mkdir -p "$image/usr/bin" "$image/usr/share/doc" "$image/etc" "$image/recordings"
cp -r "$installed/share/isostep" "$image/usr/share/"
cp -r "$installed/share/doc/isostep" "$image/usr/share/doc/"
for program in server client replay; do
    cp "$installed/bin/isostep-$program" "$image/usr/bin/"
    # The loader among them stands without an arrow.
    ldd "$installed/bin/isostep-$program" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p; s/^[[:space:]]*\(\/[^ ]*\).*/\1/p'
done | sort -u | while read -r library; do
    mkdir -p "$image$(dirname "$library")"
    cp -L "$library" "$image$library"
    # dpkg knows a library by where it was unpacked, which may be behind a link.
    package=$(dpkg -S "$(readlink -f "$library")" 2>/dev/null || dpkg -S "*/${library##*/}")
    package=${package%%:*}
    mkdir -p "$image/usr/share/doc/$package"
    cp "/usr/share/doc/$package/copyright" "$image/usr/share/doc/$package/"
done
printf 'isostep:x:65532:65532::/recordings:/nonexistent\n' >"$image/etc/passwd"
printf 'isostep:x:65532:\n' >"$image/etc/group"
printf 'hosts: files dns\n' >"$image/etc/nsswitch.conf"
chown 65532:65532 "$image/recordings"
