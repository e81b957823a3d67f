"""Measurements of links in virtual time do not depend on the machine, and are exact to the last digits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from frrlib.formats import mn
from frrlib.lab.lab import Lab
from frrlib.model.links import Shape
from frrlib.model.queues import Cake
from frrlib.network.network import Network, end
from frrlib.verify.links import LinkCheck, check_links
from tests.cli.commands import invoke

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("virtual_time")]

#: MTU by rate in Mbit/s; the others have 1500.
MTU_BYTES = {20: 9000, 8: 576}


@pytest.fixture(scope="module")
def network() -> Network:
    """Links with very different rates, delays, queues and losses, each between two hosts of its own."""
    net = Network("far apart")
    shapes = (
        Shape(rate_mbit=1, delay_ms=150, queue_packets=25),
        Shape(rate_mbit=200, delay_ms=10, queue_bdp=0.5),
        Shape(rate_mbit=10, delay_ms=150, queue_bdp=0.1),
        Shape(rate_mbit=10, delay_ms=0, queue_packets=50),
        Shape(rate_mbit=0.84, delay_ms=10, queue=Cake(link_layer="atm", overhead_bytes=10)),
        Shape(rate_mbit=20, delay_ms=5, queue_packets=30),
        Shape(rate_mbit=8, delay_ms=5, queue_ms=20, shaper="htb"),
        Shape(rate_mbit=30, delay_ms=5, loss_percent=10),
    )
    for number, shape in enumerate(shapes):
        net.host(f"a{number}")
        net.host(f"b{number}")
        ends = [end(f"{side}{number}", mtu_bytes=MTU_BYTES.get(int(shape.rate_mbit or 0))) for side in "ab"]
        net.link(*ends, a_to_b=shape, b_to_a=Shape(delay_ms=shape.delay_ms))
    return net


@pytest.fixture(scope="module")
def checks(network: Network, virtual_time: None) -> list[LinkCheck]:
    with Lab(network.topology, place="labkernel", virtual_time=True) as lab:
        return list(check_links(lab))


def _of(checks: list[LinkCheck], subject: str) -> list[LinkCheck]:
    return [check for check in checks if check.quantity == subject]


def test_every_measurement_equals_its_setting(checks: list[LinkCheck]) -> None:
    assert [check for check in checks if check.is_true is not True] == []
    assert {subject: len(_of(checks, subject)) for subject in ("base RTT", "rate", "queue", "loss")} == {
        "base RTT": 8, "rate": 8, "queue": 7, "loss": 16,
    }  # fmt: skip


def test_a_round_trip_is_twice_the_delay_even_if_an_address_request_is_lost(checks: list[LinkCheck]) -> None:
    rtts_ms = [check.measured for check in _of(checks, "base RTT")]
    assert rtts_ms == pytest.approx([300, 20, 300, 0, 20, 10, 10, 10], abs=0.02)


def test_a_full_queue_empties_at_the_rate(checks: list[LinkCheck]) -> None:
    for check in _of(checks, "rate"):
        assert check.configured is not None
        # chance determines the lost tenth of 4,000 datagrams
        assert check.measured == pytest.approx(check.configured, rel=0.02 if check.configured == 30 else 0.0005)


def test_a_shaper_with_cells_carries_less_than_its_rate(checks: list[LinkCheck]) -> None:
    (cake,) = [check for check in _of(checks, "rate") if check.link == "l5"]
    assert cake.configured == pytest.approx(0.84 * 1514 / (32 * 53))  # 1500 + 10 bytes take 32 cells of ATM


def test_a_queue_holds_its_limit_to_a_frame(checks: list[LinkCheck]) -> None:
    for check in _of(checks, "queue"):
        assert check.measured is not None and check.configured is not None
        assert 0 <= check.configured - check.measured < {"l6": 9014, "l7": 590}.get(check.link, 1514)


def test_the_command_prints_the_same_for_the_same_seed(network: Network, tmp_path: Path) -> None:
    topology = network.topology
    lossy = topology.model_copy(update={"nodes": topology.nodes[-2:], "links": topology.links[-1:]})
    mn.save(lossy, tmp_path / "lossy.mn")
    runs = [invoke("verify", tmp_path / "lossy.mn", "--virtual-time", "--seed", seed, "--json") for seed in "778"]
    assert [run.exit_code for run in runs] == [0, 0, 0], runs[0].stderr
    first, again, with_other_seed = (json.loads(run.stdout) for run in runs)
    assert first == again != with_other_seed


def test_a_seed_without_virtual_time_is_refused(network: Network, tmp_path: Path) -> None:
    mn.save(network.topology, tmp_path / "lab.mn")
    done = invoke("verify", tmp_path / "lab.mn", "--seed", "7")
    assert done.exit_code == 2 and "--seed needs --virtual-time" in done.stderr
