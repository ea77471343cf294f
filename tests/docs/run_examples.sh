#!/bin/bash
# run_examples.sh BUILD DOCUMENT: installs BUILD into an empty prefix and runs the document's examples with it, as a
# user would.
set -euo pipefail
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$1" --prefix "$prefix" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name holdfast.pc)")
export PKG_CONFIG_PATH PATH=$prefix/bin:$PATH LD_LIBRARY_PATH=$PKG_CONFIG_PATH/..
unset "${!HOLDFAST_@}"
sdk=$(cd "$(dirname "$0")/../../sdk" && pwd)
export PYTHONPATH=$sdk/python PYTHONDONTWRITEBYTECODE=1 SDK_FOR_JS=$sdk/typescript
python3 "$(dirname "$0")/run_examples.py" "$2"
