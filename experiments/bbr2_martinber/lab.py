"""The path of martinber's five scenarios: a sender, a router that delays and shapes, a receiver.

Rates, delays and buffers are those of the scripts, which the figures prove where the report says otherwise; what the
report says is a variant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from experiments.declaration import Case
from frrlib.model.links import Shape
from frrlib.model.tcp import TcpTuning
from frrlib.model.topology import Topology
from frrlib.network.network import Network, end

SetupName = Literal["published", "right"]
#: The one flow, named by nothing that varies.
FLOW = "data"
#: The queue that all figures are about.
QUEUE = "l2:r1-h2"
#: BBRv2 of spring 2020; no stock kernel has it.
BBR2 = "bbr2"
#: A class waits for so much of a scenario that lasts a minute, sampled so often.
QUICK_S, QUICK_HZ = 15.0, 25.0
#: No window of any case comes near it, so that the path and nothing else is what limits (bytes as the kernel counts).
_ROOMY_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Scenario:
    """One published scenario, or a variant of it.

    Attributes:
        number: 0 to 5.
        controls: of which there are published figures (in scenario 0: which the script ran).
        rate_mbit: of the shaper.
        delay_ms: of the way to the receiver, and so of the whole round trip, since the way back has none.
        buffer: words of tbf: "latency 50ms" or "limit 200000".
        burst: words of tbf: "32kb", of 1024 bytes each.
        limit_bytes: what the kernel makes of both: for `latency` the rate times it, and the burst.
        seconds: how long the flow sends.
        loss_percent: of each packet that comes to the delay line.
        cores: processors that both hosts may use as published; empty for all. Where h1 sends, its packets are also
            forwarded.
        variant: where report and scripts disagree, in what and which value this has: ("buffer_ms", 50).
    """

    number: int
    controls: tuple[str, ...]
    rate_mbit: float
    delay_ms: float
    buffer: str
    burst: str
    limit_bytes: int
    seconds: float
    loss_percent: float = 0.0
    variant: tuple[str, float] | None = None
    cores: str = ""

    @property
    def qdiscs(self) -> tuple[str, ...]:
        """The published commands: delay and loss at the root, the shaper below it. The 25 % are netem's correlation of
        a jitter that is 0, so they do nothing."""
        loss = f"loss {self.loss_percent:g}% " if self.loss_percent else ""
        return (
            f"root handle 1: netem {loss}delay {self.delay_ms:g}ms 0ms 25%",
            f"parent 1:1 handle 10: tbf rate {self.rate_mbit:g}mbit burst {self.burst} {self.buffer}",
        )

    @property
    def bdp_bytes(self) -> float:
        """The capacity of the path without any queue."""
        return self.rate_mbit * 1e6 / 8 * self.delay_ms / 1e3

    def lasts_s(self, quick: bool) -> float:
        """How long the flow sends in a choice of cases."""
        return min(self.seconds, QUICK_S) if quick else self.seconds


def published_lab(scenario: Scenario, control: str, seconds: float) -> Topology:
    """The lab as it was published: own commands of tc at the router, packets of up to 64 kB, buffers of TCP as they
    come."""
    shape = Shape(qdiscs=scenario.qdiscs)
    host = {"cores": scenario.cores}
    return _lab(f"as published, {control}", scenario, shape, host, control, seconds, offloads=True)


def right_lab(scenario: Scenario, control: str, seconds: float) -> Topology:
    """The same path done right: the queue has the limit that the published one really had, said in bytes; delay and
    loss are in the cable; a packet is a frame; no buffer of TCP is in the way."""
    shape = Shape(
        rate_mbit=scenario.rate_mbit,
        queue_bytes=scenario.limit_bytes,
        delay_ms=scenario.delay_ms,
        loss_percent=scenario.loss_percent,
    )
    host = {"tcp": TcpTuning(buffer_bytes=_ROOMY_BYTES)}
    return _lab(f"done right, {control}", scenario, shape, host, control, seconds, offloads=False)


def _lab(
    title: str,
    scenario: Scenario,
    shape: Shape,
    host: Mapping[str, Any],
    control: str,
    seconds: float,
    *,
    offloads: bool,
) -> Topology:
    net = Network(f"Scenario {scenario.number} {title}")
    net.host("h1", at=(100, 200), **host)
    net.router("r1", at=(300, 200))
    net.host("h2", at=(500, 200), **host)
    net.link(end("h1", "10.0.0.10/8", offloads=offloads), end("r1", "10.0.0.1/8", offloads=offloads))
    net.link(end("r1", "11.0.0.1/8", offloads=offloads), end("h2", "11.0.0.10/8", offloads=offloads), a_to_b=shape)
    net.flow(FLOW, "h1", "h2", congestion_control=control, duration_s=seconds)
    return net.topology


def cases(
    scenario: Scenario,
    quick: bool,
    *,
    setups: Sequence[SetupName] = ("published", "right"),
    controls: Sequence[str] | None = None,
    repeat: int = 1,
    sample_hz: float = 100.0,
    captures: tuple[str, ...] = (),
    real_time: str = "",
) -> tuple[Case, ...]:
    """A run of a scenario with each congestion control, in each set-up.

    Args:
        quick: whether for a class: no longer than `QUICK_S`, once, and with fewer samples.
        controls: None for the published ones.
        repeat, sample_hz, captures, real_time: see `Case`.
    """
    seconds, said = scenario.lasts_s(quick), scenario.variant
    return tuple(
        Case(
            "-".join((setup, control, *(f"{said[0].split('_')[0]}-{said[1]:g}" for said in [said] if said))),
            _MADE[setup](scenario, control, seconds),
            setup,
            {"cc": control, **dict([said] if said else [])},
            repeat=1 if quick else repeat,
            sample_hz=min(sample_hz, QUICK_HZ) if quick else sample_hz,
            captures=captures,
            needs=BBR2 if control == BBR2 else "",
            real_time=real_time,
        )
        for setup in setups
        for control in controls or scenario.controls
    )


_MADE = {"published": published_lab, "right": right_lab}
