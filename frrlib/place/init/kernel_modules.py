"""Kernel modules of a lab kernel and their parameters. No process is needed for any. Standard library only."""

from __future__ import annotations

import errno
import os

from frrlib.place.confinement import file_tree
from frrlib.place.confinement import syscalls as sys_

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from frrlib.place.plans import OwnModule

ROOT = "/run/modroot"

#: The level of the console at which it shows all messages but those for debugging.
_ALL_MESSAGES = "7"
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


def load_own(modules: Sequence[OwnModule]) -> str:
    """Load modules of the user. Returns the reason why one cannot be loaded, as a sentence; empty if all are loaded."""
    for module in modules:
        try:
            sys_.insert_module(f"{file_tree.BOOT}/{module.name}.ko", " ".join(module.parameters))
        except OSError as error:
            reason = f"the kernel refuses it: {error.strerror}"
            if error.errno == errno.EEXIST:
                reason = "the kernel has a module, a congestion control or a queueing discipline of this name already"
            return f"the kernel module {module.name} cannot be loaded: {reason}"
    if modules:
        # The console then shows where a module has crashed, which the kernel prints as information only.
        with open("/proc/sys/kernel/printk", "w", encoding="ascii") as file:
            file.write(_ALL_MESSAGES)
    return ""


def wrong_parameter(parameters: Sequence[str]) -> str:
    """The first parameter that is not in force, as a sentence; empty if all are.

    Args:
        parameters: such as "tcp_bbr3.beta=200". Numbers are compared by their values.
    """
    for text in parameters:
        name, _, requested = text.partition("=")
        module, _, key = name.partition(".")
        folder = f"/sys/module/{module}/parameters"
        try:
            with open(f"{folder}/{key}", encoding="ascii") as file:
                effective = file.read().strip()
        except OSError:
            known = ", ".join(sorted(os.listdir(folder))) if os.path.isdir(folder) else ""
            what = f"has no parameter {key}; it has {known}" if known else "is no module with parameters of this kernel"
            return f"the kernel parameter {text} cannot be set: {module} {what}"
        if _comparable(effective) != _comparable(requested):
            return f"the kernel parameter {text} is not in force: its value is {effective}"
    return ""


def _comparable(text: str) -> object:
    try:
        return int(text, 0)
    except ValueError:
        return {"Y": 1, "y": 1, "N": 0, "n": 0}.get(text, text)


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
