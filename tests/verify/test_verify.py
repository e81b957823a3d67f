"""The verdict on measurements of a link, and the rate of received datagrams."""

from __future__ import annotations

import random

from frrlib.agent.probes.trial import count_queued
from frrlib.verify.links import LinkCheck, failures


def test_only_measured_deviations_fail() -> None:
    checks = [
        LinkCheck("l1", "a -> b", "rate", "Mbit/s", 10, 9.9, 9.95, 10.05),
        LinkCheck("l1", "a -> b", "loss", "%", 0, 0, 0, 0),
        LinkCheck("l1", "a -> b", "rate", "Mbit/s", 10, 5, 9.95, 10.05, "this machine does not send so fast"),
    ]
    assert failures(checks) == checks[:1]


def came_through(sent: list[int], service: int, direction: int) -> list[tuple[int, int, int]]:
    """When datagrams come that are sent at these times through a queue that takes so long for each, and a cable."""
    came, free = [], 0
    for number, at in enumerate(sent):
        free = max(at, free) + service
        came.append((free + direction, number, free + direction - at))
    return came


def test_pauses_of_the_sender_do_not_change_the_measured_rate() -> None:
    chance = random.Random(3)
    sent, now = [], 0
    for _ in range(2000):
        # Bunches as a machine makes them that is busy with other things, and pauses in which the queue runs empty.
        now += chance.choice([0, 0, 0, 50, 900])
        sent.append(now)
    came = came_through(sent, service=100, direction=20_000)
    assert (came[-1][0] - came[0][0]) / 1999 > 110
    count, lasted = count_queued(came, 20_000, bucket_frames=3)
    assert count > 500 and lasted / count == 100


def test_a_full_bucket_after_an_idle_moment_does_not_change_the_measured_rate() -> None:
    sent, came = list(range(0, 20_000, 1000)), []
    for begin in sent:  # three frames at once by the bucket, then seven at the rate
        came += [(begin + max(0, number - 2) * 100, number, max(0, number - 2) * 100) for number in range(10)]
    count, lasted = count_queued(came, 0, bucket_frames=3)
    assert count and lasted / count == 100
    free, _ = count_queued(came, 0, bucket_frames=0)
    assert free > count
