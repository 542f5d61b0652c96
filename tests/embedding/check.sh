#!/bin/sh
# Installs a build into a scratch prefix, moves it, builds the example in it against it, by CMake and by pkg-config
# alone, and plays: one build hosts, the other joins and replays. The programs that the library brings must say that
# they do not know the game. Then what the package says when something is missing, the same targets as a part of another
# project, and another processor's compiler.
#
# ISO_COMPLETE in the environment: a tool that is missing is an error. ISO_EMBEDDING_CROSS=no: without the other
# processor.
#
#   check.sh SOURCE_DIR BUILD_DIR WORK_DIR CC
set -eu

source=$1 build=$2 work=$3 compiler=$4
rm -rf "$work"
mkdir -p "$work/records"
server=
trap 'test -z "$server" || kill -9 "$server" 2>/dev/null || true' EXIT

fail() {
    echo "embedding: $*" >&2
    for file in "$work"/*.log; do
        echo "--- ${file##*/}" >&2
        tail -n 20 "$file" >&2
    done
    exit 1
}

# quietly NAME COMMAND…: its output goes to NAME.log.
quietly() {
    name=$1
    shift
    "$@" >"$work/$name.log" 2>&1 </dev/null || fail "failed: $*"
}

# refused NAME CODE TEXT COMMAND…: must end with that exit code and say that text.
refused() {
    name=$1 wanted=$2 text=$3
    shift 3
    code=0
    "$@" >"$work/$name.log" 2>&1 </dev/null || code=$?
    [ "$code" -eq "$wanted" ] || fail "exit code $code instead of $wanted: $*"
    # CMake breaks its messages into lines.
    tr -s ' \n' '  ' <"$work/$name.log" | grep -q -e "$text" || fail "says nothing of \"$text\": $*"
}

# Nothing of the package may depend on where it was installed.
quietly install cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$work/prefix"
bin=$work/prefix/bin
documents=$(dirname "$(find "$work/prefix" -name README.md | sort | head -n 1)")
example=$documents/tests/embedding/orbit

# Every link of every document leads somewhere, and one that does not is found.
quietly links sh "$source/tests/embedding/links.sh" "$documents"
[ "$(find "$documents" -name '*.md' | wc -l)" -ge 15 ] || fail "documents are missing"
mkdir "$work/broken"
printf '# One\n[a](#one) [b](#two) [c](three.md)\n' >"$work/broken/README.md"
refused broken-links 1 "#two: there is no such heading.*three.md: there is no such file" \
    sh "$source/tests/embedding/links.sh" "$work/broken"

quietly configure cmake -S "$example" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Werror"
quietly build cmake --build "$work/cmake"

PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name isostep.pc)")
export PKG_CONFIG_PATH
flags=$(pkg-config --cflags --libs isostep-server isostep-client-main isostep-replay)
# shellcheck disable=SC2086 # one word per flag
quietly compile "$compiler" -std=c17 -Wall -Wextra -Wpedantic -Werror "$example/orbit.c" $flags -o "$work/orbit"

"$work/cmake/orbit" server --scene "$example/space.json" --tcp 127.0.0.1:0 --record "$work/records" --for 60 \
    >"$work/ready" 2>"$work/server.log" &
server=$!
tries=0
until grep -q '^ready ' "$work/ready"; do
    tries=$((tries + 1))
    { [ "$tries" -le 200 ] && kill -0 "$server" 2>/dev/null; } || fail "the server did not get ready"
    sleep 0.05
done
address=$(sed -n 's/^ready tcp=\([^ ]*\).*/\1/p' "$work/ready")

refused stranger 4 "a game that this program does not have" "$bin/isostep-client" "$address" --name stranger --ticks 10
"$work/orbit" client "$address" --name luna --bot wander --ticks 240 --json >"$work/luna.json" 2>"$work/luna.log" &
luna=$!
quietly io "$work/cmake/orbit" client "$address" --name io --bot wander --ticks 200 --json
wait "$luna" || fail "the client from pkg-config ended with exit code $?"
for file in luna.json io.log; do
    grep -q '"desyncs":0' "$work/$file" || fail "$file knows of desyncs"
    [ "$(sed -n 's/.*"hashes_checked":\([0-9]*\).*/\1/p' "$work/$file")" -ge 200 ] ||
        fail "$file has not checked 200 roots"
done

# Each row of the package's table: what it includes is installed, and what it names links.
rows=0
pattern='^| `isostep::[a-z-]*` | `\([a-z-]*\)` | .*[`(]\(isostep\/[a-z_/]*\.h\)`.*'
for row in $(sed -n "s/$pattern/\1=\2/p" "$documents/server/packaging/README.md"); do
    rows=$((rows + 1))
    printf '#include "%s"\nint main(void) { return 0; }\n' "${row#*=}" >"$work/row.c"
    # shellcheck disable=SC2046 # one word per flag
    quietly "row-$rows" "$compiler" -std=c17 "$work/row.c" $(pkg-config --cflags --libs "${row%=*}") -o "$work/row"
done
[ "$rows" -ge 8 ] || fail "the table of the package has only $rows rows with a header"

# The connection on libuv: the program of its page, which is the one that is built here.
page=$documents/client-sample/uv/README.md
sed -n '/^```c$/,/^```$/p' "$page" | sed '1d;$d' >"$work/minimal.c"
cmp "$work/minimal.c" "$source/client-sample/cli/minimal.c" ||
    fail "the program of $page is not client-sample/cli/minimal.c"
# shellcheck disable=SC2046 # one word per flag
quietly minimal-compile "$compiler" -std=c17 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Werror \
    "$work/minimal.c" $(pkg-config --cflags --libs isostep-client-uv isostep-games) -o "$work/minimal"
refused minimal-stranger 4 "a game that this program does not have" "$work/minimal" "${address%:*}" "${address##*:}" 30

kill -TERM "$server"
wait "$server" || fail "the server ended with exit code $?"
server=
recording=$(find "$work/records" -name '*.isr')
[ -n "$recording" ] || fail "there is no sealed recording"
quietly verify "$work/orbit" replay verify --json "$recording"
grep -q '"result":"ok"' "$work/verify.log" || fail "the recording does not verify"

# The second example without anybody: pucks go into goals, a match is won, and the recording verifies.
rink=$documents/tests/embedding/hockey
# shellcheck disable=SC2086 # one word per flag
quietly hockey-compile "$compiler" -std=c17 -Wall -Wextra -Wpedantic -Werror "$rink/hockey.c" $flags -o "$work/hockey"
quietly hockey-check "$work/hockey" replay check "$rink/rink.json"
quietly hockey-simulate "$work/hockey" replay simulate "$rink/rink.json" --ticks 1200 --record "$work/hockey.isr"
quietly hockey-verify "$work/hockey" replay verify --restore-every 60 "$work/hockey.isr"
quietly hockey-state "$work/hockey" replay state "$work/hockey.isr" game
# Five goals: three of them win a match.
[ "$(awk '/score|won/ { sum[$1] = $2 } END { print sum["game[0].won[0]:"] + sum["game[0].won[1]:"],
    sum["game[0].score[0]:"] + sum["game[0].score[1]:"] }' "$work/hockey-state.log")" = "1 2" ] ||
    fail "the score of hockey is wrong"

# One more than the state tells: the match that was won has ended with a goal of the other side, too.
quietly hockey-events "$work/hockey" replay dump --events --json "$work/hockey.isr"
goal='"game":"hockey","event":"goal","fields":{"scorer":[01],"score":[123]}}$'
[ "$(grep -c "$goal" "$work/hockey-events.log")" -eq 6 ] || fail "the goals of hockey are not told"

# The third example is in space: the pendulum of the scene passes the gate every 2.07 s, half the period of one that is
# 3.97 m long and swings by 41 degrees. Then two members play, one of whom predicts.
hall=$documents/tests/embedding/swing
# shellcheck disable=SC2086 # one word per flag
quietly swing-compile "$compiler" -std=c17 -Wall -Wextra -Wpedantic -Werror "$hall/swing.c" $flags -o "$work/swing"
quietly swing-check "$work/swing" replay check "$hall/hall.json"
quietly swing-simulate "$work/swing" replay simulate "$hall/hall.json" --ticks 1200 --record "$work/swing.isr"
quietly swing-verify "$work/swing" replay verify --restore-every 60 "$work/swing.isr"
quietly swing-state "$work/swing" replay state "$work/swing.isr" game
grep -q '^game\[0\].passes: 10$' "$work/swing-state.log" || fail "the pendulum has not passed the gate ten times"
quietly swing-events "$work/swing" replay dump --events --json "$work/swing.isr"
pass='"game":"swing","event":"pass","fields":{"point":\['
[ "$(grep -c "$pass" "$work/swing-events.log")" -eq 10 ] || fail "the passes of swing are not told"
"$work/swing" server --scene "$hall/hall.json" --tcp 127.0.0.1:0 --for 60 >"$work/swing-ready" 2>"$work/swing.log" &
server=$!
tries=0
until grep -q '^ready ' "$work/swing-ready"; do
    tries=$((tries + 1))
    { [ "$tries" -le 200 ] && kill -0 "$server" 2>/dev/null; } || fail "the server of swing did not get ready"
    sleep 0.05
done
address=$(sed -n 's/^ready tcp=\([^ ]*\).*/\1/p' "$work/swing-ready")
"$work/swing" client "$address" --name ada --bot wander --ticks 150 --json >"$work/ada.json" 2>"$work/ada.log" &
ada=$!
quietly bob "$work/swing" client "$address" --name bob --bot wander --predict 6 --ticks 120 --json
wait "$ada" || fail "the first client of swing ended with exit code $?"
for file in ada.json bob.log; do
    grep -q '"desyncs":0' "$work/$file" || fail "$file knows of desyncs"
done
kill -TERM "$server"
wait "$server" || fail "the server of swing ended with exit code $?"
server=

"$bin/isostep-server" --tcp 127.0.0.1:0 --for 60 >"$work/sandbox-ready" 2>"$work/sandbox.log" &
server=$!
tries=0
until grep -q '^ready ' "$work/sandbox-ready"; do
    tries=$((tries + 1))
    { [ "$tries" -le 200 ] && kill -0 "$server" 2>/dev/null; } || fail "the server of the sandbox did not get ready"
    sleep 0.05
done
port=$(sed -n 's/^ready tcp=[^ ]*:\([0-9]*\).*/\1/p' "$work/sandbox-ready")
quietly minimal-play "$work/minimal" 127.0.0.1 "$port" 60
grep -q 'ended: left' "$work/minimal-play.log" || fail "the minimal client did not leave in order"
grep -qE '^[6-9][0-9] roots checked, 0 desyncs' "$work/minimal-play.log" ||
    fail "the minimal client has not checked its roots"
kill -TERM "$server"
wait "$server" || fail "the server of the sandbox ended with exit code $?"
server=

# The scene that the program has in it.
quietly void-check "$work/orbit" replay check void
quietly void "$work/orbit" server --tcp 127.0.0.1:0 --record "$work/void" --for 1
quietly void-info "$work/orbit" replay info "$(find "$work/void" -name '*.isr')"
grep -q 'void' "$work/void-info.log" || fail "a server without --scene does not host the scene of its program"

refused foreign-replay 3 "does not know the game 'orbit'" "$bin/isostep-replay" verify "$recording"
refused foreign-server 3 "orbit" "$bin/isostep-server" --scene "$example/space.json" --tcp 127.0.0.1:0 --for 1

# ---- what the package says -------------------------------------------------------------------------

# package NAME TEXT: a project of this text, which looks for the package.
package() {
    mkdir -p "$work/$1"
    {
        printf 'cmake_minimum_required(VERSION 3.25)\nproject(%s LANGUAGES C)\n' "$1"
        cat
    } >"$work/$1/CMakeLists.txt"
    {
        printf '#include "isostep/isostep.h"\n'
        printf 'int main(void) { return iso_world_def_default().tick_rate_hz == 60 ? 0 : 1; }\n'
    } >"$work/$1/main.c"
}
# configured NAME OPTION…: configures it.
configured() {
    name=$1
    shift
    quietly "$name-configure" cmake -S "$work/$name" -B "$work/$name/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
        -DCMAKE_C_COMPILER="$compiler" "$@"
}
# unusable NAME TEXT OPTION…: says so, and why.
unusable() {
    name=$1 text=$2
    shift 2
    refused "$name-configure" 1 "$text" cmake -S "$work/$name" -B "$work/$name/build" \
        -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$compiler" "$@"
}

# The core needs nothing that pkg-config finds; what is missing for the server is named.
nowhere=$work/nowhere
mkdir "$nowhere"
package core-alone <<'END'
find_package(isostep 0.1 REQUIRED COMPONENTS core OPTIONAL_COMPONENTS server)
if(isostep_server_FOUND OR TARGET isostep::server OR NOT isostep_core_FOUND)
  message(FATAL_ERROR "the server cannot be there")
endif()
add_executable(core-alone main.c)
target_link_libraries(core-alone PRIVATE isostep::core)
END
PKG_CONFIG_LIBDIR=$nowhere PKG_CONFIG_PATH='' configured core-alone
quietly core-alone-build cmake --build "$work/core-alone/build"
quietly core-alone-run "$work/core-alone/build/core-alone"
package server-wanted <<'END'
find_package(isostep 0.1 REQUIRED COMPONENTS core server)
END
missing='libprotobuf-c-dev libzstd-dev libjson-c-dev libuv1-dev libsodium-dev libseccomp-dev nettle-dev'
PKG_CONFIG_LIBDIR=$nowhere PKG_CONFIG_PATH='' unusable server-wanted \
    "isostep::server needs packages that are not installed: apt install $missing"
unusable server-wanted 'isostep::core needs packages that are not installed: apt install libfixmath-dev' \
    -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF -DFIXMATH_LIBRARY=FIXMATH_LIBRARY-NOTFOUND
package stranger <<'END'
find_package(isostep 0.1 REQUIRED COMPONENTS core clinet)
END
unusable stranger 'it has no component clinet, but core, games, threads, proto, .*client-main, replay'
package elsewhere <<'END'
set(CMAKE_SYSTEM_PROCESSOR m68k)
find_package(isostep 0.1 REQUIRED COMPONENTS core)
END
unusable elsewhere "it was built for $(uname -m), and this project is built for m68k"

# ---- as a part of another project --------------------------------------------------------------------

# The targets have the same names. Without optimisation, since it is all built once more.
package part <<END
add_subdirectory($source isostep EXCLUDE_FROM_ALL)
foreach(component core games threads proto scenes session recorder server client client-uv client-main replay)
  if(NOT TARGET isostep::\${component})
    message(FATAL_ERROR "there is no isostep::\${component}")
  endif()
endforeach()
add_executable(part main.c)
target_link_libraries(part PRIVATE isostep::core)
add_executable(orbit EXCLUDE_FROM_ALL $example/orbit.c)
target_link_libraries(orbit PRIVATE isostep::server isostep::client-main isostep::replay)
END
unset PKG_CONFIG_PATH
configured part -G Ninja -DCMAKE_BUILD_TYPE=Debug
quietly part-build cmake --build "$work/part/build"
quietly part-run "$work/part/build/part"
[ "$(find "$work/part/build/isostep" -name '*.a' | wc -l)" -eq 1 ] || fail "more was built than the core"

# ---- for another processor ---------------------------------------------------------------------------

other=aarch64-linux-gnu-gcc
if [ "${ISO_EMBEDDING_CROSS-}" = no ]; then
    echo "for another processor: with gcc's build"
elif ! command -v "$other" >/dev/null; then
    [ -z "${ISO_COMPLETE-}" ] || fail "$other is not installed"
    echo "left out: configuring for another processor, $other is not installed"
else
    # Its libraries stand in a folder of their own, as empty ones: what is configured there is not linked.
    sysroot=$work/sysroot
    mkdir -p "$sysroot/usr/lib" "$sysroot/usr/include" "$sysroot/usr/pkgconfig"
    for library in fixmath libfixmath protobuf-c zstd json-c uv sodium seccomp unistring wslay nettle; do
        ar rc "$sysroot/usr/lib/lib$library.a"
    done
    for module in libprotobuf-c libzstd json-c libuv libsodium libseccomp nettle; do
        cp "$(pkg-config --variable=pcfiledir "$module")/$module.pc" "$sysroot/usr/pkgconfig/"
    done
    for header in libfixmath xxhash.h json-c wslay uninorm.h; do
        ln -s "/usr/include/$header" "$sysroot/usr/include/$header"
    done
    cat >"$work/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER $other)
set(CMAKE_FIND_ROOT_PATH $sysroot)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
END
    export PKG_CONFIG_SYSROOT_DIR="$sysroot"
    PKG_CONFIG_LIBDIR=$sysroot/usr/pkgconfig quietly cross-configure cmake -S "$source" -B "$work/cross" -G Ninja \
        -DCMAKE_TOOLCHAIN_FILE="$work/toolchain.cmake" -DCMAKE_BUILD_TYPE=Debug
    # All of it is built for that processor by the golden rows; here one file tells which processor it is.
    object=core/CMakeFiles/isostep.dir/src/base/assert.c.o
    quietly cross-build cmake --build "$work/cross" --target "$object"
    readelf -h "$work/cross/$object" 2>/dev/null | grep -q 'Machine:.*AArch64' ||
        fail "the core was not built for aarch64"
    PKG_CONFIG_LIBDIR=$nowhere refused cross-missing 1 \
        'Packages are not installed for aarch64: apt install libprotobuf-c-dev libzstd-dev' cmake -S "$source" \
        -B "$work/cross-missing" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$work/toolchain.cmake"
fi
echo "one file, built by CMake and by pkg-config, hosts, joins and replays its own game"
