"""A queue at the sender: the checks predict the behavior of the kernel, and the fix makes the queue a bottleneck."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.checks.check import check
from frrlib.checks.fix_offers import fix_for
from frrlib.formats import mn
from frrlib.model.frames import FULL_FRAME_BYTES
from frrlib.run.run import RunSettings, run
from tests.checks.problems import build, link

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("virtual_time")]

#: A queue of 20 packets at 10 Mbit/s, on a path of 20 ms. Reno fills it within the first seconds.
LIMIT = 20
SHAPE = {"rate_mbit": 10, "delay_ms": 10, "queue_packets": LIMIT}


def test_a_queue_at_the_sender_never_fills_until_the_fix(tmp_path: Path) -> None:
    """Two equal pairs of hosts with the queue at the sender. The fix is applied to one of them."""
    links = [
        fields
        for pair in (1, 2)
        for fields in (
            link(10 * pair, f"h{pair}", f"r{pair}", a_to_b=SHAPE, b_to_a={"delay_ms": 10}),
            link(10 * pair + 1, f"r{pair}", f"h{pair}0"),
        )
    ]
    flows = [{"id": f"f{pair}", "source": f"h{pair}", "destination": f"h{pair}0", "congestion_control": "reno",
              "duration_s": 6} for pair in (1, 2)]  # fmt: skip
    topology = build(["h1", "r1", "h10", "h2", "r2", "h20"], links, flows=flows)
    problems = [problem for problem in check(topology) if problem.kind == "sender-is-bottleneck"]
    assert [problem.node for problem in problems] == ["l10", "l20"]
    fix = fix_for(topology, problems[1])
    assert fix is not None
    outcome = run(fix.topology, mn.dumps(fix.topology), tmp_path / "out", RunSettings(virtual_time=True))
    assert not outcome.failures
    assert outcome.summary is not None
    queues = {queue.direction.partition(":")[0]: queue for queue in outcome.summary.queues}
    highest_packets = {name: (queues[name].backlog_max_bytes or 0) / FULL_FRAME_BYTES for name in ("l10", "l20")}
    assert (queues["l10"].drops, highest_packets["l10"] < 0.75 * LIMIT) == (0, True)
    assert (queues["l20"].drops or 0) > 0
    assert highest_packets["l20"] > 0.9 * LIMIT
