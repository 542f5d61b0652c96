#!/bin/sh
# Installs what is missing (Debian 12), builds, and runs the tests.
#
#   sh tests/run.sh         the release build's tests but those of the tests themselves, about 9 minutes
#   sh tests/run.sh --all   what continuous integration runs: gcc and clang with warnings as errors, the
#                           address and undefined behaviour sanitizers over every test, the thread sanitizer
#                           over those with threads, short fuzzing, two builds in one session, golden roots
#                           on other compilers and processors
#   sh tests/run.sh --long  what takes hours: netsim over 10,000 seeds, 300 kills of the server, 10 minutes
#                           of each fuzzer, 200 spectators for 5 minutes, end-to-end tests and pages ten times beside
#                           busy loops, and as root the container image
#
# tests/README.md says what is where and how long it takes.
# The last lines are ctest's summary: of the stage that failed, or of the last one.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
all=
long=
case "${1-}" in
"") ;;
--all) all=yes ;;
--long) long=yes ;;
*)
    echo "usage: sh tests/run.sh [--all | --long]" >&2
    exit 2
    ;;
esac

sh server/install.sh cmake ninja-build gcc g++ libc6-dev clang clang-format lld binaryen binutils pkg-config \
    libuv1-dev libsodium-dev libseccomp-dev libunistring-dev libprotobuf-c-dev protobuf-c-compiler protobuf-compiler \
    libfixmath-dev libxxhash-dev libzstd-dev libjson-c-dev node-llhttp libwslay-dev nettle-dev libcairo2-dev \
    libcmocka-dev chipmunk-dev libbox2d-dev valgrind faketime
[ -z "$all" ] || sh server/install.sh chromium-headless-shell fonts-dejavu-core nginx libnginx-mod-stream haproxy caddy
# Node may have come from elsewhere, with an npm of its own that Debian's package would be in conflict with.
command -v node >/dev/null || sh server/install.sh nodejs
command -v npm >/dev/null || sh server/install.sh npm
[ -z "$all$long" ] || sh server/install.sh libclang-rt-14-dev
if [ -n "$all" ]; then
    sh server/install.sh \
        gcc-aarch64-linux-gnu gcc-arm-linux-gnueabihf gcc-riscv64-linux-gnu gcc-s390x-linux-gnu \
        libc6-dev-arm64-cross libc6-dev-armhf-cross libc6-dev-riscv64-cross libc6-dev-s390x-cross qemu-user-static \
        gcc-i686-linux-gnu libc6-dev-i386-cross libasan8-i386-cross
    # The libraries that proto stands on, for the processors on which its tests run beside this one: unpacked, not
    # installed.
    for target in s390x i386; do
        sh tests/determinism/sysroot.sh "$target" "build/sysroots/$target"
    done
fi

# What the independent client and the browser client get from npm, as their lock files have it. Without the registry
# both are left out, but not in continuous integration. npm writes its list after the lock file that it has installed.
for folder in tests/e2e/node client-sample/web; do
    list=$folder/node_modules/.package-lock.json
    [ ! -f "$list" ] || [ "$folder/package-lock.json" -nt "$list" ] || continue
    echo "installing $folder/node_modules"
    if ! (cd "$folder" && npm ci --no-audit --no-fund --loglevel=error </dev/null); then
        echo "npm ci failed: what needs $folder/node_modules is left out" >&2
        [ -z "$all" ] || exit 1
    fi
done

jobs=$(nproc)
# As many tests as there are processors, and beside them those that play in real time, which mostly wait: as many as
# tests/real_time.json has slots.
tests_at_once=$((jobs + 4))
stage() { printf '\n=== %s (%s s)\n' "$1" "$(($(date +%s) - begun))"; }
begun=$(date +%s)

# about MINUTES [BUILD]: what is to be expected, and how much of it the build takes, with two processors.
about() {
    minutes=$((($1 * 2 + jobs - 1) / jobs))
    build=${2:+, of which the build takes $((($2 * 2 + jobs - 1) / jobs))}
    echo "This takes about $minutes minutes with $jobs processors$build."
}

# configure FOLDER OPTION…
configure() {
    folder=$1
    shift
    # A test that is left out because something is missing is a fault there.
    complete=OFF
    [ -z "$all" ] || complete=ON
    cmake -S . -B "build/$folder" "$@" -DISO_COMPLETE="$complete"
}

# build FOLDER OPTION…: configures and builds everything there.
build() {
    configure "$@"
    cmake --build "build/$1"
}

# behind FOLDER [TARGET…]: builds it beside the tests of another stage, many of which wait. `ready FOLDER` waits for it,
# and says what has failed.
behind=
behind() {
    folder=$1
    shift
    # Without cmake between, so that it ends with us.
    nice -n 15 ninja -C "build/$folder" -j "$jobs" "$@" >"build/$folder.log" 2>&1 4>&- &
    behind=$!
}
ready() {
    echo "waiting until build/$1 is built"
    wait "$behind" || {
        behind=
        grep -v '^\[' "build/$1.log"
        exit 1
    }
    behind=
    tail -n 1 "build/$1.log"
}
trap '[ -z "$behind" ] || kill "$behind"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# watched OPTION…: ctest, and once a minute what runs longest. A pipe has the status of its last program, so that of
# ctest goes beside it.
exec 4>&1
watched() {
    status=$({
        {
            ctest "$@" 2>&1 && ended=0 || ended=$?
            echo "$ended" >&3
        } | sh tests/watch.sh tests/seconds.txt >&4 3>&-
    } 3>&1)
    return "$status"
}

# Tests with the label "once" are about the source, whichever build they run from; those with the label "planted"
# about netsim, which must find what is broken on purpose: once as well, they take minutes under the sanitizers.
#
# End-to-end tests play in real time, over real sockets, with whatever else the machine does. When nothing but some of
# them fails, these run once more, one at a time, and are named: a fault fails again. What a sanitizer has found does
# not pass.
run_tests() {
    folder=$1
    shift
    watched --test-dir "build/$folder" --output-on-failure --no-tests=error -j "$tests_at_once" \
        --resource-spec-file "$root/tests/real_time.json" "$@" && return
    failed=$(sed 's/^[0-9]*://' "build/$folder/Testing/Temporary/LastTestsFailed.log")
    for test in $failed; do
        case $test in
        test_e2e_* | test_mixed_builds) ;;
        *) return 1 ;;
        esac
    done
    if [ -z "$failed" ] || [ -n "$(find "build/$folder" -maxdepth 1 -name 'report.*')" ] ||
        grep -qE 'ERROR: AddressSanitizer|runtime error: ' "build/$folder/Testing/Temporary/LastTest.log"; then
        return 1
    fi
    # shellcheck disable=SC2086 # one line
    printf '\n--- once more, since they failed: %s\n' "$(echo $failed)"
    # By name: with -E, ctest numbers the tests in another way than when it runs those again that failed.
    # shellcheck disable=SC2086 # one word per test
    ctest --test-dir "build/$folder" --output-on-failure --no-tests=error -R "^($(echo $failed | tr " " "|"))\$" &&
        [ -z "$(find "build/$folder" -maxdepth 1 -name 'report.*')" ]
}

fuzzers=$(sed -n 's/^iso_add_fuzzer(\([a-z_]*\) .*/\1/p' tests/fuzz/CMakeLists.txt)

# fuzz SECONDS SEED: every fuzzer for so long, as many at a time as there are processors. A seed other than 0 gives the
# same inputs each time. What was found lies in build/fuzz/found; the corpus is left as it is.
fuzz() {
    seconds=$1
    seed=$2
    mkdir -p build/fuzz/found
    echo "$fuzzers" | SECONDS_EACH=$seconds SEED=$seed xargs -P "$jobs" -I NAME sh -c '
        name=$1
        mkdir -p "build/fuzz/found/$name"
        log=build/fuzz/found/$name.log
        if "build/fuzz/tests/$name" -max_total_time="$SECONDS_EACH" -seed="$SEED" -timeout=20 -print_final_stats=1 \
            -verbosity=0 -artifact_prefix="build/fuzz/found/$name-" "build/fuzz/found/$name" \
            "tests/fuzz/corpus/${name#fuzz_}" >"$log" 2>&1; then
            sed -n "s/^stat::number_of_executed_units: */--- $name: inputs tried: /p" "$log"
        else
            cat "$log"
            exit 255
        fi' sh NAME
}

if [ -n "$long" ]; then
    stage "release"
    build release --preset release -DISO_PLANTED=ON -DISO_SHARED_INTERNALS=OFF
    stage "elastic bodies, 300 seeds"
    build/release/tests/test_impact --seeds 300
    stage "a million shots at a wall"
    build/release/tests/test_continuous --shots 1000000
    build/release/tests/test_continuous3 --shots 50000
    stage "seams in space, all ways"
    build/release/tests/test_seam3 --whole
    stage "stacks in space for a minute, and beside their twin in double"
    build/release/tests/test_rest3 --seconds 60
    build/release/tests/test_accuracy3 --whole
    stage "elastic bodies in space, 60 seeds"
    build/release/tests/test_bounce3 --seeds 60
    stage "a million poses of two shapes"
    build/release/tests/test_manifold_shortcuts --poses 1000000
    stage "a million operands and groups of each instruction set"
    build/release/tests/test_lanes --operands 1000000
    build/release/tests/test_contact_row --groups 1000000
    build/release/tests/test_plain_lanes --chunks 1000000
    build/release/tests/test_contact_prepare --groups 1000000
    stage "ticks of worlds with a past, 100 seeds of each scene"
    build/release/tests/test_state_history --rounds 100
    stage "netsim, 10,000 seeds"
    build/release/tests/netsim/netsim --seeds 1..10000
    stage "300 kills of the server, gcc's and clang's build taking turns"
    cmake -S . -B build/clang-server --preset release -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
        -DISO_TESTS=OFF
    cmake --build build/clang-server --target isostep-server
    build/release/tests/test_e2e_kill --kills 300 --server build/clang-server/bin/isostep-server
    stage "200 spectators over WebSocket, 5 minutes"
    node tests/e2e/node/swarm.mjs build/release/bin/isostep-server --seconds 300 --late-max 0.0001
    chromium=$(command -v chromium-headless-shell || command -v chromium || :)
    if [ -n "$chromium" ] && [ -d build/release/client-sample/web/package/dist ]; then
        stage "golden roots of all scenes in Chromium"
        ctest --test-dir build/release -R '^golden-cases$'
        node tests/web/test_golden.mjs build/release/client-sample/web/package build/release/tests/web/golden.wasm \
            build/release/tests/cases tests/golden/scenes.txt tests/golden/roots.txt "$chromium"
        stage "two tabs and a native client, a minute"
        node tests/web/test_tabs.mjs build/release/client-sample/web/package build/release/bin/isostep-server \
            build/release/bin/isostep-client "$chromium" 60
    fi
    stage "end-to-end tests and pages, ten times beside two busy loops"
    sh tests/e2e/under_load.sh build/release 10
    stage "fuzzing, 10 minutes each"
    cmake -S . -B build/fuzz --preset fuzz
    # shellcheck disable=SC2086 # one word per target
    cmake --build build/fuzz --target $fuzzers
    fuzz 600 0
    if [ "$(id -u)" -eq 0 ]; then
        stage "container image"
        sh docker/check.sh
    else
        echo "the container image is left out: docker/check.sh needs root" >&2
    fi
    stage "done"
    exit
fi

if [ -z "$all" ]; then
    about 9 4
    stage "release"
    # What tests the tests themselves is left to --all: planted bugs, and the self-test of the rules for sources.
    build release --preset release -DISO_PLANTED=OFF -DISO_SHARED_INTERNALS=ON
    # A golden row that only proto's tests on another processor need is left out with the others.
    run_tests release -LE golden -FS '^core-' -E '^tidy_self_test$'
    exit
fi

# From when it was last measured as a whole (tests/README.md).
about 27
stage "clang, warnings are errors; address and undefined behaviour sanitizers"
# One build with clang, for the tests and for the fuzzers.
build fuzz --preset fuzz -DISO_WERROR=ON -DISO_PLANTED=OFF -DISO_SHARED_INTERNALS=ON
# The sessions of two builds are with clang's.
configure release --preset release -DISO_WERROR=ON -DISO_PLANTED=ON -DISO_SHARED_INTERNALS=OFF \
    -DISO_MIXED_BUILD="$root/build/fuzz"
behind release
run_tests fuzz -LE "golden|once|planted"

stage "thread sanitizer"
ready release
# Warnings are no errors here: with this sanitizer at -O1 gcc sees writes beyond a buffer (-Wstringop-overflow) that are
# none.
cmake -S . -B build/tsan --preset tsan
cmake --build build/tsan --target threaded_tests
# The server that is told twice to end leaves its threads as they are. The tests keep what servers say: reports go to
# files.
rm -f build/tsan/report.*
tsan_options="halt_on_error=1:report_thread_leaks=0:suppressions=$root/tests/tsan.supp"
TSAN_OPTIONS="$tsan_options:log_path=$root/build/tsan/report" run_tests tsan -L threads || {
    cat build/tsan/report.* || :
    exit 1
}

stage "fuzzing, 6 seconds each"
# What fuzzers try depends on the time that they have: nothing runs beside them.
# One seed, so that a run says something of the change and not of its luck; --long looks elsewhere each time.
fuzz 6 1

stage "gcc, warnings are errors; golden roots everywhere"
run_tests release
