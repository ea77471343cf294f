#!/bin/bash
# install_python.sh SOURCE: installs the Python SDK as docs/getting-started-python.md says, without a network.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp -r "$1/sdk" "$place/sdk"  # pip builds in the folder
cd "$place"
export HOME=$place PATH=/usr/bin:/bin PIP_NO_INDEX=1
unset PYTHONPATH
commands=$(sed -n '/^## 1\. Install/,/^## 2/{/^```sh/,/^```$/{/^```/d;p}}' "$1/docs/getting-started-python.md")
eval "$commands"
cd /
python3 -c 'import holdfast, sys; assert holdfast.__file__.startswith(sys.prefix), holdfast.__file__; holdfast.Client'
