"""FRR on all routers of a lab at once."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence

from frrlib.inside.frr import START_TIMEOUT_S, Frr
from frrlib.inside.frr_patterns import Patterns
from frrlib.inside.gated import in_virtual_time
from frrlib.inside.patient_timers import PatientTimers

#: How much longer for each router whose daemons start at once: a lab kernel has one processor for all of them.
PER_ROUTER_S = 4.0
#: Daemons that tell each other at once of every neighbour that has come, and reckon all paths anew each time.
FLOODING = ("ospfd", "ospf6d", "isisd")


def start_all(routers: Sequence[Frr], step: Callable[[str, str], None]) -> PatientTimers:
    """Start FRR on all routers side by side and wait until all of it answers.

    Args:
        routers: prepared routers.
        step: called with a router's name and "start" or "done".

    Returns:
        What makes those patient that are many and share one processor; to be ended when they have met.

    Raises:
        LabFailed: a daemon died, did not answer in time or refused its configuration.
    """
    deadline_s = time.monotonic() + START_TIMEOUT_S + PER_ROUTER_S * len(routers)
    patterns = Patterns(command for router in routers for command in router.commands())
    patience = PatientTimers(routers)
    try:
        for router in routers:
            step(router.router, "start")
            router.start_first(patterns)
        if _on_one_processor():
            _one_by_one(routers, patterns, deadline_s, step, patience)
        else:
            _side_by_side(routers, patterns, deadline_s, step)
    finally:
        patterns.close()
    return patience


def _on_one_processor() -> bool:
    return os.environ.get("LAB_PLACE") == "labkernel" and not in_virtual_time()


def _side_by_side(
    routers: Sequence[Frr], patterns: Patterns, deadline_s: float, step: Callable[[str, str], None]
) -> None:
    for router in routers:
        router.start_others(patterns, deadline_s)
    _take_turns(routers, patterns, deadline_s, step)


def _one_by_one(
    routers: Sequence[Frr],
    patterns: Patterns,
    deadline_s: float,
    step: Callable[[str, str], None],
    patience: PatientTimers,
) -> None:
    """Each router's daemons are ready before the next one's start, and none talks to a neighbour before all are there.

    On one processor nothing is gained by starting them together; but if those that are there talk meanwhile, each that
    comes makes all of them flood and reckon once more, and the last ones start as slowly as all others work.
    """
    try:
        for router in routers:
            router.start_others(patterns, deadline_s)
            if router.plan.turn:
                router.wait_answers(deadline_s)
            else:
                router.wait_ready(deadline_s)
                step(router.router, "done")
            patience.begin(router)
            router.signal_all(FLOODING, signal.SIGSTOP)
    finally:
        for router in routers:
            router.signal_all(FLOODING, signal.SIGCONT)
    _take_turns([router for router in routers if router.plan.turn], patterns, deadline_s, step)


def _take_turns(
    routers: Sequence[Frr], patterns: Patterns, deadline_s: float, step: Callable[[str, str], None]
) -> None:
    """Start what waits for its turn, in this order even where daemons are given their configuration only now."""
    for turn in sorted({router.plan.turn for router in routers}):
        due = [router for router in routers if router.plan.turn == turn]
        for router in due:
            router.start_last(patterns)
        for router in due:
            router.wait_ready(deadline_s)
            step(router.router, "done")
