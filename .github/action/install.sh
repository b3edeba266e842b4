#!/usr/bin/env bash
# The action's first half: lane from this checkout (the action's own ref is the
# pin), what it needs from the distribution, and the agents of the lock file.
set -euo pipefail
root=${LANE_ACTION_ROOT:?}

make -C "$root" build setup
echo "$root/bin" >>"$GITHUB_PATH"
echo "$root/e2e/agents/node_modules/.bin" >>"$GITHUB_PATH"

# Ubuntu 24.04 lets no program make user namespaces that has no AppArmor
# profile for it. The profile is for bubblewrap alone: the sysctl would open
# them for all.
if [[ $(cat /proc/sys/kernel/apparmor_restrict_unprivileged_userns 2>/dev/null || echo 0) == 1 && $(id -u) -ne 0 ]]; then
	sudo tee /etc/apparmor.d/lane-bwrap >/dev/null <<'PROFILE'
abi <abi/4.0>,
include <tunables/global>

profile lane-bwrap /usr/bin/bwrap flags=(unconfined) {
  userns,
}
PROFILE
	sudo apparmor_parser -r /etc/apparmor.d/lane-bwrap
fi
"$root/bin/lane" doctor || echo "::warning title=lane doctor::a lane may be refused here, see the log above"
