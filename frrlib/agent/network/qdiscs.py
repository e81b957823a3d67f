"""Queueing disciplines: set by one `tc` a node, all nodes side by side, and read back from the kernel."""

from __future__ import annotations

import contextlib
import glob
import itertools
import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from frrlib.agent import processes
from frrlib.agent.network import htb
from frrlib.agent.network.namespaces import NodeThread
from frrlib.agent.network.nodes import finish
from frrlib.errors import CommandFailed

TC_TIMEOUT_S = 30.0
#: Where `tc` finds tables of delays: in a folder of the lab, if it has any of its own, else where it was installed.
_TABLES = "/run/lab/tc"
_USUAL_TABLES = ("/usr/lib/tc/*.dist", "/usr/lib64/tc/*.dist", "/usr/lib/*/tc/*.dist", "/usr/share/tc/*.dist")
_BATCH = ("tc", "-batch", "-")
_SHOW = ("tc", "-d", "-j", "-r", "qdisc", "show")


def give_tables(texts: Mapping[str, str]) -> None:
    """Have every `tc` that the lab starts from now on know these tables of delays, beside those that came with it."""
    os.makedirs(_TABLES, exist_ok=True)
    for path in itertools.chain.from_iterable(map(glob.glob, _USUAL_TABLES)):
        with contextlib.suppress(FileExistsError):
            os.symlink(path, f"{_TABLES}/{os.path.basename(path)}")
    for name, text in texts.items():
        with open(f"{_TABLES}/{name}.dist", "w", encoding="ascii") as file:
            file.write(text)
    os.environ["TC_LIB_DIR"] = _TABLES


def run(
    jobs: Sequence[tuple[str, NodeThread, list[str]]], about: Mapping[tuple[str, str], str] | None = None
) -> list[str]:
    """Run commands of `tc`, those of a node in order.

    Args:
        jobs: name and thread of a node with the arguments of each command.
        about: for commands of which more is known, by node and arguments: what they are for, for people.

    Returns:
        warnings of the kernel about what it took all the same, with the names of nodes.

    Raises:
        CommandFailed: tc refused one; names it.
    """
    warnings: list[str] = []
    started = [(name, lines, _start(thread, _BATCH)) for name, thread, lines in jobs]
    for name, lines, process in started:
        answer = finish(name, _BATCH, process, TC_TIMEOUT_S, "".join(f"{line}\n" for line in lines))
        said = [line.strip() for line in answer.stderr.splitlines() if line.strip()]
        if answer.returncode or not all(line.startswith("Warning: ") for line in said):
            raise _failure(name, lines, answer, about or {})
        warnings += [f"{name}: {line.removeprefix('Warning: ')}" for line in said]
    return warnings


def read(threads: Mapping[str, NodeThread]) -> dict[str, list[Any]]:
    """The output of `tc -d -j -r qdisc show`, and htb's classes, by name of the thread. Raises CommandFailed."""
    started = {name: _start(thread, _SHOW) for name, thread in threads.items()}
    found: dict[str, list[Any]] = {}
    for name, process in started.items():
        answer = finish(name, _SHOW, process, TC_TIMEOUT_S)
        if answer.returncode:
            raise CommandFailed(_SHOW, answer.returncode, f"{name or 'cable'}: {answer.stderr}")
        found[name] = msgspec.json.decode(answer.stdout)
    for name, entries in found.items():
        if shaped := [entry["dev"] for entry in entries if entry.get("kind") == "htb"]:
            entries += threads[name].call(htb.classes, shaped)
    return found


def _start(thread: NodeThread, argv: Sequence[str]) -> processes.Process:
    pipe = subprocess.PIPE
    return thread.call(processes.spawn, argv, stdin=pipe, stdout=pipe, stderr=pipe)


def _failure(
    node: str,
    lines: Sequence[str],
    answer: subprocess.CompletedProcess[str],
    about: Mapping[tuple[str, str], str],
) -> CommandFailed:
    """The error for a batch of which tc refused a line: it names that line, not the batch."""
    said, marker, tail = answer.stderr.rpartition("Command failed -:")
    number = "".join(character for character in tail[:9].split("\n")[0] if character.isdigit())
    line = lines[int(number) - 1] if marker and number and int(number) <= len(lines) else "-batch -"
    whose = about.get((node, line), node)
    return CommandFailed(["tc", *line.split()], answer.returncode, f"{whose}: {(said or answer.stderr).strip()}")
