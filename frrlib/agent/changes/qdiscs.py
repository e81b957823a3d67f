"""Other qdiscs for an interface of a running lab."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence

from frrlib.agent.network import qdiscs
from frrlib.agent.network.namespaces import NodeThread
from frrlib.errors import CommandFailed

_VALUE = re.compile(r"\d\S*")


def exchange(name: str, thread: NodeThread, device: str, before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Replace the qdiscs of an interface. Qdiscs of the same kinds keep their packets if the kernel allows it.

    Args:
        name, thread: of the node.
        device: the interface.
        before, after: arguments of `tc`, one command a line.

    Returns:
        the kernel's warnings.

    Raises:
        CommandFailed: tc refused a command.
    """
    if before == after:
        return []
    if before and _kinds(before) == _kinds(after):
        try:
            return qdiscs.run([(name, thread, list(after))])
        except CommandFailed:
            pass  # this kind cannot change in place
    if before:
        with contextlib.suppress(CommandFailed):  # a change that failed may have left no qdisc there
            qdiscs.run([(name, thread, [f"qdisc del dev {device} root"])])
    return qdiscs.run([(name, thread, list(after))]) if after else []


def _kinds(lines: Sequence[str]) -> list[str]:
    """The commands without their values: only commands that set the same parameters can change qdiscs in place."""
    return [" ".join(_VALUE.sub("#", word) for word in line.split()) for line in lines]
