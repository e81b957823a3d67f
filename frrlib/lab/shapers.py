"""Replaces tbf by htb for links whose rate is planned to vary quickly."""

from __future__ import annotations

from frrlib.model.faults import Fault
from frrlib.model.links import End, Link, Shape
from frrlib.model.topology import Topology

#: Tolerated excess over a link's rate, as a share of the rate.
TOLERATED = 0.005


def with_steady_shapers(topology: Topology) -> Topology:
    """The topology with htb instead of tbf for directions in which changes of the rate would let too much pass.

    Every change refills tbf's bucket (`tbf_change` in the kernel's `net/sched/sch_tbf.c`). A hundred changes per second
    add 3.6 Mbit/s to any rate, and more with a larger bucket. htb keeps its tokens.
    """
    quick = {
        (fault.target, sender.node)
        for fault in topology.faults
        if fault.course is not None and (link := topology.link(fault.target)) is not None
        for sender, receiver, shape in link.directions
        if fault.towards in ("", receiver.node) and _beyond(fault, shape, sender) > TOLERATED
    }
    if not quick:
        return topology

    def shaped(link: Link, end: End, shape: Shape) -> Shape:
        return shape.model_copy(update={"shaper": "htb"}) if (link.id, end.node) in quick else shape

    links = (
        link.model_copy(
            update={"a_to_b": shaped(link, link.a, link.a_to_b), "b_to_a": shaped(link, link.b, link.b_to_a)}
        )
        for link in topology.links
    )
    return topology.model_copy(update={"links": tuple(links)})


def _beyond(fault: Fault, shape: Shape, sender: End) -> float:
    """The excess over the lowest rate due to refilled buckets, as a share of that rate."""
    course = fault.course
    if course is None or course.value != "rate_mbit" or not fault.duration_s or shape.shaper != "tbf":
        return 0.0
    lowest_mbit = min((value for _, value in course.points), default=0.0) or min(course.low, course.high)
    bucket_mbit = shape.bucket_frames(sender.frame_bytes) * sender.frame_bytes * 8e-6
    return bucket_mbit * course.count(fault.duration_s) / fault.duration_s / lowest_mbit
