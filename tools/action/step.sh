#!/usr/bin/env bash
# What the steps of the action share; each of them sources this file. Names from a repository may be a stranger's: they are
# no part of any command line, and come to the log only while GitHub takes no line of it for a command.
set -euo pipefail
: "${RUNNER_TEMP:?}" "${FOLDER:?}"

mqclause() {
  "${MQCLAUSE:-$RUNNER_TEMP/mqclause/bin/mqclause}" "$@"
}

stop_commands() {
  token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$token"
}

start_commands() {
  echo "::$token::"
}

set_output() {
  printf '%s=%s\n' "$1" "$2" >>"${GITHUB_OUTPUT:?}"
}
