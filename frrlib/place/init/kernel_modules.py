"""Kernel modules of a lab kernel, loaded without a process each. Standard library only."""

from __future__ import annotations

import os

from frrlib.place.confinement import file_tree
from frrlib.place.confinement import syscalls as sys_

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = "/run/modroot"

_SCRIPT = f"""#!/bin/sh
exec /sbin/modprobe -d {ROOT} "$@"
"""


def load(folder: str, names: Sequence[str]) -> list[str]:
    """Load modules of `folder` (with modules.dep) and those that they need. Returns the names that it lacks."""
    files = _dependencies(folder)
    loaded: set[str] = set()
    missing = []
    for name in names:
        paths = files.get(name.replace("-", "_"))
        if paths is None:
            missing.append(name)
            continue
        for path in reversed(paths):
            if path not in loaded:
                loaded.add(path)
                _insert(f"{folder}/{path}")
    return missing


def _insert(path: str) -> None:
    try:
        sys_.insert_module(path)
    except FileExistsError:
        return


def _dependencies(folder: str) -> dict[str, list[str]]:
    """Module name to its file and the files that it needs, in reverse order of loading."""
    files = {}
    with open(f"{folder}/modules.dep", encoding="ascii") as file:
        for line in file:
            path, _, needed = line.partition(":")
            name = path.rpartition("/")[2].partition(".")[0].replace("-", "_")
            files[name] = [path, *needed.split()]
    return files


def offer(folder: str) -> None:
    """Let the kernel, and modprobe(8) when a user starts it, find the modules of `folder`."""
    target = f"{ROOT}/lib/modules/{os.uname().release}"
    os.makedirs(target)
    sys_.mount(folder, target, flags=sys_.MS_BIND)
    script = f"{file_tree.BIN}/modprobe"
    with open(script, "w", encoding="ascii") as file:
        file.write(_SCRIPT)
    os.chmod(script, 0o755)
    with open("/proc/sys/kernel/modprobe", "w", encoding="ascii") as file:
        file.write(script)
    os.environ["MODPROBE_OPTIONS"] = f"-d {ROOT}"
