"""FRR on all routers of a lab at once."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence

from frrlib.agent.frr.daemon_copies import Patterns
from frrlib.agent.frr.daemons import START_TIMEOUT_S, Frr
from frrlib.agent.frr.patient_timers import PatientTimers, ProcessorShare
from frrlib.agent.virtual_channel import in_virtual_time

#: A lab kernel has one processor, for which system calls and page faults are dear.
LABKERNEL = ProcessorShare(1, fewest=32, spf_ms_a_pair=0.3)
#: In virtual time nobody starves: no time passes while others work.
IN_VIRTUAL_TIME = ProcessorShare(1, fewest=sys.maxsize, spf_ms_a_pair=0.0)
#: How much longer for each router whose daemons start at once: a lab kernel has one processor for all of them.
PER_ROUTER_S = 4.0
#: Daemons that tell each other at once of every neighbor that has come, and reckon all paths anew each time.
FLOODING = ("ospfd", "ospf6d", "isisd")


def start_all(routers: Sequence[Frr], step: Callable[[str, str], None]) -> PatientTimers:
    """Start FRR on all routers side by side and wait until all of it answers.

    Args:
        routers: prepared routers.
        step: called with a router's name and "start" or "done".

    Returns:
        What makes those patient that are many and share few processors; to be ended when they have met.

    Raises:
        LabFailed: a daemon died, did not answer in time or refused its configuration.
    """
    deadline_s = time.monotonic() + START_TIMEOUT_S + PER_ROUTER_S * len(routers)
    patterns = Patterns(command for router in routers for command in router.commands())
    crowd = _crowd()
    patience = PatientTimers(routers, crowd)
    try:
        for router in routers:
            step(router.router, "start")
            router.start_first(patterns)
        if crowd is LABKERNEL or crowd.starves(len(routers)):
            _before_they_talk(routers, crowd.processors, patterns, deadline_s, step, patience)
        else:
            _side_by_side(routers, patterns, deadline_s, step)
    finally:
        patterns.close()
    return patience


def _crowd() -> ProcessorShare:
    """What the routers share here."""
    if in_virtual_time():
        return IN_VIRTUAL_TIME
    if os.environ.get("LAB_PLACE") == "labkernel":
        return LABKERNEL
    return ProcessorShare(len(os.sched_getaffinity(0)), fewest=64, spf_ms_a_pair=0.1)


def _side_by_side(
    routers: Sequence[Frr], patterns: Patterns, deadline_s: float, step: Callable[[str, str], None]
) -> None:
    for router in routers:
        router.start_others(patterns, deadline_s)
    _take_turns(routers, patterns, deadline_s, step)


def _before_they_talk(
    routers: Sequence[Frr],
    together: int,
    patterns: Patterns,
    deadline_s: float,
    step: Callable[[str, str], None],
    patience: PatientTimers,
) -> None:
    """So many routers' daemons start at once, and none talks to a neighbor before all are there.

    More at once gain nothing where each processor has one to start; but if those that are there talk meanwhile, each
    that comes makes all of them flood and reckon once more, and the last ones start as slowly as all others work.
    """

    def make_ready(router: Frr) -> None:
        if router.plan.turn:
            router.wait_answers(deadline_s)
        else:
            router.wait_ready(deadline_s)
            step(router.router, "done")
        patience.begin(router)
        router.signal_all(FLOODING, signal.SIGSTOP)

    starting: deque[Frr] = deque()
    try:
        for router in routers:
            router.start_others(patterns, deadline_s)
            starting.append(router)
            if len(starting) == together:
                make_ready(starting.popleft())
        while starting:
            make_ready(starting.popleft())
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
