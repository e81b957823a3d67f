"""Congestion control by link, host and flow, and a host's TCP settings, read from the kernel by its own tools."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from frrlib.formats.mn import dumps
from frrlib.lab.built_topology import with_permitted_defaults
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology
from frrlib.network.network import Network, Shape, TcpTuning, VlanInterface, Wait, end
from frrlib.run.run import RunSettings, run
from tests.waiting import wait_for

pytestmark = [pytest.mark.lab]

PLACES = ("namespace", "labkernel")
SERVER = "iperf3 -s -p 6000 > /dev/null 2>&1"
#: Connects with default options, sends some bytes, and prints the connection by `ss`.
CONNECT_AND_PRINT = """
import socket, subprocess, sys
with socket.create_connection((sys.argv[1], 6000)) as opened:
    opened.sendall(b"x" * 37)
    port = str(opened.getsockname()[1])
    print(subprocess.run(["ss", "-Htin", "sport", "=", ":" + port], capture_output=True, text=True).stdout)
"""
#: Reads TSO, GSO and GRO by SIOCETHTOOL, as `ethtool -k` does (linux/ethtool.h).
READ_OFFLOADS = """
import array, fcntl, socket, struct, sys
for command in (0x1e, 0x23, 0x2b):
    value = array.array("I", [command, 7])
    request = struct.pack("16sP", sys.argv[1].encode(), value.buffer_info()[0])
    fcntl.ioctl(socket.socket(), 0x8946, request)
    print(value[1])
"""
TUNING = TcpTuning(
    initial_window_packets=24,
    initial_receive_window_packets=40,
    ecn="on",
    sack=False,
    slow_start_after_idle=False,
    notsent_lowat_bytes=131_072,
)
PACED, BIG = {"pacing": True, "buffer_bdp": 4.0}, {"buffer_bytes": 200_000}


def _topology(place: str) -> Topology:
    """h1 with three links: to r1 and on to h2, to h3 and to h4. The settings of the links differ."""
    net = Network("Congestion control", wait=Wait(routes=False, ping_count=1))
    rich = place == "labkernel"  # not every kernel has fq, netem and VLANs
    vlan = (VlanInterface(address="10.5.0.1/24", vlan_id=5),)  # type: ignore[arg-type]
    net.host(
        "h1",
        congestion_control="reno",
        start_command=SERVER,
        vlan_interfaces=vlan if rich else (),
        tcp=TUNING.model_copy(update=PACED if rich else BIG),
    )
    net.router("r1")
    for name, default in (("h2", ""), ("h3", "bbr"), ("h4", "cubic")):
        net.host(name, start_command=SERVER, congestion_control=default)
    net.link(
        end("h1", "10.1.0.10/24", "2001:db8:1::10/64", congestion_control="bbr"),
        end("r1", "10.1.0.1/24", "2001:db8:1::1/64"),
    )
    net.link(end("r1", "10.2.0.1/24", "2001:db8:2::1/64"), end("h2", "10.2.0.2/24", "2001:db8:2::2/64"),
             both=Shape(rate_mbit=20, delay_ms=5 if rich else 0))  # fmt: skip
    net.link(end("h1", "10.3.0.10/24", offloads=True), end("h3", "10.3.0.3/24"))
    net.link(end("h1", "10.4.0.10/24", congestion_control="cubic"), end("h4", "10.4.0.4/24"))
    net.flow("by-link", "h1", "h2", congestion_control="", duration_s=1)
    net.flow("own", "h1", "h2", congestion_control="cubic", duration_s=1)
    net.flow("by-host", "h1", "h3", congestion_control="", duration_s=1)
    net.flow("by-other-link", "h1", "h4", congestion_control="", duration_s=1)
    net.flow("own-too", "h1", "h4", congestion_control="bbr", duration_s=1)
    return net.topology


@pytest.fixture(scope="module", params=PLACES)
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    with Lab(_topology(request.param), place=request.param) as running:
        yield running


@pytest.mark.parametrize(
    ("address", "control"),
    [("10.2.0.2", "bbr"), ("2001:db8:2::2", "bbr"), ("10.3.0.3", "reno"), ("10.4.0.4", "cubic")],
)
def test_a_socket_has_the_congestion_control_of_its_link(lab: Lab, address: str, control: str) -> None:
    output = lab["h1"].run("python3", "-c", CONNECT_AND_PRINT, address)
    words = output.replace("\n", " ").split()
    assert {"bbr", "cubic", "reno"} & set(words) == {control}, output


def test_iperf_without_an_option_has_it_too(lab: Lab) -> None:
    report = json.loads(lab["h1"].run("iperf3", "-c", "10.2.0.2", "-p", "6000", "-n", "100K", "-J"))
    assert report["end"]["sender_tcp_congestion"] == "bbr"
    report = json.loads(lab["h1"].run("iperf3", "-c", "10.2.0.2", "-p", "6000", "-n", "100K", "-J", "-C", "cubic"))
    assert report["end"]["sender_tcp_congestion"] == "cubic"


@pytest.mark.parametrize(("host", "address", "control"), [("h3", "10.3.0.10", "bbr"), ("h4", "10.4.0.10", "cubic")])
def test_a_host_uses_its_default_where_namespaces_may_not_set_it(
    lab: Lab, host: str, address: str, control: str
) -> None:
    report = json.loads(lab[host].run("iperf3", "-c", address, "-p", "6000", "-n", "100K", "-J"))
    assert report["end"]["sender_tcp_congestion"] == control


def test_a_default_that_is_not_permitted_is_used_by_interface() -> None:
    topology = _topology("namespace")
    built = with_permitted_defaults(topology, {"reno", "bbr"})
    assert with_permitted_defaults(topology, {"reno", "bbr", "cubic"}) == topology
    assert [host.congestion_control for host in built.hosts] == ["reno", "", "bbr", ""]
    ends = [(end.node, end.congestion_control) for link in built.links for end in link.ends]
    assert ends[0] == ("h1", "bbr") and ends[-2:] == [("h1", "cubic"), ("h4", "cubic")]
    assert len([control for _, control in ends if control]) == 3


def test_routes_have_the_settings_of_link_and_host(lab: Lab) -> None:
    routes = json.loads(lab["h1"].run("ip", "-j", "route"))
    routes += json.loads(lab["h1"].run("ip", "-j", "-6", "route"))
    by_destination = {f"{route['dst']} {route.get('gateway', '')}".strip(): route for route in routes}
    controls = {
        name: next((metric["congestion"] for metric in route.get("metrics", ()) if "congestion" in metric), "")
        for name, route in by_destination.items()
        if not name.startswith("fe80")
    }
    assert controls == {
        "10.1.0.0/24": "bbr",
        "10.3.0.0/24": "",
        "10.4.0.0/24": "cubic",
        **({"10.5.0.0/24": "bbr"} if lab.place.name == "labkernel" else {}),
        "2001:db8:1::/64": "bbr",
        "default 10.1.0.1": "bbr",
        "default 2001:db8:1::1": "bbr",
    }
    text = lab["h1"].run("ip", "route") + lab["h1"].run("ip", "-6", "route")
    for line in text.splitlines():
        if not line.startswith("fe80"):
            assert "initcwnd 24 initrwnd 40" in line, line


def test_there_is_one_route_for_each_network(lab: Lab) -> None:
    lines = lab["h1"].run("ip", "route").splitlines()
    assert len([line for line in lines if line.startswith("10.1.0.0/24")]) == 1
    assert "proto kernel scope link src 10.1.0.10" in next(line for line in lines if line.startswith("10.1.0.0/24"))


def test_kernel_settings_of_a_host(lab: Lab) -> None:
    expected = {
        "tcp_congestion_control": "reno",
        "tcp_ecn": "1",
        "tcp_sack": "0",
        "tcp_slow_start_after_idle": "0",
        "tcp_notsent_lowat": "131072",
        # 20 Mbit/s and a round trip of 10 ms: 25 kB, times four, times two for the overhead of the kernel
        "tcp_rmem": "4096 131072 200000",
        "tcp_wmem": "4096 16384 200000",
        "tcp_no_metrics_save": "1",
    }
    for key, value in expected.items():
        assert lab["h1"].run("sysctl", "-n", f"net.ipv4.{key}").split() == value.split(), key
    for name in ("h2", "r1"):
        assert lab[name].run("sysctl", "-n", "net.ipv4.tcp_no_metrics_save").strip() == "1"
        assert lab[name].run("sysctl", "-n", "net.ipv4.tcp_sack").strip() == "1"


def test_a_link_keeps_its_congestion_control_after_going_down(lab: Lab) -> None:
    lab.set_link("l3", up=False)
    lab.set_link("l3", up=True)
    assert "congctl" not in lab["h1"].run("ip", "route", "get", "10.3.0.3")
    lab.set_link("l1", up=False)
    lab.set_link("l1", up=True)
    for address in ("10.1.0.1", "10.2.0.2", "2001:db8:2::2"):
        route = lab["h1"].run("ip", "route", "get", address)
        assert re.search(r"congctl bbr\b", route), route


def test_offloads_are_on_only_where_requested(lab: Lab) -> None:
    """The lab has a shaped link, so all other offloads are off. The kernel's default for a veth is TSO and GSO without
    GRO."""
    ends = (("h1", "h1-eth0"), ("h1", "h1-eth1"), ("h3", "h3-eth0"), ("r1", "r1-eth1"))
    on = {name: lab[node].run("python3", "-c", READ_OFFLOADS, name).split() for node, name in ends}
    off = ["0", "0", "0"]
    assert on == {"h1-eth0": off, "h1-eth1": ["1", "1", "0"], "h3-eth0": off, "r1-eth1": off}


def test_pacing_uses_fq(lab: Lab) -> None:
    """The topology requests it in the lab kernel, which has fq. Elsewhere an interface has no qdisc of its own."""
    kind = "fq" if lab.place.name == "labkernel" else "noqueue"
    qdiscs = json.loads(lab["h1"].run("tc", "-j", "qdisc", "show"))
    assert {qdisc["dev"]: qdisc["kind"] for qdisc in qdiscs if qdisc["dev"] != "lo" and "." not in qdisc["dev"]} == {
        "h1-eth0": kind, "h1-eth1": kind, "h1-eth2": kind,
    }  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_a_run_reports_which_setting_chose_the_congestion_control(place: str, tmp_path: Path) -> None:
    topology = _topology(place)
    outcome = run(topology, dumps(topology), tmp_path / "out", RunSettings(place=place))
    assert outcome.failures == []
    assert outcome.summary is not None
    assert {flow.flow: (flow.congestion_control, flow.control_by) for flow in outcome.summary.flows} == {
        "by-link": ("bbr", "link l1 at h1"),
        "own": ("cubic", "flow own"),
        "by-host": ("reno", "host h1"),
        "by-other-link": ("cubic", "link l4 at h1"),
        "own-too": ("bbr", "flow own-too"),
    }
    assert outcome.summary.not_as_drawn == ()


@pytest.mark.parametrize("place", PLACES)
def test_a_link_that_is_down_at_first_has_its_settings_when_it_comes_up(place: str) -> None:
    net = Network("Down at first", wait=Wait(routes=False))
    net.host("h1", tcp=TcpTuning(initial_window_packets=4))
    net.host("h2")
    net.link(
        end("h1", "10.1.0.1/24", "2001:db8:1::1/64", congestion_control="bbr"),
        end("h2", "10.1.0.2/24", "2001:db8:1::2/64"),
        up=False,
    )
    with Lab(net.topology, place=place) as lab:
        assert "congctl" not in lab["h1"].run("ip", "route")
        lab.set_link("l1", up=True)
        for address in ("10.1.0.2", "2001:db8:1::2"):
            route = lab["h1"].run("ip", "route", "get", address)
            assert re.search(r"initcwnd 4\b.* congctl bbr\b|congctl bbr\b.* initcwnd 4\b", route), route
            lab["h1"].run("ping", "-c", "1", "-W", "5", address)


def test_fq_is_restored_after_a_fault() -> None:
    net = Network("Paced")
    net.host("h1", tcp=TcpTuning(pacing=True))
    net.host("h2")
    net.link("h1", "h2")
    with Lab(net.topology, place="labkernel") as lab:
        lab.lose("l1", duration_s=0.5)

        def at_the_root() -> list[str]:
            qdiscs = json.loads(lab["h1"].run("tc", "-j", "qdisc", "show", "dev", "h1-eth0"))
            return [qdisc["kind"] for qdisc in qdiscs if qdisc.get("root")]

        assert at_the_root() != ["fq"]
        wait_for(lambda: at_the_root() == ["fq"], "the loss to be over")
