"""The path of martinber's five scenarios: a sender, a router that delays and shapes, a receiver.

Rates, delays and buffers are those of the scripts. If the report has other values, the figures agree with the scripts;
the values of the report are a variant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from frrlib.model.links import Shape
from frrlib.model.tcp import TcpTuning
from frrlib.model.topology import Topology
from frrlib.network.network import Network, end
from miniedit_frr.experiments.declaration import Case

SetupName = Literal["published", "right"]
#: The id of the only flow, the same in all cases.
FLOW = "data"
#: The queue in all figures.
QUEUE = "l2:r1-h2"
#: BBRv2 of spring 2020, which no stock kernel has.
BBR2 = "bbr2"
#: The duration and the sampling rate of shortened scenarios.
QUICK_S, QUICK_HZ = 15.0, 25.0
#: Larger than the window of any case, so that only the path limits the rate (bytes as counted by the kernel).
_AMPLE_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Scenario:
    """One published scenario, or a variant of it.

    Attributes:
        number: its number, 0 to 5.
        controls: the congestion controls with published figures (in scenario 0, those in the script).
        rate_mbit: the rate of the shaper.
        delay_ms: the delay towards the receiver. It is also the RTT, since the reverse direction has no delay.
        buffer: the buffer in the syntax of tbf: "latency 50ms" or "limit 200000".
        burst: the burst in the syntax of tbf: "32kb", in units of 1024 bytes.
        limit_bytes: the resulting limit in the kernel; for `latency` it is the rate times the latency plus the burst.
        seconds: the duration of the flow.
        loss_percent: the loss of packets at the delay line.
        cores: the processors of both hosts in the published set-up; empty for all. The processor of h1 also forwards
            its packets.
        variant: a value for which report and scripts disagree: ("buffer_ms", 50).
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
        """The published commands: delay and loss at the root, the shaper below. The 25 % are the correlation of a
        jitter of 0, so they have no effect."""
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
        """The duration of the flow, shortened for a class if `quick`."""
        return min(self.seconds, QUICK_S) if quick else self.seconds


def published_lab(scenario: Scenario, control: str, seconds: float) -> Topology:
    """The published lab: its own tc commands at the router, packets of up to 64 kB, and default TCP buffers."""
    shape = Shape(qdiscs=scenario.qdiscs)
    host = {"cores": scenario.cores}
    return _lab(f"as published, {control}", scenario, shape, host, control, seconds, offloads=True)


def right_lab(scenario: Scenario, control: str, seconds: float) -> Topology:
    """The same path done right: the queue has the actual limit of the published one, in bytes. Delay and loss are in
    the cable, a packet is a frame, and TCP buffers do not limit the rate."""
    shape = Shape(
        rate_mbit=scenario.rate_mbit,
        queue_bytes=scenario.limit_bytes,
        delay_ms=scenario.delay_ms,
        loss_percent=scenario.loss_percent,
    )
    host = {"tcp": TcpTuning(buffer_bytes=_AMPLE_BYTES)}
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
    """The cases of a scenario with each congestion control, in each set-up.

    Args:
        quick: whether the cases are shortened: up to `QUICK_S`, one run each, and fewer samples.
        controls: the congestion controls; None for the published ones.
        repeat, sample_hz, captures, real_time: see `Case`.
    """
    seconds, variant = scenario.lasts_s(quick), scenario.variant
    return tuple(
        Case(
            "-".join(
                (setup, control, *(f"{variant[0].split('_')[0]}-{variant[1]:g}" for variant in [variant] if variant))
            ),
            _LABS[setup](scenario, control, seconds),
            setup,
            {"cc": control, **dict([variant] if variant else [])},
            repeat=1 if quick else repeat,
            sample_hz=min(sample_hz, QUICK_HZ) if quick else sample_hz,
            captures=captures,
            needs=BBR2 if control == BBR2 else "",
            real_time=real_time,
        )
        for setup in setups
        for control in controls or scenario.controls
    )


_LABS = {"published": published_lab, "right": right_lab}
