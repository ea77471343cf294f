#!/bin/bash
# without_postgres.sh SOURCE BUILD: the library builds without libpq, as a shared library, and is usable when installed.
set -euo pipefail
source=$1
build=$2
mkdir -p "$build"
cmake -G Ninja -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
    -DBUILD_SHARED_LIBS=ON -DHOLDFAST_WITH_POSTGRES=OFF -DHOLDFAST_BUILD_PROGRAM=OFF -DHOLDFAST_BUILD_TESTS=OFF \
    -DCMAKE_DISABLE_FIND_PACKAGE_PostgreSQL=ON >"$build/configure.log"
cmake --build "$build"
if ldd "$build/libholdfast.so" | grep libpq; then
    echo "the library links libpq although it was configured without PostgreSQL" >&2
    exit 1
fi
"$(dirname "$0")/consume.sh" "$build"
