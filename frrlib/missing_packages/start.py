"""Starts a program again with the packages that were fetched. It imports nothing else if there are none."""

from __future__ import annotations

import os
import sys

#: A link to the layer that was made last, in the user's cache.
_CURRENT = "miniedit-frr/system/current"
#: `machine.LAYER_LIST`, without loading that module. A program that runs with a layer sees it.
_LAYER_LIST = "/usr/share/miniedit-frr-layer/packages"


def use_fetched_packages() -> None:
    """Start this program again with the packages that were fetched for it, if the machine lacks some of them."""
    if os.path.exists(_LAYER_LIST):
        return
    base = os.environ.get("XDG_CACHE_HOME", "")
    current = os.path.join(base if os.path.isabs(base) else os.path.expanduser("~/.cache"), _CURRENT)
    if os.path.islink(current) and os.geteuid() and not os.environ.get("MINIEDIT_FRR_SKIP_PACKAGES"):
        _use_layer()


def _use_layer() -> None:
    from frrlib.missing_packages import machine
    from frrlib.missing_packages.errors import SetupError
    from frrlib.missing_packages.layer import Store, refresh
    from frrlib.missing_packages.namespace import run_with

    layer = Store(machine.cache_folder()).current()
    # The home can be shared with other machines. The Python of this program cannot run in a root folder of its own.
    if layer is None or layer.is_root or layer.distribution != machine.target():
        return
    missing = machine.missing_packages(layer.wanted)
    if not missing or layer.problem(missing):
        return
    refresh(layer, layer.path)
    try:
        run_with(layer.path, [sys.executable, *sys.orig_argv[1:]])
    except SetupError as error:
        sys.stderr.write(f"{error}\n")
