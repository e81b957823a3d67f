"""Queueing disciplines: set by one `tc` per node, in all nodes in parallel, and read back from the kernel."""

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
#: Tables of delays for `tc`: a folder of the lab if it has tables of its own, else the folders of the installation.
_TABLES = "/run/lab/tc"
_USUAL_TABLES = ("/usr/lib/tc/*.dist", "/usr/lib64/tc/*.dist", "/usr/lib/*/tc/*.dist", "/usr/share/tc/*.dist")
_BATCH = ("tc", "-batch", "-")
_SHOW = ("tc", "-d", "-j", "-r", "qdisc", "show")


def install_delay_tables(texts: Mapping[str, str]) -> None:
    """Give every later `tc` of the lab these tables of delays, besides the installed ones."""
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
        about: descriptions of commands for people, by node and arguments.

    Returns:
        the kernel's warnings about commands that it carried out, with the names of nodes.

    Raises:
        CommandFailed: tc refused a command, which the error names.
    """
    warnings: list[str] = []
    started = [(name, lines, _start(thread, _BATCH)) for name, thread, lines in jobs]
    for name, lines, process in started:
        result = finish(name, _BATCH, process, TC_TIMEOUT_S, "".join(f"{line}\n" for line in lines))
        messages = [line.strip() for line in result.stderr.splitlines() if line.strip()]
        if result.returncode or not all(line.startswith("Warning: ") for line in messages):
            raise _failure(name, lines, result, about or {})
        warnings += [f"{name}: {line.removeprefix('Warning: ')}" for line in messages]
    return warnings


def read(threads: Mapping[str, NodeThread]) -> dict[str, list[Any]]:
    """The output of `tc -d -j -r qdisc show`, and htb's classes, by name of the thread. Raises CommandFailed."""
    started = {name: _start(thread, _SHOW) for name, thread in threads.items()}
    qdiscs: dict[str, list[Any]] = {}
    for name, process in started.items():
        result = finish(name, _SHOW, process, TC_TIMEOUT_S)
        if result.returncode:
            raise CommandFailed(_SHOW, result.returncode, f"{name or 'cable'}: {result.stderr}")
        qdiscs[name] = msgspec.json.decode(result.stdout)
    for name, entries in qdiscs.items():
        if shaped := [entry["dev"] for entry in entries if entry.get("kind") == "htb"]:
            entries += threads[name].call(htb.classes, shaped)
    return qdiscs


def _start(thread: NodeThread, argv: Sequence[str]) -> processes.Process:
    pipe = subprocess.PIPE
    return thread.call(processes.spawn, argv, stdin=pipe, stdout=pipe, stderr=pipe)


def _failure(
    node: str,
    lines: Sequence[str],
    result: subprocess.CompletedProcess[str],
    about: Mapping[tuple[str, str], str],
) -> CommandFailed:
    """The error for a batch with a refused line. It names that line."""
    output, marker, tail = result.stderr.rpartition("Command failed -:")
    number = "".join(character for character in tail[:9].split("\n")[0] if character.isdigit())
    line = lines[int(number) - 1] if marker and number and int(number) <= len(lines) else "-batch -"
    subject = about.get((node, line), node)
    return CommandFailed(["tc", *line.split()], result.returncode, f"{subject}: {(output or result.stderr).strip()}")
