"""The congestion control of a flow, the setting that determines it, and the rate and delay of its path."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from frrlib.addressing.addressing import addressed
from frrlib.checks.check import check
from frrlib.lab.needs import needs_of
from frrlib.model.tcp import TcpTuning
from frrlib.model.topology import Topology
from frrlib.prediction.congestion import control_of
from frrlib.prediction.flow_paths import base_rtt_ms, bottleneck_mbit, flow_bdp_bytes, largest_bdp_bytes, path
from tests.checks.problems import E, N, W, build, link, node, titles


def _topology(flow: str = "", by_link: str = "", by_host: str = "", other_link: str = "", **fields: Any) -> Topology:
    """h1 with two links. The first one leads to r1 and h2, the second one to h3."""
    return build(
        [node("h1", congestion_control=by_host, **fields), "r1", "h2", "h3"],
        [
            link(1, "h1=10.1.0.9/24", "r1=10.1.0.1/24", a={"congestion_control": by_link},
                 a_to_b={"delay_ms": 5}, b_to_a={"delay_ms": 7}),
            link(2, "h1=10.3.0.9/24", "h3=10.3.0.8/24", a={"congestion_control": other_link}),
            link(3, "r1=10.2.0.1/24", "h2=10.2.0.9/24", a_to_b={"rate_mbit": 10, "delay_ms": 20}),
        ],
        flows=[
            {"id": "far", "source": "h1", "destination": "h2", "congestion_control": flow},
            {"id": "near", "source": "h1", "destination": "h3", "congestion_control": flow},
        ],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("flow", "by_link", "by_host", "wins", "elsewhere"),
    [
        ("", "", "", "the kernel's own", "the kernel's own"),
        ("", "", "reno", "reno, by host h1", "reno, by host h1"),
        ("", "bbr", "", "bbr, by link l1 at h1", "the kernel's own"),
        ("", "bbr", "reno", "bbr, by link l1 at h1", "reno, by host h1"),
        ("cubic", "", "", "cubic, by flow far", "cubic, by flow near"),
        ("cubic", "", "reno", "cubic, by flow far", "cubic, by flow near"),
        ("cubic", "bbr", "", "cubic, by flow far", "cubic, by flow near"),
        ("cubic", "bbr", "reno", "cubic, by flow far", "cubic, by flow near"),
    ],
)
def test_precedence_is_flow_then_link_then_host(
    flow: str, by_link: str, by_host: str, wins: str, elsewhere: str
) -> None:
    topology = addressed(_topology(flow, by_link, by_host))
    assert [control_of(topology, sender).text for sender in topology.flows] == [wins, elsewhere]


def test_the_link_is_the_one_by_which_the_host_sends() -> None:
    topology = addressed(_topology(other_link="reno", default_route="10.3.0.8"))
    assert [control_of(topology, flow).text for flow in topology.flows] == ["reno, by link l2 at h1"] * 2


def test_a_vlan_is_on_the_first_link() -> None:
    vlan = {"address": "10.5.0.1/24", "vlan_id": 5}
    topology = build(
        [node("h1", vlan_interfaces=[vlan]), node("h2", vlan_interfaces=[vlan | {"address": "10.5.0.2/24"}])],
        [link(1, "h1=10.1.0.1/24", "h2=10.5.0.3/24", a={"congestion_control": "bbr"})],
        flows=[{"id": "f", "source": "h1", "destination": "h2", "congestion_control": ""}],
    )
    assert control_of(topology, topology.flows[0]).text == "bbr, by link l1 at h1"


def test_a_router_uses_the_default_of_its_kernel() -> None:
    topology = _topology()
    flow = topology.flows[0].model_copy(update={"source": "r1"})
    assert control_of(addressed(topology), flow).text == "the kernel's own"


def test_rate_and_delay_of_a_path() -> None:
    topology = _topology()
    hops = path(topology, "h1", "h2")
    assert hops is not None
    assert [passed.id for passed, _, _ in hops] == ["l1", "l3"]
    assert (base_rtt_ms(hops), bottleneck_mbit(hops)) == (32.0, 10.0)
    assert [flow_bdp_bytes(topology, flow) for flow in topology.flows] == [40_000.0, None]
    assert [largest_bdp_bytes(topology, name) for name in ("h1", "h2", "h3")] == [40_000.0, 40_000.0, None]
    reverse = path(topology, "h2", "h1")
    assert reverse is not None and bottleneck_mbit(reverse) is None and base_rtt_ms(reverse) == 32.0
    assert path(topology, "h2", "h3") is None  # h1 does not forward


def test_a_path_starts_with_the_link_by_which_the_host_sends() -> None:
    topology = build(
        ["h1", "r1", "r2", "h2"],
        [
            link(1, "h1=10.1.0.9/24", "r1=10.1.0.1/24"),
            link(2, "h1=10.3.0.9/24", "r2=10.3.0.1/24"),
            link(3, "r1=10.4.0.1/24", "r2=10.4.0.2/24"),
            link(4, "r2=10.2.0.1/24", "h2=10.2.0.9/24"),
        ],
    )
    hops = path(topology, "h1", "h2")  # its gateway is the router of its first network
    assert hops is not None
    assert [passed.id for passed, _, _ in hops] == ["l1", "l3", "l4"]


def test_names_and_places_are_checked() -> None:
    wrong = build(
        ["h1", "r1", "s1", "h2"],
        [
            link(1, "h1", "r1", a={"congestion_control": "no name"}, b={"congestion_control": "bbr"}),
            link(2, "s1", "h2", a={"congestion_control": "bbr"}, b={"congestion_control": "bbr"}),
        ],
    )
    problems = [title for title in titles(check(wrong)) if "congestion" in title[0]]
    assert problems == [
        ("illegal-congestion-control", E, "l1", "a.congestion_control"),
        ("congestion-control-place", E, "l1", "b.congestion_control"),
        ("congestion-control-place", E, "l2", "a.congestion_control"),
    ]


@pytest.mark.parametrize("where", ["flow", "by_link", "by_host"])
def test_bbr_without_fq_is_reported(where: str) -> None:
    problems = [title for title in titles(check(_topology(**{where: "bbr"}))) if title[0] == "bbr-without-fq"]
    assert problems == [("bbr-without-fq", N, "h1", "tcp.pacing")]
    assert "bbr-without-fq" not in [
        title[0] for title in titles(check(_topology(**{where: "bbr"}, tcp={"pacing": True})))
    ]


def test_a_buffer_in_bdp_needs_a_path_with_a_delay() -> None:
    def reported(topology: Topology) -> list[Any]:
        return [title for title in titles(check(topology)) if title[0] == "bdp-without-delay"]

    tuned = _topology(tcp={"buffer_bdp": 2})
    assert not reported(tuned)
    assert reported(tuned.model_copy(update={"flows": ()})) == [("bdp-without-delay", E, "h1", "tcp.buffer_bdp")]
    with pytest.raises(ValidationError, match="remove one of them"):
        TcpTuning(buffer_bytes=10_000, buffer_bdp=1)


@pytest.mark.parametrize(
    ("delay_ms", "tcp", "is_reported"),
    [
        (8, {}, False),  # 1 Gbit/s and 16 ms: 2 MB, and 4 MiB are about as much
        (9, {}, True),
        (9, {"buffer_bytes": 5_000_000}, False),
        (1, {"buffer_bytes": 400_000}, True),
        (500, {"buffer_bdp": 1}, False),
    ],
)
def test_a_buffer_too_small_for_the_path_is_reported(delay_ms: float, tcp: dict[str, Any], is_reported: bool) -> None:
    shape = {"rate_mbit": 1000, "delay_ms": delay_ms}
    topology = build(
        [node("h1", tcp=tcp), "h2"],
        [link(1, "h1", "h2", a_to_b=shape, b_to_a=shape)],
        flows=[{"id": "f", "source": "h1", "destination": "h2"}],
    )
    assert (("small-buffer", W, "h1", "tcp.buffer_bytes") in titles(check(topology))) is is_reported


def test_pacing_without_an_interface_for_fq_is_reported() -> None:
    paced = build([node("h1", tcp={"pacing": True}), "h2"], [link(1, "h1", "h2", a_to_b={"rate_mbit": 10}, b_to_a={})])
    assert ("pacing-at-queues", N, "h1", "tcp.pacing") in titles(check(paced))


def test_kernel_modules_that_a_place_needs() -> None:
    needs = needs_of(addressed(_topology("", "bbr", "reno", "vegas", tcp={"pacing": True})))
    assert needs.congestion_controls == {"bbr", "reno", "vegas"}
    assert needs.qdiscs == {"tbf", "bfifo", "netem", "fq"}
