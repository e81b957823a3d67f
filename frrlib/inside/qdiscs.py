"""Queueing disciplines: set by one `tc` a node, all nodes side by side, and read back from the kernel."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from frrlib.errors import CommandFailed
from frrlib.inside import processes
from frrlib.inside.namespaces import NodeThread
from frrlib.inside.nodes import finish

TC_TIMEOUT_S = 30.0
_BATCH = ("tc", "-batch", "-")
_SHOW = ("tc", "-j", "-r", "qdisc", "show")


def run(jobs: Sequence[tuple[str, NodeThread, list[str]]]) -> None:
    """Run commands of `tc`.

    Args:
        jobs: name and thread of a node with the arguments of each command.

    Raises:
        CommandFailed: tc refused one; names it.
    """
    started = [(name, lines, _start(thread, _BATCH)) for name, thread, lines in jobs]
    for name, lines, process in started:
        answer = finish(name, _BATCH, process, TC_TIMEOUT_S, "\n".join(lines) + "\n")
        if answer.returncode or answer.stderr.strip():
            raise _failure(name, lines, answer)


def read(threads: Mapping[str, NodeThread]) -> dict[str, list[Any]]:
    """What `tc -j -r qdisc show` tells, by name of the thread. Raises CommandFailed."""
    started = {name: _start(thread, _SHOW) for name, thread in threads.items()}
    found: dict[str, list[Any]] = {}
    for name, process in started.items():
        answer = finish(name, _SHOW, process, TC_TIMEOUT_S)
        if answer.returncode:
            raise CommandFailed(_SHOW, answer.returncode, f"{name or 'cable'}: {answer.stderr}")
        found[name] = msgspec.json.decode(answer.stdout)
    return found


def _start(thread: NodeThread, argv: Sequence[str]) -> processes.Process:
    pipe = subprocess.PIPE
    return thread.call(processes.spawn, argv, stdin=pipe, stdout=pipe, stderr=pipe)


def _failure(node: str, lines: list[str], answer: subprocess.CompletedProcess[str]) -> CommandFailed:
    """The error for a batch of which tc refused a line: it names that line, not the batch."""
    _, marker, tail = answer.stderr.rpartition("Command failed -:")
    number = "".join(character for character in tail[:9].split("\n")[0] if character.isdigit())
    line = lines[int(number) - 1] if marker and number and int(number) <= len(lines) else "-batch -"
    return CommandFailed(["tc", *line.split()], answer.returncode, f"{node}: {answer.stderr.strip()}")
