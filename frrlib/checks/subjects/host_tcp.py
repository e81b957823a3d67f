"""TCP settings of hosts."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, tcp_fix
from frrlib.checks.kinds import CheckSubject, error, note
from frrlib.checks.subjects.links.queues import BDP_WITHOUT_DELAY
from frrlib.model.problem import Problem
from frrlib.prediction.congestion import controls_used
from frrlib.prediction.flow_paths import largest_bdp_bytes

SUBJECT = CheckSubject()
PACING_AT_QUEUES = SUBJECT.kind(
    "pacing-at-queues",
    "A host uses pacing with `fq`, and all its links have a rate in the direction away from the host.",
    "Each interface already has the queue of that rate, so the host has no interface on which `fq` can be set.",
    "Use fq as the discipline of that queue, or put a router between.",
)
BBR_WITHOUT_FQ = SUBJECT.kind(
    "bbr-without-fq",
    "BBR is used on a host without `fq` on its interfaces.",
    "Since Linux 4.13, TCP then paces with its own timers. The rates are the same. Bursts are slightly coarser, "
    "and each socket uses more processor time.",
    "No action is needed. You can turn on fq pacing at the host, as is usual on servers.",
)
SAVED_METRICS = SUBJECT.kind(
    "saved-metrics",
    "A host keeps the RTT and the slow start threshold of ended connections.",
    "The next flow to the same address starts with these values, so the results of a run depend on the order of "
    "its flows.",
    "Turn it off, unless it is the subject of the experiment.",
)


def can_pace(facts: Facts, host: str) -> bool:
    """Whether a host has an interface without the queue of a rate, on which `fq` can be set."""
    leaving = (shape for link, end in facts.ends.get(host, ()) for sender, _, shape in link.directions if sender is end)
    return any(shape.rate_mbit is None and not shape.qdiscs for shape in leaving)


@SUBJECT.rule(PACING_AT_QUEUES, BBR_WITHOUT_FQ, BDP_WITHOUT_DELAY, SAVED_METRICS)
def tcp_tuning(facts: Facts) -> Iterator[Problem]:
    """TCP settings of a host have an effect. Some deserve a remark."""
    for host in facts.hosts():
        if host.tcp.pacing and facts.ends.get(host.name) and not can_pace(facts, host.name):
            message = (
                "no interface is left for fq: every link from this host has a rate, whose queue is at the interface"
            )
            remedy = "use fq as the queue of the link, or put a router between"
            yield note(PACING_AT_QUEUES, host.name, "tcp.pacing", message, remedy)
        if not host.tcp.pacing and "bbr" in controls_used(facts.resolved, host):
            message = "is off, but BBR is used here; TCP then paces packets itself (since Linux 4.13)"
            yield note(BBR_WITHOUT_FQ, host.name, "tcp.pacing", message, "turn it on if fq is to pace the packets")
        if host.tcp.buffer_bdp is not None and largest_bdp_bytes(facts.resolved, host.name) is None:
            message = (
                "is given in bandwidth-delay products, but no flow of this host has a path with a rate and a delay"
            )
            remedy = "set the buffer in bytes, or add a flow, a rate and a delay"
            yield error(BDP_WITHOUT_DELAY, host.name, "tcp.buffer_bdp", message, remedy)
        if host.tcp.saves_metrics and facts.topology.flows:
            message = "RTT and slow start threshold of ended connections are kept, so a flow depends on earlier flows"
            yield note(SAVED_METRICS, host.name, "tcp.saves_metrics", message)


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(BBR_WITHOUT_FQ)
def _turn_pacing_on(facts: Facts, problem: Problem) -> Fix | None:
    if not can_pace(facts, problem.node):
        return None
    return tcp_fix(facts, [problem.node], f"turn fq pacing on at {problem.node}", pacing=True)


@SUBJECT.fix(PACING_AT_QUEUES)
def _turn_pacing_off(facts: Facts, problem: Problem) -> Fix | None:
    return tcp_fix(facts, [problem.node], f"turn fq pacing off at {problem.node}", pacing=False)


@SUBJECT.fix(SAVED_METRICS)
def _turn_saved_metrics_off(facts: Facts, problem: Problem) -> Fix | None:
    return tcp_fix(facts, [problem.node], f"turn saved metrics off at {problem.node}", saves_metrics=False)
