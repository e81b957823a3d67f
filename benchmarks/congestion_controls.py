"""A congestion control of two kernels side by side: one's own version of BBR and its reference, say.

    python benchmarks/congestion_controls.py --control bbr2 --kernel ours=PATH --kernel reference=PATH
                                             [--seeds 10] [--cases single loss ...] [--jobs 2]
    python benchmarks/congestion_controls.py --control bbr2 --results ours=DIR --results reference=DIR

Each case runs in virtual time with each seed. A cell is the mean over the seeds and their standard deviation: goodput
of the flows with the control together, retransmitted segments, the mean delay in the bottleneck's queue while the flows
send, and the share that the control gets of the goodput where it competes. The last column says whether the kernels'
means differ by more than twice the larger deviation, or by more than 2 % of the mean where the deviation is smaller.

With --results the runs are those of `miniedit-frr experiment run NAME... --repeat 10 --kernel PATH --out DIR`, and the
delay of the queue is the median of the smoothed round trips above the round trip at rest.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

_HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(_HERE.parent))

from frrlib.formats.mn import dumps  # noqa: E402
from frrlib.network.network import Network, Shape, Wait, end  # noqa: E402
from frrlib.run.run import RunSettings, run  # noqa: E402

#: The quantities of a run, with their units.
QUANTITIES = {"goodput": "Mbit/s", "retransmits": "", "queue": "ms", "share": "%"}
_SMALL_SHARE = 0.02


@dataclass(frozen=True)
class Case:
    """A bottleneck, and the flows through it.

    Attributes:
        queue_bdp: the queue's limit as a multiple of the bandwidth-delay product.
        rivals: congestion controls of the flows that compete with those of the compared control.
        count: the number of flows with the compared control.
        between_s: the time between two starts.
    """

    rate_mbit: float
    rtt_ms: float
    queue_bdp: float
    duration_s: float
    loss_percent: float = 0.0
    rivals: tuple[str, ...] = ()
    count: int = 1
    between_s: float = 0.0


CASES = {
    "single": Case(10, 40, 1, 20),
    "deep": Case(10, 40, 10, 40),
    "shallow": Case(50, 40, 0.2, 20),
    "loss 0.1 %": Case(20, 40, 1, 30, loss_percent=0.1),
    "loss 1 %": Case(20, 40, 1, 30, loss_percent=1),
    "loss 5 %": Case(20, 40, 1, 30, loss_percent=5),
    "long": Case(50, 200, 1, 60),
    "two": Case(20, 40, 1, 60, count=2),
    "late": Case(20, 40, 1, 60, count=2, between_s=10),
    "five": Case(50, 30, 1, 40, count=5),
    "cubic 0.5": Case(10, 40, 0.5, 60, rivals=("cubic",)),
    "cubic 2": Case(10, 40, 2, 60, rivals=("cubic",)),
    "cubic 8": Case(10, 40, 8, 60, rivals=("cubic",)),
    "reno 2": Case(10, 40, 2, 60, rivals=("reno",)),
    "bbr 2": Case(10, 40, 2, 60, rivals=("bbr",)),
}


def measure(case: Case, control: str, kernel: Path, seed: int) -> dict[str, float]:
    """The quantities of one run.

    Raises:
        RuntimeError: the run failed.
    """
    controls = [control] * case.count + list(case.rivals)
    net = Network("congestion-controls", wait=Wait(routes=False, ping_count=0))
    net.host("receiver")
    net.switch("s1")
    for number in range(1, len(controls) + 1):
        net.host(f"h{number}")
        net.link(end(f"h{number}", f"10.0.0.{number}/24"), "s1")
    bdp_bytes = case.rate_mbit * 125 * case.rtt_ms
    net.link(
        "s1", end("receiver", "10.0.0.200/24"),
        a_to_b=Shape(
            rate_mbit=case.rate_mbit, delay_ms=case.rtt_ms / 2, loss_percent=case.loss_percent,
            queue_bytes=round(case.queue_bdp * bdp_bytes),
        ),
        b_to_a=Shape(delay_ms=case.rtt_ms / 2),
    )  # fmt: skip
    for number, name in enumerate(controls):
        start_s = number * case.between_s
        net.flow(
            f"f{number + 1}", f"h{number + 1}", "receiver", start_s=start_s, duration_s=case.duration_s - start_s,
            congestion_control=name,
        )  # fmt: skip
    settings = RunSettings(place="labkernel", virtual_time=True, kernel=kernel, seed=seed)
    with tempfile.TemporaryDirectory(prefix="congestion-") as folder:
        outcome = run(net.topology, dumps(net.topology), Path(folder) / "run", settings, figure=False)
        if outcome.failures:
            raise RuntimeError(f"{control} in {kernel}: {outcome.failures}")
        summary = json.loads((Path(folder) / "run" / "summary.json").read_text(encoding="utf-8"))
    flows = summary["flows"]
    (queue,) = [queue for queue in summary["queues"] if queue["rate_mbit"]]
    rates = [flow["goodput_mbit"] for flow in flows]
    return {
        "goodput": sum(rates[: case.count]),
        "retransmits": float(sum(flow["retransmits"] or 0 for flow in flows[: case.count])),
        "queue": queue["backlog_mean_bytes"] * 8e-3 / case.rate_mbit,
        "share": 100 * sum(rates[: case.count]) / sum(rates) if case.rivals else 100 * max(rates) / sum(rates),
    }


def stored(folder: Path, control: str) -> dict[str, list[dict[str, float]]]:
    """The quantities of the runs of experiments that have flows with a congestion control, by experiment and case."""
    quantities_by_case = defaultdict(list)
    for file in sorted(folder.glob("*/runs/*/summary.json")):
        flows = json.loads(file.read_text(encoding="utf-8"))["flows"]
        flows_with_control = [flow for flow in flows if flow["congestion_control"] == control]
        if not flows_with_control:
            continue
        goodput = sum(flow["goodput_mbit"] or 0.0 for flow in flows_with_control)
        delays = [flow["srtt_median_ms"] - flow["min_rtt_ms"] for flow in flows_with_control if flow["min_rtt_ms"]]
        name = f"{file.parts[-4]} {re.sub('_[0-9]+$', '', file.parts[-2])}"
        quantities_by_case[name].append({
            "goodput": goodput,
            "retransmits": float(sum(flow["retransmits"] or 0 for flow in flows_with_control)),
            "queue": float(np.mean(delays)) if delays else 0.0,
            "share": 100 * goodput / sum(flow["goodput_mbit"] or 0.0 for flow in flows),
        })  # fmt: skip
    return quantities_by_case


def _is_different(ours: np.ndarray, theirs: np.ndarray) -> bool:
    spread = 2 * max(float(ours.std()), float(theirs.std()), _SMALL_SHARE / 2 * float(theirs.mean()))
    return abs(float(ours.mean() - theirs.mean())) > spread


def compare_results(folders: dict[str, Path], control: str) -> None:
    """Print a table of the runs of experiments with several kernels."""
    results = [stored(folder, control) for folder in folders.values()]
    print(f"{control}: mean and standard deviation")
    _print_heading(list(folders))
    for name in [name for name in results[-1] if all(name in quantities for quantities in results)]:
        values = [quantities[name] for quantities in results]
        _print_rows(name, values, has_share=any(run["share"] < 99.9 for run in values[-1]))


def _print_heading(names: list[str]) -> None:
    print(f"{'case':32}{'quantity':22}" + "".join(f"{name:>22}" for name in names))


def _print_rows(name: str, runs_by_kernel: list[list[dict[str, float]]], has_share: bool) -> None:
    """Print a row for each quantity of a case. The last kernel is the reference."""
    for quantity, unit in QUANTITIES.items():
        if quantity == "share" and not has_share:
            continue
        values = [np.array([run[quantity] for run in runs]) for runs in runs_by_kernel]
        cells = "".join(f"{value.mean():>13.2f} +-{value.std():>6.2f}" for value in values)
        mark = "  differs" if any(_is_different(value, values[-1]) for value in values[:-1]) else ""
        print(f"{name:32}{quantity + (f', {unit}' if unit else ''):22}{cells}{mark}", flush=True)


def main() -> int:
    """Print a table with a row per case and quantity."""
    parser = argparse.ArgumentParser(description="A congestion control of several kernels side by side.")
    parser.add_argument("--control", default="bbr2")
    parser.add_argument("--kernel", action="append", default=[], metavar="NAME=PATH")
    parser.add_argument("--results", action="append", default=[], metavar="NAME=DIR")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cases", nargs="*", default=list(CASES))
    options = parser.parse_args()
    if options.results:
        compare_results({name: Path(folder) for name, _, folder in (word.partition("=") for word in options.results)},
                        options.control)  # fmt: skip
        return 0
    kernels = {name: Path(path) for name, _, path in (word.partition("=") for word in options.kernel)}
    print(f"{options.control}, {options.seeds} seeds: mean and standard deviation")
    _print_heading(list(kernels))
    with ThreadPoolExecutor(options.jobs) as workers:
        for name in options.cases:
            futures_by_kernel = {
                kernel: [
                    workers.submit(measure, CASES[name], options.control, path, seed)
                    for seed in range(1, options.seeds + 1)
                ]
                for kernel, path in kernels.items()
            }
            results = {kernel: [future.result() for future in futures] for kernel, futures in futures_by_kernel.items()}
            has_share = CASES[name].count > 1 or bool(CASES[name].rivals)
            _print_rows(name, list(results.values()), has_share)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
