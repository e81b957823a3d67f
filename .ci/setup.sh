#!/usr/bin/env bash
# Set-up shared by ./run and ./test: Debian packages and a Python environment.
#
# Sourced:   `setup run`, `setup test` or `setup kernel`; afterwards ROOT is the checkout, CACHE a folder of this user's for what
#            the checkout cannot take, and PYTHON the interpreter that has everything.
# Executed:  `.ci/setup.sh run|test|kernel` does the set-up and nothing else.
#
# What is there is not touched, and then nothing here needs the network. Exit status 3: this machine lacks
# something, and the message says what and how to get it.
#
# Debian packages that are missing are installed by root. For anybody else they are fetched into the user's cache, and the
# command starts again in a namespace that has them: no sudo, and no change to the machine (frrlib/missing_packages).
# On a machine without apt, this namespace has a root folder of Debian packages, made in the user's cache.
#
# MINIEDIT_FRR_SYSTEM=1           install them with sudo instead; `./run --system` and `./test --system` do the same
# MINIEDIT_FRR_SKIP_PACKAGES=1    do not look at Debian packages, and use the programs of this machine
# MINIEDIT_FRR_MIRROR=...         the mirror of Debian's archive for a machine without apt, and
# MINIEDIT_FRR_SECURITY_MIRROR=...  that of its security updates (default: the same with "-security" behind it)
# MINIEDIT_FRR_EXTRA_PACKAGES=... further packages to want, separated by blanks
# MINIEDIT_FRR_DRY_RUN=1          say what would be installed, and stop with status 3

ROOT=$(readlink -f "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/..")

# The command as it was typed: it starts again where the missing packages are.
COMMAND=("$0" "$@")
SYSTEM_PYTHON=/usr/bin/python3
# The packages that were fetched for this process, in sight only where they are laid over the system.
LAYER_LIST=/usr/share/miniedit-frr-layer/packages
# The compiler makes the small programs of kernel/*.c: the one by which commands enter a lab, and libraries for lab kernels.
RUN_PACKAGES=(mininet frr iperf3 nginx curl wget iproute2 iputils-ping python3-tk python3-venv openssh-server
    openssh-client kmod util-linux tcpdump libxcursor1 gcc)
TEST_PACKAGES=(gpg gpgv xvfb xauth jwm xterm xdotool strace openvswitch-switch openvswitch-testcontroller)
# What building a lab kernel needs. The profile "build" has them and those of labs, "kernel" also those of tests.
KERNEL_PACKAGES=(linux-source build-essential flex bison bc)
# Debian builds User-Mode Linux for PCs only, Ubuntu for none: there `./run kernel build` makes a lab kernel.
# shellcheck disable=SC1091
system=$(. /etc/os-release 2>/dev/null && printf ' %s %s ' "${ID:-}" "${ID_LIKE:-}" || true)
[[ $HOSTTYPE != x86_64 || $system == *" ubuntu "* ]] || RUN_PACKAGES+=(user-mode-linux)

say() { printf '%s\n' "$*" >&2; }

stop() {
    say "$@"
    exit 3
}

# --- Debian packages ----------------------------------------------------------------------------------------------

# wanted_packages PROFILE: one name a line.
wanted_packages() {
    local -a extra
    read -ra extra <<<"${MINIEDIT_FRR_EXTRA_PACKAGES:-}"
    printf '%s\n' "${RUN_PACKAGES[@]}" "${extra[@]}"
    [[ $1 != test && $1 != kernel ]] || printf '%s\n' "${TEST_PACKAGES[@]}"
    [[ $1 != build && $1 != kernel ]] || printf '%s\n' "${KERNEL_PACKAGES[@]}"
}

# missing_packages NAME...: sets `missing` to those that are not installed.
missing_packages() {
    local name status
    local -A present=()
    while read -r status name; do
        [[ $status != ?i* ]] || present[$name]=1
    done < <(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null || true)
    if [[ -r $LAYER_LIST ]]; then
        while read -r name; do present[$name]=1; done <"$LAYER_LIST"
    fi
    missing=()
    for name in "$@"; do
        [[ -n ${present[$name]:-} ]] || missing+=("$name")
    done
}

# missing_packages_command ARGUMENTS...: runs or replaces this process by the part that is written in Python.
missing_packages_command() {
    # shellcheck disable=SC2016 # Python's own
    exec "$SYSTEM_PYTHON" -I -S -X pycache_prefix="$CACHE/pycache" -c 'import sys
sys.path.insert(0, sys.argv.pop(1))
from frrlib.missing_packages.command import main
sys.exit(main(sys.argv[1:]))' "$ROOT" "$@"
}

# Whether apt can fetch packages for this machine, as in frrlib/missing_packages/machine.py.
has_apt() { command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null && [[ -s /var/lib/dpkg/status ]]; }

# Whether this is a machine without apt, outside of the root folder that it uses.
needs_root_folder() { [[ -z ${MINIEDIT_FRR_SKIP_PACKAGES:-} && ! -r $LAYER_LIST ]] && ! has_apt; }

# Whether packages are fetched into the user's cache, and not installed.
goes_without_root() {
    ((EUID != 0)) && [[ -z ${MINIEDIT_FRR_SYSTEM:-}${MINIEDIT_FRR_DRY_RUN:-} && -x $SYSTEM_PYTHON ]] && has_apt
}

# use_root_folder PROFILE: starts the command again in a root folder of Debian packages.
use_root_folder() {
    local -a wanted
    local hint="or install what labs need by hand, and set MINIEDIT_FRR_SKIP_PACKAGES=1 (Debian's names): ${RUN_PACKAGES[*]}"
    mapfile -t wanted < <(wanted_packages "$1")
    ((EUID != 0)) || stop "This machine has no apt-get. Start this as an ordinary user, who gets a root folder of Debian" \
        "in ~/.cache/miniedit-frr; $hint"
    [[ -z ${MINIEDIT_FRR_SYSTEM:-} ]] || stop "This machine has no apt-get, so --system cannot install packages." \
        "Without it a root folder of Debian is made, which needs no root; $hint"
    "$SYSTEM_PYTHON" -c 'import sys, lzma; sys.exit(sys.version_info < (3, 9))' 2>/dev/null ||
        stop "This machine has no apt-get. Python 3.9 or newer is needed as $SYSTEM_PYTHON to fetch packages of Debian."
    [[ -z ${MINIEDIT_FRR_DRY_RUN:-} ]] || stop "Dry run; this would make a root folder of Debian with: ${wanted[*]}"
    missing_packages_command enter "$CACHE" "${wanted[@]}" -- /bin/bash "${COMMAND[@]}"
}

install_packages() {
    local -a missing as_root=()
    local command hint
    command="apt-get install --no-install-recommends ${missing_now[*]}"
    hint="or go on without: MINIEDIT_FRR_SKIP_PACKAGES=1"
    say "These packages are missing: ${missing_now[*]}"
    [[ -z ${MINIEDIT_FRR_DRY_RUN:-} ]] || stop "Dry run; this would install them: $command"
    if ((EUID != 0)); then
        command -v sudo >/dev/null || stop "There is no sudo here. As root: $command" "($hint)"
        say "Installing them needs root once; sudo may ask for your password."
        as_root=(sudo)
    fi
    "${as_root[@]}" bash "$ROOT/.ci/apt-install.sh" "${missing_now[@]}" >&2 ||
        stop "The packages could not be installed. By hand: sudo $command" \
            "(on Ubuntu some are in \"universe\": sudo add-apt-repository universe; $hint)"
    missing_packages "${missing_now[@]}"
    ((${#missing[@]} == 0)) || stop "Still missing after the installation: ${missing[*]}"
}

setup_packages() {
    local -a wanted missing missing_now
    [[ -z ${MINIEDIT_FRR_SKIP_PACKAGES:-} ]] || return 0
    mapfile -t wanted < <(wanted_packages "$1")
    missing_packages "${wanted[@]}"
    ((${#missing[@]})) || return 0
    missing_now=("${missing[@]}")
    ! goes_without_root ||
        missing_packages_command enter "$CACHE" "${missing_now[@]}" -- "$BASH" "${COMMAND[@]}"
    install_packages
}

# --- Python -------------------------------------------------------------------------------------------------------

check_python() {
    [[ -x $SYSTEM_PYTHON ]] || return 0 # comes with the packages
    "$SYSTEM_PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || stop \
        "$("$SYSTEM_PYTHON" -V) is too old: Python 3.11 or newer is needed (Debian 12, Ubuntu 24.04)." \
        "Mininet and tkinter belong to the system's Python, so another one beside it does not help."
}

# A folder of this user's own, even under `sudo`, which may leave HOME pointing at somebody else's.
cache_folder() {
    local home=${HOME:-/nonexistent} base=${XDG_CACHE_HOME:-}
    [[ -O $home ]] || home=$(getent passwd "$EUID" | cut -d: -f6)
    [[ -n $base ]] && { [[ -O $base ]] || [[ ! -e $base ]]; } || base=$home/.cache
    printf '%s/miniedit-frr' "$base"
}

# What an environment must have been made for: these requirements and this command, this Python, this checkout.
environment_key() {
    local made_of
    made_of=$({ cat "$ROOT/pyproject.toml" && declare -f link_checkout; } | sha256sum | cut -c1-32)
    printf '%s %s' "$made_of" "$(readlink -f "$SYSTEM_PYTHON") $ROOT"
}

# complete VENV PROFILE: the stamp is the last thing that is written, so half an environment has none.
complete() {
    local stamp
    [[ -x $1/bin/python && -r $1/.stamp-$2 ]] || return 1
    stamp=$(<"$1/.stamp-$2") && [[ $stamp == "$key" ]]
}

# Only the owner of the checkout changes what is in it; all others may use it, or get their own.
may_change() {
    [[ -O $ROOT && -w $ROOT ]] || return 1
    [[ ! -e $1 ]] || [[ -O $1 && -w $1 ]] || return 1
    # an environment that was made by hand for another Python is left alone
    [[ ! -e $1/bin/python || -e $1/.miniedit-frr ]] || same_python "$1"
}

same_python() { [[ $(readlink -f "$1/bin/python") == "$(readlink -f "$SYSTEM_PYTHON")" ]]; }

choose_environment() {
    VENV=$ROOT/.venv
    ! complete "$VENV" "$1" || return 0
    ! may_change "$VENV" || return 0
    VENV=$CACHE/venv-$(cksum <<<"$ROOT" | cut -d' ' -f1)
    complete "$VENV" "$1" || say "$ROOT/.venv is not ready and not ours to change; using $VENV instead."
}

# requirements EXTRA...: the dependencies in pyproject.toml, and those of its extras, one a line.
requirements() {
    "$SYSTEM_PYTHON" -c 'import sys, tomllib
with open(sys.argv[1], "rb") as file:
    project = tomllib.load(file)["project"]
extras = [line for name in sys.argv[2:] for line in project["optional-dependencies"][name]]
print("\n".join(project["dependencies"] + extras))' "$ROOT/pyproject.toml" "$@"
}

# One line for each thing that pip fetches; its whole output is in LOG for when it fails.
pip_install() {
    local line log=$VENV/.pip-log
    "$VENV/bin/python" -m pip --disable-pip-version-check --no-input install --progress-bar off "$@" 2>&1 |
        tee "$log" | while read -r line; do
        case $line in
            Collecting* | "Installing collected"*) say "  ${line:0:100}" ;;
            ERROR* | WARNING:\ Retrying*) say "  $line" ;;
        esac
    done
}

# The checkout on the path of the environment, and a command: an editable install that leaves no trace in the checkout.
link_checkout() {
    local site command=$VENV/bin/miniedit-frr
    site=$("$VENV/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    printf '%s\n' "$ROOT" >"$site/miniedit-frr.pth"
    cat >"$command" <<END
#!/bin/sh
'''exec' "$VENV/bin/python" -P "\$0" "\$@"
' '''
import sys

from miniedit_frr.__main__ import main

# Processes that this one starts read this file, too, and are to do something else.
if __name__ == "__main__":
    sys.exit(main())
END
    chmod 755 "$command"
}

make_environment() {
    local -a extras=() wanted
    local profile profiles=(run)
    # pip turns Ctrl-C into an ordinary failure; here it must leave the mark of unfinished work behind
    trap 'exit 130' INT
    trap 'exit 143' TERM
    [[ $1 != test ]] || extras+=(test) profiles+=(test)
    # Ours, and either broken off in the middle or of a Python that is gone: start afresh.
    if [[ -e $VENV/.installing ]] || { [[ -e $VENV/.miniedit-frr ]] && ! same_python "$VENV"; }; then
        say "$VENV is unfinished or of another Python; making it again."
        find "$VENV" -mindepth 1 -delete
    fi
    mkdir -p "$VENV"
    : >"$VENV/.miniedit-frr"
    : >"$VENV/.installing"
    if [[ ! -x $VENV/bin/python ]]; then
        say "Making a Python environment in $VENV"
        "$SYSTEM_PYTHON" -m venv --system-site-packages "$VENV" >&2 || stop \
            "The environment could not be made; is python3-venv installed?"
    fi
    mapfile -t wanted < <(requirements "${extras[@]}")
    say "Installing into it what is missing of: ${wanted[*]}"
    if ! pip_install "${wanted[@]}"; then
        # pip said no before it changed anything, so what was usable stays usable
        rm -f "$VENV/.installing"
        stop "pip could not install the requirements (network?); its output is in $VENV/.pip-log"
    fi
    link_checkout
    for profile in "${profiles[@]}"; do
        printf '%s\n' "$key" >"$VENV/.stamp-$profile"
    done
    rm -f "$VENV/.installing" "$VENV/.pip-log"
    trap - INT TERM
    say "The Python environment is ready."
}

setup_python() {
    local key lock
    key=$(environment_key)
    choose_environment "$1"
    if ! complete "$VENV" "$1"; then
        check_python
        mkdir -p "${VENV%/*}"
        # one at a time; whoever waited finds it done
        exec {lock}<"${VENV%/*}"
        flock "$lock"
        if ! complete "$VENV" "$1"; then make_environment "$1"; fi
        exec {lock}<&-
    fi
    # shellcheck disable=SC2034 # for whoever sources this
    PYTHON=$VENV/bin/python
    # Compiled modules of somebody else's checkout go to the cache, so that no files of ours lie about in it.
    [[ -O $ROOT ]] || export PYTHONPYCACHEPREFIX=${PYTHONPYCACHEPREFIX:-$CACHE/pycache}
}

# take_options ARGUMENTS...: sets `arguments` to those that are not for this file.
take_options() {
    arguments=("$@")
    [[ ${1:-} == --system ]] || return 0
    MINIEDIT_FRR_SYSTEM=1
    arguments=("${@:2}")
}

setup() {
    CACHE=$(cache_folder)
    ! needs_root_folder || use_root_folder "$1"
    [[ -e $ROOT/.venv/.stamp-run ]] || check_python
    setup_packages "$1"
    local profile=${1/kernel/test}
    setup_python "${profile/build/run}"
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
    set -euo pipefail
    case ${1:-} in
        run | test | build | kernel) setup "$1" ;;
        *) stop "usage: .ci/setup.sh run|test|build|kernel" ;;
    esac
fi
