#!/usr/bin/env bash
# Installs what lane's demo and tests need on a bare Debian machine with Go:
# programs from the distribution, and the real agents of e2e/agents at the
# versions that their lock file pins. What is already there is not touched, so
# a second run costs nothing and needs no network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

say() { printf 'setup: %s\n' "$*" >&2; }

# 1. Programs from the distribution.
missing=()
want() { # PACKAGE PROGRAM...
	local package=$1 program
	shift
	for program in "$@"; do
		command -v "$program" >/dev/null 2>&1 || { missing+=("$package"); return 0; }
	done
}
if [[ $(uname -s) == Linux ]]; then
	want bubblewrap bwrap
	want socat socat
fi
want git git
want jq jq
# Node.js only runs the agent's installer. Debian's npm package is used when
# there is no npm, and never replaces one that is there.
want nodejs node
want npm npm
[[ -e /etc/ssl/certs/ca-certificates.crt || $(uname -s) != Linux ]] || missing+=(ca-certificates)

apt() {
	local as=()
	if [[ $(id -u) -ne 0 ]]; then
		command -v sudo >/dev/null 2>&1 || { say "install ${missing[*]} as root: there is no sudo here"; return 1; }
		as=(sudo)
	fi
	"${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" >&2
}
install_missing() { apt update && apt install -y --no-install-recommends "${missing[@]}"; }

if ((${#missing[@]})); then
	command -v apt-get >/dev/null 2>&1 || { say "install these programs first: ${missing[*]}"; exit 1; }
	say "installing ${missing[*]}"
	# Once more after a failure: mirrors drop connections.
	install_missing || { say "trying once more"; sleep 3; install_missing; }
fi

# 2. The agents. The stamp is a hash of the lock file, written last, so that a
# set-up that was cut short starts over. (git hashes: macOS has no sha256sum.)
cd agents
programs=(node_modules/.bin/{claude,codex,copilot,gemini})
stamp=node_modules/.lane-setup
have=$(cat "$stamp" 2>/dev/null || true)
need=$(cat package.json package-lock.json .npmrc | git hash-object --stdin)
whole() { local p; for p in "${programs[@]}"; do [[ -x $p ]] || return 1; done; }
if [[ $have != "$need" ]] || ! whole; then
	say "installing the agents of e2e/agents"
	npm ci || { say "trying once more"; sleep 3; npm ci; }
	# npm runs no install scripts here (.npmrc); this one puts the native
	# program of this platform in its place.
	node node_modules/@anthropic-ai/claude-code/install.cjs
	"${programs[0]}" --version >/dev/null
	printf '%s\n' "$need" >"$stamp"
fi
