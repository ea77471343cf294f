#!/bin/bash
# run_all.sh HOLDFAST FOLDER: runs every workflow of this directory with one worker, on an SQLite file in FOLDER.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
holdfast=$1
rm -rf "$2"
mkdir -p "$2"
cd "$2"
PATH=$(dirname "$holdfast"):$PATH
export PATH HOLDFAST_STORE=sqlite:$PWD/examples.db

holdfast worker --name example --concurrency 4 2>worker.log &
worker=$!
trap 'kill "$worker" 2>/dev/null || true' EXIT

fail() {
    echo "$1" >&2
    cat worker.log >&2
    exit 1
}
expect() {
    [ "$2" = "$3" ] || fail "$1: $2 instead of $3"
}
run() { holdfast run "$@" --wait --timeout 60s 2>>progress.log | tail -n 1; }

expect ci "$(run -f "$here/ci.yaml" -i commit=4f2a9c1)" '{"commit":"4f2a9c1","suites":3}'
expect etl "$(run -f "$here/etl.yaml" -i day=2026-11-15)" '{"batches":4,"weather":"FAILED"}'
expect nightly "$(run nightly --config "$here/nightly.yaml" --input '{"settle": "0s"}')" '{"mail":"COMPLETED","total":180}'

# Eight concurrent migrations of two databases: every version appears once, and in order.
said=$(run migrate --config "$here/migrate.yaml" --input "{\"databases\": [\"a\", \"b\", \"a\", \"b\", \"a\", \"b\", \"a\", \"b\"], \"directory\": \"$PWD\"}")
for database in a b; do
    expect "database $database" "$(tr '\n' ' ' <$database.db)" 'version 1 version 2 version 3 version 4 '
    for version in 1 2 3 4; do
        grep -q "{\"database\":\"$database\",\"version\":$version}" <<<"$said" || fail "migrate said $said"
    done
done

approve() {  # waits until the step asks for it
    for _ in $(seq 300); do
        holdfast jobs approve "$1" release --reason "looks good" >>approvals.log 2>&1 && return
        sleep 0.1
    done
    fail "job $1 never asked for an approval"
}
job=$(holdfast run -f "$here/deploy.yaml" -i version=1.4.2)
approve "$job"
holdfast jobs wait "$job" --timeout 60s >deployed 2>>progress.log || fail "the deployment failed"
grep -q '"version":"1.4.2"' deployed || fail "deploy said $(cat deployed)"

job=$(holdfast run -f "$here/deploy.yaml" -i version=1.4.3 -i broken_host=web-2)
approve "$job"
if holdfast jobs wait "$job" --timeout 60s >>progress.log 2>&1; then fail "a broken deployment counts as done"; fi
for _ in $(seq 300); do
    holdfast jobs logs "$job" | grep -q '^on_error.* rolling back' && rolled_back=1 && break
    sleep 0.1
done
[ "${rolled_back-}" = 1 ] || fail "it was not rolled back"
