"""The start of FRR on all routers of a lab together."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence

from frrlib.agent.frr.daemon_copies import Patterns
from frrlib.agent.frr.daemons import IN_TURNS, START_TIMEOUT_S, Frr
from frrlib.agent.frr.patient_timers import PatientTimers, ProcessorShare
from frrlib.agent.virtual_channel import in_virtual_time

#: A lab kernel has one processor, on which system calls and page faults take long.
LABKERNEL = ProcessorShare(1, fewest=32, spf_ms_per_pair=0.3)
#: In virtual time no router starves: no time passes while others compute.
IN_VIRTUAL_TIME = ProcessorShare(1, fewest=sys.maxsize, spf_ms_per_pair=0.0)
#: More time for each router whose daemons start together: a lab kernel has one processor for all of them.
PER_ROUTER_S = 4.0
#: Daemons that flood every new adjacency at once, and compute all paths again each time.
FLOODING = ("ospfd", "ospf6d", "isisd")


def start_all(routers: Sequence[Frr], step: Callable[[str, str], None]) -> PatientTimers:
    """Start FRR on all routers in parallel and wait until all daemons answer.

    Args:
        routers: prepared routers.
        step: called with a router's name and "start" or "done".

    Returns:
        The patient timers of daemons that share few processors; to be ended when the adjacencies are up.

    Raises:
        LabFailed: a daemon died, did not answer in time or refused its configuration.
    """
    deadline_s = time.monotonic() + START_TIMEOUT_S + PER_ROUTER_S * len(routers)
    patterns = Patterns(command for router in routers for command in router.commands())
    share = _processor_share()
    patience = PatientTimers(routers, share)
    try:
        for router in routers:
            step(router.router, "start")
            router.start_first(patterns)
        if share is LABKERNEL or share.starves(len(routers)):
            _start_without_floods(routers, share, patterns, deadline_s, step, patience)
        else:
            _start_in_parallel(routers, patterns, deadline_s, step)
    finally:
        patterns.close()
    return patience


def _processor_share() -> ProcessorShare:
    """The processors that the routers share here."""
    if in_virtual_time():
        return IN_VIRTUAL_TIME
    if os.environ.get("LAB_PLACE") == "labkernel":
        return LABKERNEL
    return ProcessorShare(len(os.sched_getaffinity(0)), fewest=64, spf_ms_per_pair=0.1)


def _start_in_parallel(
    routers: Sequence[Frr], patterns: Patterns, deadline_s: float, step: Callable[[str, str], None]
) -> None:
    for router in routers:
        router.start_others(patterns, deadline_s)
    _take_turns(routers, patterns, deadline_s, step)


def _start_without_floods(
    routers: Sequence[Frr],
    share: ProcessorShare,
    patterns: Patterns,
    deadline_s: float,
    step: Callable[[str, str], None],
    patience: PatientTimers,
) -> None:
    """Start the daemons of as many routers at once as there are processors, and stop their flooding meanwhile.

    More starts at once gain nothing when each processor has one. But if started daemons form adjacencies meanwhile,
    each new one makes all of them flood and compute again, and slows the remaining starts. The same is true of BGP's
    sessions between many routers.
    """
    stopped = (*FLOODING, *((IN_TURNS,) if share.starves(len(routers)) else ()))

    def make_ready(router: Frr) -> None:
        if router.plan.turn:
            router.wait_answers(deadline_s)
        else:
            router.wait_ready(deadline_s)
            step(router.router, "done")
        patience.begin(router)
        router.signal_all(stopped, signal.SIGSTOP)

    starting: deque[Frr] = deque()
    later = [router for router in routers if router.plan.turn]
    try:
        for router in routers:
            router.start_others(patterns, deadline_s)
            starting.append(router)
            if len(starting) == share.processors:
                make_ready(starting.popleft())
        while starting:
            make_ready(starting.popleft())
        if IN_TURNS in stopped:
            _take_turns(later, patterns, deadline_s, step, stopped=(IN_TURNS,))
    finally:
        for router in routers:
            router.signal_all(stopped, signal.SIGCONT)
    if IN_TURNS not in stopped:
        _take_turns(later, patterns, deadline_s, step)


def _take_turns(
    routers: Sequence[Frr],
    patterns: Patterns,
    deadline_s: float,
    step: Callable[[str, str], None],
    stopped: Sequence[str] = (),
) -> None:
    """Start the daemons that wait for their turn, in order, even if daemons get their configuration only now.

    Args:
        stopped: daemons that are stopped when they are ready.
    """
    for turn in sorted({router.plan.turn for router in routers}):
        due = [router for router in routers if router.plan.turn == turn]
        for router in due:
            router.start_last(patterns)
        for router in due:
            router.wait_ready(deadline_s)
            if stopped:
                router.signal_all(stopped, signal.SIGSTOP)
            step(router.router, "done")
