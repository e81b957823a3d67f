"""Presets of real links: the shapes of both directions, and the sources of the numbers.

They are starting points: rates, delays and queues of real links differ by more than an order of magnitude.
"""

from __future__ import annotations

from frrlib.model.base import Value
from frrlib.model.impairments import Impairments
from frrlib.model.links import Link, Shape
from frrlib.model.nodes import Host
from frrlib.model.queues import DualPi2, FqCodel
from frrlib.model.topology import Topology


class LinkPreset(Value):
    """A kind of link.

    Attributes:
        name: its name for people.
        down: the direction towards its user.
        up: the direction from its user; equal to `down` for a symmetric link.
        source: source of the numbers, as a sentence.
    """

    name: str
    down: Shape
    up: Shape
    source: str

    @property
    def is_even(self) -> bool:
        """Whether both directions are equal."""
        return self.down == self.up


def _even(name: str, shape: Shape, source: str) -> LinkPreset:
    return LinkPreset(name=name, down=shape, up=shape, source=source)


_NORMAL = Impairments(jitter_distribution="normal")

LINK_PRESETS: tuple[LinkPreset, ...] = (
    LinkPreset(
        name="ADSL",
        down=Shape(rate_mbit=8, delay_ms=20),
        up=Shape(rate_mbit=1, delay_ms=20, queue_packets=100),
        source="Rates of ITU-T G.992.1; delay and queue similar to those measured by Dischinger et al. (IMC 2007).",
    ),
    LinkPreset(
        name="Cable modem",
        down=Shape(rate_mbit=100, delay_ms=8),
        up=Shape(rate_mbit=10, delay_ms=8, queue_ms=250),
        source="A common tier of DOCSIS 3; a buffer similar to those found by Netalyzr (Kreibich et al., IMC 2010).",
    ),
    LinkPreset(
        name="LTE",
        down=Shape(rate_mbit=40, delay_ms=25, jitter_ms=4, queue_ms=500, impairments=_NORMAL),
        up=Shape(rate_mbit=10, delay_ms=25, jitter_ms=4, queue_ms=500, impairments=_NORMAL),
        source="Similar to measurements of Huang et al. (SIGCOMM 2013); deep buffers as in Jiang et al. (IMC 2012).",
    ),
    LinkPreset(
        name="Starlink",
        down=Shape(rate_mbit=150, delay_ms=20, jitter_ms=6, loss_percent=0.5, impairments=_NORMAL),
        up=Shape(rate_mbit=20, delay_ms=20, jitter_ms=6, loss_percent=0.5, impairments=_NORMAL),
        source="Similar to the measurements of TCP and QUIC by Michel et al. (IMC 2022).",
    ),
    _even(
        "Data center",
        Shape(rate_mbit=1000, delay_ms=0.05, queue_packets=100, queue=FqCodel(ecn=True, ce_threshold_ms=1)),
        "Shallow queues that mark early, as DCTCP needs (Alizadeh et al., SIGCOMM 2010); here fq_codel marks.",
    ),
    _even(
        "L4S",
        Shape(rate_mbit=40, delay_ms=5, queue=DualPi2(any_ect=True)),
        "DualPI2 with the parameters of RFC 9332, appendix A. It takes any ECT as scalable, since DCTCP sends ECT(0).",
    ),
    _even(
        "Transatlantic",
        Shape(rate_mbit=1000, delay_ms=40, queue_bdp=1),
        "The round trip of some 80 ms between Europe and America; one BDP of queue (Villamizar and Song, 1994).",
    ),
    _even(
        "BBR paper",
        Shape(rate_mbit=10, delay_ms=20, queue_packets=175),
        "10 Mbit/s and 40 ms as in Cardwell et al. (ACM Queue, 2016), with a queue of some five BDP.",
    ),
)


def with_preset(topology: Topology, link: Link, preset: LinkPreset) -> Link:
    """The link with a preset's values; its user is at the end with the host, else at the second end.

    Args:
        topology: the topology, to find hosts.
        link: the link.
        preset: the preset.
    """
    a_is_host, b_is_host = (isinstance(topology.node(end.node), Host) for end in link.ends)
    a_to_b, b_to_a = (preset.up, preset.down) if a_is_host and not b_is_host else (preset.down, preset.up)
    return link.model_copy(update={"a_to_b": a_to_b, "b_to_a": b_to_a})
