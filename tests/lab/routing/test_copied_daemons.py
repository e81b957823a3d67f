"""Daemons that start as copies of a pattern process equal daemons that were started one by one."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from frrlib import wire
from frrlib.edits.generators import grid
from frrlib.edits.routing_presets import as_per_router, lab_timers_everywhere
from frrlib.kernels import libraries
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology
from tests.waiting import comes

pytestmark = pytest.mark.lab

ROUTERS = ("r1", "r2", "r3")
#: Daemons that can be copied.
COPIED = ("zebra", "ospfd", "isisd", "bgpd", "staticd")
#: Daemons that have open sockets before that, so that they are always started one by one. ldpd needs MPLS, which the
#: kernel of this machine may lack.
STARTED = {"labkernel": ("bfdd", "ldpd"), "namespace": ("bfdd",)}
#: The properties of a process that are decided by its start.
STATUS = ("Uid", "Gid", "Groups", "SigBlk", "SigIgn", "SigCgt", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")

#: A script that prints the compared properties of each daemon of its router, as JSON by the daemon's name.
LOOK = f"""
import json, os, sys
found = {{}}
for name in sys.argv[1:]:
    pid = int(open("/run/frr/" + name + ".pid").read())
    at = "/proc/%d/" % pid
    status = dict(line.split(":", 1) for line in open(at + "status"))
    files = {{}}
    for fd in os.listdir(at + "fd"):
        flags = [line.split()[1] for line in open(at + "fdinfo/" + fd) if line.startswith("flags")]
        files[fd] = [os.readlink(at + "fd/" + fd), *flags]
    found[name] = {{
        "pid": pid, "command": open(at + "cmdline").read(), "cwd": os.readlink(at + "cwd"), "files": files,
        "status": {{key: value.split() for key, value in status.items() if key in {STATUS}}},
        "spaces": {{kind: os.readlink(at + "ns/" + kind) for kind in ("net", "mnt", "uts", "pid", "ipc", "user")}},
        "parent": status["PPid"].strip(), "environ": sorted(open(at + "environ").read().split(chr(0))),
    }}
mine = {{kind: os.readlink("/proc/self/ns/" + kind) for kind in ("net", "mnt", "uts")}}
print(json.dumps([mine, found]))
"""

Daemons = dict[str, dict[str, Any]]


def _topology(place: str) -> Topology:
    """A chain of routers with BGP. The other daemons run without any work."""
    topology = lab_timers_everywhere(as_per_router(grid(1, 3, hosts=1)))
    daemons = ("ospfd", "isisd", "staticd", *STARTED[place])
    return topology.model_copy(
        update={"nodes": tuple(
            node.model_copy(update={"daemons": daemons}) if node.name in ROUTERS else node for node in topology.nodes
        )}
    )  # fmt: skip


@contextmanager
def _lab(place: str) -> Iterator[tuple[Lab, list[wire.Message]]]:
    messages: list[wire.Message] = []
    with Lab(_topology(place), place=place, listener=messages.append) as lab:
        lab.wait_routes(120)
        yield lab, messages


def _processes(lab: Lab, router: str) -> tuple[dict[str, str], Daemons]:
    names = (*COPIED, *STARTED[lab.place.name])
    output = lab[router].run("python3", "-I", "-S", "-c", LOOK, *names, timeout_s=60)
    namespaces, daemons = json.loads(output)
    return namespaces, daemons


@pytest.fixture(scope="module", params=("labkernel", "namespace"))
def place(request: pytest.FixtureRequest) -> str:
    """The places in which daemons are copied."""
    return str(request.param)


@pytest.fixture(scope="module")
def started(place: str) -> dict[str, Daemons]:
    """The daemons of a lab in a place without the libraries for copies."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(libraries, "for_daemons", lambda **_: {})
        with _lab(place) as (lab, _):
            return {router: _processes(lab, router)[1] for router in ROUTERS}


@pytest.fixture(scope="module")
def copied(place: str) -> Iterator[tuple[Lab, list[wire.Message]]]:
    """A lab with copies of daemons."""
    assert list(libraries.for_daemons()) == ["clock", "copies", "polls"]
    assert list(libraries.for_daemons(in_namespaces=True)) == ["copies", "polls"]
    with _lab(place) as both:
        yield both


def _named(text: str) -> str:
    """The name of a file, without the part that differs in each process."""
    return re.sub(r"\[\d+\]|\.\d+$", "", text)


@pytest.mark.parametrize("router", ROUTERS)
def test_copied_daemons_equal_started_ones(
    router: str, started: dict[str, Daemons], copied: tuple[Lab, list[wire.Message]]
) -> None:
    namespaces, daemons = _processes(copied[0], router)
    for daemon, started_process in started[router].items():
        process = daemons[daemon]
        assert {kind: process["spaces"][kind] for kind in namespaces} == namespaces, daemon
        for aspect in ("command", "cwd", "status", "parent"):
            assert process[aspect] == started_process[aspect], (daemon, aspect)
        files = [
            Counter((_named(name), *flags) for name, *flags in compared["files"].values())
            for compared in (process, started_process)
        ]
        if daemon in ("zebra", "bgpd"):  # the number of each kind depends on the clients and peers so far
            files = [Counter(kinds.keys()) for kinds in files]
        assert files[0] == files[1], daemon


def test_daemons_that_can_be_copied_are_copied(copied: tuple[Lab, list[wire.Message]]) -> None:
    """A copy has the environment of its pattern, since the kernel keeps that of the start."""
    for router in ROUTERS:
        _, daemons = _processes(copied[0], router)
        copies = {
            daemon for daemon in daemons if any("LAB_PATTERN" in variable for variable in daemons[daemon]["environ"])
        }
        assert copies == set(COPIED)


def test_copies_share_no_pipe_socket_or_log(copied: tuple[Lab, list[wire.Message]]) -> None:
    """A pipe between threads of two daemons would wake both, and a shared log would mix their lines."""
    earlier_ends: Counter[str] = Counter()
    for router in ROUTERS:
        _, daemons = _processes(copied[0], router)
        for daemon, process in daemons.items():
            ends = Counter(name for name, *_ in process["files"].values() if name.startswith(("pipe:", "socket:")))
            assert not ends.keys() & earlier_ends.keys(), daemon
            assert all(number == 2 for name, number in ends.items() if name.startswith("pipe:")), daemon
            earlier_ends += ends
            logs = {name for name, *_ in process["files"].values() if name.startswith("/var/log/frr/")}
            assert logs == {f"/var/log/frr/{daemon}.log", f"/var/log/frr/{daemon}.out"}
            text = copied[0][router].run("cat", f"/var/log/frr/{daemon}.log")
            assert {"zebra": "ZEBRA", "ospfd": "OSPF", "bgpd": "BGP"}.get(daemon, "") in text


def test_every_daemon_has_a_process_of_its_own(copied: tuple[Lab, list[wire.Message]]) -> None:
    numbers = [process["pid"] for router in ROUTERS for process in _processes(copied[0], router)[1].values()]
    assert len(numbers) == len(set(numbers)) == len(ROUTERS) * len((*COPIED, *STARTED[copied[0].place.name]))


def test_no_pattern_process_is_left(copied: tuple[Lab, list[wire.Message]]) -> None:
    daemon_pids = {process["pid"] for router in ROUTERS for process in _processes(copied[0], router)[1].values()}
    output = copied[0]["r1"].run("sh", "-c", "grep -H . /proc/[0-9]*/comm || true")
    names = {int(line.split("/")[2]): line.split(":")[1] for line in output.splitlines()}
    assert {pid for pid, name in names.items() if name in COPIED} - daemon_pids == set()


def test_the_end_of_a_copy_is_reported_and_it_can_be_restarted(copied: tuple[Lab, list[wire.Message]]) -> None:
    lab, messages = copied
    pid = _processes(lab, "r3")[1]["ospfd"]["pid"]
    lab["r3"].run("kill", "-9", str(pid))

    def reported() -> list[tuple[str, str, int]]:
        exits = [message for message in messages if isinstance(message, wire.DaemonExit)]
        return [(daemon.router, daemon.daemon, daemon.status) for daemon in exits]

    assert comes(lambda: reported() == [("r3", "ospfd", -9)]), reported()
    lab["r3"].restart("ospfd")
    lab.wait_routes(120)
    assert _processes(lab, "r3")[1]["ospfd"]["pid"] != pid
