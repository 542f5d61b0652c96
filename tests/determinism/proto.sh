#!/bin/sh
# proto's unit tests on another processor: cross compiled, run by an emulator, with Debian's own libraries of that
# processor beside them (sysroot.sh unpacks them).
#
#   proto.sh SOURCE_DIR BUILD_DIR WORK_DIR TARGET CORE     TARGET: s390x (big-endian), or armhf (32 bit), by hand
#
# BUILD_DIR has the code that protoc-c and the scenes' embedding have generated, CORE the object files of the core and
# its games for that processor, which golden/matrix.sh has left. Exits 77 when a tool or the libraries
# are missing, and with 1 when ISO_COMPLETE is set.
set -eu
source=$1 build=$2 work=$3 target=$4 core=$5
case $target in
  armhf) triple=arm-linux-gnueabihf emulator=qemu-arm-static ;;
  *) triple=$target-linux-gnu emulator=qemu-$target-static ;;
esac
sysroot=$source/build/sysroots/$target
compiler=$triple-gcc
leave_out() {
  echo "left out: $*"
  [ -z "${ISO_COMPLETE-}" ] || exit 1
  exit 77
}
for tool in "$compiler" "$emulator"; do
  command -v "$tool" > /dev/null || leave_out "$tool is not installed"
done
set -- "$core"/*.o
[ -e "$1" ] || leave_out "no core for $target in $core (ctest -R golden-$target-O2)"
[ -e "$sysroot/complete" ] || leave_out "no libraries for $target (sh tests/determinism/sysroot.sh $target $sysroot)"

rm -rf "$work"
mkdir -p "$work/objects" "$work/include"
# Headers that do not depend on the processor, and none of this machine's own beside them.
cp "${XXHASH_HEADER:-/usr/include/xxhash.h}" "$work/include/"
libraries=$sysroot/usr/lib/$triple
flags="-std=gnu17 -O1 -D_GNU_SOURCE -DISO_NO_LIBFIXMATH -I$source/core/include -I$source/core/games/include
  -I$source/core/src -I$source/proto/include -I$source/proto -I$source/proto/scenes/include
  -I$source/server/recorder -I$source/tests -I$build/proto/generated -isystem $work/include
  -isystem $sysroot/usr/include -isystem $sysroot/usr/include/json-c -DISO__VERSION=\"emulated\" -DISO_TEST_EMULATED"

# A folder each: files of different folders have the same names. The recorder is what test_recording_pages writes with.
$triple-ar rcs "$work/library.a" "$core"/*.o
for folder in "$source"/proto/*/ "$build/proto/generated/isostep/v1/" "$build/proto/scenes/" \
              "$source/server/recorder/"; do
  set -- "$folder"*.c
  [ -e "$1" ] || continue
  rm -f "$work"/objects/*
  cd "$work/objects"
  # shellcheck disable=SC2086
  $compiler $flags -w -c "$@"
  for object in *.o; do
    mv "$object" "$(echo "$folder" | cksum | cut -d ' ' -f 1)-$object"
  done
  $triple-ar rcs "$work/library.a" ./*.o
done
cd "$work"
count=0
for test in codec codec_hostile codec_document framing recording recording_damage recording_bytes recording_document \
            recording_format1 recording_pages recording_torn scene_text scene_errors scene_values scene_generate \
            scene_document; do
  file=$(find "$source/tests/unit" -name "test_$test.c")
  # shellcheck disable=SC2086
  $compiler $flags -DISO_TEST_PROTO_DIR="\"$source/proto\"" \
    -DISO_TEST_RECORDINGS_DIR="\"$source/tests/fuzz/corpus/recording\"" "$file" library.a \
    -L"$libraries" -lprotobuf-c -lzstd -ljson-c -lcmocka -lm -o "$test"
  "$emulator" -L "/usr/$triple" -E LD_LIBRARY_PATH="$libraries" "./$test" > "$test.log" 2>&1 || {
    grep -E "FAILED|ERROR|LINE|rror" "$test.log" >&2 || tail -5 "$test.log" >&2
    echo "test_$test fails on $target" >&2
    exit 1
  }
  count=$((count + $(grep -c "OK \]" "$test.log")))
done
echo "$count of proto's unit tests pass on $target"
