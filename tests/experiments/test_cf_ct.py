"""The CF and CT experiments: published commands like Mininet's, and numbers from made-up series."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest
from mininet.link import TCIntf

from frrlib.model.own_commands import parse_command, queue_kind
from frrlib.results.packets.captures import ACK, Segments
from frrlib.results.packets.views import CapturedFlow
from miniedit_frr.experiments.bbr_castroflavio import declarations as cf
from miniedit_frr.experiments.bbr_castroflavio.lab import tclink
from miniedit_frr.experiments.bbr_castroflavio.rtt import captured_flow_rtt
from miniedit_frr.experiments.tbf_churrotarta import declarations as ct
from miniedit_frr.experiments.tbf_churrotarta import lab as ct_lab


def words(command: str) -> list[str]:
    """The words of a command in a normal form: numbers without trailing zeros, units in lower case."""
    text = re.sub(r"\s+", " ", command.lower()).replace("5:0 ", "5: ").strip().split()
    return [re.sub(r"\.0+(?=[a-z]|$)", "", word) for word in text]


@pytest.mark.parametrize(("rate", "delay", "packets"), [(10, 20, 175), (100, 5, 1024)])
def test_the_published_link_has_mininets_commands(rate: int, delay: int, packets: int) -> None:
    node = SimpleNamespace(node=SimpleNamespace(name="s0"), bwParamMax=1000)
    shaped, parent = TCIntf.bwCmds(node, bw=rate)
    delayed, _ = TCIntf.delayCmds(parent, delay=f"{delay}ms", max_queue_size=packets)
    theirs = [words(template % ("tc", "s0-eth2")) for template in (*shaped, *delayed)]
    ours = [words(f"tc {parse_command(line).command('s0-eth2')}") for line in tclink(rate, delay, packets).qdiscs]
    assert ours == theirs


def segments(times: list[float], numbers: list[int], size: int = 0) -> Segments:
    """Packets with these sequence numbers, or, of size 0, acknowledgments of these."""
    count = len(times)
    data, zero = np.array(numbers, dtype=np.int64), np.zeros(count, dtype=np.int64)
    return Segments(
        time_s=np.array(times), frame_bytes=zero + size + 66, payload_bytes=zero + size,
        sequence=data if size else zero, acknowledgment=zero if size else data, flags=zero + ACK,
        stamp=zero - 1, echo=zero - 1, congested=np.zeros(count, dtype=np.bool_), window=zero,
        sack=np.zeros((count, 4, 2), dtype=np.uint32),
    )  # fmt: skip


def test_rtts_behind_a_lost_packet_are_those_of_tshark() -> None:
    # Four packets, 40 ms there and back. The second is lost and sent again after 50 ms, so the acknowledgment of all
    # comes at 90 ms: 87 ms after the last was sent. TCP itself would measure nothing there.
    data = segments([0.0, 0.001, 0.002, 0.003, 0.050], [0, 100, 200, 300, 100], 100)
    acks = segments([0.040, 0.042, 0.043, 0.090], [100, 100, 100, 400])
    times, rtts = captured_flow_rtt(CapturedFlow("h1:h1-eth0", "f", data, acks))
    assert times.tolist() == [0.040, 0.090]
    assert rtts.tolist() == pytest.approx([40.0, 87.0])


def test_the_cases_of_ct_differ_only_in_the_bucket() -> None:
    (published,) = ct.CT_A.cases(False)
    sweep = {case.values["burst_bytes"]: case.topology for case in ct.CT_E.cases(False) if case.values}
    lines = {size: next(iter_own(topology)) for size, topology in sweep.items()}
    (delay, shaper) = next(iter_own(published.topology))
    assert {queue_kind(commands) for commands in lines.values()} == {"tbf"}
    for size, (first, second) in lines.items():
        assert first == delay
        assert second == shaper.replace("buffer 1mbit", f"burst {size:g}b")


def iter_own(topology: object) -> object:
    """The own commands of a topology, by direction of a link."""
    return (shape.qdiscs for link in topology.links for _, _, shape in link.directions if shape.qdiscs)  # type: ignore[attr-defined]


def test_quick_cases_are_a_shorter_subset() -> None:
    for experiment in (*cf.EXPERIMENTS, *ct.EXPERIMENTS):
        assert {case.name for case in experiment.cases(True)} <= {case.name for case in experiment.cases(False)}, (
            experiment.name
        )
        lasts = {quick: sum(flow.duration_s or 0 for case in experiment.cases(quick) for flow in case.topology.flows)
                 for quick in (False, True)}  # fmt: skip
        assert lasts[True] <= lasts[False], experiment.name
    assert ct_lab.netem_and_tbf().qdisc_kinds == ("netem", "tbf")
