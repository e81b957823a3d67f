"""The examples: their files, their titles and what they show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

#: The examples by subject: a title, and (file, title, description) of each example.
EXAMPLE_GROUPS: tuple[tuple[str, tuple[tuple[str, str, str], ...]], ...] = (
    ("First Steps", (("two-hosts", "Two hosts and a switch", "the smallest network: ping it, then send a flow"),)),
    (
        "Congestion Control",
        (
            ("bbr-against-cubic", "BBR against CUBIC", "two flows share a bottleneck of 10 Mbit/s"),
            ("two-as-bgp", "Two autonomous systems", "BGP across a bottleneck of 10 Mbit/s, cubic and bbr"),
            ("ospf-multihop", "OSPF over several hops", "routers in a ring compute shortest paths"),
            (
                "six-flows",
                "Six flows, one bottleneck",
                "cubic, bbr, reno and UDP: for live plots",
            ),
            ("two-as-no-delay", "The same without a delay", "the effect of the queue alone on two flows"),
        ),
    ),
    (
        "Links and Queues",
        (
            ("queues", "Four queue disciplines", "pfifo, fq_codel, cake and pie under the same load"),
            ("square-wave", "A varying rate", "changes between 5 and 20 Mbit/s during a flow"),
            ("web-page", "A web page", "nginx and curl over a link that loses packets: reno, cubic, bbr"),
        ),
    ),
    (
        "Failures",
        (
            ("ospf-reroute", "OSPF finds another path", "a link loses all packets; the dead interval expires"),
            ("ospf-reroute-bfd", "The same with BFD", "detected in tenths of a second"),
            ("reroute", "A link fails under BBR and CUBIC", "effects on the routers and on each flow"),
            ("static", "Static routes", "a floating route takes over when the link fails"),
        ),
    ),
    (
        "Interior Routing",
        (
            ("ospf-areas", "OSPF with areas", "a backbone, a stub and a not-so-stubby area"),
            ("ospf6", "OSPFv3", "IPv6 only"),
            ("isis", "IS-IS", "IPv4 and IPv6, two areas"),
            ("rip", "RIP", "routing by hop count only"),
            ("ripng", "RIPng", "RIP for IPv6"),
        ),
    ),
    (
        "BGP",
        (
            ("bgp-policy", "BGP policies", "which path out, which path back"),
            ("bgp-reflector", "Route reflectors", "iBGP without a full mesh"),
            ("bgp-confederation", "A confederation", "one AS from outside, two inside"),
            ("bgp-unnumbered", "BGP unnumbered", "a fabric with two equal-cost paths"),
            ("bgp-dual-stack", "IPv4 and IPv6", "sessions between loopbacks, over two links"),
        ),
    ),
    (
        "Networks of Networks",
        (
            ("vrf", "VRFs", "two customers with the same addresses"),
            ("mpls-ldp", "MPLS", "labels by LDP over OSPF"),
            ("pim", "Multicast", "a sender, two receivers and a rendezvous point"),
        ),
    ),
)
#: Examples with a picture on the start page: six labs on different subjects, the simplest first.
START_PAGE_EXAMPLES = ("two-hosts", "static", "ospf-multihop", "two-as-bgp", "queues", "bbr-against-cubic")


@dataclass(frozen=True)
class Example:
    """An example topology: its file, its title, and its description."""

    path: Path
    title: str
    about: str


def examples(folder: Path) -> dict[str, tuple[Example, ...]]:
    """The existing examples of a folder by subject."""
    all_groups = {
        subject: tuple(Example(folder / f"{stem}.mn", title, about) for stem, title, about in rows)
        for subject, rows in EXAMPLE_GROUPS
    }
    groups = {
        subject: tuple(example for example in rows if example.path.is_file()) for subject, rows in all_groups.items()
    }
    return {subject: rows for subject, rows in groups.items() if rows}


def start_page_examples(groups: dict[str, tuple[Example, ...]]) -> list[Example]:
    """The examples with a picture on the start page, in its order."""
    by_name = {example.path.stem: example for rows in groups.values() for example in rows}
    return [by_name[stem] for stem in START_PAGE_EXAMPLES if stem in by_name]


def menu_entries(
    groups: dict[str, tuple[Example, ...]], open_example: Callable[[Example], None]
) -> list[tuple[str, list[tuple[str, Callable[[], None]]]]]:
    """The examples as lines of a menu: the subjects, with the examples in submenus."""
    return [
        (subject, [(f"{example.title}: {example.about}", partial(open_example, example)) for example in rows])
        for subject, rows in groups.items()
    ]
