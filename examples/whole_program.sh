#!/bin/bash
# whole_program.sh PROGRAM DATABASE: uses the program as worker and client, through its command line.
set -euo pipefail
program=$1
export HOLDFAST_STORE=sqlite:$2
rm -f "$2"*
log=$2.log

"$program" worker --name example --concurrency 2 2>"$log" &
worker=$!
trap 'kill "$worker" 2>/dev/null || true' EXIT

fail() {
    echo "$1" >&2
    cat "$log" >&2
    exit 1
}

said=$("$program" submit greet --args '{"name": "Ada"}' --wait --timeout 60s | tail -n 1)
[ "$said" = '"Hello, Ada"' ] || fail "greet said $said"

if "$program" submit crash --wait --timeout 60s; then fail "a crashed task counts as done"; fi
said=$("$program" submit greet --args '{"name": "Bob"}' --wait --timeout 60s | tail -n 1)
[ "$said" = '"Hello, Bob"' ] || fail "after a crash greet said $said"

"$program" workers list | grep -q 'example.*active.*fresh.*task:crash,task:greet' || fail "workers list does not show it"
"$program" tasks list --state failed | grep -q WORKER_CRASHED || fail "the crash is not told"

kill -TERM "$worker"
wait "$worker" || fail "the worker left with $?"
trap - EXIT
"$program" workers list --all | grep -q 'example.*inactive' || fail "the worker did not say that it left"
