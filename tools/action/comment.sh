#!/usr/bin/env bash
# Write the comment to the pull request. There is one for each folder: an earlier one of the same author is replaced.
# shellcheck source=tools/action/step.sh
source "$(dirname "$0")/step.sh"
: "${COMMENT:?}" "${NUMBER:?}" "${GH_TOKEN:?}" "${GH_REPO:?}"

# The first line is a mark that nobody sees. The folder is in it as a hash, since a name could end the mark.
MARK="<!-- mqclause plan $(printf '%s' "$FOLDER" | git hash-object --stdin) -->"
export MARK
body="$(mktemp -d "$RUNNER_TEMP/comment.XXXXXX")/body.md"
{ printf '%s\n' "$MARK" && cat "$COMMENT"; } >"$body"

write_comment() {
  local url
  url=$(gh pr view "$NUMBER" --json comments --jq \
    '[.comments[] | select(.viewerDidAuthor and (.body | startswith(env.MARK)))] | last | .url // ""') || return
  if [ -n "$url" ]; then
    gh api --silent --method PATCH "repos/$GH_REPO/issues/comments/${url##*-}" --field "body=@$body"
  else
    gh pr comment "$NUMBER" --body-file "$body"
  fi
}

if ! write_comment; then
  echo "::warning::The comment could not be written: the job needs the permission pull-requests: write, which pull" \
    "requests from forks do not have. The plan stands in the summary of the job."
fi
