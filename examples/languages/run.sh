#!/bin/bash
# run.sh HOLDFAST FOLDER: runs the workflow of this directory with the SDKs of this repository, on an SQLite file in FOLDER.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
sdk=$here/../../sdk
holdfast=$1
rm -rf "$2"
mkdir -p "$2/node_modules" "$2/bin"
cp "$here"/* "$2"
cd "$2"
ln -s "$sdk/typescript" node_modules/holdfast
ln -s "$sdk/typescript/runner.js" bin/holdfast-runner
PATH=$PWD/bin:$(dirname "$holdfast"):$PATH
export PATH HOLDFAST_STORE=sqlite:$PWD/example.db PYTHONPATH=$sdk/python PYTHONDONTWRITEBYTECODE=1

holdfast worker --name example 2>worker.log &
worker=$!
trap 'kill "$worker" 2>/dev/null || true' EXIT
said=$(holdfast run sales -i day=2026-11-15 --wait --timeout 60s 2>progress.log | tail -n 1)
[ "$said" = '{"report":"2026-11-15: tea 10.50, cup 9.00"}' ] || {
    echo "the job said $said" >&2
    cat worker.log >&2
    exit 1
}
