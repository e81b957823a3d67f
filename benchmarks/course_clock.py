"""How exactly a value that varies comes: when the kernel has each change, against when it was planned.

    python benchmarks/course_clock.py [--places namespace labkernel] [--steps 0.1 0.01] [--seconds 10] [--json FILE]

A ramp of the rate, and in a lab kernel one of the delay, runs beside a TCP flow over the link. A process of its own
listens in the same namespace to what the kernel tells of qdiscs, and notes the lab's clock at each message; what was
planned is the plan. So neither the agent's word nor tc's is taken for it. The cost of a change is the processor time of
the agent and of all tc together, less that of the same run without a course.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

_HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(_HERE.parent))

from frrlib import wire  # noqa: E402
from frrlib.errors import LabError  # noqa: E402
from frrlib.lab.lab import Lab  # noqa: E402
from frrlib.model.courses import Course  # noqa: E402
from frrlib.model.faults import Fault  # noqa: E402
from frrlib.network.network import Network, Shape  # noqa: E402

#: In the lab, until so many seconds are over: the clock whenever the kernel tells (group RTNLGRP_TC) of a qdisc or a
#: class that has become another one, and its value then. The kernel tells so too where somebody only asks, as samplers
#: do, and the list of what is there at the beginning is no change either.
_LISTEN = """
import os, select, socket, struct, sys, time
opened = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_000_000)
opened.bind((0, 8))
opened.send(struct.pack("=IHHIIBxxxiIII", 36, 38, 0x301, 1, 0, 0, 0, 0, 0, 0))
try:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
except OSError:
    pass
def value(options):
    # bytes a second of tbf and htb (TCA_TBF_PARMS, TCA_HTB_PARMS), nanoseconds of netem (TCA_NETEM_LATENCY64)
    if "tbf" in kinds:
        return struct.unpack_from("=I", options, 12)[0]
    rest = options[24:]
    while len(rest) >= 4:
        size, number = struct.unpack_from("=HH", rest)
        if number == 10:
            return struct.unpack_from("=q", rest, 4)[0]
        rest = rest[(size + 3) & ~3 :]
end, kinds, known, found = time.monotonic() + float(sys.argv[1]), sys.argv[2].split(","), {}, []
while (left := end - time.monotonic()) > 0:
    if not select.select([opened], [], [], left)[0]:
        break
    said, now = opened.recv(65536), time.monotonic()
    while len(said) >= 36:
        length, message, flags = struct.unpack_from("=IHH", said)
        (index,) = struct.unpack_from("=i", said, 20)
        rest, parts = said[36:length], {}
        while len(rest) >= 4:
            size, number = struct.unpack_from("=HH", rest)
            parts[number & 0x3FFF] = rest[4:size]
            rest = rest[(size + 3) & ~3 :]
        named = parts.get(1, b"").rstrip(b"\\0").decode()
        # htb's rate is that of its class (message 40), all others' of the qdisc (36).
        if named in kinds and message == (40 if named == "htb" else 36):
            if known.get(index) != parts.get(2) and not flags & 2:
                found.append((now, value(parts[2])))
            known[index] = parts.get(2)
        said = said[(length + 3) & ~3 :]
print(*(f"{at_s:.6f}/{value}" for at_s, value in found))
"""
#: In the lab: processor time, in seconds, of its first process and its children, and of every tc that runs.
_USED = """
import os
total = 0
for name in os.listdir("/proc"):
    try:
        head, _, tail = open(f"/proc/{name}/stat").read().rpartition(")") if name.isdigit() else ("", "", "")
    except OSError:
        continue
    if head.endswith("(tc"):
        total += sum(map(int, tail.split()[11:13]))
    if name == "1":
        total += sum(map(int, tail.split()[11:15]))
print(total / os.sysconf("SC_CLK_TCK"))
"""


def measured(place: str, value: str, step_s: float, seconds: float) -> dict[str, Any]:
    """One run: how late the changes came, in ms, and what each took of the processor; `step_s` 0 for no course."""
    net = Network("Course clock")
    net.host("h1")
    net.host("h2")
    net.link("h1", "h2", both=Shape(rate_mbit=5, delay_ms=5 if value == "delay_ms" else 0))
    net.flow("f", "h1", "h2", duration_s=int(seconds) + 2)
    topology = net.topology
    low, high = (3.0, 8.0) if value == "rate_mbit" else (6.0, 40.0)
    if step_s:
        course = Course(value=value, pattern="ramp", low=low, high=high, step_s=step_s)  # type: ignore[arg-type]
        fault = Fault(kind="varied", target="l1", time_s=0.5, duration_s=seconds, towards="h2", course=course)
        topology = topology.model_copy(update={"faults": (fault,)})
    events: list[wire.FaultEvent] = []
    node, kind = ("h1", "tbf,htb") if value == "rate_mbit" else ("", "netem")

    def heard(message: wire.Message) -> None:
        if isinstance(message, wire.FaultEvent):
            events.append(message)

    with Lab(topology, place=place, listener=heard) as lab:
        noted: list[dict[str, Any]] = []
        enter = () if node else ("ip", "netns", "exec", "cable")
        argv = (*enter, "/usr/bin/python3", "-c", _LISTEN, f"{seconds + 9:g}", kind)
        listening = threading.Thread(
            target=lambda: noted.append(lab.ask(wire.Execute(node, argv, seconds + 60), seconds + 90))
        )
        listening.start()
        time.sleep(3.0)  # it has started by then
        before = _used_s(lab)
        result = lab.run_flows()
        used_s = _used_s(lab) - before
        listening.join()
    if not step_s:
        return {"used_s": used_s}
    # In the kernel's own numbers, which it rounds: bytes a second, and nanoseconds in steps of 64.
    scale, grain = (1e6 / 8, 1) if value == "rate_mbit" else (1e6, 64)
    changed_at_s: dict[int, float] = {}
    for entry in noted[0]["stdout"].split():
        at_s, _, number = entry.partition("/")
        changed_at_s.setdefault(int(number) // grain, float(at_s))
    changes = topology.faults[0].changes
    planned = {round(scale * getattr(change.values, value)) // grain: change.time_s for change in changes}
    late = sorted(
        1e3 * (at_s - result["zero_time_s"] - planned[number])
        for number, at_s in changed_at_s.items()
        if number in planned
    )
    told_s = sorted(event.time_s for event in events)
    off = sorted(1e3 * min(abs(event_s - at_s) for event_s in told_s) for at_s in changed_at_s.values())
    return {
        "place": place, "value": value, "step_s": step_s, "changes": len(planned), "used_s": used_s, "seen": len(late),
        "late_ms": {str(share): _percentile(late, share) for share in (0, 50, 90, 99, 100)},
        "told_ms": {str(share): _percentile(off, share) for share in (50, 99)},
        "failures": result["fault_failures"],
    }  # fmt: skip


def _used_s(lab: Lab) -> float:
    return float(lab.ask(wire.Execute("", ("/usr/bin/python3", "-c", _USED)))["stdout"])


def _percentile(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share / 100 * len(ordered)))]


def main() -> None:
    """Measure all, and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--places", nargs="+", default=["namespace", "labkernel"])
    parser.add_argument("--steps", type=float, nargs="+", default=[0.1, 0.01])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for place in options.places:
        for value in ("rate_mbit",) if place == "namespace" else ("rate_mbit", "delay_ms"):
            idle_s = measured(place, value, 0.0, options.seconds)["used_s"]
            for step_s in options.steps:
                with contextlib.suppress(LabError):
                    measurement = measured(place, value, step_s, options.seconds)
                    measurement["cpu_ms"] = 1e3 * (measurement["used_s"] - idle_s) / measurement["changes"]
                    rows.append(measurement)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    table = Table(
        "place", "value", "every, ms", "changes", "seen", "late: least", "50 %", "90 %", "99 %", "most", "told, 99 %",
        "CPU a change", box=None,
    )  # fmt: skip
    for row in rows:
        late = (f"{row['late_ms'][share]:.2f}" for share in ("0", "50", "90", "99", "100"))
        names = (row["place"], row["value"], f"{1e3 * row['step_s']:g}", str(row["changes"]), str(row["seen"]))
        table.add_row(*names, *late, f"{row['told_ms']['99']:.2f}", f"{row['cpu_ms']:.2f} ms")
    console = Console(width=140)
    console.print(table)
    console.print(
        "in ms: when the kernel told of a change, after its planned time; and how far off what the lab told is"
    )
    for row in rows:
        for failure in row["failures"][:3]:
            console.print(f"{row['place']}, {row['value']}: {failure}")


if __name__ == "__main__":
    main()
