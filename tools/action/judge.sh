#!/usr/bin/env bash
# Fail where the check found something as severe as asked for, or could not read the files.
set -euo pipefail

case "${CHECK_STATUS:-}" in
0 | '') ;;
1) echo "::error::mqclause check found something as severe as fail-on" && exit 1 ;;
2) echo "::error::mqclause check could not read the files" && exit 1 ;;
*) echo "::error::mqclause check ended with status $CHECK_STATUS" && exit 1 ;;
esac
