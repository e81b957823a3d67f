"""Queueing disciplines: set by one `tc` per node, in all nodes in parallel, and read back from the kernel.

DualPI2 is set and read over netlink.
"""

from __future__ import annotations

import contextlib
import glob
import itertools
import os
import socket
import struct
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from frrlib.agent import processes
from frrlib.agent.network import dualpi2
from frrlib.agent.network.namespaces import NodeThread
from frrlib.agent.network.netlink import Message, Netlink, attributes
from frrlib.agent.network.nodes import finish
from frrlib.agent.network.rtnetlink import TC_BODY, tc_body
from frrlib.errors import CommandFailed

TC_TIMEOUT_S = 30.0
#: Tables of delays for `tc`: a folder of the lab if it has tables of its own, else the folders of the installation.
_TABLES = "/run/lab/tc"
_USUAL_TABLES = ("/usr/lib/tc/*.dist", "/usr/lib64/tc/*.dist", "/usr/lib/*/tc/*.dist", "/usr/share/tc/*.dist")
_BATCH = ("tc", "-batch", "-")
_SHOW = ("tc", "-d", "-j", "-r", "qdisc", "show")
#: htb's classes are read over netlink, since `tc` rounds them and has no JSON for them.
_GETTCLASS = 42
_KIND, _OPTIONS = 1, 2
_PARAMETERS, _RATE64, _CEIL64 = 1, 6, 7
#: struct tc_htb_opt: two times struct tc_ratespec, with the rate last; then buckets, quantum, level, priority.
_HTB = struct.Struct("=8xI8xI5I")
#: Buckets are stored as times, in units of 64 ns.
_HTB_UNIT_S = 64e-9


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
    by_tc = [(name, thread, dualpi2.without_commands(lines)) for name, thread, lines in jobs]
    started = [(name, lines, _start(thread, _BATCH)) for name, thread, lines in by_tc if lines]
    for name, lines, process in started:
        result = finish(name, _BATCH, process, TC_TIMEOUT_S, "".join(f"{line}\n" for line in lines))
        messages = [line.strip() for line in result.stderr.splitlines() if line.strip()]
        if result.returncode or not all(line.startswith("Warning: ") for line in messages):
            raise _failure(name, lines, result, about or {})
        warnings += [f"{name}: {line.removeprefix('Warning: ')}" for line in messages]
    for name, thread, lines in jobs:  # its queue is the last one at an interface
        dualpi2.run(name, thread, lines)
    return warnings


def read(threads: Mapping[str, NodeThread]) -> dict[str, list[Any]]:
    """The output of `tc -d -j -r qdisc show`, and htb's classes, by name of the thread. Raises CommandFailed."""
    started = {name: _start(thread, _SHOW) for name, thread in threads.items()}
    qdiscs: dict[str, list[Any]] = {}
    for name, process in started.items():
        result = finish(name, _SHOW, process, TC_TIMEOUT_S)
        if result.returncode:
            raise CommandFailed(_SHOW, result.returncode, f"{name or 'cable'}: {result.stderr}")
        qdiscs[name] = msgspec.json.decode(dualpi2.UNKNOWN.sub("", result.stdout))
    for name, entries in qdiscs.items():
        threads[name].call(dualpi2.complete, entries)
        if shaped := [entry["dev"] for entry in entries if entry.get("kind") == "htb"]:
            entries += threads[name].call(_htb_classes, shaped)
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


def _htb_classes(interfaces: list[str]) -> list[dict[str, Any]]:
    """The classes of interfaces in the calling thread's node, in the format of `tc -j qdisc show`.

    Rates are in bytes per second, buckets in bytes.
    """
    netlink, entries = Netlink(""), []
    try:
        for interface in interfaces:
            body = tc_body(socket.if_nametoindex(interface), 0, 0, 0)
            for reply in netlink.dump(Message(_GETTCLASS, 0, body, f"classes of {interface}")):
                _, _, handle, _, _ = TC_BODY.unpack_from(reply.body)
                values = attributes(reply.body[TC_BODY.size :])
                if bytes(values.get(_KIND, b"")).rstrip(b"\0") == b"htb" and _OPTIONS in values:
                    name = f"{handle >> 16:x}:{handle & 0xFFFF:x}"
                    options = _htb_options(attributes(values[_OPTIONS]))
                    entries.append({"kind": "htb", "dev": interface, "handle": name, "options": options})
    finally:
        netlink.close()
    return entries


def _htb_options(values: dict[int, memoryview]) -> dict[str, Any]:
    rate, ceil, buffer, cbuffer, quantum, _, _ = _HTB.unpack_from(values[_PARAMETERS])
    rate = struct.unpack("=Q", values[_RATE64])[0] if _RATE64 in values else rate
    ceil = struct.unpack("=Q", values[_CEIL64])[0] if _CEIL64 in values else ceil
    return {
        "rate": rate,
        "ceil": ceil,
        "burst": round(buffer * _HTB_UNIT_S * rate),
        "cburst": round(cbuffer * _HTB_UNIT_S * ceil),
        "quantum": quantum,
    }
