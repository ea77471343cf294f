#!/bin/bash
# paste_quickstart.sh SOURCE BUILD: runs ./quickstart with the program of BUILD, and then every command that it
# has printed, as a person would paste it into a shell in the directory where ./quickstart was called.
set -euo pipefail
scratch=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$scratch"' EXIT
unset "${!HOLDFAST_@}"

# A tree like the real one, already built, in a folder whose name a shell would split.
tree="$scratch/a tree"
mkdir -p "$tree/scripts" "$tree/build/release" "$scratch/tools" "$scratch/elsewhere"
cp "$1/quickstart" "$tree"
ln -s "$2/holdfast" "$tree/build/release/holdfast"
printf '#!/bin/sh\n' | tee "$tree/scripts/install-deps" >"$scratch/tools/cmake"
chmod +x "$tree/scripts/install-deps" "$scratch/tools/cmake"

cd "$scratch/elsewhere"
PATH=$scratch/tools:$PATH "$tree/quickstart" >"$scratch/said" || { cat "$scratch/said"; exit 1; }

# The commands of the first session follow "$ "; the commands to try next are indented.
sed -n 's/^\$ //p' "$scratch/said" >"$scratch/shown"
sed -n '/^The first session is in/,$s/^  //p' "$scratch/said" | grep -v '^holdfast dev$' >"$scratch/next"
if [ "$(wc -l <"$scratch/shown")" != 4 ] || [ "$(grep -c . "$scratch/next")" != 5 ]; then
    cat "$scratch/said"
    exit 1
fi
{
    echo 'set -e'
    cat "$scratch/next"
    grep -v 'tasks show' "$scratch/shown"
    grep 'tasks show' "$scratch/shown"
    echo 'kill %1; wait %1'
} >"$scratch/pasted"
bash "$scratch/pasted" >"$scratch/answers" 2>&1 || { cat "$scratch/pasted" "$scratch/answers"; exit 1; }
grep -q 'COMPLETED  hello' "$scratch/answers"
grep -q 'PENDING.*greet' "$scratch/answers"
grep -q '^args  *{"name": "Ada"}\|^args  *{"month": 5}' "$scratch/answers"
[ -z "$(ls "$scratch/elsewhere")" ]
echo "$(grep -c . "$scratch/pasted") lines were pasted"
