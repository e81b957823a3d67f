"""Every discipline with each of its parameters: the kernel has the requested values, and packets pass."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from ipaddress import ip_interface

import pytest

from frrlib.errors import CommandFailed, PlaceError
from frrlib.lab.lab import Lab
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host
from frrlib.model.queues import DualPi2, FqPie
from frrlib.model.topology import Topology
from frrlib.place.confinement.file_tree import CODE
from frrlib.place.labkernel import find_kernel
from tests.disciplines import BOTH, CABLES, DUALPI2, FQ_PIE, QUEUES

pytestmark = [pytest.mark.lab]


#: For disciplines that a kernel may lack, our name of a statistic and that of `tc -j`.
STATISTICS = {
    "fq_pie": {"packets": "pkts_in", "drops_early": "dropped", "drops_limit": "overlimit", "marks": "ecn_mark",
               "memory_bytes": "memory_used", "new_flows_total": "new_flow_count"},
    "dualpi2": {"classic_packets": "pkts-in-c", "scalable_packets": "pkts-in-l", "most_packets": "maxq",
                "marks": "ecn-mark", "step_marks": "step-mark", "credit": "credit", "memory_bytes": "memory-used",
                "most_memory_bytes": "max-memory-used"},
}  # fmt: skip


def _shapes() -> dict[str, Shape]:
    shapes = {name: Shape(rate_mbit=9, queue_packets=100, queue=queue) for name, queue in QUEUES.items()}
    shapes |= {f"{name}-htb": Shape(rate_mbit=9.5, burst_frames=2, shaper="htb", queue=QUEUES[name])
              for name in ("fq_codel", "pfifo", "red")}  # fmt: skip
    # A bucket of 20 frames, which empties at twice the rate; and one whose peak rate is not above the rate.
    shapes["peak"] = Shape(rate_mbit=9, burst_frames=20, peak_rate_mbit=18, queue=QUEUES["pfifo"])
    shapes["peak-frames"] = Shape(rate_mbit=0.5, burst_frames=6, peak_rate_mbit=1.3, peak_frames=1)
    shapes["no-peak"] = Shape(rate_mbit=9, burst_frames=20, peak_rate_mbit=9, peak_frames=4)
    for name, (jitter_ms, rare) in CABLES.items():
        loss = 0.5 if name == "correlated" else 0.0
        shapes[name] = Shape(delay_ms=5, jitter_ms=jitter_ms, loss_percent=loss, impairments=rare)
    return shapes


SHAPES = _shapes()


def pairs(shapes: Iterable[Shape]) -> Topology:
    """A pair of hosts for each shape, with a link that has it in both directions."""
    nodes, links = [], []
    for number, shape in enumerate(shapes):
        a, b = (
            End(node=f"{side}{number}", addresses=(ip_interface(f"10.9.{number}.{last}/24"),))
            for side, last in (("a", 1), ("b", 2))
        )
        nodes += [Host(name=a.node), Host(name=b.node)]
        links.append(Link(id=f"l{number}", a=a, b=b, a_to_b=shape, b_to_a=shape))
    return Topology(nodes=tuple(nodes), links=tuple(links))


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with Lab(pairs(SHAPES.values()), place="labkernel") as running:
        yield running


def _received(lab: Lab, number: int) -> int:
    try:
        output = lab[f"a{number}"].run("ping", "-c", "8", "-i", "0.05", "-W", "2", f"10.9.{number}.2")
    except CommandFailed:  # nothing was received
        return 0
    return int(output.split(" received")[0].rpartition(",")[2])


@pytest.mark.parametrize("name", SHAPES)
def test_packets_pass_every_discipline(lab: Lab, name: str) -> None:
    # Some lose packets in bursts, which may be as long as a round of pings.
    assert any(_received(lab, list(SHAPES).index(name)) >= 4 for _ in range(5))


@pytest.mark.parametrize(
    ("name", "words"),
    [("peak", "peakrate 18Mbit minburst 30"), ("peak-frames", "peakrate 1300Kbit minburst 15"), ("no-peak", "")],
)
def test_the_kernel_has_the_peak_rate_and_full_frames_pass(lab: Lab, name: str, words: str) -> None:
    number = list(SHAPES).index(name)
    printed = lab[f"a{number}"].run("tc", "qdisc", "show", "dev", f"a{number}-eth0")
    assert words in printed
    assert ("peakrate" in printed) == bool(words)
    assert " 0% packet loss" in lab[f"a{number}"].run("ping", "-c", "3", "-s", "1472", f"10.9.{number}.2")


@pytest.mark.parametrize("queue", [FQ_PIE, DUALPI2], ids=lambda queue: queue.kind)
def test_a_discipline_that_a_kernel_may_lack_works_or_is_refused(queue: FqPie | DualPi2) -> None:
    """Debian's lab kernel is built without fq_pie, and Linux has dualpi2 since 6.17. The kernel prints its
    configuration."""
    topology = pairs([Shape(rate_mbit=9, queue_packets=100, queue=queue)])
    configuration = subprocess.run([find_kernel(), "--showconfig"], capture_output=True, text=True, check=True).stdout
    if re.search(rf"^CONFIG_NET_SCH_{queue.kind.upper()}=[ym]$", configuration, re.MULTILINE):
        with Lab(topology, place="labkernel") as running:
            assert _received(running, 0) == 8
            ours, qdiscs = json.loads(running["a0"].run("/usr/bin/python3", "-I", "-c", BOTH, CODE))
            (ours_of_kind, _, _), tcs = ours[queue.kind], next(qdisc for qdisc in qdiscs if qdisc["kind"] == queue.kind)
            same = STATISTICS[queue.kind]
            if queue == DUALPI2 and "pkts-in-c" not in tcs:
                same = {}  # this tc does not support it; test_dualpi2.py reads its statistics without tc
            assert {word: ours_of_kind[word] for word in same} == {word: tcs[theirs] for word, theirs in same.items()}
            assert tcs["packets"] >= 8
    else:
        with pytest.raises(PlaceError, match=f"lacks the queueing discipline {queue.kind}"):
            Lab(topology, place="labkernel").start()
