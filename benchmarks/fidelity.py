"""How true links are: measured against configured, ours beside Mininet's TCLink, in one run.

    python benchmarks/fidelity.py [--place labkernel] [--real-time] [--rates 1 10 100 1000] [--delays 0 20 150]
                                  [--queues 0.1 1 10] [--losses 0.1 1 10] [--full] [--without-mininet] [--json FILE]

Each cell is a link between two hosts: rate in Mbit/s, one-way delay in ms in both directions, queue in bandwidth-delay
products, loss in percent. Without --full all rates meet all delays, and queues and losses vary at 10 Mbit/s and 20 ms.
Measured are the least round trip, the rate at which a full queue empties, how much it holds, and the loss. Mininet is
given the same numbers (its queue in packets), in a lab kernel of its own; it limits the packets that are delayed and
queued together, so what is held against it is the sum of both. Both are measured in virtual time where there is a lab
kernel that has it; with --real-time as fast as this machine sends, and what it cannot tell is "-".
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

_HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(_HERE.parent))

from frrlib import wire  # noqa: E402
from frrlib.errors import PlaceError  # noqa: E402
from frrlib.lab.lab import Lab  # noqa: E402
from frrlib.lab.virtual_clock import refuse_virtual  # noqa: E402
from frrlib.model.chance import loss_interval  # noqa: E402
from frrlib.model.frames import FULL_FRAME_BYTES  # noqa: E402
from frrlib.model.links import End, Link, Shape, bdp_bytes, queue_limit_bytes  # noqa: E402
from frrlib.model.nodes import Host  # noqa: E402
from frrlib.model.topology import Topology  # noqa: E402
from frrlib.verify import links as verify  # noqa: E402

_USUAL = {"rate_mbit": 10.0, "delay_ms": 20.0, "queue_bdp": 1.0, "loss_percent": 0.0}
_SMALL_FRAME_BYTES, _COUNT_MBIT, _MOST, _MOST_SENDERS = 142, 2.0, 12_000, 250


@dataclass(frozen=True)
class Cell:
    """One link."""

    rate_mbit: float
    delay_ms: float
    queue_bdp: float
    loss_percent: float

    @property
    def shape(self) -> Shape:
        """The direction that is measured. Without a delay its queue is that many times 20 frames."""
        queue: dict[str, Any] = {"queue_bdp": self.queue_bdp} if self.delay_ms else {
            "queue_packets": max(1, round(20 * self.queue_bdp))}  # fmt: skip
        return Shape(rate_mbit=self.rate_mbit, delay_ms=self.delay_ms, loss_percent=self.loss_percent, **queue)

    @property
    def name(self) -> str:
        """In a few words."""
        loss = f", loss {self.loss_percent:g} %" if self.loss_percent else ""
        return f"{self.rate_mbit:g} Mbit/s, {self.delay_ms:g} ms, {self.queue_bdp:g} BDP{loss}"


def cells(options: argparse.Namespace) -> list[Cell]:
    """The links to try."""
    if options.full:
        all_cells = [Cell(r, d, q, p) for r in options.rates for d in options.delays for q in options.queues
                 for p in (0.0, *options.losses)]  # fmt: skip
    else:
        all_cells = [Cell(**{**_USUAL, "rate_mbit": r, "delay_ms": d}) for r in options.rates for d in options.delays]
        all_cells += [Cell(**{**_USUAL, "queue_bdp": q}) for q in options.queues]
        all_cells += [Cell(**{**_USUAL, "loss_percent": p}) for p in options.losses]
    return list(dict.fromkeys(all_cells))


def has_virtual_time() -> bool:
    """Whether there is a lab kernel whose clock can jump."""
    try:
        refuse_virtual()
    except PlaceError:
        return False
    return True


def ours(todo: list[Cell], place: str, console: Console, *, virtual_time: bool) -> list[dict[str, verify.LinkCheck]]:
    """The behaviour of our links, measured as `miniedit-frr verify` does."""
    nodes, links = [], []
    for number, cell in enumerate(todo):
        way_back = Shape(delay_ms=cell.delay_ms)
        ends = [End(node=f"{side}{number}") for side in "ab"]
        nodes += [Host(name=end.node) for end in ends]
        links.append(Link(id=f"l{number}", a=ends[0], b=ends[1], a_to_b=cell.shape, b_to_a=way_back))
    checks: list[dict[str, verify.LinkCheck]] = [{} for _ in todo]
    with Lab(Topology(nodes=tuple(nodes), links=tuple(links)), place=place, virtual_time=virtual_time) as lab:
        for check in verify.check_links(lab, lambda check: console.print(f"ours: {check}", style="dim")):
            if check.direction.startswith("a"):
                checks[int(check.link[1:])][check.quantity] = check
    return checks


def mininets(todo: list[Cell], *, virtual_time: bool) -> list[dict[str, Any]]:
    """The behaviour of Mininet's links, in a lab kernel, measured by the same process."""
    requests = [_request_of(cell) for cell in todo]
    shape = Shape(rate_mbit=1, delay_ms=1, shaper="htb")
    ends = (End(node="h1"), End(node="h2"))
    link = Link(id="l1", a=ends[0], b=ends[1], a_to_b=shape)
    answers = []
    topology = Topology(nodes=(Host(name="h1"), Host(name="h2")), links=(link,))
    with Lab(topology, place="labkernel", virtual_time=virtual_time) as lab:
        for request in requests:
            argv = ("/usr/bin/python3", str(_HERE / "fidelity_mininet.py"), json.dumps([request]))
            answer = lab.ask(wire.Execute("", argv, 300.0), 400.0)
            lines = answer["stdout"].splitlines()
            answers.append(json.loads(lines[-1]) if lines else {"error": answer["stderr"][-300:]})
    return answers


def _request_of(cell: Cell) -> dict[str, Any]:
    limit = queue_limit_bytes(cell.shape, Shape(delay_ms=cell.delay_ms), FULL_FRAME_BYTES) or 0
    # Packets under way are in Mininet's queue, too.
    under_way = bdp_bytes(cell.rate_mbit, cell.delay_ms)
    packets = max(1, round((limit + under_way) / FULL_FRAME_BYTES))
    expected = cell.loss_percent / 100
    count = max(1000, min(_MOST, round(100 / expected) if expected else 1000))
    rate = min(_COUNT_MBIT, cell.rate_mbit / 2)
    return {
        "rate_mbit": cell.rate_mbit, "delay_ms": cell.delay_ms, "loss_percent": cell.loss_percent,
        "queue_packets": packets, "senders": min(_MOST_SENDERS, 4 + 2 * packets * FULL_FRAME_BYTES // 60_000),
        "under_way_s": 1.0,
        "flood": {"payload_bytes": 1472, "frame_bytes": 1514, "rate_mbit": cell.rate_mbit, "seconds": 3.0,
                  "queue_bytes": packets * FULL_FRAME_BYTES},
        "count": {"payload_bytes": 100, "frame_bytes": _SMALL_FRAME_BYTES, "rate_mbit": rate, "count": count},
    }  # fmt: skip


def row(cell: Cell, mine: dict[str, verify.LinkCheck], mininet: dict[str, Any]) -> dict[str, Any]:
    """Errors of one cell: of the round trip in ms, the rate in %, the queue in frames, and the loss in %."""
    errors: dict[str, Any] = {"cell": cell.name}
    trip, rate, queue, loss = (mine.get(kind) for kind in ("base RTT", "rate", "queue", "loss"))
    if trip and trip.measured is not None and trip.configured is not None:
        errors["rtt"] = trip.measured - trip.configured
        if mininet.get("rtt_ms") is not None:
            errors["rtt mininet"] = mininet["rtt_ms"] - trip.configured
    if rate and rate.measured is not None and not rate.reason:
        errors["rate"] = 100 * (rate.measured / cell.rate_mbit - 1)
    if mininet.get("rate_mbit"):
        errors["rate mininet"] = 100 * (mininet["rate_mbit"] / cell.rate_mbit - 1)
    if queue and queue.measured is not None and queue.configured and not queue.reason:
        errors["queue"] = (queue.measured - queue.configured) / FULL_FRAME_BYTES
    if mininet.get("backlog_bytes") and queue and queue.configured:
        under_way = bdp_bytes(cell.rate_mbit, cell.delay_ms)
        errors["queue mininet"] = (mininet["backlog_bytes"] - under_way - queue.configured) / FULL_FRAME_BYTES
    if loss and loss.measured is not None:
        errors["loss"], errors["loss in"] = loss.measured, loss.is_true
    if lost := mininet.get("lost"):
        share = 1 - lost["received"] / lost["sent"]
        low, high = loss_interval(lost["sent"], cell.shape.mean_loss_percent)
        errors["loss mininet"], errors["loss mininet in"] = 100 * share, low <= share * lost["sent"] <= high
    return errors


def main() -> None:
    """Measure all, and print the errors side by side."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--place", default="labkernel")
    parser.add_argument("--real-time", action="store_true")
    parser.add_argument("--rates", type=float, nargs="+", default=[1, 10, 100, 1000])
    parser.add_argument("--delays", type=float, nargs="+", default=[0, 20, 150])
    parser.add_argument("--queues", type=float, nargs="+", default=[0.1, 1, 10])
    parser.add_argument("--losses", type=float, nargs="+", default=[0.1, 1, 10])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--without-mininet", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    console, todo = Console(width=110, highlight=False), cells(options)
    virtual_time = options.place == "labkernel" and not options.real_time and has_virtual_time()
    mine = ours(todo, options.place, Console(stderr=True), virtual_time=virtual_time)
    from_mininet = [{} for _ in todo] if options.without_mininet else mininets(todo, virtual_time=virtual_time)
    rows = [row(*errors) for errors in zip(todo, mine, from_mininet, strict=True)]
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    columns = [("rtt", "round trip, ms", "+.3f"), ("rate", "rate, %", "+.2f"), ("queue", "queue, frames", "+.2f"),
               ("loss", "loss, %", ".2f")]  # fmt: skip
    table = Table("link", *(f"{title}\n{who}" for _, title, _ in columns for who in ("ours", "mininet")), box=None)
    for errors in rows:
        table.add_row(errors["cell"], *(
            f"{errors[key]:{form}}{'' if errors.get(f'{key} in', True) else ' !'}" if key in errors else "-"
            for name, _, form in columns for key in (name, f"{name} mininet")
        ))  # fmt: skip
    console.print(table)
    for cell, answer in zip(todo, from_mininet, strict=True):
        if "error" in answer:
            console.print(f"{cell.name}: Mininet's was not measured: {answer['error'].strip().splitlines()[-1]}")
    console.print(f"in {'virtual' if virtual_time else 'real'} time, in the place {options.place}")
    console.print("errors against what is configured; of the loss itself; ! is outside of what 99 of 100 trials give")


if __name__ == "__main__":
    main()
