#!/bin/sh
# The core and the readers of foreign bytes on a processor of 32 bits under the address and undefined behaviour
# sanitizers: golden roots, unit tests, the corpora of the fuzz programs. Cross compiled; an x86-64 processor runs it
# without an emulator.
#
#   i686.sh SOURCE_DIR BUILD_DIR WORK_DIR CASE_DIR
#
# BUILD_DIR has the code that protoc-c and the scenes' embedding have generated, CASE_DIR the golden cases. Exits 77
# when a tool or the libraries are missing, and with 1 when ISO_COMPLETE is set.
set -eu
source=$1 build=$2 work=$3 cases=$4
triple=i686-linux-gnu
compiler=$triple-gcc
sysroot=$source/build/sysroots/i386
libraries=$sysroot/usr/lib/i386-linux-gnu
leave_out() {
  echo "left out: $*"
  [ -z "${ISO_COMPLETE-}" ] || exit 1
  exit 77
}
command -v "$compiler" > /dev/null || leave_out "$compiler is not installed"
[ -e "/usr/$triple/lib/libasan.so.8" ] || leave_out "libasan8-i386-cross is not installed"
[ -e "$sysroot/complete" ] || leave_out "no libraries for i386 (sh tests/determinism/sysroot.sh i386 $sysroot)"
case $(uname -m) in
  x86_64 | i?86) ;;
  *) leave_out "this processor does not run programs for i686" ;;
esac

rm -rf "$work"
mkdir -p "$work/objects" "$work/include"
# Headers that do not depend on the processor, and none of this machine's own beside them.
cp "${XXHASH_HEADER:-/usr/include/xxhash.h}" "$work/include/"
# -msse2: floating point is not used, and 64-bit shifts are shorter with it.
flags="-std=gnu17 -O1 -g0 -msse2 -fno-omit-frame-pointer -fsanitize=address
  -D_GNU_SOURCE -DISO_NO_LIBFIXMATH -DISO__VERSION=\"i686\"
  -I$source/core/include -I$source/core/games/include -I$source/core/src -I$source/proto/include -I$source/proto
  -I$source/proto/scenes/include -I$source/server/recorder -I$source/client-sample/lib
  -I$source/client-sample/lib/include -I$source/tests -I$source/tests/unit -I$source/tests/fuzz -I$build/proto/generated
  -isystem $work/include -isystem $sysroot/usr/include -isystem $sysroot/usr/include/json-c"
link="-L$libraries -Wl,-rpath,$libraries:/usr/$triple/lib -Wl,--dynamic-linker=/usr/$triple/lib/ld-linux.so.2
  -lprotobuf-c -lzstd -ljson-c -lcmocka -lm"
# A block that cannot be had is an answer, not an end.
export ASAN_OPTIONS="allocator_may_return_null=1:detect_leaks=0"

# One list of jobs, as many at a time as there are processors.
list() {
  for file in "$source"/core/src/*/*.c "$source"/core/src/*/*/*.c "$source"/core/src/*/*/*/*.c \
    "$source"/core/games/*.c "$source"/core/games/kit/*.c "$source"/proto/*/*.c \
    "$build"/proto/generated/isostep/v1/*.c "$build"/proto/scenes/*.c "$source"/server/recorder/*.c \
    "$source"/client-sample/lib/*.c; do
    echo "$file"
  done
}
list | FLAGS=$flags COMPILER="${CMAKE_C_COMPILER_LAUNCHER-} $compiler" WORK=$work xargs -P "$(nproc)" -I FILE sh -c '
  file=$1
  object=$WORK/objects/$(echo "${file%.c}" | tr / _).o
  $COMPILER $FLAGS -w -c "$file" -o "$object"' sh FILE
rm -f "$work/library.a"
find "$work/objects" -name '*.o' -print0 | xargs -0 "$triple-ar" rcs "$work/library.a"

program() { # program NAME FILE…
  name=$1
  shift
  # shellcheck disable=SC2086
  ${CMAKE_C_COMPILER_LAUNCHER-} $compiler $flags -O0 $extra -w "$@" "$work/library.a" $link -o "$work/$name"
}
run() { # run NAME ARGUMENT…
  name=$1
  shift
  "$work/$name" "$@" > "$work/$name.log" 2>&1 || {
    grep -E "FAILED|ERROR|LINE|rror" "$work/$name.log" >&2 || tail -5 "$work/$name.log" >&2
    echo "$name fails on i686" >&2
    exit 1
  }
}

extra="-DISO_TEST_PROTO_DIR=\"$source/proto\" -DISO_TEST_RECORDINGS_DIR=\"$source/tests/fuzz/corpus/recording\""
extra="$extra -DISO_TEST_CORE_DIR=\"$source/core\""
count=0
for test in codec codec_document codec_hostile framing recording_bytes recording_document recording_format1 \
            recording_pages scene_document scene_generate scene_values state_large state_save state_snapshot \
            state_rules state_own state_hash dimension handles recording recording_damage recording_torn scene_text \
            scene_errors client_snapshot client_images; do
  program "test_$test" "$(find "$source/tests/unit" -name "test_$test.c")"
  run "test_$test"
  count=$((count + $(grep -c "OK \]" "$work/test_$test.log")))
done

# Every input of the corpora, and mutants of them. The world's own definition is part of a snapshot's.
for fuzzer in snapshot snapshot_space program command scene recording message; do
  extra=-DMUTANTS=1000
  case $fuzzer in *_space) extra="$extra -DFUZZ_SPACE" ;; esac
  world=
  case $fuzzer in snapshot* | command*) world=$source/tests/fuzz/fuzz_world.c ;; esac
  # shellcheck disable=SC2086
  program "fuzz_$fuzzer" "$source/tests/fuzz/fuzz_${fuzzer%_space}.c" "$source/tests/fuzz/fuzz_replay.c" $world
  run "fuzz_$fuzzer" "$source/tests/fuzz/corpus/$fuzzer"
done

extra=
program runner "$source/tests/golden/golden_runner.c"
for scene in ${GOLDEN_SCENES:-sandbox shapes mechanics3}; do
  ticks=$(awk -v scene="$scene" '$1 == scene { print $3 }' "$source/tests/golden/scenes.txt")
  "$work/runner" "$scene" "$cases/$scene.case" --ticks "$ticks" > "$work/roots.txt"
  awk -v scene="$scene" -v ticks="$ticks" '$1 == scene && $2 <= ticks { print; found = 1 } END { exit !found }' \
    "$source"/tests/golden/roots*.txt > "$work/expected.txt"
  diff -u "$work/expected.txt" "$work/roots.txt" || {
    echo "golden roots of $scene differ on i686" >&2
    exit 1
  }
done
echo "$count unit tests, the corpora and golden roots are right on i686 under the sanitizers"
