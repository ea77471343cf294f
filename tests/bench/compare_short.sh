#!/bin/bash
# compare_short.sh SOURCE_DIR PROGRAM: measures every row once, small. bench/compare fails when a row gives no figure; the
# figures of such a run must never become the document.
set -euo pipefail
compare=$1/bench/compare program=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$compare" --short --program "$program" --folder "$scratch" --postgres "$HOLDFAST_TEST_POSTGRES" --output "$scratch/short.json"
! "$compare" --document "$scratch/short.json" --into "$scratch/performance.md" 2>"$scratch/refusal" ||
    { echo "a short run became the document" >&2; exit 1; }
grep -q "It is a short run" "$scratch/refusal"
[ ! -e "$scratch/performance.md" ]
# Where every row names its command, a program that prints nothing gives no figure for any of them.
status=0
"$compare" --short --no-peers --topic chain --program /bin/true --folder "$scratch" --postgres "$HOLDFAST_TEST_POSTGRES" \
    --output "$scratch/true.json" >/dev/null 2>"$scratch/errors" || status=$?
[ "$status" = 1 ] || { echo "a program without figures was accepted (exit code $status)" >&2; exit 1; }
[ "$(grep -c '^No figure: chain, ' "$scratch/errors")" = 2 ] || { cat "$scratch/errors" >&2; exit 1; }
