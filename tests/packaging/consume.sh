#!/bin/bash
# consume.sh BUILD [with-program]: installs BUILD into an empty prefix, then builds a program outside the tree against it, once
# with find_package and once with pkg-config, and runs both. With `with-program`, the program must be there, too.
set -euo pipefail
build=$1
consumer=$(dirname "$0")/consumer
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix

cmake --install "$build" --prefix "$prefix" >"$scratch/install.log"

expect_it_runs() {
    local said
    said=$("$1" "sqlite:$scratch/$2.db")
    [[ $said == *" PENDING" ]] || { echo "$2: the consumer said '$said'" >&2; exit 1; }
    echo "$2: $said"
}

cmake -G Ninja -S "$consumer" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug >"$scratch/cmake.log"
cmake --build "$scratch/build" >>"$scratch/cmake.log" || { cat "$scratch/cmake.log"; exit 1; }
expect_it_runs "$scratch/build/consumer" find_package

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name holdfast.pc)")
export PKG_CONFIG_PATH LD_LIBRARY_PATH=$PKG_CONFIG_PATH/..
# shellcheck disable=SC2046  # several words are meant
g++ -std=c++20 "$consumer/main.cc" -o "$scratch/consumer" $(pkg-config --cflags --libs holdfast)
expect_it_runs "$scratch/consumer" pkg-config

if [ "${2-}" = with-program ]; then
    "$prefix/bin/holdfast" version
    bash -n "$prefix/share/bash-completion/completions/holdfast"
fi
