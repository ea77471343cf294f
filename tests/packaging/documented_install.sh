#!/bin/bash
# documented_install.sh SOURCE BUILD: the install that docs/getting-started-cpp.md shows, line by line as it stands there
# after ./quickstart, in an empty home. Then the program and both libraries are found.
# shellcheck disable=SC2016  # what is in single quotes is for another program
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/tree/build" "$scratch/home"
ln -s "$2" "$scratch/tree/build/release"
sed -n '/^## 1. Install/,/^## 2/p' "$1/docs/getting-started-cpp.md" | sed -n '/^```sh/,/^```$/p' |
    grep -v '^```\|^\./quickstart' >"$scratch/lines"
grep -q '^cmake --install build/release ' "$scratch/lines"

cd "$scratch/tree"
unset PKG_CONFIG_PATH LD_LIBRARY_PATH
export HOME=$scratch/home
{
    echo 'set -e'
    cat "$scratch/lines"
    echo '[ "$(type -P holdfast)" = ~/.local/bin/holdfast ] && holdfast version'
    echo 'pkg-config --exists --print-errors holdfast holdfast-app'
} >"$scratch/pasted"
bash "$scratch/pasted" >"$scratch/said" 2>&1 || { cat "$scratch/said"; exit 1; }
tail -n 1 "$scratch/said"
