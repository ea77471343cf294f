#!/bin/bash
# stop_private_postgres.sh SCRIPTS TERM | KILL | CALLER: nothing is left of a private PostgreSQL and of its command when scripts/private-postgres
# is sent that signal, or when the script that called it is sent TERM, as ./test may be.
set -euo pipefail
scripts=$1
way=$2
scratch=$(mktemp -d)
private_postgres=("$scripts/private-postgres" bash -c "echo \"\$\$ \$HOLDFAST_TEST_POSTGRES\" >$scratch/said && mv $scratch/said $scratch/up && exec sleep 300")

fail() { echo "$1" >&2; exit 1; }
wait_until() {  # WHAT COMMAND...
    local deadline=$((SECONDS + 60))
    until "${@:2}"; do
        [ "$SECONDS" -lt "$deadline" ] || fail "after 60 s still not: $1"
        sleep 0.05
    done
}
is_gone() { ! ps -o stat= -p "$1" | grep -qv Z; }  # a zombie has ended
is_stopped() { is_gone "$command" && is_gone "$server" && [ ! -e "$home" ]; }
call_it() {
    . "$scripts/interruptible"
    trap 'echo after >"$scratch/cleaned_up"; [ ! -e "$(<"$scratch/home")" ] || echo before >"$scratch/cleaned_up"' EXIT
    interruptible "${private_postgres[@]}"
}

signal=$way
if [ "$way" = CALLER ]; then
    signal=TERM
    call_it &
else
    "${private_postgres[@]}" &
fi
caller=$!
trap 'kill -TERM "$caller" 2>/dev/null || true; wait "$caller" || true; rm -rf "$scratch"' EXIT
wait_until "the command runs" test -e "$scratch/up"
read -r command uri <"$scratch/up"
home=${uri#*host=}
home=${home%%&*}
echo "$home" >"$scratch/home"
server=$(head -1 "$home/data/postmaster.pid")
! is_gone "$server" || fail "the server does not run"
! is_gone "$command" || fail "the command does not run"

kill -"$signal" "$caller"
wait "$caller" && status=0 || status=$?
[ "$status" = $((128 + $(kill -l "$signal"))) ] || fail "it exited with $status"
if [ "$signal" = KILL ]; then
    wait_until "server, command and folder are gone" is_stopped
else
    is_stopped || fail "it ended before server ($server), command ($command) and folder ($home) were gone"
fi
[ "$way" != CALLER ] || [ "$(<"$scratch/cleaned_up")" = after ] || fail "the caller cleaned up before the server's folder was gone"
