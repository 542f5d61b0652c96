#!/bin/sh
# Installs what is missing (Debian 12), builds, and runs the tests.
#
#   sh tests/run.sh         the release build's tests, a few minutes
#   sh tests/run.sh --all   what continuous integration runs: gcc and clang with warnings as errors, the
#                           address and undefined behaviour sanitizers over every test, short fuzzing,
#                           golden roots on other compilers and processors
#
# The last lines are ctest's summary: of the stage that failed, or of the last one.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
all=
case "${1-}" in
"") ;;
--all) all=yes ;;
*)
    echo "usage: sh tests/run.sh [--all]" >&2
    exit 2
    ;;
esac

sh server/install.sh cmake ninja-build gcc g++ libc6-dev clang lld binutils pkg-config \
    libuv1-dev libsodium-dev libprotobuf-c-dev protobuf-c-compiler protobuf-compiler libfixmath-dev libxxhash-dev libzstd-dev \
    libjson-c-dev libcmocka-dev chipmunk-dev libbox2d-dev
# Node may have come from elsewhere, with an npm of its own that Debian's package would be in conflict with.
command -v node >/dev/null || sh server/install.sh nodejs
command -v npm >/dev/null || sh server/install.sh npm
if [ -n "$all" ]; then
    sh server/install.sh libclang-rt-14-dev \
        gcc-aarch64-linux-gnu gcc-arm-linux-gnueabihf gcc-riscv64-linux-gnu gcc-s390x-linux-gnu \
        libc6-dev-arm64-cross libc6-dev-armhf-cross libc6-dev-riscv64-cross libc6-dev-s390x-cross qemu-user-static
fi

# The independent client's one dependency, as its lock file has it. Without the registry its test is left out, but
# not in continuous integration.
if [ ! -d tests/e2e/node/node_modules ]; then
    echo "installing tests/e2e/node/node_modules"
    if ! (cd tests/e2e/node && npm ci --no-audit --no-fund --loglevel=error </dev/null); then
        echo "npm ci failed: the test with the independent client is left out" >&2
        [ -z "$all" ] || exit 1
    fi
fi

jobs=$(nproc)
stage() { printf '\n=== %s (%s s)\n' "$1" "$(($(date +%s) - begun))"; }
begun=$(date +%s)

# build FOLDER OPTION…: configures and builds everything there.
build() {
    folder=$1
    shift
    cmake -S . -B "build/$folder" "$@"
    cmake --build "build/$folder"
}

run_tests() {
    folder=$1
    shift
    ctest --test-dir "build/$folder" --output-on-failure --no-tests=error -j "$jobs" "$@"
}

if [ -z "$all" ]; then
    stage "release"
    build release --preset release
    run_tests release -LE golden
    exit
fi

stage "clang, warnings are errors"
build clang --preset release -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DISO_WERROR=ON
run_tests clang -LE golden

stage "address and undefined behaviour sanitizers"
build asan --preset asan -DISO_WERROR=ON
run_tests asan -LE golden

stage "fuzzing, 20 seconds each"
fuzzers=$(cd tests/fuzz && for file in fuzz_*.c; do [ "$file" = fuzz_replay.c ] || echo "${file%.c}"; done)
cmake -S . -B build/fuzz --preset fuzz
# shellcheck disable=SC2086 # one word per target
cmake --build build/fuzz --target $fuzzers
for fuzzer in $fuzzers; do
    echo "--- $fuzzer"
    mkdir -p "build/fuzz/found/$fuzzer"
    "build/fuzz/tests/$fuzzer" -max_total_time=20 -timeout=10 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="build/fuzz/found/" "build/fuzz/found/$fuzzer" "tests/fuzz/corpus/${fuzzer#fuzz_}"
done

stage "gcc, warnings are errors; golden roots everywhere"
build release --preset release -DISO_WERROR=ON
run_tests release
