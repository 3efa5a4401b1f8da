#!/usr/bin/env bash
# Compare the folder at two revisions, and write what moves as a comment: from a work tree of each, so that what is checked
# out stays as it is. Links are not followed there, and no hook of the repository runs.
# shellcheck source=tools/action/step.sh
source "$(dirname "$0")/step.sh"
: "${BASE:=}" "${HEAD:=HEAD}"

if [ -z "${BASE//0/}" ]; then
  echo "there is no revision to compare with"
  exit 0
fi

# The commit that a revision names; one that is not here is fetched by its hash, or by its name.
resolve() {
  git rev-parse --quiet --verify --end-of-options "$1^{commit}" && return
  if [[ $1 == [-+]* ]] || ! git check-ref-format --allow-onelevel "$1"; then
    echo "no name of a revision: $1" >&2
    return 1
  fi
  git fetch --quiet --no-tags --depth=1 origin -- "$1" >&2
  git rev-parse --verify 'FETCH_HEAD^{commit}'
}

trees=$(mktemp -d "$RUNNER_TEMP/plan.XXXXXX")
clean_up() {
  for each in before after; do
    git worktree remove --force "$trees/$each" 2>/dev/null || true
  done
  start_commands
}
stop_commands
trap clean_up EXIT
base=$(resolve "$BASE")
head=$(resolve "$HEAD")
for each in "before $base" "after $head"; do
  git -c core.symlinks=false -c core.hooksPath=/dev/null worktree add --quiet --detach "$trees/${each% *}" "${each#* }"
done

comment="$trees/plan.md"
faults="$trees/faults"
status=0
if [ ! -e "$trees/before/$FOLDER" ] && [ ! -e "$trees/after/$FOLDER" ]; then
  printf '### Nothing to compare: neither revision has these files\n' >"$comment"
elif [ ! -e "$trees/before/$FOLDER" ]; then
  printf '### Nothing to compare with: these files are new\n' >"$comment"
elif [ ! -e "$trees/after/$FOLDER" ]; then
  printf '### Nothing to compare: these files are gone\n' >"$comment"
else
  cd "$trees/after" # where mqclause.toml of the later revision counts
  mqclause plan --markdown --after "./$FOLDER" -- "../before/$FOLDER" >"$comment" 2>"$faults" || status=$?
  cat "$comment" "$faults"
  cd "$OLDPWD"
fi

if [ "$status" != 0 ] && [ "$status" != 3 ]; then
  # A line that is indented by four blanks is code, whatever it holds.
  {
    printf '### No plan: one of the two revisions cannot be read\n\n'
    head -c 60000 "$faults" | { iconv -c -f utf-8 -t utf-8 || true; } | sed 's/^/    /'
  } >"$comment"
fi
of=
[[ $FOLDER =~ [^A-Za-z0-9._/\ -] ]] || of="\`$FOLDER\`: "
printf '\n%s%s after %s\n' "$of" "${head:0:12}" "${base:0:12}" >>"$comment"
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$comment" >>"$GITHUB_STEP_SUMMARY"
set_output status "$status"
set_output comment "$comment"
