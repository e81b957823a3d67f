"""Topologies of Mininet as Python objects, compared with the commands that Mininet itself would execute for them."""

from __future__ import annotations

import functools
import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from frrlib.addressing.resolved import resolved
from frrlib.checks.check import check
from frrlib.formats import mininet_topo, mn
from frrlib.model.links import End, Shape
from frrlib.model.nodes import Bridge, Host, PrivateDirectory, Router, Switch
from frrlib.model.queues import Red
from frrlib.model.topology import OpenFlowVersions, Topology
from miniedit_frr.document.document import Document
from tests.cli.commands import invoke
from tests.formats.mininet_dry import DryInterface, build_dry
from tests.formats.test_mn_miniedit import opened

mininet_node = pytest.importorskip("mininet.node")
mininet_nodelib = pytest.importorskip("mininet.nodelib")
mininet_link = pytest.importorskip("mininet.link")
mininet_util = pytest.importorskip("mininet.util")
Topo = pytest.importorskip("mininet.topo").Topo


def pair(link: dict[str, Any], h1: dict[str, Any] | None = None, h2: dict[str, Any] | None = None) -> Any:
    """A topology of two hosts and a link with these options."""
    topo = Topo()
    topo.addHost("h1", **(h1 or {"ip": "10.0.0.1/24"}))
    topo.addHost("h2", **(h2 or {"ip": "10.0.0.2/24"}))
    topo.addLink("h1", "h2", **link)
    return topo


def one_node(**options: Any) -> Any:
    """A topology with a host h1 of these options, and a linked switch."""
    topo = Topo()
    topo.addHost("h1", **options)
    topo.addSwitch("s1")
    topo.addLink("h1", "s1")
    return topo


def one_switch(**options: Any) -> Any:
    topo = Topo()
    topo.addSwitch("s1", **options)
    return topo


def remarks(topo: Any) -> list[tuple[str, str]]:
    """The node or link and the option of each remark."""
    return [(problem.node, problem.field) for problem in mininet_topo.read(topo).warnings]


# --- interfaces -------------------------------------------------------------------------------------------------------


class Interfaces(Topo):  # type: ignore[misc,valid-type]
    """Hosts with several interfaces, whose names, ports and addresses come from all places where Mininet takes them."""

    def build(self) -> None:
        for name in ("s1", "s2"):
            self.addSwitch(name)
        self.addHost("h1", ip="10.1.0.1/24", mac="02:00:00:00:00:01")
        self.addHost("h2", ip="10.1.0.2", defaultRoute="via 10.1.0.1")
        self.addHost("h3", ip=None)
        self.addHost("h4", ip="10.1.0.4/24")
        self.addLink("h1", "s1", port1=7, intfName1="late", params1={"ip": "10.7.0.1/24"}, addr1="02:00:00:00:00:07")
        self.addLink("h1", "s1", port1=3, intfName2="uplink", addr1="02:00:00:00:00:03")
        self.addLink("s1", "h2", params2={"ifconfig": "mtu 1400"})
        self.addLink("s2", "h3", intfName2="eth0", params2={"ip": "10.2.0.3/24"}, addr2="02:00:00:00:00:33")
        self.addLink("s1", "s2", port1=9, port2=8)
        self.addLink("h4", "h3", params1={"ip": "10.9.0.4/24"}, params2={"up": False})


def compare(topo: Any, monkeypatch: pytest.MonkeyPatch, unset: tuple[str, ...] = ()) -> Topology:
    """Convert a topology, and compare names, addresses, MTUs and shapes of its interfaces with Mininet's commands.

    Args:
        unset: nodes without an address, which Mininet and the lab assign differently.
    """
    topology = mininet_topo.read(topo).topology
    real = resolved(topology)
    theirs = build_dry(topo, monkeypatch).interfaces
    ends = {(end.node, end.interface): (end, shape) for link in real.links for end, _, shape in link.directions}
    written = {
        (named.node, named.interface): end
        for link, plain in zip(real.links, topology.links, strict=True)
        for named, end in zip(link.ends, plain.ends, strict=True)
    }
    assert set(ends) == set(theirs)
    for key, (_, shape) in ends.items():
        end, dry = written[key], theirs[key]
        if key[0] not in unset:
            assert (str(end.addresses[0]) if end.addresses else "") == dry.address, key
        assert end.mac in ("", dry.mac), key
        assert end.mtu_bytes == (dry.mtu or None), key
        assert_equal_shape(shape, dry)
    return topology


def assert_equal_shape(shape: Shape, dry: DryInterface) -> None:
    """The shape of a direction has the values of Mininet's `tc` commands at the sending interface."""
    in_ms = lambda text: {"ms": 1.0, "us": 1e-3, "s": 1e3}[text.lstrip("0123456789.")] * float(text.rstrip("mus"))  # noqa: E731
    arguments = " ".join(dry.tc)
    rate = dry.number("htb rate") or dry.number("tbf rate") or dry.number("ul rate")
    assert shape.rate_mbit == rate
    netem = next((words for words in dry.tc if "netem" in words), "").partition("netem ")[2].split()
    assert shape.delay_ms == (in_ms(netem[netem.index("delay") + 1]) if "delay" in netem else 0)
    assert shape.loss_percent == (float(netem[netem.index("loss") + 1]) if "loss" in netem else 0)
    if rate is not None:
        limit = int(netem[netem.index("limit") + 1]) if "limit" in netem else None
        assert shape.queue_packets == limit
    if " red " in arguments:
        assert isinstance(shape.queue, Red)
        words = next(words for words in dry.tc if " red " in words).partition(" red ")[2].split()
        values = {
            word: float(value) for word, value in zip(words[::2], words[1::2], strict=False) if word != "bandwidth"
        }
        fields = {"min": "min_bytes", "max": "max_bytes", "avpkt": "avpkt_bytes", "burst": "burst_packets"}
        assert {word: getattr(shape.queue, field) for word, field in fields.items()}.items() <= values.items()
        assert shape.queue.probability == pytest.approx(values["probability"], abs=0.01)
        assert shape.queue.ecn == (words[-1] == "ecn")
        assert shape.queue_packets or shape.queue_bytes == values["limit"]
    else:
        assert shape.queue is None
    if "tbf" in arguments and not netem and " red " not in arguments:
        # limit = rate * latency + burst, as in tc-tbf(8)
        latency_ms, burst = dry.number("latency"), dry.number("burst")
        assert rate is not None and latency_ms is not None and burst is not None
        assert shape.queue_bytes == pytest.approx(rate * 125 * latency_ms + burst, abs=1)


def test_interfaces_have_mininets_names_and_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    topology = compare(Interfaces(), monkeypatch)
    h1 = [end for _, end in topology.ends_at("h1")]
    assert [(end.interface, end.mac) for end in h1] == [("late", "02:00:00:00:00:07"), ("h1-eth3", "02:00:00:00:00:01")]
    # a link with an end that is switched off has no carrier
    assert [link.up for link in topology.links] == [True, True, True, True, True, False]
    assert remarks(Interfaces()) == [("h2", "ip"), ("l6", "params1.ip")]


def test_an_address_of_the_first_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mininet replaces it by an automatic address; here it is kept, with a remark."""
    topo = pair({"params1": {"ip": "10.5.0.1/24"}}, h1={"cores": "0"})
    loaded = mininet_topo.read(topo)
    assert [str(address) for address in loaded.topology.links[0].a.addresses] == ["10.5.0.1/24"]
    ((node, field, message),) = [(problem.node, problem.field, problem.message) for problem in loaded.warnings]
    assert (node, field) == ("l1", "params1.ip") and "unless h1 has ip=None" in message
    assert build_dry(topo, monkeypatch).interfaces["h1", "h1-eth0"].address == "10.0.0.1/8"


def test_a_name_longer_than_the_kernel_allows_is_shortened() -> None:
    topo = Topo()
    for name in ("a-very-long-name", "s1"):
        topo.addHost(name)
    topo.addLink("a-very-long-name", "s1")
    assert mininet_topo.read(topo).topology.links[0].a == End(node="a-very-long-name")


def test_the_router_of_mininets_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    example = pytest.importorskip("mininet.examples.linuxrouter")
    topology = compare(example.NetworkTopo(), monkeypatch)
    assert isinstance(topology.node("r0"), Router)
    assert remarks(example.NetworkTopo()) == [("r0", "cls")]
    assert not [problem for problem in check(topology) if problem.severity == "error"]


# --- shapes -----------------------------------------------------------------------------------------------------------


SHAPES: list[dict[str, Any]] = [
    {"bw": 10}, {"bw": 10, "delay": "5ms", "jitter": "1ms", "loss": 0.5, "max_queue_size": 100},
    {"delay": "300us"}, {"delay": "1s"}, {"loss": 3}, {"bw": 0.5, "max_queue_size": 20},
    {"bw": 10, "enable_red": True}, {"bw": 10, "enable_ecn": True}, {"bw": 10, "enable_ecn": True, "enable_red": True},
    {"bw": 10, "enable_red": True, "max_queue_size": 200, "delay": "2ms"}, {"bw": 8, "use_tbf": True},
    {"bw": 8, "use_tbf": True, "latency_ms": 40}, {"bw": 8, "use_tbf": True, "enable_red": True},
    {"bw": 8, "use_tbf": True, "delay": "4ms"}, {"bw": 20, "use_htb": True},
]  # fmt: skip


@pytest.mark.parametrize("options", SHAPES, ids=str)
@pytest.mark.parametrize("place", ["link", "params1", "params2"])
def test_shapes_are_those_of_mininets_commands(
    options: dict[str, Any], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    topo = pair(options if place == "link" else {place: options})
    topology = compare(topo, monkeypatch)
    (link,) = topology.links
    assert [side for side in ("a_to_b", "b_to_a") if not getattr(link, side).is_plain] == {
        "link": ["a_to_b", "b_to_a"], "params1": ["a_to_b"], "params2": ["b_to_a"],
    }[place]  # fmt: skip
    assert remarks(topo) == []
    assert not [problem for problem in check(topology) if problem.severity == "error"]


def test_options_of_a_link_override_those_of_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    (link,) = compare(pair({"bw": 10, "params1": {"bw": 3, "delay": "2ms"}}), monkeypatch).links
    assert (link.a_to_b, link.b_to_a) == (Shape(rate_mbit=10, delay_ms=2), Shape(rate_mbit=10))


def test_options_of_wrapped_classes_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = functools.partial(mininet_link.TCIntf, bw=4, delay="1ms")
    custom = mininet_util.custom(mininet_link.TCIntf, bw=6)
    for options, rates in (
        ({"cls1": slow}, (4, None)), ({"intf": slow, "cls": mininet_link.Link}, (4, 4)),
        ({"intf": slow, "cls2": custom, "cls": mininet_link.Link}, (4, 6)),
        ({"cls1": slow, "params1": {"bw": 5}}, (5, None)),
        ({"cls": functools.partial(mininet_link.TCLink, bw=7)}, (7, 7)),
    ):  # fmt: skip
        topo = pair(options)
        (link,) = compare(topo, monkeypatch).links
        assert (link.a_to_b.rate_mbit, link.b_to_a.rate_mbit) == rates
        assert remarks(topo) == []


def test_a_speedup_is_the_rate_at_switches(monkeypatch: pytest.MonkeyPatch) -> None:
    topo = Topo()
    topo.addHost("h1", ip="10.0.0.1/24")
    topo.addSwitch("s1")
    topo.addLink("h1", "s1", bw=10, speedup=40)
    (link,) = compare(topo, monkeypatch).links
    assert (link.speedup_mbit, remarks(topo)) == (40, [])


# --- nodes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheduler", [None, "cfs", "rt"])
def test_cpu_limits_are_those_of_mininets_commands(scheduler: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"cls": mininet_node.CPULimitedHost, "cpu": 0.29, "cores": "0,2", "ip": "10.0.0.1/24"}
    topo = one_node(**options, **({"sched": scheduler} if scheduler else {}))
    host = mininet_topo.read(topo).topology.node("h1")
    assert isinstance(host, Host) and host.cpu_percent is not None
    cgroup = build_dry(topo, monkeypatch).cgroups["h1"]
    kind, cpus = ("rt_runtime", 1) if scheduler == "rt" else ("cfs_quota", mininet_util.numCores())
    period = cgroup["cpu.rt_period_us" if scheduler == "rt" else "cpu.cfs_period_us"]
    assert host.cpu_percent == pytest.approx(100 * cgroup[f"cpu.{kind}_us"] / period / cpus, abs=0.01)
    assert (host.scheduler, host.cores) == (scheduler or "cfs", cgroup["cpuset.cpus"])
    assert remarks(topo) == []


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"cpu": 0.5}, Host(name="h1", scheduler="cfs", cpu_percent=50)), ({"cpu": -1}, Host(name="h1")),
        ({"cls": mininet_node.CPULimitedHost}, Host(name="h1")), ({"cores": 1}, Host(name="h1", cores="1")),
        ({"cls": mininet_util.custom(mininet_node.CPULimitedHost, cpu=0.1)},
         Host(name="h1", scheduler="cfs", cpu_percent=10)),
        ({"privateDirs": ["/var/run", ("/var/log", "/tmp/%(name)s")]},
         Host(name="h1", private_directories=(PrivateDirectory(path="/var/run"),
                                              PrivateDirectory(path="/var/log", persistent="/tmp/%(name)s")))),
        ({"inNamespace": True, "lo": "up"}, Host(name="h1")),
    ],
)  # fmt: skip
def test_options_of_hosts_without_a_remark(options: dict[str, Any], expected: Host) -> None:
    topo = one_node(**options)
    host = mininet_topo.read(topo).topology.node("h1")
    assert host is not None and host.without_looks == expected
    assert remarks(topo) == []


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"cls": mininet_node.OVSSwitch, "dpid": "00:1a"}, Switch(name="s1", switch_type="ovs", dpid="00:1a")),
        ({"cls": mininet_node.OVSKernelSwitch, "failMode": "standalone"}, Switch(name="s1", switch_type="ovs")),
        ({"cls": mininet_node.UserSwitch}, Switch(name="s1", switch_type="user")),
        ({"cls": mininet_node.UserSwitch, "inNamespace": True}, Switch(name="s1", switch_type="userns")),
        ({"cls": mininet_node.IVSSwitch, "listenPort": 6634}, Switch(name="s1", switch_type="ivs", dpctl_port="6634")),
        ({"cls": mininet_node.OVSBridge, "stp": True}, Bridge(name="s1", stp=True)),
        ({"cls": mininet_nodelib.LinuxBridge}, Bridge(name="s1")), ({"batch": True}, Switch(name="s1")),
    ],
)  # fmt: skip
def test_options_of_switches_without_a_remark(options: dict[str, Any], expected: Switch | Bridge) -> None:
    topo = one_switch(**options)
    switch = mininet_topo.read(topo).topology.node("s1")
    assert switch is not None and switch.without_looks == expected
    assert remarks(topo) == []


def test_openflow_versions_that_all_switches_have() -> None:
    topo = Topo()
    topo.addSwitch("s1", protocols="OpenFlow10,OpenFlow13")
    topo.addSwitch("s2", protocols=["OpenFlow13", "OpenFlow10"])
    assert mininet_topo.read(topo).topology.preferences.openflow == OpenFlowVersions(of10=True, of13=True)
    assert remarks(topo) == []
    topo.addSwitch("s3")
    assert mininet_topo.read(topo).topology.preferences.openflow == OpenFlowVersions()
    assert remarks(topo) == [("s1", "protocols"), ("s2", "protocols")]


class Probe(mininet_node.CPULimitedHost):  # type: ignore[misc,name-defined]
    """A class with code of its own."""


class Radio(mininet_link.TCLink):  # type: ignore[misc,name-defined]
    """A class of links with code of its own."""


class BorderRouter(mininet_node.Node):  # type: ignore[misc,name-defined]
    """A class that stands for a router."""


def test_a_router_has_a_static_default_route() -> None:
    (router,) = mininet_topo.read(_only(cls=BorderRouter, ip=None, defaultRoute="via 10.0.0.9")).topology.nodes
    assert isinstance(router, Router)
    assert [(str(route.prefix), str(route.via)) for route in router.static_routes] == [("0.0.0.0/0", "10.0.0.9")]


def _only(**options: Any) -> Any:
    topo = Topo()
    topo.addNode("h1", **options)
    return topo


# --- remarks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("topo", "places", "words"),
    [
        (one_node(colour="red"), [("h1", "colour")], "is 'red'"),
        (one_node(cls=Probe), [("h1", "cls")], "Probe; it is read as a CPULimitedHost"),
        (one_node(cls=mininet_nodelib.NAT, subnet="10.0/8", inNamespace=False),
         [("h1", "cls"), ("h1", "inNamespace"), ("h1", "subnet")], "NAT; it is an ordinary host"),
        (one_node(cls=lambda name: None), [("h1", "cls")], "its own code is left out"),
        (one_node(cores=[1, 2]), [("h1", "cores")], "a lab takes all"),
        (one_node(cores=0), [("h1", "cores")], "core 0"),
        (one_node(cpu=0.5, period_us=50_000), [("h1", "period_us")], "100000 us"),
        (one_node(cpu=3), [("h1", "cpu")], "no limit"), (one_node(cpu=0.5, sched="fifo"), [("h1", "sched")], "no CPU"),
        (one_node(defaultRoute="dev h1-eth0"), [("h1", "defaultRoute")], "address of a gateway"),
        (one_node(defaultRoute="via 10.0.0.9 metric 3"), [("h1", "defaultRoute")], "only the address"),
        (_only(ip="10.0.0.1/24", mac="02:00:00:00:00:01"), [("h1", "mac"), ("h1", "ip")], "no link"),
        (_only(cls=BorderRouter, ip="10.0.0.1/24"), [("h1", "cls"), ("h1", "ip")], "read as a router"),
        (one_switch(failMode="secure", datapath="user", reconnectms=5),
         [("s1", "failMode"), ("s1", "datapath"), ("s1", "reconnectms")], "always forwards"),
        (one_switch(protocols="OpenFlow15"), [("s1", "protocols")], "OpenFlow15 cannot be chosen"),
        (one_switch(ip="10.0.0.1", inNamespace=True), [("s1", "inNamespace"), ("s1", "ip")], "only user switches"),
        (pair({"max_queue_size": 5}), [("l1", "max_queue_size")], "no bw"),
        (pair({"params2": {"max_queue_size": 5}}), [("l1", "params2.max_queue_size")], "no bw"),
        (pair({"delay": 5}), [("l1", "delay")], "0.005 ms is taken"),
        (pair({"params1": {"delay": "5"}}), [("l1", "params1.delay")], '"5ms" if'),
        (pair({"jitter": "1ms"}), [("l1", "jitter")], "without delay"),
        (pair({"bw": 2000}), [("l1", "bw")], "above 1000"),
        (pair({"enable_red": True}), [("l1", "enable_red")], "no bw"),
        (pair({"bw": 10, "enable_ecn": True, "max_queue_size": 9}), [("l1", "enable_ecn")], "9 packets"),
        (pair({"bw": 10, "use_hfsc": True}), [("l1", "use_hfsc")], "token bucket"),
        (pair({"bw": 10, "latency_ms": 5}), [("l1", "latency_ms")], "without bw and use_tbf"),
        (pair({"bw": 10, "speedup": 2.5}), [("l1", "speedup")], "whole number"),
        (pair({"gro": True, "txo": False, "rxo": True}), [("l1", "gro"), ("l1", "txo")], "offloads"),
        (pair({"use_red": True}), [("l1", "use_red")], "no equivalent"),
        (pair({"cls": mininet_link.TCULink}), [("l1", "cls")], "checksum offload"),
        (pair({"cls": mininet_link.OVSLink, "cls1": mininet_link.OVSIntf}), [("l1", "cls"), ("l1", "cls1")], "OVSLink"),
        (pair({"cls": Radio, "ssid": "a"}), [("l1", "cls"), ("l1", "ssid")], "Radio; it is read as an ordinary link"),
        (pair({"cls": mininet_link.Link, "bw": 10, "params1": {"loss": 1}}), [("l1", "cls")], "ignores bw and loss"),
        (pair({"cls": mininet_link.TCLink, "intf": mininet_link.TCIntf}), [("l1", "intf")], "no effect"),
        (pair({"params1": {"ifconfig": "mtu 1400 promisc"}}), [("l1", "params1.ifconfig")], "only mtu"),
    ],
)  # fmt: skip
def test_every_option_that_is_not_kept_has_a_remark(topo: Any, places: list[tuple[str, str]], words: str) -> None:
    loaded = mininet_topo.read(topo)
    assert [(problem.node, problem.field) for problem in loaded.warnings] == places
    assert words in " ".join(str(problem) for problem in loaded.warnings)


def test_remarks_are_printed_by_python_and_stay_in_the_file(tmp_path: Path) -> None:
    topo = one_node(period_us=50_000, cls=Probe, ip="10.0.0.1/24")
    topo.addLink("h1", "s1", gro=True)
    with warnings.catch_warnings(record=True) as printed:
        warnings.simplefilter("always")
        topology = mininet_topo.topology_of(topo)
    assert [warning.category for warning in printed] == [mininet_topo.MininetRemark] * 3
    assert {warning.filename for warning in printed} == {__file__}
    places = [("h1", "cls"), ("h1", "period_us"), ("l2", "gro")]
    assert [str(warning.message).partition(": ")[0] for warning in printed] == [".".join(place) for place in places]
    file = tmp_path / "mine.mn"
    mn.save(topology, file)
    loaded = mn.load(file)
    assert loaded.topology == topology
    assert [(problem.node, problem.field) for problem in loaded.warnings] == places
    assert {problem.kind for problem in loaded.warnings} == {"mininet-option"}
    assert set(opened(file.read_text()).nodes) == {"h1", "s1"}
    # MiniEdit passes opts of links to Mininet, so the remarks are beside them.
    entry = json.loads(file.read_text())["links"][1]
    assert set(entry) == {"src", "dest", "opts", "mininet_remarks"} and "gro" not in entry["opts"]


def test_the_command_line_and_the_window_show_remarks(tmp_path: Path) -> None:
    file = tmp_path / "mine.mn"
    mn.save(mininet_topo.read(one_node(period_us=50_000)).topology, file)
    lines = [line for line in invoke("check", file).stdout.splitlines() if "#mininet-option" in line]
    (line,) = lines
    assert line.startswith("note     h1, period_us: is 50000; a CPU limit has the period of 100000 us here")
    document = Document()
    document.open(file)
    assert [(problem.node, problem.field) for problem in document.warnings] == [("h1", "period_us")]


def test_the_option_link_of_the_command_line_has_remarks(capsys: pytest.CaptureFixture[str]) -> None:
    from miniedit_frr.cli.edit import initial_topology

    topology = initial_topology("minimal", "tc,bw=10,enable_ecn=true,use_tbf=0,delay=5")
    assert isinstance(topology.links[0].a_to_b.queue, Red)
    assert topology.links[0].a_to_b.delay_ms == 0.005
    error = capsys.readouterr().err
    assert error.startswith("warning  --link") and "0.005 ms is taken" in error and error.count("\n") == 1


@pytest.mark.parametrize(
    "value", [[], "text", {"gro": 1}, {"gro": "two\nlines"}, {"gro": "long" * 1000}, {"x" * 300: "text"}]
)
def test_invalid_remarks_in_a_file_are_unknown_keys(value: Any) -> None:
    topology = Topology(nodes=(Host(name="h1"),))
    document = json.loads(mn.dumps(topology))
    document["hosts"][0]["mininet_remarks"] = value
    loaded = mn.loads(json.dumps(document))
    assert [problem.kind for problem in loaded.warnings] == ["unknown-keys"]
    assert json.loads(mn.dumps(loaded.topology))["hosts"][0]["mininet_remarks"] == value
