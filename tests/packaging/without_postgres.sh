#!/bin/bash
# without_postgres.sh SOURCE BUILD OPTION...: the library builds without libpq, as a shared library, and is usable when installed.
# With the options, and at the depth, of a build that is there already, the compiler's cache has most of it.
set -euo pipefail
source=$1
build=$2
mkdir -p "$build"
cmake -G Ninja -S "$source" -B "$build" "${@:3}" \
    -DBUILD_SHARED_LIBS=ON -DHOLDFAST_WITH_POSTGRES=OFF -DHOLDFAST_BUILD_PROGRAM=OFF -DHOLDFAST_BUILD_TESTS=OFF \
    -DCMAKE_DISABLE_FIND_PACKAGE_PostgreSQL=ON >"$build/configure.log"
cmake --build "$build"
if ldd "$build/libholdfast.so" | grep libpq; then
    echo "the library links libpq although it was configured without PostgreSQL" >&2
    exit 1
fi
"$(dirname "$0")/consume.sh" "$build"
