"""Whether links of every MTU carry full frames: each shaper and discipline at several rates, in virtual time.

    python benchmarks/mtu.py [--mtus 576 1280 1500 4500 9000] [--rates 1 10 50 100 1000] [--without fq_pie dualpi2]
                             [--no-datagrams] [--no-tcp]

Datagrams of full frames flood each direction of each link, one after the other, as `miniedit-frr verify` does. Their
rate while the queue is not empty is compared with the rate of the link times frame / charged size. Then a TCP flow
through each plain queue is compared with the rate times `frames.tcp_share`. A number is the measured share of the
formula in percent. "none" means that no full frame arrived; "idle" means that they did, and that the discipline's drops
emptied the queue too often to measure a rate. The command fails at "none" and at a number more than 0.5 % off.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

_HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(_HERE.parent))

from frrlib import wire  # noqa: E402
from frrlib.formats.mn import dumps  # noqa: E402
from frrlib.lab.lab import Lab  # noqa: E402
from frrlib.model.frames import tcp_share, udp_headers_bytes  # noqa: E402
from frrlib.model.links import Shape, queue_limit_bytes  # noqa: E402
from frrlib.model.queues import DISCIPLINES, Cake  # noqa: E402
from frrlib.network.network import Network, Wait, end  # noqa: E402
from frrlib.results.read import open_results  # noqa: E402
from frrlib.results.series import flow_samples  # noqa: E402
from frrlib.results.statistics.arrivals import arrived  # noqa: E402
from frrlib.run.run import RunSettings, run  # noqa: E402

#: The largest deviation from the formula, as a share of it.
SLACK = 0.005
#: The rate of a queue that was not full for long enough to tell its rate.
IDLE = float("inf")
#: Cake with overhead and cells, beside the plain one: PPPoE over ATM, and VDSL2.
_CAKES = {
    "cake": Cake(),
    "cake atm": Cake(overhead_bytes=40, link_layer="atm"),
    "cake ptm": Cake(overhead_bytes=30, mpu_bytes=64, link_layer="ptm"),
}
#: Frames of a trial at the least, and its seconds: after 0.4 s a queue must stand for 0.25 s.
_LEAST_FRAMES, _LEAST_S = 40, 0.8
#: A TCP flow is measured after this part of its time; it sends this many frames at the least.
_BEGINNING, _TCP_FRAMES, _TCP_S = 0.3, 400, 2.0


class Cell(NamedTuple):
    """A direction of a link: what shapes it, its MTU and its rate."""

    name: str
    mtu_bytes: int
    shape: Shape

    @property
    def frame_bytes(self) -> int:
        """A full frame."""
        return end("h1", mtu_bytes=self.mtu_bytes).frame_bytes

    @property
    def frames_s(self) -> float:
        """Full frames in a second at the rate."""
        return (self.shape.rate_mbit or 0.0) * 125_000 / self.frame_bytes

    @property
    def carried_mbit(self) -> float:
        """The rate of full frames, by the formula."""
        return self.frames_s * self.frame_bytes * 8e-6 * self.frame_bytes / self._charged

    @property
    def _charged(self) -> int:
        return self.shape.accounting.charged_bytes(self.frame_bytes)


def shapes(rate_mbit: float, without: list[str], delay_ms: float = 0.0) -> dict[str, Shape]:
    """Every shaper with every discipline, and cake in its variants."""
    shapes_by_name = {
        f"{shaper} {kind}": Shape(rate_mbit=rate_mbit, shaper=shaper, queue=discipline(), delay_ms=delay_ms)
        for shaper in ("tbf", "htb")
        for kind, discipline in DISCIPLINES.items()
        if kind not in ("cake", *without)
    }
    return shapes_by_name | {
        name: Shape(rate_mbit=rate_mbit, queue=cake, delay_ms=delay_ms) for name, cake in _CAKES.items()
    }


def datagrams(cells: list[Cell]) -> Iterator[tuple[Cell, float | None]]:
    """The rate of full frames in Mbit/s through each cell, in a lab with two hosts; None where none arrived."""
    net = Network("Every MTU", wait=Wait(routes=False, ping_count=0))
    net.host("h1")
    net.host("h2")
    for number, cell in enumerate(cells):
        net.link(
            end("h1", f"10.{number // 250}.{number % 250}.1/30", mtu_bytes=cell.mtu_bytes),
            end("h2", f"10.{number // 250}.{number % 250}.2/30", mtu_bytes=cell.mtu_bytes),
            a_to_b=cell.shape, b_to_a=Shape(),
        )  # fmt: skip
    with Lab(net.topology, place="labkernel", virtual_time=True) as lab:
        for cell, link in zip(cells, lab.topology.links, strict=True):
            limit = queue_limit_bytes(cell.shape, Shape(), cell.frame_bytes) or 0
            seconds = max(_LEAST_S, _LEAST_FRAMES / cell.frames_s)
            command = wire.TryDirection(
                sender="h1", interface=link.a.interface, receiver="h2", source=str(link.a.addresses[0].ip),
                destination=str(link.b.addresses[0].ip), kind="flood",
                payload_bytes=cell.frame_bytes - udp_headers_bytes(), frame_bytes=cell.frame_bytes,
                rate_mbit=cell.carried_mbit, queue_bytes=limit, seconds=seconds, count=0,
                under_way_s=limit * 8e-6 / cell.carried_mbit, bucket_frames=cell.shape.bucket_frames(cell.frame_bytes),
            )  # fmt: skip
            answer = lab.ask(command, 900.0)
            # If a discipline empties its queue by drops, full frames pass, but their rate is not that of the link.
            yield cell, (answer.get("rate_mbit") or IDLE) if answer["received"] else None


def tcp(cells: list[Cell], rate_mbit: float) -> Iterator[tuple[Cell, float | None]]:
    """The goodput in Mbit/s of a TCP flow through each cell, all at once."""
    slowest = min(cell.frames_s for cell in cells)
    seconds = math.ceil(max(_TCP_S, _TCP_FRAMES / slowest))
    net = Network("TCP at every MTU", wait=Wait(routes=False, ping_count=1))
    for number, cell in enumerate(cells):
        ends = [end(f"{side}{number}", mtu_bytes=cell.mtu_bytes) for side in "ab"]
        net.host(f"a{number}")
        net.host(f"b{number}")
        net.link(*ends, a_to_b=cell.shape, b_to_a=Shape(delay_ms=cell.shape.delay_ms))
        net.flow(f"f{number}", f"a{number}", f"b{number}", duration_s=seconds, congestion_control="cubic")
    with tempfile.TemporaryDirectory() as folder:
        settings = RunSettings(place="labkernel", virtual_time=True)
        run(net.topology, dumps(net.topology), Path(folder) / "out", settings, figure=False)
        flows = {flow.planned.id: flow for flow in flow_samples(open_results(Path(folder) / "out"))}
        for number, cell in enumerate(cells):
            times, counts = arrived(flows[f"f{number}"])
            yield cell, _slope_mbit(times, counts, _BEGINNING * seconds, seconds)


def _slope_mbit(times: np.ndarray, counts: np.ndarray, from_s: float, to_s: float) -> float | None:
    """The rate between the first and the last sample in some time at which a count had grown."""
    grown = np.flatnonzero(np.diff(counts, prepend=0) > 0)
    grown_in_time = [place for place in grown if from_s <= times[place] <= to_s]
    if len(grown_in_time) < 2:
        return None
    first, last = grown_in_time[0], grown_in_time[-1]
    return float(counts[last] - counts[first]) * 8e-6 / float(times[last] - times[first])


def table(title: str, mtus: list[int], rows: dict[str, dict[int, float | None]]) -> bool:
    """Print the measured shares of the formula in percent; whether all are near it."""
    print(f"\n{title}\n{'':14}" + "".join(f"{mtu:>9}" for mtu in mtus))
    good = True
    for name, row in rows.items():
        shares = [row.get(mtu) for mtu in mtus]
        good &= all(share is not None and (abs(share - 1) <= SLACK or share == IDLE) for share in shares)
        words = ("none" if share is None else "idle" if share == IDLE else f"{100 * share:.2f}" for share in shares)
        print(f"{name:14}" + "".join(f"{word:>9}" for word in words))
    return good


def main() -> int:
    """Run the cells that the command line asks for; 1 if any is off."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mtus", type=int, nargs="+", default=[576, 1280, 1500, 4500, 9000])
    parser.add_argument("--rates", type=float, nargs="+", default=[1, 10, 50, 100, 1000])
    parser.add_argument("--without", nargs="*", default=["fq_pie", "dualpi2"])
    parser.add_argument("--no-datagrams", action="store_true")
    parser.add_argument("--no-tcp", action="store_true")
    options = parser.parse_args()
    good = True
    for rate_mbit in options.rates:
        if not options.no_datagrams:
            all_shapes = shapes(rate_mbit, options.without)
            cells = [Cell(name, mtu, shape) for name, shape in all_shapes.items() for mtu in options.mtus]
            rows: dict[str, dict[int, float | None]] = {name: {} for name in all_shapes}
            for cell, measured_mbit in datagrams(cells):
                rows[cell.name][cell.mtu_bytes] = measured_mbit and measured_mbit / cell.carried_mbit
            good &= table(f"Full frames at {rate_mbit:g} Mbit/s, % of the formula, by MTU", options.mtus, rows)
        if not options.no_tcp:
            plain = {name: shape for name, shape in shapes(rate_mbit, options.without, delay_ms=2).items()
                     if name in ("tbf bfifo", "htb bfifo", *_CAKES)}  # fmt: skip
            cells = [Cell(name, mtu, shape) for name, shape in plain.items() for mtu in options.mtus]
            rows = {name: {} for name in plain}
            for cell, measured_mbit in tcp(cells, rate_mbit):
                expected = rate_mbit * tcp_share(cell.mtu_bytes, cell.shape.accounting)
                rows[cell.name][cell.mtu_bytes] = measured_mbit and measured_mbit / expected
            good &= table(f"Goodput of TCP at {rate_mbit:g} Mbit/s, % of the formula, by MTU", options.mtus, rows)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
