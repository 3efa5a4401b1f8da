#!/usr/bin/env bash
# Install mqclause from the revision of this action into an environment of its own, once for a job.
set -euo pipefail
: "${PYTHON:?}" "${RUNNER_TEMP:?}" "${GITHUB_ACTION_PATH:?}"

home="$RUNNER_TEMP/mqclause"
if [ ! -x "$home/bin/mqclause" ]; then
  "$PYTHON" -m venv "$home"
  "$home/bin/pip" install --quiet --disable-pip-version-check "$GITHUB_ACTION_PATH"
fi
"$home/bin/mqclause" --version
