#!/usr/bin/env bash
# Check the folder, and write what is found as SARIF. The outputs say how it ended; the last step judges that.
# shellcheck source=tools/action/step.sh
source "$(dirname "$0")/step.sh"

: "${FAIL_ON:=}"
options=()
[ -z "$FAIL_ON" ] || [ "$FAIL_ON" = never ] || options=(--fail-on "$FAIL_ON")
sarif="$(mktemp -d "$RUNNER_TEMP/check.XXXXXX")/mqclause.sarif"

status=0
stop_commands
mqclause check --sarif "$sarif" ${options[@]+"${options[@]}"} -- "./$FOLDER" || status=$?
start_commands

[ "$FAIL_ON" != never ] || [ "$status" != 1 ] || status=0
set_output status "$status"
[ ! -s "$sarif" ] || set_output sarif "$sarif"
