#!/bin/bash
# set_private_postgres.sh SCRIPTS: -c sets settings of the private server, and the command after them runs as usual.
set -euo pipefail
# shellcheck disable=SC2016  # expanded by the inner shell, which has the server
ask='psql -XAt "$HOLDFAST_TEST_POSTGRES" -c "SHOW work_mem" -c "SHOW cluster_name" -c "SHOW shared_buffers"; echo "$1"'
found=$("$1/private-postgres" -c work_mem=7MB -c cluster_name='two words' bash -c "$ask" - -c)
[ "$found" = $'7MB\ntwo words\n256MB\n-c' ] || { echo "$found" >&2; exit 1; }
