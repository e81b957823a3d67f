"""Whether measuring changes what is measured: the same flows with samplers and without, in turn.

    python benchmarks/observer.py [--place labkernel] [--rate 100] [--hz 100] [--pairs 6] [--seconds 15] [--json FILE]

Six flows (2 CUBIC, 2 BBR, Reno, UDP), each a second after the one before, over one bottleneck. Throughput is the
growth of the kernel's own count of bytes at the receiver's interface while all of them send, read once at the beginning
and once at the end of that time, without any sampler. Runs with and
without samplers take turns (with, without, without, with, ...), so that other work of the machine affects both.
"""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from rich.console import Console

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from frrlib.lab.lab import Lab
from frrlib.model.links import Shape
from frrlib.model.topology import Topology
from frrlib.model.traffic.kinds import ConstantRate
from frrlib.network.network import Network, Wait, end
from frrlib.results.samplers import samplers_share, samplers_text
from frrlib.results.statistics.intervals import interval

CONTROLS = ("cubic", "bbr", "reno", "cubic", "bbr")
STAGGER_S = 1


def drawing(place: str, rate_mbit: float, seconds: float) -> Topology:
    """Six flows over one bottleneck; with a delay where the place has one."""
    delay_ms = 10.0 if place == "labkernel" else 0.0
    net = Network("Observer", wait=Wait(routes=False))
    for name in ("h1", "h2"):
        net.host(name)
    net.router("r1")
    net.link(end("h1", "10.1.0.10/24"), end("r1", "10.1.0.1/24"))
    shape = Shape(rate_mbit=rate_mbit, delay_ms=delay_ms, queue_ms=40)
    net.link(end("r1", "10.2.0.1/24"), end("h2", "10.2.0.2/24"), a_to_b=shape, b_to_a=Shape(delay_ms=delay_ms))
    for number, control in enumerate(CONTROLS):
        begin_s = STAGGER_S * number
        net.flow(f"{control}-{number}", "h1", "h2", congestion_control=control, start_s=begin_s,
                 duration_s=seconds - begin_s)  # fmt: skip
    begin_s = STAGGER_S * len(CONTROLS)
    net.flow("udp", "h1", "h2", traffic=ConstantRate(rate_mbit=rate_mbit / 10), start_s=begin_s,
             duration_s=seconds - begin_s)  # fmt: skip
    return net.topology


def _received(lab: Lab, from_s: float, for_s: float) -> float:
    """The arrival rate at the receiver in Mbit/s, counted by its kernel, from some time after this is called."""
    count = "date +%s.%N; cat /sys/class/net/h2-eth0/statistics/rx_bytes"
    output = lab["h2"].run(
        "sh", "-c", f"sleep {from_s:g}; {count}; sleep {for_s:g}; {count}", timeout_s=from_s + for_s + 30
    )
    begin_s, before, end_s, after = map(float, output.split())
    return (after - before) * 8e-6 / (end_s - begin_s)


def once(lab: Lab, hz: float, seconds: float) -> tuple[float, dict[str, Any]]:
    """Send all flows; returns the arrival rate in Mbit/s while all of them sent, and the cost of the samplers."""
    all_s = STAGGER_S * len(CONTROLS) + 1.5  # the first moment at which surely all of them send
    with ThreadPoolExecutor(1) as beside:
        received = beside.submit(_received, lab, all_s, seconds - all_s - 0.5)
        result = lab.run_flows(hz)
    if result["failures"]:
        sys.exit(f"flows failed: {result['failures']}")
    return received.result(), result["samplers"]


def main() -> None:
    """Measure pairs of runs, and print the difference with its interval."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--place", default="labkernel")
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--hz", type=float, default=100)
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    console = Console(highlight=False)
    pairs, shares = [], []
    with Lab(drawing(options.place, options.rate, options.seconds), place=options.place) as lab:
        once(lab, options.hz, options.seconds)  # addresses are resolved, programs are in memory
        for number in range(options.pairs):
            throughput: dict[bool, float] = {}
            for sampled in (True, False) if number % 2 == 0 else (False, True):
                throughput[sampled], costs = once(lab, options.hz if sampled else 0, options.seconds)
                if sampled:
                    sampler_text = samplers_text(costs)
                    shares.append(100 * (samplers_share(costs) or 0))
            with_mbit, without_mbit = throughput[True], throughput[False]
            off = 100 * (with_mbit / without_mbit - 1)
            pairs.append({"with_mbit": with_mbit, "without_mbit": without_mbit, "difference_percent": off})
            text = f"with {with_mbit:.2f}, without {without_mbit:.2f} Mbit/s: {off:+.2f} %; samplers: {sampler_text}"
            console.print(text, soft_wrap=True)
    difference = interval([pair["difference_percent"] for pair in pairs])
    assert difference is not None
    console.print(
        f"{options.place}, {options.rate:g} Mbit/s, {options.hz:g} samples a second: throughput with samplers differs "
        f"by {difference.mean:+.2f} % (95 % interval {difference.low or 0:+.2f} to {difference.high or 0:+.2f} %, "
        f"{difference.n} pairs); samplers took {'at most ' if options.place == 'labkernel' else ''}"
        f"{sum(shares) / len(shares):.2g} % of a processor",
        soft_wrap=True,
    )
    if options.json:
        options.json.write_text(json.dumps({"pairs": pairs, "sampler_percent": shares}, indent=1) + "\n")


if __name__ == "__main__":
    main()
