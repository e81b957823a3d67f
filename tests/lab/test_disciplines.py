"""Every discipline with everything it can be told: the kernel has it as asked, and packets pass."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from ipaddress import ip_interface

import pytest

from frrlib.errors import PlaceError
from frrlib.lab.lab import Lab
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host
from frrlib.model.queues import DualPi2, FqPie
from frrlib.model.topology import Topology
from frrlib.place.confinement.file_tree import CODE
from frrlib.place.labkernel import find_kernel
from tests.disciplines import BOTH, CABLES, DUALPI2, FQ_PIE, QUEUES

pytestmark = [pytest.mark.lab]


#: Of what a kernel need not have, what we call a number and what `tc -j` calls it.
TOLD = {
    "fq_pie": {"packets": "pkts_in", "drops_early": "dropped", "drops_limit": "overlimit", "marks": "ecn_mark",
               "memory_bytes": "memory_used", "new_flows_total": "new_flow_count"},
    "dualpi2": {"classic_packets": "pkts-in-c", "scalable_packets": "pkts-in-l", "most_packets": "maxq",
                "marks": "ecn-mark", "step_marks": "step-mark", "credit": "credit", "memory_bytes": "memory-used",
                "most_memory_bytes": "max-memory-used"},
}  # fmt: skip


def _shapes() -> dict[str, Shape]:
    found = {name: Shape(rate_mbit=9, queue_packets=100, queue=queue) for name, queue in QUEUES.items()}
    found |= {f"{name}-htb": Shape(rate_mbit=9.5, burst_frames=2, shaper="htb", queue=QUEUES[name])
              for name in ("fq_codel", "pfifo", "red")}  # fmt: skip
    for name, (jitter_ms, rare) in CABLES.items():
        loss = 0.5 if name == "correlated" else 0.0
        found[name] = Shape(delay_ms=5, jitter_ms=jitter_ms, loss_percent=loss, impairments=rare)
    return found


SHAPES = _shapes()


def pairs(shapes: Iterable[Shape]) -> Topology:
    """A pair of hosts for each shape, which it has in both directions."""
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
    answer = lab[f"a{number}"].run("ping", "-c", "8", "-i", "0.05", "-W", "2", f"10.9.{number}.2")
    return int(answer.split(" received")[0].rpartition(",")[2])


@pytest.mark.parametrize("name", SHAPES)
def test_it_is_there_and_passes_packets(lab: Lab, name: str) -> None:
    # Some lose packets in bursts, which may be as long as a round of questions.
    assert any(_received(lab, list(SHAPES).index(name)) >= 4 for _ in range(5))


@pytest.mark.parametrize("queue", [FQ_PIE, DUALPI2], ids=lambda queue: queue.kind)
def test_what_the_kernel_need_not_have_works_or_is_refused(queue: FqPie | DualPi2) -> None:
    """Debian's lab kernel is built without fq_pie, and Linux has dualpi2 since 6.17; the kernel itself says how it was
    built."""
    topology = pairs([Shape(rate_mbit=9, queue_packets=100, queue=queue)])
    said = subprocess.run([find_kernel(), "--showconfig"], capture_output=True, text=True, check=True).stdout
    if re.search(rf"^CONFIG_NET_SCH_{queue.kind.upper()}=[ym]$", said, re.MULTILINE):
        with Lab(topology, place="labkernel") as running:
            assert _received(running, 0) == 8
            ours, said = json.loads(running["a0"].run("/usr/bin/python3", "-I", "-c", BOTH, CODE))
            (mine, _, _), tcs = ours[queue.kind], next(each for each in said if each["kind"] == queue.kind)
            same = TOLD[queue.kind]
            assert {word: mine[word] for word in same} == {word: tcs[theirs] for word, theirs in same.items()}
            assert tcs["packets"] >= 8
    else:
        with pytest.raises(PlaceError, match=f"lacks the queueing discipline {queue.kind}"):
            Lab(topology, place="labkernel").start()
