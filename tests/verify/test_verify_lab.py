"""Measurements of links: they confirm the settings of the topology, and find changes in the kernel."""

from __future__ import annotations

import itertools
from ipaddress import ip_interface
from pathlib import Path

import pytest

from frrlib import wire
from frrlib.formats import mn
from frrlib.lab.lab import Lab
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host, Switch
from frrlib.model.topology import Topology
from frrlib.verify.links import LinkCheck, check_links

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("virtual_time")]

ASYMMETRIC = Topology(
    nodes=(Host(name="h1"), Host(name="h2"), Switch(name="s1"), Host(name="h3"), Switch(name="s2")),
    links=(
        Link(
            id="l1",
            a=End(node="h1"),
            b=End(node="h2"),
            a_to_b=Shape(rate_mbit=8, delay_ms=10, queue_packets=60, loss_percent=2),
            b_to_a=Shape(rate_mbit=2, delay_ms=40, queue_ms=100),
        ),
        Link(
            id="l2",
            a=End(node="h1", addresses=(ip_interface("10.9.0.1/24"),)),
            b=End(node="s1"),
            a_to_b=Shape(rate_mbit=5),
        ),
        Link(
            id="l3",
            a=End(node="h3", addresses=(ip_interface("10.9.0.3/24"),)),
            b=End(node="s1"),
            a_to_b=Shape(delay_ms=7),
            b_to_a=Shape(delay_ms=8),
        ),
        Link(id="l4", a=End(node="h3"), b=End(node="s2"), a_to_b=Shape(rate_mbit=5)),
    ),
)


def of(link: str, checks: list[LinkCheck]) -> dict[tuple[str, str], LinkCheck]:
    return {(check.direction, check.quantity): check for check in checks if check.link == link}


def test_an_asymmetric_link_is_measured_and_a_change_in_the_kernel_is_found() -> None:
    with Lab(ASYMMETRIC, place="labkernel", virtual_time=True) as lab:
        all_checks = list(check_links(lab))
        checks = of("l1", all_checks)
        rtt = checks["h1 - h2", "base RTT"]
        assert rtt.measured is not None and rtt.measured >= 50
        assert checks["h1 -> h2", "queue"].measured == 60 * 1514
        assert checks["h2 -> h1", "queue"].is_true
        assert checks["h1 -> h2", "loss"].is_true and checks["h2 -> h1", "loss"].is_true
        for direction, rate in (("h1 -> h2", 8.0), ("h2 -> h1", 2.0)):
            measured = checks[direction, "rate"].measured
            # Chance decides which datagrams of the lossy direction are lost.
            assert measured == pytest.approx(rate, rel=0.02 if rate == 8.0 else 0.005)
        row = of("l2+l3", all_checks)
        rtt = row["h1 - h3", "base RTT"]
        assert rtt.configured == 15 and rtt.measured is not None and rtt.measured >= 15
        assert row["h1 -> h3", "rate"].measured == pytest.approx(5, rel=0.005)
        assert row["h1 -> h3", "queue"].is_true and ("h3 -> h1", "rate") not in row
        assert [check.reason for check in all_checks if check.link == "l4"] == [
            "it is not between two ends with addresses of one network"
        ]
        change = "qdisc replace dev h1-eth0 parent 1:1 handle 10: pfifo limit 30"
        lab.ask(wire.Execute("h1", ("tc", *change.split())))
        changed = itertools.takewhile(lambda check: check.link == "l1", check_links(lab))
        assert of("l1", list(changed))["h1 -> h2", "queue"].is_true is False


@pytest.mark.alone
def test_a_rate_is_measured_by_a_real_clock_too() -> None:
    link = Link(id="l1", a=End(node="h1"), b=End(node="h2"), a_to_b=Shape(rate_mbit=20))
    topology = ASYMMETRIC.model_copy(update={"nodes": ASYMMETRIC.nodes[:2], "links": (link,)})
    with Lab(topology, place="namespace") as lab:
        checks = of("l1", list(check_links(lab)))
    assert checks["h1 -> h2", "rate"].measured == pytest.approx(20, rel=0.15)
    assert checks["h1 -> h2", "loss"].is_true


def test_the_command_prints_every_measurement(tmp_path: Path) -> None:
    from tests.cli.commands import invoke

    plain = ASYMMETRIC.model_copy(update={"nodes": ASYMMETRIC.nodes[:2], "links": ()})
    link = Link(id="l1", a=End(node="h1"), b=End(node="h2"), a_to_b=Shape(loss_percent=100))
    topology = plain.model_copy(update={"links": (link,)})
    mn.save(topology, tmp_path / "lab.mn")
    done = invoke("verify", tmp_path / "lab.mn", "--virtual-time")
    assert done.exit_code == 0
    assert "all packets are lost, as configured" in done.stdout
    assert "100" in done.stdout
