"""Another configuration for the daemons of a running router."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence

from frrlib.agent.frr.log_files import bytes_of
from frrlib.agent.network.nodes import FrrRouter
from frrlib.errors import CommandFailed, LabError
from frrlib.vtysh.session import configure_argv, rejection
from frrlib.wire.plan import FrrPlan

#: Time limit for all lines of a router.
_LINES_TIMEOUT_S = 60.0


def configure(
    router: FrrRouter, lines: Sequence[Sequence[str]], commands: Sequence[str], *, tolerant: bool = False
) -> None:
    """Enter lines one after the other, then commands.

    Args:
        router: the router.
        lines: each line in its forms, which are tried until FRR accepts one.
        commands: commands that follow.
        tolerant: whether lines without an accepted form are left out, with the section that they open.

    Raises:
        CommandFailed: FRR accepts no form of a line. The lines before it are in force.
    """
    texts, forms = [forms[0] for forms in lines], [list(forms[1:]) for forms in lines]
    begin = 0
    while begin < len(texts):
        headings = _headings(texts, begin)
        result = router.run(configure_argv([*headings, *texts[begin:]]), _LINES_TIMEOUT_S)
        rejected = rejection(result.stdout, result.returncode)
        if rejected is None:
            break
        position = begin + rejected.position - len(headings)
        if position >= begin and forms[position]:
            texts[position] = forms[position].pop(0)
            begin = position
        elif position >= begin and tolerant:
            begin = _after(texts, position)
        else:
            reason = f"{router.name}: {rejected.message or result.stderr}"
            raise CommandFailed(("vtysh", "-c", rejected.line), result.returncode or 1, reason)
    if commands and lines:
        router.vtysh(*commands)


def _headings(texts: Sequence[str], position: int) -> list[str]:
    """The headings of the sections of a line, the outermost first."""
    headings: list[str] = []
    indent = _indent(texts[position])
    for text in reversed(texts[:position]):
        if _indent(text) < indent and not text.strip().startswith("exit"):
            headings.insert(0, text)
            indent = _indent(text)
    return headings


def _after(texts: Sequence[str], position: int) -> int:
    """The position after a line, and after its section and the end of that if it opens one."""
    indent = _indent(texts[position])
    position += 1
    while position < len(texts) and _indent(texts[position]) > indent:
        position += 1
    is_end = position < len(texts) and _indent(texts[position]) == indent and texts[position].strip().startswith("exit")
    return position + is_end


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def start_missing(router: FrrRouter, plan: FrrPlan, started: list[str]) -> None:
    """Start the daemons of a plan that the router does not have, and add their names to `started`. Raises LabFailed."""
    for daemon in plan.daemons:
        if daemon not in router.frr.daemons:
            started.append(daemon)
            router.frr.add(daemon)


def end_started(router: FrrRouter, started: Sequence[str]) -> None:
    """End daemons that `start_missing` started. The router does not have them any more."""
    for daemon in started:
        router.frr.end(daemon)
    router.frr.daemons = tuple(daemon for daemon in router.frr.daemons if daemon not in started)


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
