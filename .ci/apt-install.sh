#!/usr/bin/env bash
# Install Debian packages and leave no service running that was not there before. Runs as root.
# Usage: apt-install.sh PACKAGE...
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l

# The services that a package brings; labs start their own copies of these daemons, inside.
units=()
for package in "$@"; do
    case $package in
        frr) units+=(frr.service) ;;
        nginx) units+=(nginx.service) ;;
        openssh-server) units+=(ssh.service ssh.socket) ;;
        openvswitch-switch) units+=(openvswitch-switch.service) ;;
        openvswitch-testcontroller) units+=(openvswitch-testcontroller.service) ;;
    esac
done

# While packages are unpacked, a policy keeps exactly these services from being started.
policy=/usr/sbin/policy-rc.d
if ((${#units[@]})) && [[ ! -e $policy ]]; then
    trap 'rm -f "$policy"' EXIT
    {
        echo '#!/bin/sh'
        # shellcheck disable=SC2016 # the policy's own argument: the name of a service
        echo 'case "$1" in'
        for unit in "${units[@]}"; do
            echo "    $unit | ${unit%.*}) exit 101 ;;"
        done
        echo 'esac'
    } >"$policy"
    chmod 755 "$policy"
fi

apt-get update
apt-get install -y --no-install-recommends "$@"

# And none of them comes up at the next boot.
if ((${#units[@]})) && command -v systemctl >/dev/null; then
    for unit in "${units[@]}"; do
        systemctl --quiet disable --now "$unit" 2>/dev/null || true
    done
fi
