"""Faults in real labs, read back from the kernel: carrier, `tc`, states of processes, routes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from frrlib import wire
from frrlib.errors import LabError, TopologyError
from frrlib.lab.lab import Lab
from frrlib.model.faults import Fault, FaultKind, LinkValues
from frrlib.network.network import Network, Ospf, Shape
from tests.waiting import pause, wait_for

pytestmark = pytest.mark.lab

ROUTERS = ("r1", "r2", "r3")
#: A route to a network that a router is in, as zebra tells it once it is in the kernel.
_CONNECTED = re.compile(r"^C>\* \S+ is directly connected, (r\d-eth\d)", re.MULTILINE)
#: The first words of what the kernel tells of a process.
_STATE = re.compile(r"(?P<pid>\d+) \((?P<name>.*)\) (?P<state>\w) ")


class Told:
    """A lab, and what it told."""

    def __init__(self, lab: Lab, messages: list[wire.Message]) -> None:
        self.lab, self.messages = lab, messages

    def faults(self) -> list[wire.FaultEvent]:
        return [each for each in self.messages if isinstance(each, wire.FaultEvent)]

    def carriers(self, *places: str) -> list[str]:
        """Carrier of interfaces ("r1:r1-eth0"): "1", "0", or "down" where somebody has put it down."""
        found = []
        for place in places:
            node, _, interface = place.partition(":")
            line = f"cat /sys/class/net/{interface}/carrier 2>/dev/null || echo down"
            found.append(self.lab[node].run("sh", "-c", line).strip())
        return found

    def qdiscs(self, node: str, interface: str = "") -> list[dict[str, Any]]:
        """What tc tells of an interface, or of the whole link namespace for no node."""
        where = ("dev", interface) if interface else ()
        argv = ("tc", "-j", "-r", "qdisc", "show", *where)
        if not node:
            argv = ("ip", "netns", "exec", "cable", *argv)
        said = self.lab.ask(wire.Execute(node, argv))
        found: list[dict[str, Any]] = json.loads(said["stdout"])
        return found

    def states(self, node: str) -> dict[str, str]:
        """Name to state ("S", "T") of all processes of a node, but for the one that asks."""
        looks = "readlink /proc/self/ns/net; ls -l /proc/[0-9]*/ns/net; cat /proc/[0-9]*/stat; true"
        home, *lines = self.lab[node].run("sh", "-c", looks).splitlines()
        ours = {line.split("/")[2] for line in lines if line.endswith(f"-> {home}")}
        rows = [_STATE.match(line) for line in lines]
        found = {row["name"]: row["state"] for row in rows if row and row["pid"] in ours}
        return {name: state for name, state in found.items() if name not in ("sh", "ls", "cat", "readlink")}

    def wait(self, until: Callable[[], object]) -> None:
        wait_for(until, lambda: (self.faults(), self.lab.faults_now(), self.died()))

    def died(self) -> list[str]:
        """What daemons said last that ended by themselves."""
        ended = [each for each in self.messages if isinstance(each, wire.DaemonExit)]
        return [f"{each.router}:{each.daemon} {each.status}: {each.log}" for each in ended]

    def wait_followed(self) -> None:
        """Wait until zebra knows all interfaces as they are now. That of FRR 8.4 may end in an assertion of its own
        where one of them comes up and goes down again before it has looked."""
        self.wait(lambda: all(self._lit(router) == self._known(router) for router in ROUTERS))

    def _lit(self, router: str) -> set[str]:
        """The interfaces of a router that have carrier."""
        said = self.lab[router].run("sh", "-c", "cd /sys/class/net; grep -l 1 r*/carrier 2>/dev/null || true")
        return {path.partition("/")[0] for path in said.split()}

    def _known(self, router: str) -> set[str]:
        """The interfaces whose networks its zebra has as routes. It is asked at its own socket, without a process."""
        return set(_CONNECTED.findall(self.lab[router].vtysh("show ip route")))

    def at_rest(self) -> Told:
        """Itself, with nothing out of order that an earlier test has left."""
        self.lab.mend()
        self.wait_followed()
        return self


def _triangle(both: Shape) -> Network:
    net = Network("Three routers")
    for name in ROUTERS:
        net.router(name, ospf=Ospf(hello_s=1, dead_s=4))
    net.link("r1", "r2", both=both)
    net.link("r2", "r3", both=both)
    net.link("r3", "r1")
    return net


def _running(net: Network, place: str) -> Iterator[Told]:
    messages: list[wire.Message] = []
    with Lab(net.topology, place=place, listener=messages.append) as lab:
        lab.wait_routes()
        yield Told(lab, messages)


@pytest.fixture(scope="module")
def plain_lab() -> Iterator[Told]:
    """Three routers at plain cables of 10 Mbit/s, on the kernel that runs here."""
    yield from _running(_triangle(Shape(rate_mbit=10)), "namespace")


@pytest.fixture(scope="module")
def cabled_lab() -> Iterator[Told]:
    """The same with delay, so that links pass the link namespace."""
    yield from _running(_triangle(Shape(rate_mbit=10, delay_ms=2)), "labkernel")


@pytest.fixture
def plain(plain_lab: Told) -> Told:
    """The lab with plain cables, in order."""
    return plain_lab.at_rest()


@pytest.fixture
def cabled(cabled_lab: Told) -> Told:
    """The lab with a link namespace, in order."""
    return cabled_lab.at_rest()


@pytest.fixture(params=["plain", "cabled"])
def either(request: pytest.FixtureRequest) -> Told:
    """Both of them, one after the other."""
    told: Told = request.getfixturevalue(request.param)
    return told


ENDS = ("r1:r1-eth0", "r2:r2-eth0")


def test_a_link_loses_its_carrier_at_both_ends_and_gets_it_back(plain: Told, cabled: Told) -> None:
    for told, lost in ((plain, ["down", "down"]), (cabled, ["0", "0"])):
        told.lab.link_down("l1")
        told.lab.link_down("l1")  # once more is no fault
        assert told.carriers(*ENDS) == lost
        assert told.lab.faults_now()["links_down"] == ["l1"]
        told.wait_followed()
        told.lab.link_up("l1")
        assert told.carriers(*ENDS) == ["1", "1"]
        told.wait_followed()
        told.lab.link_down("l1", duration_s=2.0)
        assert told.carriers(*ENDS) == lost
        told.wait(lambda told=told: told.carriers(*ENDS) == ["1", "1"])


def test_an_interface_that_is_put_down_takes_the_other_ends_carrier(plain: Told, cabled: Told) -> None:
    for told in (plain, cabled):
        told.lab.interface_down("r1", "r1-eth0")
        assert told.carriers(*ENDS) == ["down", "0"]
        assert told.lab.faults_now()["interfaces_down"] == ["r1:r1-eth0"]
        told.wait_followed()
        told.lab.interface_up("r1", "r1-eth0")
        assert told.carriers(*ENDS) == ["1", "1"]


def test_an_interface_flaps_so_often(either: Told) -> None:
    before = len(either.faults())
    either.lab.flap("r1", "r1-eth0", times=3, period_s=0.2)
    either.wait(lambda: len(either.faults()) >= before + 7)
    flaps = either.faults()[before + 1 :]
    assert [each.fault for each in flaps] == ["interface-down", "interface-up"] * 3
    assert flaps[4].time_s - flaps[0].time_s >= 0.38  # each is told when it is done, late by its own time
    assert either.carriers(*ENDS) == ["1", "1"]


def test_all_packets_of_a_plain_link_are_lost_without_a_sign(plain: Told) -> None:
    before = plain.qdiscs("r1", "r1-eth0")
    plain.lab.lose("l1", towards="r2")
    assert [each["kind"] for each in plain.qdiscs("r1", "r1-eth0")] == ["tbf", "blackhole"]
    assert [each["kind"] for each in plain.qdiscs("r2", "r2-eth0")] == ["tbf", "bfifo"]
    assert plain.carriers(*ENDS) == ["1", "1"]
    plain.lab.lose("l1", 0)
    assert plain.qdiscs("r1", "r1-eth0") == before


def test_the_rate_of_a_plain_link_changes_in_place(plain: Told) -> None:
    plain.lab.set_values("l2", rate_mbit=4, queue_packets=25)
    for place in (("r2", "r2-eth1"), ("r3", "r3-eth0")):
        (shaper, queue) = plain.qdiscs(*place)
        assert (shaper["options"]["rate"], queue["options"]["limit"]) == (4e6 / 8, 25)
    assert list(plain.lab.faults_now()["values"]) == ["l2"]
    plain.lab.set_values("l2", rate_mbit=0)  # no limit any more
    assert [each["kind"] for each in plain.qdiscs("r2", "r2-eth1")] == ["noqueue"]


def test_values_change_in_place_and_a_burst_of_loss_goes_back_to_them(cabled: Told) -> None:
    room = {each["dev"]: each for each in cabled.qdiscs("") if each["kind"] == "netem"}
    cabled.lab.set_values("l1", rate_mbit=5, delay_ms=7, queue_packets=20)
    (shaper, queue) = cabled.qdiscs("r1", "r1-eth0")
    assert (shaper["options"]["rate"], queue["kind"], queue["options"]["limit"]) == (5e6 / 8, "pfifo", 20)
    netems = [each for each in cabled.qdiscs("") if each["kind"] == "netem" and each["dev"].startswith("c0")]
    assert [each["options"]["delay"]["delay"] for each in netems] == [0.007, 0.007]
    assert {each["dev"] for each in netems} <= room.keys()
    cabled.lab.lose("l1", 30, duration_s=2.0, towards="r2")
    (lossy,) = (each for each in cabled.qdiscs("") if "loss-random" in each.get("options", {}))
    assert lossy["options"]["loss-random"]["loss"] == pytest.approx(0.3)
    assert lossy["options"]["delay"]["delay"] == 0.007
    cabled.wait(lambda: not cabled.lab.faults_now()["lossy"])
    after = [each for each in cabled.qdiscs("") if each["kind"] == "netem" and each["dev"].startswith("c0")]
    assert [each["options"] for each in after] == [each["options"] for each in netems]
    cabled.lab.set_values("l1", towards="r1", delay_ms=1)
    delays = [each["options"]["delay"]["delay"] for each in cabled.qdiscs("") if each["dev"].startswith("c0")
              and each["kind"] == "netem"]  # fmt: skip
    assert sorted(delays) == [0.001, 0.007]  # another direction keeps what it has


def test_a_frozen_router_is_stopped_with_all_its_processes(either: Told) -> None:
    either.lab.freeze("r1")
    states = either.states("r1")
    assert states.keys() >= {"zebra", "ospfd"} and set(states.values()) == {"T"}
    assert either.lab.faults_now()["frozen"] == ["r1"]
    either.lab.thaw("r1")
    assert set(either.states("r1").values()) <= {"S", "R"}
    either.lab.fault(Fault(kind="daemon-stopped", target="r1:ospfd"))
    assert either.states("r1")["ospfd"] == "T"
    either.lab.fault(Fault(kind="daemon-stopped", target="r1:ospfd", duration_s=0.5))
    either.wait(lambda: either.states("r1")["ospfd"] != "T")


def test_a_daemon_is_killed_and_started_again(either: Told) -> None:
    either.lab.kill_daemon("r3", "ospfd")
    either.wait(lambda: either.lab.faults_now()["dead"] == ["r3:ospfd"])
    assert "ospfd" not in either.states("r3")
    either.lab["r3"].restart("ospfd")
    assert either.lab.faults_now()["dead"] == []
    assert [each.fault for each in either.faults()[-2:]] == ["daemon-killed", "daemon-restarted"]


def test_a_power_cycle_keeps_what_was_written_and_nothing_else(either: Told) -> None:
    router = either.lab["r2"]
    router.configure("interface r2-eth0\n description written\n")
    router.vtysh("write memory")
    router.configure("interface r2-eth1\n description forgotten\n")
    died = sum(isinstance(each, wire.DaemonExit) for each in either.messages)
    either.lab.power_cycle("r2", off_s=0.5)
    running = router.vtysh("show running-config")
    assert "description written" in running and "router ospf" in running
    assert "description forgotten" not in running
    off, on = either.faults()[-2:]
    assert (off.fault, on.fault) == ("power-cycled", "power-on")
    assert on.time_s - off.time_s >= 0.5
    assert sum(isinstance(each, wire.DaemonExit) for each in either.messages) == died
    either.lab.wait_routes(30)
    lost = {each.prefix for each in either.messages if isinstance(each, wire.RouteEvent)
            and each.router == "r2" and not each.added and each.time_s >= off.time_s}  # fmt: skip
    assert lost  # its kernel had forgotten them


def test_a_partition_is_healed_as_far_as_it_has_cut(either: Told) -> None:
    either.lab.link_down("l2")
    either.lab.partition(["r1", "r2"])
    assert either.lab.faults_now()["links_down"] == ["l2", "l3"]
    either.lab.heal()
    assert either.lab.faults_now()["links_down"] == ["l2"]
    either.lab.link_up("l2")


def test_all_that_is_out_of_order_is_put_right_at_once(either: Told) -> None:
    lab = either.lab
    assert lab.mend() == ()
    lab.link_down("l1")
    lab.interface_down("r3", "r3-eth0")
    lab.lose("l3")
    lab.kill_daemon("r3", "ospfd")
    lab.fault(Fault(kind="daemon-stopped", target="r2:ospfd"))
    lab.freeze("r1")
    either.wait(lambda: lab.faults_now()["dead"])
    assert [each.kind for each in lab.mend()] == [
        "thawed", "daemon-continued", "daemon-restarted", "loss", "interface-up", "link-up",
    ]  # fmt: skip
    state = lab.faults_now()
    state.pop("values")
    assert not any(state.values()), state
    assert either.carriers(*ENDS, "r3:r3-eth0") == ["1", "1", "1"]


WRONG: tuple[tuple[FaultKind, str, dict[str, Any], str], ...] = (
    ("link-down", "l9", {}, "there is no link l9; choose one such as l1, l2, l3"),
    ("loss", "l1", {"towards": "r3"}, "r1 - r2 does not lead to r3; choose r1 or r2"),
    ("loss", "l1", {"loss_percent": 30}, "has a rate and neither delay nor loss"),
    ("link-values", "l1", {"values": LinkValues(delay_ms=5)}, "set a delay or loss of the link"),
    ("interface-down", "r1:eth7", {}, "r1 has no interface eth7; choose one such as r1-eth0"),
    ("daemon-killed", "r1:bgpd", {}, "r1 has no bgpd; one of zebra, ospfd"),
    ("frozen", "r9", {}, "there is no node r9"),
    ("partition", "r1,r2,r3", {}, "no link joins the two sides"),
)


@pytest.mark.parametrize(("kind", "target", "more", "why"), WRONG)
def test_what_cannot_be_done_is_refused_with_what_would_be_right(
    plain: Told, kind: FaultKind, target: str, more: dict[str, Any], why: str
) -> None:
    told = len(plain.faults())
    with pytest.raises(TopologyError) as caught:
        plain.lab.fault(Fault(kind=kind, target=target, **more))
    assert why in str(caught.value)
    assert len(plain.faults()) == told


def test_every_run_of_the_shortest_path_computation_is_told(either: Told) -> None:
    lab = either.lab

    def counted() -> int:
        said = lab["r3"].vtysh("show ip ospf", json=True)
        return sum(area["spfExecutedCounter"] for area in said["areas"].values())

    def told() -> list[wire.RoutingNote]:
        notes = [each for each in either.messages if isinstance(each, wire.RoutingNote)]
        return [each for each in notes if (each.router, each.protocol, each.what) == ("r3", "ospf", "spf")]

    def settled() -> tuple[int, int]:
        """How many runs ospfd has counted and the lab has told, when nothing has changed for two seconds."""
        found = counted(), len(told())
        while True:
            pause(2)
            now = counted(), len(told())
            if now == found:
                return found
            found = now

    counted_before, told_before = settled()
    lab.link_down("l1")
    counted_after, told_after = settled()
    lab.link_up("l1")
    assert counted_after > counted_before
    assert told_after - told_before == counted_after - counted_before
    assert all(0 < each.duration_s < 5 for each in told()[told_before:told_after])


def test_a_lab_ends_in_order_while_faults_last() -> None:
    with Lab(_triangle(Shape()).topology, place="namespace") as lab:
        lab.freeze("r1", duration_s=60)
        lab.flap("r2", "r2-eth0", times=1000, period_s=0.05)
        lab.lose("l3", duration_s=60)
        lab.fault(Fault(kind="daemon-stopped", target="r3:zebra"))
    with pytest.raises(LabError):
        lab.faults_now()
