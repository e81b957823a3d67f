"""In virtual time links are measured without the machine: what is drawn is found to the last digits."""

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
def drawn() -> Network:
    """Links as far apart as rates, delays, queues and losses go, each between two hosts of its own."""
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
def checks(drawn: Network, virtual_time: None) -> list[LinkCheck]:
    with Lab(drawn.topology, place="labkernel", virtual_time=True) as lab:
        return list(check_links(lab))


def _of(checks: list[LinkCheck], what: str) -> list[LinkCheck]:
    return [each for each in checks if each.quantity == what]


def test_every_measurement_is_as_drawn(checks: list[LinkCheck]) -> None:
    assert [each for each in checks if each.is_true is not True] == []
    assert {what: len(_of(checks, what)) for what in ("base RTT", "rate", "queue", "loss")} == {
        "base RTT": 8, "rate": 8, "queue": 7, "loss": 16,
    }  # fmt: skip


def test_a_round_trip_is_twice_the_delay_also_where_a_question_for_an_address_is_lost(checks: list[LinkCheck]) -> None:
    trips = [each.measured for each in _of(checks, "base RTT")]
    assert trips == pytest.approx([300, 20, 300, 0, 20, 10, 10, 10], abs=0.02)


def test_a_full_queue_empties_at_the_rate(checks: list[LinkCheck]) -> None:
    for each in _of(checks, "rate"):
        assert each.configured is not None
        # of 4,000 datagrams the tenth that is lost is counted by chance
        assert each.measured == pytest.approx(each.configured, rel=0.02 if each.configured == 30 else 0.0005)


def test_a_shaper_with_cells_carries_less_than_its_rate(checks: list[LinkCheck]) -> None:
    (cake,) = [each for each in _of(checks, "rate") if each.link == "l5"]
    assert cake.configured == pytest.approx(0.84 * 1514 / (32 * 53))  # 1500 + 10 bytes take 32 cells of ATM


def test_a_queue_holds_what_is_drawn_to_a_frame(checks: list[LinkCheck]) -> None:
    for each in _of(checks, "queue"):
        assert each.measured is not None and each.configured is not None
        assert 0 <= each.configured - each.measured < {"l6": 9014, "l7": 590}.get(each.link, 1514)


def test_the_command_says_the_same_for_the_same_seed(drawn: Network, tmp_path: Path) -> None:
    topology = drawn.topology
    lossy = topology.model_copy(update={"nodes": topology.nodes[-2:], "links": topology.links[-1:]})
    mn.save(lossy, tmp_path / "lossy.mn")
    said = [invoke("verify", tmp_path / "lossy.mn", "--virtual-time", "--seed", seed, "--json") for seed in "778"]
    assert [each.exit_code for each in said] == [0, 0, 0], said[0].stderr
    first, again, other = (json.loads(each.stdout) for each in said)
    assert first == again != other


def test_a_seed_without_virtual_time_is_refused(drawn: Network, tmp_path: Path) -> None:
    mn.save(drawn.topology, tmp_path / "lab.mn")
    done = invoke("verify", tmp_path / "lab.mn", "--seed", "7")
    assert done.exit_code == 2 and "--seed needs --virtual-time" in done.stderr
