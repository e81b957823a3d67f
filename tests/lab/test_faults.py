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
from frrlib.model.queues import Cake, FqCodel, Red, Sfq
from frrlib.network.network import Network, Ospf, Shape
from tests.waiting import pause, wait_for

pytestmark = pytest.mark.lab

ROUTERS = ("r1", "r2", "r3")
#: zebra's line about a connected network, printed once the route is in the kernel.
_CONNECTED = re.compile(r"^C>\* \S+ is directly connected, (r\d-eth\d)", re.MULTILINE)
#: The first words of a process's `stat` file.
_STATE = re.compile(r"(?P<pid>\d+) \((?P<name>.*)\) (?P<state>\w) ")


class ObservedLab:
    """A lab and its messages."""

    def __init__(self, lab: Lab, messages: list[wire.Message]) -> None:
        self.lab, self.messages = lab, messages

    def faults(self) -> list[wire.FaultEvent]:
        return [message for message in self.messages if isinstance(message, wire.FaultEvent)]

    def carriers(self, *places: str) -> list[str]:
        """The carrier of interfaces ("r1:r1-eth0"): "1", "0", or "down" for one that is administratively down."""
        states = []
        for name in places:
            node, _, interface = name.partition(":")
            line = f"cat /sys/class/net/{interface}/carrier 2>/dev/null || echo down"
            states.append(self.lab[node].run("sh", "-c", line).strip())
        return states

    def qdiscs(self, node: str, interface: str = "") -> list[dict[str, Any]]:
        """The qdiscs of an interface, or of the whole link namespace if the node is empty."""
        device = ("dev", interface) if interface else ()
        argv = ("tc", "-j", "-r", "qdisc", "show", *device)
        if not node:
            argv = ("ip", "netns", "exec", "cable", *argv)
        reply = self.lab.ask(wire.Execute(node, argv))
        rows: list[dict[str, Any]] = json.loads(reply["stdout"])
        return rows

    def states(self, node: str) -> dict[str, str]:
        """Names and states ("S", "T") of all processes of a node, without those that read them."""
        script = "readlink /proc/self/ns/net; ls -l /proc/[0-9]*/ns/net; cat /proc/[0-9]*/stat; true"
        home, *lines = self.lab[node].run("sh", "-c", script).splitlines()
        pids = {line.split("/")[2] for line in lines if line.endswith(f"-> {home}")}
        rows = [_STATE.match(line) for line in lines]
        by_name = {row["name"]: row["state"] for row in rows if row and row["pid"] in pids}
        return {name: state for name, state in by_name.items() if name not in ("sh", "ls", "cat", "readlink")}

    def wait(self, until: Callable[[], object]) -> None:
        wait_for(until, lambda: (self.faults(), self.lab.faults_now(), self.exits()))

    def exits(self) -> list[str]:
        """Daemons that ended by themselves, with the status and the last lines of each."""
        daemons = [message for message in self.messages if isinstance(message, wire.DaemonExit)]
        return [f"{daemon.router}:{daemon.daemon} {daemon.status}: {daemon.log}" for daemon in daemons]

    def wait_zebra_current(self) -> None:
        """Wait until zebra has the current state of all interfaces.

        zebra of FRR 8.4 may fail an assertion if an interface comes up and goes down again before zebra has read it.
        """
        self.wait(lambda: all(self._with_carrier(router) == self._connected(router) for router in ROUTERS))

    def _with_carrier(self, router: str) -> set[str]:
        """The interfaces of a router that have carrier."""
        output = self.lab[router].run("sh", "-c", "cd /sys/class/net; grep -l 1 r*/carrier 2>/dev/null || true")
        return {path.partition("/")[0] for path in output.split()}

    def _connected(self, router: str) -> set[str]:
        """The interfaces whose networks are routes of zebra. zebra's socket is used, without a new process."""
        return set(_CONNECTED.findall(self.lab[router].vtysh("show ip route")))

    def without_faults(self) -> ObservedLab:
        """The same lab, without any fault of an earlier test."""
        self.lab.clear_faults()
        self.wait_zebra_current()
        return self


def _triangle(both: Shape) -> Network:
    net = Network("Three routers")
    for name in ROUTERS:
        net.router(name, ospf=Ospf(hello_s=1, dead_s=4))
    net.link("r1", "r2", both=both)
    net.link("r2", "r3", both=both)
    net.link("r3", "r1")
    return net


def _running(net: Network, place: str) -> Iterator[ObservedLab]:
    messages: list[wire.Message] = []
    with Lab(net.topology, place=place, listener=messages.append) as lab:
        lab.wait_routes()
        yield ObservedLab(lab, messages)


@pytest.fixture(scope="module")
def plain_lab() -> Iterator[ObservedLab]:
    """Three routers with plain links of 10 Mbit/s, on the running kernel."""
    yield from _running(_triangle(Shape(rate_mbit=10)), "namespace")


@pytest.fixture(scope="module")
def delayed_lab() -> Iterator[ObservedLab]:
    """The same with delay, so that packets pass the link namespace."""
    yield from _running(_triangle(Shape(rate_mbit=10, delay_ms=2)), "labkernel")


@pytest.fixture
def plain(plain_lab: ObservedLab) -> ObservedLab:
    """The lab with plain links, without faults."""
    return plain_lab.without_faults()


@pytest.fixture
def delayed(delayed_lab: ObservedLab) -> ObservedLab:
    """The lab with a link namespace, without faults."""
    return delayed_lab.without_faults()


@pytest.fixture(params=["plain", "delayed"])
def either(request: pytest.FixtureRequest) -> ObservedLab:
    """Each of the two labs."""
    lab: ObservedLab = request.getfixturevalue(request.param)
    return lab


ENDS = ("r1:r1-eth0", "r2:r2-eth0")


def test_a_link_loses_its_carrier_at_both_ends_and_gets_it_back(plain: ObservedLab, delayed: ObservedLab) -> None:
    for lab, lost in ((plain, ["down", "down"]), (delayed, ["0", "0"])):
        lab.lab.link_down("l1")
        lab.lab.link_down("l1")  # a link that is down already is no error
        assert lab.carriers(*ENDS) == lost
        assert lab.lab.faults_now()["links_down"] == ["l1"]
        lab.wait_zebra_current()
        lab.lab.link_up("l1")
        assert lab.carriers(*ENDS) == ["1", "1"]
        lab.wait_zebra_current()
        lab.lab.link_down("l1", duration_s=2.0)
        assert lab.carriers(*ENDS) == lost
        lab.wait(lambda lab=lab: lab.carriers(*ENDS) == ["1", "1"])


def test_an_interface_that_is_down_takes_the_other_ends_carrier(plain: ObservedLab, delayed: ObservedLab) -> None:
    for lab in (plain, delayed):
        lab.lab.interface_down("r1", "r1-eth0")
        assert lab.carriers(*ENDS) == ["down", "0"]
        assert lab.lab.faults_now()["interfaces_down"] == ["r1:r1-eth0"]
        lab.wait_zebra_current()
        lab.lab.interface_up("r1", "r1-eth0")
        assert lab.carriers(*ENDS) == ["1", "1"]


def test_an_interface_flaps_the_given_number_of_times(either: ObservedLab) -> None:
    events_before = len(either.faults())
    either.lab.flap("r1", "r1-eth0", times=3, period_s=0.2)
    either.wait(lambda: len(either.faults()) >= events_before + 7)
    flaps = either.faults()[events_before + 1 :]
    assert [event.fault for event in flaps] == ["interface-down", "interface-up"] * 3
    assert (
        flaps[4].time_s - flaps[0].time_s >= 0.38
    )  # an event is sent after its change, late by the duration of the change
    assert either.carriers(*ENDS) == ["1", "1"]


def test_all_packets_of_a_plain_link_can_be_lost(plain: ObservedLab) -> None:
    qdiscs = plain.qdiscs("r1", "r1-eth0")
    plain.lab.lose("l1", towards="r2")
    assert [qdisc["kind"] for qdisc in plain.qdiscs("r1", "r1-eth0")] == ["tbf", "blackhole"]
    assert [qdisc["kind"] for qdisc in plain.qdiscs("r2", "r2-eth0")] == ["tbf", "bfifo"]
    assert plain.carriers(*ENDS) == ["1", "1"]
    plain.lab.lose("l1", 0)
    assert plain.qdiscs("r1", "r1-eth0") == qdiscs


def test_the_rate_of_a_plain_link_changes_in_place(plain: ObservedLab) -> None:
    plain.lab.set_values("l2", rate_mbit=4, queue_packets=25)
    for interface in (("r2", "r2-eth1"), ("r3", "r3-eth0")):
        (shaper, queue) = plain.qdiscs(*interface)
        assert (shaper["options"]["rate"], queue["options"]["limit"]) == (4e6 / 8, 25)
    assert list(plain.lab.faults_now()["values"]) == ["l2"]
    plain.lab.set_values("l2", rate_mbit=0)  # unlimited
    assert [qdisc["kind"] for qdisc in plain.qdiscs("r2", "r2-eth1")] == ["noqueue"]


def test_values_change_in_place_and_return_after_a_burst_of_loss(delayed: ObservedLab) -> None:
    original_netems = {qdisc["dev"]: qdisc for qdisc in delayed.qdiscs("") if qdisc["kind"] == "netem"}
    delayed.lab.set_values("l1", rate_mbit=5, delay_ms=7, queue_packets=20)
    (shaper, queue) = delayed.qdiscs("r1", "r1-eth0")
    assert (shaper["options"]["rate"], queue["kind"], queue["options"]["limit"]) == (5e6 / 8, "pfifo", 20)
    netems = [qdisc for qdisc in delayed.qdiscs("") if qdisc["kind"] == "netem" and qdisc["dev"].startswith("c0")]
    assert [qdisc["options"]["delay"]["delay"] for qdisc in netems] == [0.007, 0.007]
    assert {qdisc["dev"] for qdisc in netems} <= original_netems.keys()
    delayed.lab.lose("l1", 30, duration_s=2.0, towards="r2")
    (lossy,) = (qdisc for qdisc in delayed.qdiscs("") if "loss-random" in qdisc.get("options", {}))
    assert lossy["options"]["loss-random"]["loss"] == pytest.approx(0.3)
    assert lossy["options"]["delay"]["delay"] == 0.007
    delayed.wait(lambda: not delayed.lab.faults_now()["lossy"])
    netems_after = [qdisc for qdisc in delayed.qdiscs("") if qdisc["kind"] == "netem" and qdisc["dev"].startswith("c0")]
    assert [qdisc["options"] for qdisc in netems_after] == [qdisc["options"] for qdisc in netems]
    delayed.lab.set_values("l1", towards="r1", delay_ms=1)
    delays = [qdisc["options"]["delay"]["delay"] for qdisc in delayed.qdiscs("") if qdisc["dev"].startswith("c0")
              and qdisc["kind"] == "netem"]  # fmt: skip
    assert sorted(delays) == [0.001, 0.007]  # the other direction keeps its value


def test_another_discipline_is_put_below_the_shaper_and_cake_replaces_both(delayed: ObservedLab) -> None:
    lab = delayed.lab

    def kinds() -> list[str]:
        return [qdisc["kind"] for qdisc in delayed.qdiscs("r1", "r1-eth0")]

    lab.set_values("l1", rate_mbit=5, queue=FqCodel(target_ms=7))
    assert kinds() == ["tbf", "fq_codel"]
    assert delayed.qdiscs("r1", "r1-eth0")[1]["options"]["target"] == pytest.approx(7000, abs=1)
    for queue, expected in ((Red(), ["tbf", "red"]), (Cake(), ["cake"]), (Sfq(), ["tbf", "sfq"]),
                            (Sfq(depth_packets=9), ["tbf", "sfq"])):  # fmt: skip
        lab.set_values("l1", queue=queue, towards="r2")
        assert kinds() == expected
    assert [qdisc["kind"] for qdisc in delayed.qdiscs("r2", "r2-eth0")] == ["tbf", "fq_codel"]
    lab.set_values("l1", queue="fifo", queue_packets=20)
    assert kinds() == ["tbf", "pfifo"]
    event = delayed.faults()[-1]
    assert "discipline=fifo" in event.text


def test_a_refused_discipline_leaves_the_old_queue_in_the_kernel(delayed: ObservedLab) -> None:
    lab = delayed.lab
    queue = delayed.qdiscs("r1", "r1-eth0")
    with pytest.raises(LabError, match=r"(?i)red"):  # the kernel keeps averages below its limit
        lab.set_values("l1", queue=Red(min_bytes=4_000_000, avpkt_bytes=65_535, burst_packets=2**31 - 1))
    restored = delayed.qdiscs("r1", "r1-eth0")
    assert [(qdisc["kind"], qdisc["options"]) for qdisc in restored] == [
        (qdisc["kind"], qdisc["options"]) for qdisc in queue
    ]


def test_a_frozen_router_is_stopped_with_all_its_processes(either: ObservedLab) -> None:
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


def test_a_daemon_is_killed_and_started_again(either: ObservedLab) -> None:
    either.lab.kill_daemon("r3", "ospfd")
    either.wait(lambda: either.lab.faults_now()["dead"] == ["r3:ospfd"])
    assert "ospfd" not in either.states("r3")
    either.lab["r3"].restart("ospfd")
    assert either.lab.faults_now()["dead"] == []
    assert [event.fault for event in either.faults()[-2:]] == ["daemon-killed", "daemon-restarted"]


def test_a_power_cycle_keeps_the_written_configuration_only(either: ObservedLab) -> None:
    router = either.lab["r2"]
    router.configure("interface r2-eth0\n description written\n")
    router.vtysh("write memory")
    router.configure("interface r2-eth1\n description forgotten\n")
    exits_before = sum(isinstance(message, wire.DaemonExit) for message in either.messages)
    either.lab.power_cycle("r2", off_s=0.5)
    running = router.vtysh("show running-config")
    assert "description written" in running and "router ospf" in running
    assert "description forgotten" not in running
    off, on = either.faults()[-2:]
    assert (off.fault, on.fault) == ("power-cycled", "power-on")
    assert on.time_s - off.time_s >= 0.5
    assert sum(isinstance(message, wire.DaemonExit) for message in either.messages) == exits_before
    either.lab.wait_routes(30)
    lost = {message.prefix for message in either.messages if isinstance(message, wire.RouteEvent)
            and message.router == "r2" and not message.added and message.time_s >= off.time_s}  # fmt: skip
    assert lost  # the kernel lost its routes


def test_healing_a_partition_restores_only_the_links_that_it_cut(either: ObservedLab) -> None:
    either.lab.link_down("l2")
    either.lab.partition(["r1", "r2"])
    assert either.lab.faults_now()["links_down"] == ["l2", "l3"]
    either.lab.heal()
    assert either.lab.faults_now()["links_down"] == ["l2"]
    either.lab.link_up("l2")


def test_all_faults_can_be_cleared_at_once(either: ObservedLab) -> None:
    lab = either.lab
    assert lab.clear_faults() == ()
    lab.link_down("l1")
    lab.interface_down("r3", "r3-eth0")
    lab.lose("l3")
    lab.kill_daemon("r3", "ospfd")
    lab.fault(Fault(kind="daemon-stopped", target="r2:ospfd"))
    lab.freeze("r1")
    either.wait(lambda: lab.faults_now()["dead"])
    assert [fault.kind for fault in lab.clear_faults()] == [
        "thawed", "daemon-continued", "daemon-restarted", "loss", "interface-up", "link-up",
    ]  # fmt: skip
    state = lab.faults_now()
    state.pop("values")
    assert not any(state.values()), state
    assert either.carriers(*ENDS, "r3:r3-eth0") == ["1", "1", "1"]


IMPOSSIBLE: tuple[tuple[FaultKind, str, dict[str, Any], str], ...] = (
    ("link-down", "l9", {}, "there is no link l9; choose one such as l1, l2, l3"),
    ("loss", "l1", {"towards": "r3"}, "r1 - r2 does not lead to r3; choose r1 or r2"),
    ("loss", "l1", {"loss_percent": 30}, "has a rate and neither delay nor loss"),
    ("link-values", "l1", {"values": LinkValues(delay_ms=5)}, "set a delay or loss of the link"),
    ("interface-down", "r1:eth7", {}, "r1 has no interface eth7; choose one such as r1-eth0"),
    ("daemon-killed", "r1:bgpd", {}, "r1 has no bgpd; one of zebra, ospfd"),
    ("frozen", "r9", {}, "there is no node r9"),
    ("partition", "r1,r2,r3", {}, "no link joins the two sides"),
)


@pytest.mark.parametrize(("kind", "target", "fields", "reason"), IMPOSSIBLE)
def test_an_impossible_fault_is_refused_with_a_possible_one(
    plain: ObservedLab, kind: FaultKind, target: str, fields: dict[str, Any], reason: str
) -> None:
    events_before = len(plain.faults())
    with pytest.raises(TopologyError) as caught:
        plain.lab.fault(Fault(kind=kind, target=target, **fields))
    assert reason in str(caught.value)
    assert len(plain.faults()) == events_before


def test_every_shortest_path_computation_is_reported_once(either: ObservedLab) -> None:
    lab = either.lab

    def count_of_ospfd() -> int:
        ospf = lab["r3"].vtysh("show ip ospf", json=True)
        return sum(area["spfExecutedCounter"] for area in ospf["areas"].values())

    def notes() -> list[wire.RoutingNote]:
        notes = [message for message in either.messages if isinstance(message, wire.RoutingNote)]
        return [note for note in notes if (note.router, note.protocol, note.what) == ("r3", "ospf", "spf")]

    def settled_counts() -> tuple[int, int]:
        """The computations that ospfd has counted and the lab has reported, after two seconds without a change."""
        counts = count_of_ospfd(), len(notes())
        while True:
            pause(2)
            later_counts = count_of_ospfd(), len(notes())
            if later_counts == counts:
                return counts
            counts = later_counts

    counted_before, reported_before = settled_counts()
    lab.link_down("l1")
    counted_after, reported_after = settled_counts()
    lab.link_up("l1")
    assert counted_after > counted_before
    assert reported_after - reported_before == counted_after - counted_before
    assert all(0 < note.duration_s < 5 for note in notes()[reported_before:reported_after])


def test_a_lab_ends_in_order_while_faults_last() -> None:
    with Lab(_triangle(Shape()).topology, place="namespace") as lab:
        lab.freeze("r1", duration_s=60)
        lab.flap("r2", "r2-eth0", times=1000, period_s=0.05)
        lab.lose("l3", duration_s=60)
        lab.fault(Fault(kind="daemon-stopped", target="r3:zebra"))
    with pytest.raises(LabError):
        lab.faults_now()
