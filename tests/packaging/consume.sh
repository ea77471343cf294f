#!/bin/bash
# consume.sh BUILD [with-program]: installs BUILD into an empty prefix, then builds a program outside the tree against it, once
# with find_package and once with pkg-config, and runs both. With `with-program`, the program must be there, too, and the
# library by which applications have its commands.
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

# Runs a task through an application's own worker and client.
expect_the_app_works() {
    local said worker store=sqlite:$scratch/$2-app.db
    "$1" worker --store "$store" 2>"$scratch/worker.log" &
    worker=$!
    said=$("$1" submit greet --args '"Ada"' --wait --timeout 60s --store "$store" | tail -n 1)
    kill "$worker"
    wait "$worker"
    [[ $said == '"Hello, Ada"' ]] || { echo "$2: the application said '$said'" >&2; exit 1; }
    echo "$2: $said"
}

with_app=OFF
[ "${2-}" != with-program ] || with_app=ON
cmake -G Ninja -S "$consumer" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug \
    -DWITH_APP=$with_app >"$scratch/cmake.log"
cmake --build "$scratch/build" >>"$scratch/cmake.log" || { cat "$scratch/cmake.log"; exit 1; }
expect_it_runs "$scratch/build/consumer" find_package

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name holdfast.pc)")
export PKG_CONFIG_PATH LD_LIBRARY_PATH=$PKG_CONFIG_PATH/..
# shellcheck disable=SC2046  # several words are meant
g++ -std=c++20 "$consumer/main.cc" -o "$scratch/consumer" $(pkg-config --cflags --libs holdfast)
expect_it_runs "$scratch/consumer" pkg-config

if [ "${2-}" = with-program ]; then
    expect_the_app_works "$scratch/build/app" find_package
    # shellcheck disable=SC2046
    g++ -std=c++20 "$consumer/app.cc" -o "$scratch/app" $(pkg-config --cflags --libs holdfast-app)
    expect_the_app_works "$scratch/app" pkg-config
    grep -q "^ExecStart=/.*/holdfast worker" "$prefix/lib/systemd/system/holdfast-worker.service"
    grep -q "^ExecStart=/.*/holdfast server" "$prefix/lib/systemd/system/holdfast-server.service"
    [ -f "$prefix/share/holdfast/prometheus/holdfast.rules.yml" ] && [ -f "$prefix/share/holdfast/grafana/holdfast.json" ]
    "$prefix/bin/holdfast" version
    bash -n "$prefix/share/bash-completion/completions/holdfast"
    zsh -n "$prefix/share/zsh/site-functions/_holdfast"
fi
