"""Runs the two examples in a lab kernel and holds what they measure against narrow bands.

    python benchmarks/examples.py [--repeat N] [--kernel FILE]
    python benchmarks/examples.py --everywhere

The bands follow from the drawing: 10 Mbit/s of frames of 1514 bytes carry 9.56 Mbit/s of data, the path at rest takes
20 ms each way, and the queue of one bandwidth-delay product adds another 40 ms when it is full. A busy machine can
push a value out of its band, since a lab in real time shares the processor; run it on an idle one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from frrlib.formats import mn  # noqa: E402
from frrlib.lab.needs import needs_of  # noqa: E402
from frrlib.place.choice import unmet_needs  # noqa: E402
from frrlib.place.labkernel import LabKernel  # noqa: E402
from frrlib.place.namespace import Namespace  # noqa: E402
from frrlib.run.run import RunOutcome, RunSettings, run  # noqa: E402
from tests.examples.data import EXAMPLES, tried  # noqa: E402

Check = tuple[str, float, float, float]


def two_as(outcome: RunOutcome) -> list[Check]:
    """Name, value, lowest and highest allowed."""
    assert outcome.summary is not None
    cubic, bbr = outcome.summary.flow("cubic"), outcome.summary.flow("bbr")
    rtt = outcome.pings[0]["rtt_ms"]
    return [
        ("RTT at rest, least (ms)", min(rtt), 39, 41),
        ("RTT at rest, largest (ms)", max(rtt), 39, 41),
        ("goodput of CUBIC after 1 s (Mbit/s)", cubic.goodput_settled_mbit or 0, 9.2, 9.6),
        ("goodput of BBR after 1 s (Mbit/s)", bbr.goodput_settled_mbit or 0, 9.2, 9.6),
        ("median RTT of BBR (ms)", bbr.srtt_median_ms or 0, 40, 60),
        ("largest RTT of CUBIC (ms)", cubic.srtt_max_ms or 0, 70, 85),
        ("from the start to all routes (s)", until_routes(outcome), 0, 6),
    ]


def multihop(outcome: RunOutcome) -> list[Check]:
    """Name, value, lowest and highest allowed."""
    assert outcome.summary is not None
    total = sum(flow.goodput_settled_mbit or 0 for flow in outcome.summary.flows)
    return [
        ("routers on the path", 64 - outcome.pings[0]["ttl"][0], 3, 6),
        ("goodput of both flows after 1 s (Mbit/s)", total, 9.0, 9.6),
    ]


def until_routes(outcome: RunOutcome) -> float:
    """Seconds of the steps until the network had converged and been at rest for a moment."""
    return sum(seconds for name, seconds in outcome.steps if name in ("place", "boot", "build", "converge"))


def everywhere() -> int:
    """Try every example in real time in both places; 1 if one fails although its place lacks nothing."""
    failed = 0
    for place in (Namespace(), LabKernel()):
        for file in sorted(EXAMPLES.glob("*.mn")):
            topology = mn.load(file).topology
            reason = tried(topology, place.name)
            failed += bool(reason) and not unmet_needs(needs_of(topology), place.abilities())
            print(f"{place.name}: {file.stem}: {reason or 'converges and answers'}", flush=True)
    return 1 if failed else 0


def main() -> int:
    """Run, print, and end with 0 only if every value is in its band."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--kernel", type=Path, default=None)
    parser.add_argument("--everywhere", action="store_true", help="only build all examples in all places, and ping")
    arguments = parser.parse_args()
    if arguments.everywhere:
        return everywhere()
    outside = 0
    for number in range(1, arguments.repeat + 1):
        for name, checks in (("two-as-bgp", two_as), ("ospf-multihop", multihop)):
            file = ROOT / "examples" / f"{name}.mn"
            with tempfile.TemporaryDirectory() as folder:
                begin = time.monotonic()
                settings = RunSettings("labkernel", arguments.kernel)
                outcome = run(mn.load(file).topology, mn.read_text(file), Path(folder) / "out", settings)
            steps = ", ".join(f"{step} {seconds:.2f}" for step, seconds in outcome.steps)
            print(f"{name}, run {number}: {time.monotonic() - begin:.1f} s ({steps})")
            for failure in outcome.failures:
                print(f"  failed: {failure}")
                outside += 1
            for quantity, value, low, high in checks(outcome) if not outcome.failures else ():
                good = low <= value <= high
                outside += not good
                print(f"  {'in ' if good else 'OUT'} {quantity}: {value:.2f} (band {low:g} to {high:g})")
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main())
