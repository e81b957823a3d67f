"""Whether virtual time and real time agree, and how much runs of each differ from one another.

    python benchmarks/virtual_agreement.py [--quick] [--controls cubic bbr] [--rates 10 100] [--repeat 5] [--equal 5]
                                           [--places labkernel namespace] [--tool own] [--first] [--keep DIR]
                                           [--json FILE]

One flow over one bottleneck, 40 ms there and back, a queue of one bandwidth-delay product, 20 s, sampled 100 times a
second: in virtual time with as many seeds as there are repetitions, and in real time, a repetition after the other, in
a lab kernel and in namespaces where this machine's kernel has what the drawing needs. The same program sends in both,
since how a program begins shows in what BBR does; `--tool auto` is what a run does by itself. Measured are goodput, the
median and the 95th percentile of RTT, the mean and the longest queue, segments sent again, and of BBR the bandwidth
that it believes in most of the time.

"Real" is the mean of the repetitions and the interval in which one more of them would be found 19 times of 20 (mean
+- t s sqrt(1 + 1/n), Student's t): a value of virtual time outside of it differs by more than repetitions do. The
second table has the same run of BBR several times in each time with a checksum of its samples; two of those in virtual
time while all processors are kept busy. Tables are Markdown.

Real time needs a calm machine. --first gives its runs the processor before everything else (SCHED_RR, as `chrt -r`
does; for root), which makes up for other work of the machine, as long as there is a processor left for the rest.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import math
import os
import statistics as of_numbers
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE.parent), str(_HERE)]

from virtual_time import bottleneck, busy  # noqa: E402

from frrlib.errors import LabError  # noqa: E402
from frrlib.formats import mn  # noqa: E402
from frrlib.model.topology import Topology  # noqa: E402
from frrlib.model.traffic.kinds import Bulk  # noqa: E402
from frrlib.results.read import open_results  # noqa: E402
from frrlib.results.statistics.comparison import METRICS  # noqa: E402
from frrlib.results.statistics.intervals import student_t  # noqa: E402
from frrlib.results.statistics.statistics import RunStatistics, statistics  # noqa: E402
from frrlib.results.statistics.summary import Summary, load_summary  # noqa: E402
from frrlib.run.run import RunSettings, run  # noqa: E402

VIRTUAL = "virtual"
CONFIDENCE = 0.95
#: If no two repetitions differ, a difference below this share of the value does not count.
_SAME = 1e-9


@dataclass(frozen=True)
class Measure:
    """A number of a run: its name, how it is written, and how it is obtained from a run."""

    name: str
    form: str
    of: Callable[[RunStatistics, Summary], float | None]


def _longest_kb(run: RunStatistics, summary: Summary) -> float | None:
    size = summary.queue(run.bottleneck).backlog_max_bytes
    return None if size is None else size / 1000


MEASURES = (
    Measure("goodput, Mbit/s", ".3f", lambda run, summary: run.goodput_mbit),
    Measure("RTT, median, ms", ".2f", lambda run, summary: METRICS["rtt_median_ms"].of(run)),
    Measure("RTT, 95 %, ms", ".2f", lambda run, summary: METRICS["rtt_p95_ms"].of(run)),
    Measure("queue, mean, ms", ".2f", lambda run, summary: METRICS["queue_ms"].of(run)),
    Measure("queue, longest, kB", ".1f", _longest_kb),
    Measure("sent again, segments", ".1f", lambda run, summary: summary.flows[0].retransmits),
)
#: Of a flow of BBR: the 95th percentile of the bandwidth that it has estimated, once it is out of start-up and drain.
ESTIMATE = Measure("BBR's estimate, 95 %, Mbit/s", ".3f", lambda run, summary: None)


@dataclass(frozen=True)
class RunMeasures:
    """The results of a run: its measures by name, and a checksum of all its samples."""

    values: dict[str, float]
    samples: str


def once(topology: Topology, place: str, seed: int, out: Path) -> RunMeasures:
    """One run, in virtual time or in the real time of a place.

    Raises:
        SystemExit: it failed.
        PlaceError: the place cannot have this lab.
    """
    settings = RunSettings("labkernel" if place == VIRTUAL else place, virtual_time=place == VIRTUAL, seed=seed)
    outcome = run(topology, mn.dumps(topology), out, settings, figure=False)
    if outcome.failures:
        raise SystemExit("; ".join(outcome.failures))
    results = open_results(out)
    run_statistics, summary = statistics(results), load_summary(out)
    values = {measure.name: value for measure in MEASURES if (value := measure.of(run_statistics, summary)) is not None}
    is_probing = np.char.startswith(results.tcp["bbr_phase"].astype(str), "probe")
    if is_probing.any():
        values[ESTIMATE.name] = float(np.percentile(results.tcp["bbr_bandwidth_mbit"][is_probing], 95))
    digest = hashlib.blake2b(digest_size=6)
    for path in sorted((out / "samples").iterdir()):
        digest.update(path.read_bytes())
    return RunMeasures(values, digest.hexdigest())


def lies_in(values: Sequence[float]) -> tuple[float, float]:
    """Between what one more repetition would be found, with `CONFIDENCE`; everywhere for a single one."""
    if len(values) < 2:
        return -math.inf, math.inf
    mean, n = of_numbers.fmean(values), len(values)
    half = student_t(CONFIDENCE, n - 1) * of_numbers.stdev(values) * math.sqrt(1 + 1 / n)
    half = max(half, _SAME * abs(mean))
    return mean - half, mean + half


def rows(name: str, runs_by_place: dict[str, list[RunMeasures]], places: Sequence[str]) -> list[list[str]]:
    """A row for each measure of one flow: virtual time, and beside it each place in real time."""
    body = []
    for measure in (*MEASURES, ESTIMATE):
        if not all(measure.name in run.values for runs in runs_by_place.values() for run in runs):
            continue
        values = {place: [run.values[measure.name] for run in runs] for place, runs in runs_by_place.items()}
        mean = of_numbers.fmean(values[VIRTUAL])
        row = [name, measure.name, f"{mean:{measure.form}} {_between(values[VIRTUAL], measure.form)}"]
        for place in places:
            if place not in values:
                row += ["not here", "", ""]
                continue
            real, (low, high) = of_numbers.fmean(values[place]), lies_in(values[place])
            difference = f"{100 * (mean / real - 1):+.2f} %" if real else f"{mean - real:+g}"
            is_in = "yes" if low <= mean <= high else "**no**"
            row += [f"{real:{measure.form}} ± {high - real:{measure.form}}", difference, is_in]
        body.append(row)
    return body


def _between(values: Sequence[float], form: str) -> str:
    least, most = (f"{value:{form}}" for value in (min(values), max(values)))
    return "" if least == most else f"({least} to {most})"


def print_table(titles: Sequence[str], body: Sequence[Sequence[str]]) -> None:
    """A table in Markdown, its columns in line."""
    widths = [max(len(row[at]) for row in (titles, *body)) for at in range(len(titles))]
    for row in (titles, ["-" * width for width in widths], *body):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |")
    print(flush=True)


@contextlib.contextmanager
def first(is_wanted: bool) -> Iterator[None]:
    """The processor before everything else for what is started meanwhile."""
    if is_wanted:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(10))
    try:
        yield
    finally:
        if is_wanted:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


class Bench:
    """Runs labs and tells what it does; each run's results are in a folder of its own below `folder`."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self.folder, self._is_first = folder, options.first
        self._seconds, self._tool = options.seconds, options.tool
        self.told: dict[str, dict[str, object]] = {}

    def run(self, control: str, rate_mbit: float, place: str, seed: int, suffix: str = "") -> RunMeasures:
        """One run."""
        name = f"{control}_{rate_mbit:g}_{place}_{seed}{suffix}"
        print(f"{name} ...", file=sys.stderr, flush=True)
        topology = bottleneck(1, rate_mbit, control)
        traffic = Bulk(tool=self._tool)
        flows = tuple(
            flow.model_copy(update={"duration_s": self._seconds, "traffic": traffic}) for flow in topology.flows
        )
        with first(self._is_first and place != VIRTUAL):
            measures = once(topology.model_copy(update={"flows": flows}), place, seed, self.folder / name)
        self.told[name] = {**measures.values, "samples": measures.samples}
        return measures

    def able(self, places: Sequence[str]) -> list[str]:
        """The places that can have these labs; why not is told of the others."""
        able_places = []
        for place in places:
            try:
                RunSettings(place).lab(bottleneck(1, 10, "bbr"))
                able_places.append(place)
            except LabError as error:
                print(f"not in the place {place}: {error}\n")
        return able_places


def agreement(bench: Bench, options: argparse.Namespace, places: Sequence[str]) -> None:
    """Print virtual time beside real time, a row for each flow and measure."""
    body = []
    for rate in options.rates:
        for control in options.controls:
            runs_by_place: dict[str, list[RunMeasures]] = {}
            for seed in range(1, options.repeat + 1):  # in turn, so that drift of the machine affects all
                for place in (VIRTUAL, *places):
                    runs_by_place.setdefault(place, []).append(bench.run(control, rate, place, seed))
            body += rows(f"{control}, {rate:g} Mbit/s", runs_by_place, options.places)
    titles = ["flow", "", f"virtual time, {options.repeat} seeds"]
    for place in options.places:
        titles += [f"real time, {place}, {options.repeat} runs", "difference", "within"]
    print_table(titles, body)


def equal_runs(bench: Bench, options: argparse.Namespace, places: Sequence[str]) -> None:
    """Print the same run several times in each time, and how much they differ."""
    control, rate = options.controls[-1], options.rates[0]
    body = []
    for place in (VIRTUAL, *places[:1]):
        runs = []
        for number in range(1, options.equal + 1):
            is_crowded = place == VIRTUAL and number in (2, 3)
            with busy() if is_crowded else contextlib.nullcontext():
                measures = bench.run(control, rate, place, 1, f"_equal{number}")
            runs.append(measures)
            words = f"{'virtual' if place == VIRTUAL else f'real, {place}'} {number}"
            words += ", all processors busy" if is_crowded else ""
            body.append(
                [words, *(f"{measures.values[measure.name]:{measure.form}}" for measure in MEASURES), measures.samples]
            )
        differ = [_spread([run.values[measure.name] for run in runs]) for measure in MEASURES]
        body.append(["most less least", *differ, f"{len({run.samples for run in runs})} different"])
    print_table([f"{control}, {rate:g} Mbit/s", *(measure.name for measure in MEASURES), "samples"], body)


def _spread(values: Sequence[float]) -> str:
    mean = of_numbers.fmean(values)
    return f"{100 * (max(values) - min(values)) / mean:.2f} %" if mean else "0"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="three repetitions of 8 s, in a lab kernel only")
    parser.add_argument("--controls", nargs="+", default=["cubic", "bbr"])
    parser.add_argument("--rates", nargs="+", type=float, default=[10, 100])
    parser.add_argument("--places", nargs="+", default=["labkernel", "namespace"])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--equal", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--tool", default="own", choices=("own", "iperf3", "auto"))
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the results of all runs there")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.quick:
        options.repeat, options.equal, options.seconds, options.places = 3, 3, 8.0, ["labkernel"]
    with contextlib.ExitStack() as stack:
        temporary = stack.enter_context(tempfile.TemporaryDirectory(prefix="virtual-agreement-"))
        bench = Bench(options.keep or Path(temporary), options)
        places = bench.able(options.places)
        if options.repeat:
            agreement(bench, options, places)
        if options.equal:
            equal_runs(bench, options, places)
        if options.json:
            options.json.write_text(json.dumps(bench.told, indent=1) + "\n")


if __name__ == "__main__":
    main()
