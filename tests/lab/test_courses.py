"""Values that change a hundred times a second: every change is made, no packet is lost, no rate is exceeded."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from frrlib import wire
from frrlib.lab.lab import Lab
from frrlib.model.courses import Course
from frrlib.model.queues import Sfq
from frrlib.network.network import Network, Shape

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("virtual_time")]

#: The rate alternates between these, every 10 ms.
LOW, HIGH, STEP_S = 3.0, 8.0, 0.01
LASTS_S = 3.0
#: A plain link, one with a discipline that the kernel cannot change in place, and one with a link namespace.
SHAPES = (
    Shape(rate_mbit=5, queue_packets=2000), Shape(rate_mbit=5, queue=Sfq(), queue_packets=2000),
    Shape(rate_mbit=5, delay_ms=5, queue_packets=2000),
)  # fmt: skip


def _network() -> Network:
    net = Network("Quick changes")
    course = Course(value="rate_mbit", pattern="square", low=LOW, high=HIGH, period_s=2 * STEP_S)
    for number, shape in enumerate(SHAPES, start=1):
        net.host(f"a{number}")
        net.host(f"b{number}")
        net.link(f"a{number}", f"b{number}", both=shape)
        net.fault(0.2, "varied", f"l{number}", duration_s=LASTS_S, towards=f"b{number}", course=course)
    # A run needs a flow. This one sends against the direction that varies.
    net.flow("f", "b1", "a1", duration_s=int(LASTS_S) + 1)
    return net


def _try(lab: Lab, number: int, kind: str, frame_bytes: int, rate_mbit: float, **options: Any) -> dict[str, Any]:
    link = lab.topology.link(f"l{number}")
    assert link is not None
    command = wire.TryDirection(
        sender=link.a.node, interface=link.a.interface, receiver=link.b.node, source=str(link.a.addresses[0].ip),
        destination=str(link.b.addresses[0].ip), kind=kind, payload_bytes=frame_bytes - 42, frame_bytes=frame_bytes,
        rate_mbit=rate_mbit, **options,
    )  # fmt: skip
    return lab.ask(command, 60.0)


def test_quick_changes_lose_no_packet_and_do_not_exceed_the_rate() -> None:
    fault_events: list[wire.FaultEvent] = []
    varying = threading.Event()

    def keep(message: wire.Message) -> None:
        if isinstance(message, wire.FaultEvent):
            fault_events.append(message)
            varying.set()

    lab = Lab(_network().topology, place="labkernel", listener=keep, virtual_time=True)
    with lab, ThreadPoolExecutor() as side_by_side:
        run = side_by_side.submit(lab.run_flows)
        assert varying.wait(30)
        counts = [side_by_side.submit(_try, lab, number, "count", 142, 0.5, count=400) for number in (1, 2, 3)]
        for count in counts:
            assert count.result()["received"] == count.result()["sent"] == 400
        flood = _try(lab, 1, "flood", 1514, HIGH, queue_bytes=60_000, seconds=1.0)
        result = run.result()
    assert result["fault_failures"] == []
    # Frames that began at the low rate last into the time of the high one, so the result is less than their mean. If
    # every change filled the bucket, it would be 3.6 Mbit/s more.
    assert LOW < flood["rate_mbit"] <= (LOW + HIGH) / 2
    for number in (1, 2, 3):
        times = [event.time_s - result["zero_time_s"] for event in fault_events if event.target == f"l{number}"]
        planned = [0.2 + STEP_S * step for step in range(round(LASTS_S / STEP_S) + 1)]
        assert len(times) == len(planned)
        assert times == pytest.approx(planned, abs=1e-3)
