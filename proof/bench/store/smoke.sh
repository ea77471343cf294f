#!/bin/bash
# smoke.sh STORE_BENCH: every measure once, with few tasks; the benchmark itself fails when a task goes missing.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bench=$1
"$bench" cycle --tasks 500 --batch 50 --connections 1,2 --runs 1 --json "$scratch/cycle.jsonl" --postgres "$HOLDFAST_TEST_POSTGRES"
"$bench" claim --pending 400,800 --unrunnable 200 --claims 5 --batch 20 --json "$scratch/claim.jsonl" --postgres "$HOLDFAST_TEST_POSTGRES"
"$bench" jobs --steps 20,40 --runs 1 --json "$scratch/jobs.jsonl" --postgres "$HOLDFAST_TEST_POSTGRES"
"$bench" beats --writers 2 --batch 50 --beats 20 --json "$scratch/beats.jsonl" --postgres "$HOLDFAST_TEST_POSTGRES"
for store in sqlite postgres; do
    grep -q "\"store\":\"$store\"" "$scratch/beats.jsonl"
    grep -q "\"store\":\"$store\"" "$scratch/jobs.jsonl"
    grep -q "\"store\":\"$store\"" "$scratch/cycle.jsonl"
    grep -q "\"store\":\"$store\"" "$scratch/claim.jsonl"
done
# The protocol by which the comparison with other queues drives it: 50 tasks go in, 50 runs are reported.
export HOLDFAST_BENCH_STORE="sqlite:$scratch/peer.db"
said=$(printf '%s\n' reset 'bulk 50' remaining | "$bench" produce | tr '\n' ' ')
[ "$said" = "0 50 50 " ] || { echo "produce said: $said" >&2; exit 1; }
echo go | timeout 20 "$bench" work '{"batch": 20, "until": 50}' >"$scratch/work"
[ "$(grep -c '^j$' "$scratch/work")" = 50 ] || { cat "$scratch/work" >&2; exit 1; }
said=$(printf '%s\n' reset 'fan 30' | "$bench" produce | tr '\n' ' ')
[ "$said" = "0 30 " ] || { echo "produce said: $said" >&2; exit 1; }
echo go | timeout 20 "$bench" work '{"batch": 20, "until": 31}' >"$scratch/fan"
[ "$(tail -n 1 "$scratch/fan")" = f ] || { cat "$scratch/fan" >&2; exit 1; }
