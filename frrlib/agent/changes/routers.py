"""Another configuration for the daemons of a running router."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence

from frrlib.agent.frr.log_files import bytes_of
from frrlib.agent.network.nodes import FrrRouter
from frrlib.errors import CommandFailed, LabError
from frrlib.vtysh.session import configure_argv, refused_line
from frrlib.wire.plan import FrrPlan

#: Time limit for all lines of a router.
_LINES_TIMEOUT_S = 60.0
_UNDO_FILE = "/run/frr/undo.conf"


def configure(router: FrrRouter, lines: Sequence[str]) -> None:
    """Enter lines one after the other. Raises CommandFailed with the refused line."""
    if not lines:
        return
    result = router.run(configure_argv(lines), _LINES_TIMEOUT_S)
    if result.returncode:
        line, refusal = refused_line(result.stdout)
        raise CommandFailed(("vtysh", "-c", line), result.returncode, f"{router.name}: {refusal or result.stderr}")


def take_back(router: FrrRouter, lines: Sequence[str]) -> None:
    """Enter lines that undo others of which perhaps only the first ones are in force. Refused ones are left out."""
    if lines:
        router.frr.write_file(f"{router.thread.root}{_UNDO_FILE}", "".join(f"{line}\n" for line in lines))
        router.run(["vtysh", "-f", _UNDO_FILE], _LINES_TIMEOUT_S)


def start_missing(router: FrrRouter, plan: FrrPlan) -> list[str]:
    """Start the daemons of a plan that the router does not have. Returns their names. Raises LabFailed."""
    missing = [daemon for daemon in plan.daemons if daemon not in router.frr.daemons]
    for daemon in missing:
        router.frr.add(daemon)
    return missing


def write_files(router: FrrRouter, before: FrrPlan, after: FrrPlan) -> None:
    """Replace the configuration files of the plan before. If a user has saved another configuration ("write memory"),
    the present one is saved again instead."""
    folder = f"{router.thread.root}/etc/frr"
    is_saved = False
    for name in {*before.files, *after.files}:
        path = f"{folder}/{name}"
        if bytes_of(path).decode(errors="replace") != before.files.get(name, ""):
            is_saved = True
        elif name in after.files:
            router.frr.write_file(path, after.files[name])
        else:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
    if is_saved:
        with contextlib.suppress(LabError):
            router.vtysh("write memory")
