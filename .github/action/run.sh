#!/usr/bin/env bash
# The action's second half: one lane in a worktree of its own, its record, and
# what GitHub shows of it. Everything that an agent or a repository may have
# written is data here: it reaches the log, the summary and the annotations
# only escaped, so that no line of it is a workflow command.
set -euo pipefail

: "${GITHUB_OUTPUT:?}" "${GITHUB_STEP_SUMMARY:?}" "${RUNNER_TEMP:?}"
writer=${INPUT_WRITER:-claude} model=${INPUT_MODEL:-} gate=${INPUT_GATE:-false}
prompt=${INPUT_PROMPT:-} directory=${INPUT_DIRECTORY:-.} extra=${INPUT_FLAGS:-}
id=${GITHUB_RUN_ID:-0}-${GITHUB_RUN_ATTEMPT:-1}-$$

output() { printf '%s=%s\n' "$1" "$(tr -d '\r\n' <<<"$2")" >>"$GITHUB_OUTPUT"; }
# The message of a workflow command, and a property of one.
message() { sed -e ':a;N;$!ba' -e 's/%/%25/g' -e 's/\r/%0D/g' -e 's/\n/%0A/g'; }
property() { message | sed -e 's/:/%3A/g' -e 's/,/%2C/g'; }
# Text between two marks that nobody can guess holds no commands.
quietly() {
	local mark
	mark=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
	echo "::stop-commands::$mark"
	cat
	echo "::$mark::"
}

if [[ $gate == true ]]; then
	lane gate --writer "$writer" --junit "$RUNNER_TEMP/lane-gate-$id.xml" | quietly
	output gate-file "$RUNNER_TEMP/lane-gate-$id.xml"
fi
if [[ -z $prompt ]]; then
	[[ $gate == true ]] || { echo '::error title=lane::give the action a prompt, or gate: true'; exit 2; }
	exit 0
fi

# A checkout is a main worktree, whose .git lies inside what the agent writes:
# there an agent cannot commit. The lane gets a linked worktree.
top=$(git -C "$directory" rev-parse --show-toplevel)
worktree=$RUNNER_TEMP/lane-worktree-$id branch=lane/$id
git -C "$top" worktree add --quiet -b "$branch" "$worktree" HEAD

record=$RUNNER_TEMP/lane-result-$id.json
printf '%s' "$prompt" >"$RUNNER_TEMP/lane-prompt-$id"
flags=()
[[ -z $model ]] || flags+=(--model "$model")
# shellcheck disable=SC2206 # words are what the input means
flags+=($extra)
code=0
lane run --writer "$writer" --dir "$worktree" --json --prompt-file "$RUNNER_TEMP/lane-prompt-$id" "${flags[@]}" >"$record" 2> >(quietly >&2) || code=$?
rm -f "$RUNNER_TEMP/lane-prompt-$id"
jq -e . "$record" >/dev/null || { echo "::error title=lane::no record; lane ended with $code"; exit "$((code ? code : 1))"; }

field() { jq -r "$1 // \"\"" "$record"; }
output status "$(field .status)"
output result-file "$record"
output cost "$(field '.cost_usd|tostring')"
output worktree "$worktree"
output branch "$branch"

# Denied calls, one annotation each; GitHub shows ten of a kind.
jq -c '.denied[:10][]' "$record" | while IFS= read -r call; do
	printf '::warning title=lane denied %s::%s\n' "$(jq -r .tool <<<"$call" | property)" "$(jq -r '"\(.target // "") - \(.reason) (\(.by))"' <<<"$call" | head -c 2000 | message)"
done

# The summary is Markdown: a line that is indented by four blanks is text.
{
	printf '### lane: %s\n\n' "$(field .status | tr -cd 'a-z_')"
	jq -r '"writer \(.writer.name) \(.writer.version // "")", "model \(.model // "default")", "cost \(.cost_usd) USD, \(.turns) turns, \(.tool_calls) tool calls, \(.denied | length) denied",
		"\((.changed | length) + (.changed_more // 0)) files changed", (.reason // "" | select(. != "") | "reason \(.)"), (.detail // "" | select(. != "")), (.hint // "" | select(. != ""))' "$record" |
		tr -d '\000-\010\013-\037\177' | sed 's/^/    /'
	jq -r 'select(.changed | length > 0) | "changed:", .changed[:50][]' "$record" | tr -d '\000-\010\013-\037\177' | sed 's/^/    /'
} >>"$GITHUB_STEP_SUMMARY"

if ((code)); then
	printf '::error title=lane %s::%s\n' "$(field .status | property)" "$(field '[.reason, .detail, .hint] | map(select(. != null and . != "")) | join(": ")' | message)"
fi
exit "$code"
