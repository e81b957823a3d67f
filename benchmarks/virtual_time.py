"""How fast labs run in virtual time, what each part of a run costs, and whether they repeat.

    python benchmarks/virtual_time.py [--rates 1 10 100 1000] [--flows 1 5] [--repeat 5] [--without-ospf] [--json FILE]

One and five CUBIC flows over one bottleneck, 40 ms there and back, 20 s, sampled 100 times a second; start and figure
included. Last of these examples/ospf-multihop.mn with OSPF's own timers and flows of 30 s. Then one run of BBR several
times, with a checksum of all its samples; two of them while every processor of the machine is kept busy. Two tables in
Markdown come out: times, and processor seconds of each part. "processor" is what this program, the lab and its
supervisor took together, which depends less on other work of the machine than real time. The cost of sampling is the
difference to one more run with one sample a second. It needs a lab kernel that has virtual time (`miniedit-frr kernel
build`).
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(_HERE.parent))

from frrlib import wire  # noqa: E402
from frrlib.formats import mn  # noqa: E402
from frrlib.model.topology import Topology  # noqa: E402
from frrlib.network.network import Network, Shape, TcpTuning, Wait, end  # noqa: E402
from frrlib.results.read import open_results  # noqa: E402
from frrlib.results.statistics.comparison import METRICS  # noqa: E402
from frrlib.results.statistics.statistics import statistics  # noqa: E402
from frrlib.run.run import RunSettings, run  # noqa: E402

RTT_MS, SECONDS = 40.0, 20.0
#: The steps of a run, in order: the name that is told, and the name used here.
PARTS = {"boot": "boot", "build": "build", "converge": "routing", "rest": "ping", "flows": "flows", "": "end, saving",
         "figure": "figure"}  # fmt: skip


def bottleneck(flows: int, rate_mbit: float, control: str) -> Topology:
    """Two hosts, a router between them, and its way out as the bottleneck, with a queue of one path's product."""
    net = Network(f"{flows} {control} at {rate_mbit:g} Mbit/s", wait=Wait(routes=False, ping_count=2))
    tcp = TcpTuning(buffer_bytes=64 << 20)
    net.host("h1", tcp=tcp)
    net.router("r1")
    net.host("h2", tcp=tcp)
    net.link("h1", "r1")
    shape = Shape(rate_mbit=rate_mbit, delay_ms=RTT_MS / 2, queue_bdp=1)
    net.link(end("r1"), end("h2"), a_to_b=shape, b_to_a=Shape(delay_ms=RTT_MS / 2))
    net.flow("f", "h1", "h2", congestion_control=control, duration_s=SECONDS, count=flows)
    return net.topology


def slow_ospf() -> Topology:
    """The example with OSPF's own timers, and flows of 30 s."""
    topology = mn.load(_HERE.parent / "examples" / "ospf-multihop.mn").topology
    nodes = []
    for node in topology.nodes:
        ospf = getattr(node, "ospf", None)
        slower = ospf and ospf.model_copy(update={"hello_s": 10, "dead_s": 40})
        nodes.append(node.model_copy(update={"ospf": slower}) if ospf else node)
    flows = tuple(flow.model_copy(update={"duration_s": 30.0}) for flow in topology.flows)
    wait = topology.wait.model_copy(update={"timeout_s": 180.0})
    return topology.model_copy(update={"nodes": tuple(nodes), "flows": flows, "wait": wait})


class Parts:
    """Processor seconds of the parts of a run, by the steps that it tells."""

    def __init__(self) -> None:
        self.spent_s: dict[str, float] = {}
        self._at_s, self._in = _processor_s(), ""

    def hear(self, message: wire.Message) -> None:
        """The end of one part and the beginning of another."""
        if isinstance(message, wire.StepEvent) and message.name in PARTS:
            now_s = _processor_s()
            self.spent_s[self._in] = self.spent_s.get(self._in, 0.0) + now_s - self._at_s
            self._at_s, self._in = now_s, message.name if message.state == "start" else ""


def once(topology: Topology, *, sample_hz: float = 100.0) -> dict[str, Any]:
    """Run it, start and figure included: seconds of all kinds, and the results."""
    with tempfile.TemporaryDirectory(prefix="virtual-time-") as folder:
        began_s, spent_s, parts = time.monotonic(), _processor_s(), Parts()
        out = Path(folder) / "out"
        settings = RunSettings("labkernel", virtual_time=True, sample_hz=sample_hz)
        outcome = run(topology, mn.dumps(topology), out, settings, parts.hear)
        took_s, spent_s = time.monotonic() - began_s, _processor_s() - spent_s
        if outcome.failures:
            raise SystemExit("; ".join(outcome.failures))
        digest = hashlib.blake2b(digest_size=6)
        for path in sorted((out / "samples").iterdir()):
            digest.update(path.read_bytes())
        flows_s = max(flow.start_s + flow.duration_s for flow in topology.flows)
        reports = [json.loads(path.read_bytes())["end"]["sum_received"] for path in (out / "flows").iterdir()]
        return {
            "real_s": took_s,
            "processor_s": spent_s,
            "virtual_s": flows_s + outcome.converged.seconds,
            "goodput_mbit": sum(report["bytes"] * 8 / report["seconds"] / 1e6 for report in reports),
            "queue_ms": METRICS["queue_ms"].of(statistics(open_results(out))),
            "boot_s": dict(outcome.steps)["boot"],
            "parts_s": parts.spent_s,
            "samples": digest.hexdigest(),
        }


@contextlib.contextmanager
def busy() -> Iterator[None]:
    """Every processor of this machine has something else to do, too."""
    busy_processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for busy_process in busy_processes:
            busy_process.kill()
            busy_process.wait()


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rates", nargs="*", type=float, default=[1, 10, 100, 1000])
    parser.add_argument("--flows", nargs="*", type=int, default=[1, 5])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--without-ospf", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    report: dict[str, Any] = {}
    runs = {f"{n} at {rate:g} Mbit/s": bottleneck(n, rate, "cubic") for n in options.flows for rate in options.rates}
    if not options.without_ospf:
        runs["ospf-multihop"] = slow_ospf()
    times, parts = [], []
    for name, topology in runs.items():
        measured, without = once(topology), once(topology, sample_hz=1.0)
        sampling_s = measured["parts_s"]["flows"] - without["parts_s"]["flows"]
        report[name] = measured | {"sampling_s": sampling_s}
        print(f"{name}: {measured['real_s']:.2f} s", file=sys.stderr)
        rates = [
            f"{measured[key]:.2f} s | {measured['virtual_s'] / measured[key]:.1f}" for key in ("real_s", "processor_s")
        ]
        boot, goodput = f"{measured['boot_s']:.2f} s", f"{measured['goodput_mbit']:.2f} Mbit/s"
        times.append((name, f"{measured['virtual_s']:.1f} s", *rates, boot, goodput))
        spent = [measured["parts_s"].get(part, 0.0) - sampling_s * (part == "flows") for part in PARTS]
        parts.append((name, *(f"{seconds:.2f}" for seconds in spent), f"{sampling_s:.2f}"))
    _print(("run", "virtual time", "real time", "times", "processor", "times", "boot to agent", "goodput"), times)
    _print(("processor seconds of", *PARTS.values(), "sampling"), parts)
    again = []
    for number in range(options.repeat):
        crowded = number in (1, 2)
        with busy() if crowded else contextlib.nullcontext():
            measured = once(bottleneck(1, 10, "bbr"))
        report[f"repeat {number}"] = measured
        name = f"{number + 1}{', all processors busy' if crowded else ''}"
        again.append(
            (name, f"{measured['real_s']:.2f} s", f"{measured['goodput_mbit']:.6f} Mbit/s", measured["samples"])
        )
    if again:
        _print(("bbr at 10 Mbit/s", "real time", "goodput", "checksum of all samples"), again)
    if options.json:
        options.json.write_text(json.dumps(report, indent=1))


def _print(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table in Markdown."""
    print()
    for row in (titles, ["---"] * len(titles), *rows):
        print(f"| {' | '.join(row)} |")


def _processor_s() -> float:
    """Seconds that this process and all that it started have computed."""
    own_usage = resource.getrusage(resource.RUSAGE_SELF)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own_usage.ru_utime + own_usage.ru_stime + ended.ru_utime + ended.ru_stime + _running_s()


def _running_s() -> float:
    """The same of processes below this one that still run, with those that they have seen end."""
    children: dict[int, list[int]] = {}
    spent: dict[int, int] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
            words = file.read().rpartition(")")[2].split()
            children.setdefault(int(words[1]), []).append(int(name))
            spent[int(name)] = sum(map(int, words[11:15]))
    below, total = [*children.get(os.getpid(), [])], 0
    while below:
        process = below.pop()
        total += spent[process]
        below += children.get(process, [])
    return total / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
