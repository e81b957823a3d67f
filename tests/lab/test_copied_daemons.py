"""Daemons that begin as copies of a pattern are in nothing different from daemons that were started one by one."""

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
#: Daemons that can be copied, and two that hold sockets before they are, so that they are started one by one anyhow.
COPIED, STARTED = ("zebra", "ospfd", "isisd", "bgpd", "staticd"), ("bfdd", "ldpd")
#: What the kernel knows of a process that its start decides.
STATUS = ("Uid", "Gid", "Groups", "SigBlk", "SigIgn", "SigCgt", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")

#: All that is looked at, of each daemon of the router that this runs in: JSON by its name.
LOOK = f"""
import json, os
found = {{}}
for name in {COPIED + STARTED}:
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

Found = dict[str, dict[str, Any]]


def _drawing() -> Topology:
    """A chain of routers with BGP; the other daemons run and have nothing to do."""
    topology = lab_timers_everywhere(as_per_router(grid(1, 3, hosts=1)))
    more = ("ospfd", "isisd", "staticd", *STARTED)
    return topology.model_copy(
        update={"nodes": tuple(
            node.model_copy(update={"daemons": more}) if node.name in ROUTERS else node for node in topology.nodes
        )}
    )  # fmt: skip


@contextmanager
def _lab() -> Iterator[tuple[Lab, list[wire.Message]]]:
    heard: list[wire.Message] = []
    with Lab(_drawing(), place="labkernel", listener=heard.append) as lab:
        lab.wait_routes(120)
        yield lab, heard


def _looked(lab: Lab, router: str) -> tuple[dict[str, str], Found]:
    done = lab[router].run("python3", "-I", "-S", "-c", LOOK, timeout_s=60)
    mine, found = json.loads(done)
    return mine, found


@pytest.fixture(scope="module")
def started() -> dict[str, Found]:
    """The daemons of a lab whose place has no libraries for them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(libraries, "for_daemons", lambda **_: {})
        with _lab() as (lab, _):
            return {router: _looked(lab, router)[1] for router in ROUTERS}


@pytest.fixture(scope="module")
def copied() -> Iterator[tuple[Lab, list[wire.Message]]]:
    assert list(libraries.for_daemons()) == ["clock", "copies"]
    with _lab() as both:
        yield both


def _named(text: str) -> str:
    """A file's name without what is different in each process."""
    return re.sub(r"\[\d+\]|\.\d+$", "", text)


@pytest.mark.parametrize("router", ROUTERS)
def test_they_are_what_daemons_are_that_were_started(
    router: str, started: dict[str, Found], copied: tuple[Lab, list[wire.Message]]
) -> None:
    mine, found = _looked(copied[0], router)
    for daemon, usual in started[router].items():
        here = found[daemon]
        assert {kind: here["spaces"][kind] for kind in mine} == mine, daemon
        for same in ("command", "cwd", "status", "parent"):
            assert here[same] == usual[same], (daemon, same)
        files = [Counter((_named(name), *flags) for name, *flags in each["files"].values()) for each in (here, usual)]
        if daemon in ("zebra", "bgpd"):  # as many of each kind as clients and peers have come by now
            files = [Counter(each.keys()) for each in files]
        assert files[0] == files[1], daemon


def test_all_that_can_be_copied_is(copied: tuple[Lab, list[wire.Message]]) -> None:
    """What was a pattern's stands in the environment of its copies, as the kernel keeps it from the start."""
    for router in ROUTERS:
        _, found = _looked(copied[0], router)
        are = {daemon for daemon in found if any("LAB_PATTERN" in each for each in found[daemon]["environ"])}
        assert are == set(COPIED)


def test_they_share_no_file_that_tells_anything(copied: tuple[Lab, list[wire.Message]]) -> None:
    """A pipe between threads of two daemons would wake both; a log would hold the lines of both."""
    ends: Counter[str] = Counter()
    for router in ROUTERS:
        _, found = _looked(copied[0], router)
        for daemon, here in found.items():
            own = Counter(name for name, *_ in here["files"].values() if name.startswith(("pipe:", "socket:")))
            assert not own.keys() & ends.keys(), daemon
            assert all(number == 2 for name, number in own.items() if name.startswith("pipe:")), daemon
            ends += own
            logs = {name for name, *_ in here["files"].values() if name.startswith("/var/log/frr/")}
            assert logs == {f"/var/log/frr/{daemon}.log", f"/var/log/frr/{daemon}.out"}
            text = copied[0][router].run("cat", f"/var/log/frr/{daemon}.log")
            assert {"zebra": "ZEBRA", "ospfd": "OSPF", "bgpd": "BGP"}.get(daemon, "") in text


def test_their_processes_are_their_own(copied: tuple[Lab, list[wire.Message]]) -> None:
    numbers = [here["pid"] for router in ROUTERS for here in _looked(copied[0], router)[1].values()]
    assert len(numbers) == len(set(numbers)) == len(ROUTERS) * len(COPIED + STARTED)


def test_no_pattern_is_left(copied: tuple[Lab, list[wire.Message]]) -> None:
    known = {here["pid"] for router in ROUTERS for here in _looked(copied[0], router)[1].values()}
    said = copied[0]["r1"].run("sh", "-c", "grep -H . /proc/[0-9]*/comm || true")
    there = {int(line.split("/")[2]): line.split(":")[1] for line in said.splitlines()}
    assert {pid for pid, name in there.items() if name in COPIED} - known == set()


def test_the_end_of_a_copy_is_told_and_it_starts_again(copied: tuple[Lab, list[wire.Message]]) -> None:
    lab, heard = copied
    pid = _looked(lab, "r3")[1]["ospfd"]["pid"]
    lab["r3"].run("kill", "-9", str(pid))

    def told() -> list[tuple[str, str, int]]:
        died = [each for each in heard if isinstance(each, wire.DaemonExit)]
        return [(each.router, each.daemon, each.status) for each in died]

    assert comes(lambda: told() == [("r3", "ospfd", -9)]), told()
    lab["r3"].restart("ospfd")
    lab.wait_routes(120)
    assert _looked(lab, "r3")[1]["ospfd"]["pid"] != pid
