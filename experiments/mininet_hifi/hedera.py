"""HIFI-HEDERA: what 16 hosts receive through a fat tree, by one path, by hashed paths and by placed flows."""

from __future__ import annotations

import math
import random
import re
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import cast

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from miniedit_frr.experiments import measures, published_style
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture
from miniedit_frr.experiments.expectations import published_rows
from miniedit_frr.experiments.mininet_hifi import fat_tree
from miniedit_frr.experiments.mininet_hifi.fat_tree import HOSTS, Pair, Paths
from miniedit_frr.experiments.mininet_hifi.hedera_lab import RATE_MBIT, Routing, delivery, lab
from miniedit_frr.experiments.mininet_hifi.lab import HIFI
from miniedit_frr.experiments.runs import Run, Runs
from miniedit_frr.experiments.words import count_text

#: The duration of a run, by pattern; the first 40 % are left out.
_LASTS_S, _DEFAULT_LASTS_S = {"stag0(0.2,0.3)": 20.0, "stride2": 20.0}, 10.0
_LEFT_OUT = 0.4
#: The patterns that run, at least one of each kind.
CHOSEN = ("stag0(0.2,0.3)", "stride2", "stride4", "rand0", "randbij0")
POLARIZED = ("stride4",)
_QUICK_PATTERNS = ("stride4", "randbij0")
_TABLE = "hifi_hedera_throughput.csv"
#: The number of random placements from which the model takes a mean and a deviation.
_DRAWS = 100


@dataclass(frozen=True)
class Pattern:
    """A traffic pattern with the published rates.

    Attributes:
        name: as published: "stag0(0.2,0.3)".
        pairs: the ends of its flows.
        full, ecmp, gff: what all hosts of the hardware received over the rate of their links: with a switch that never
            blocks, with ECMP, and with global first fit.
    """

    name: str
    pairs: tuple[Pair, ...]
    full: float
    ecmp: float
    gff: float

    @property
    def is_permutation(self) -> bool:
        """Whether each host sends one flow and receives one."""
        return len(self.pairs) == HOSTS == len({pair.destination for pair in self.pairs})


@cache
def patterns() -> tuple[Pattern, ...]:
    """All patterns in the order of the published figure."""
    return tuple(_pattern(row) for row in published_rows(_TABLE))


def _pattern(row: dict[str, str]) -> Pattern:
    destinations = [int(text) for text in row["destinations"].split()]
    flows = len(destinations) // HOSTS
    pairs = tuple(Pair(index // flows, destination) for index, destination in enumerate(destinations))
    full, ecmp, gff = (float(row[f"{name}_mbit"]) / (1000 * HOSTS) for name in ("full", "ecmp", "gff"))
    return Pattern(row["pattern"], pairs, full, ecmp, gff)


def routings(pattern: Pattern) -> tuple[Routing, ...]:
    """The routings with which a pattern runs."""
    if pattern.name not in CHOSEN:
        return ()
    polarized: tuple[Routing, ...] = ("polarized",) if pattern.name in POLARIZED else ()
    placed: tuple[Routing, ...] = ("placed",) if pattern.is_permutation else ()
    return ("hashed", "tree", *polarized, *placed, "full")


def duration_s(pattern: Pattern) -> float:
    """The duration of the runs of a pattern."""
    return _LASTS_S.get(pattern.name, _DEFAULT_LASTS_S)


def hedera_cases(quick: bool) -> tuple[Case, ...]:
    """Each pattern with its routings."""
    return tuple(
        Case(
            f"{routing}-{re.sub(r'[(,)]+', '-', pattern.name).strip('-')}",
            lab(f"{pattern.name}, {_WORDS[routing]}", routing, pattern.pairs, duration_s(pattern)),
            setup="right",
            values={"pattern": pattern.name, "routing": routing},
            sample_hz=2.0,
        )
        for pattern in patterns()
        for routing in routings(pattern)
        if not quick or pattern.name in _QUICK_PATTERNS
    )


# --- the model from which the bands are derived -----------------------------------------------------------------------


@dataclass(frozen=True)
class ModelThroughput:
    """The expected throughput: its mean over random placements, and its standard deviation."""

    mean: float
    deviation: float


@cache
def expected(pattern: Pattern, routing: Routing) -> ModelThroughput:
    """The rate that all hosts receive over that of their links, if flows share max-min fairly and hashes choose paths
    at random. Acknowledgments do not count."""
    # a text seeds equally in every process
    chance = random.Random(f"{pattern.name} {routing}")
    draws = _DRAWS if routing not in ("full", "tree") else 1
    shares = []
    for _ in range(draws):
        shares.append(sum(fat_tree.fair_rates(model_paths(pattern, routing, chance))) / HOSTS)
    return ModelThroughput(statistics.fmean(shares), statistics.pstdev(shares))


def model_paths(pattern: Pattern, routing: Routing, chance: random.Random) -> Paths:
    """The path of each flow; `chance` chooses where hashes do."""
    if routing == "full":
        return fat_tree.full_paths(pattern.pairs)
    if routing == "tree":
        return fat_tree.tree_paths(pattern.pairs)
    if routing == "placed":
        return fat_tree.placed_paths(pattern.pairs, chance)
    return fat_tree.hashed_paths(pattern.pairs, chance, routing == "polarized")


def uncertainty(chosen: Sequence[Pattern], routing: Routing) -> float:
    """The relative standard deviation of the sum over patterns, each with one run."""
    values = [expected(pattern, routing) for pattern in chosen]
    return math.hypot(*(value.deviation for value in values)) / sum(value.mean for value in values)


def with_routing(routing: Routing) -> list[Pattern]:
    """The patterns that run with a routing."""
    return [pattern for pattern in patterns() if routing in routings(pattern)]


# --- numbers from runs ------------------------------------------------------------------------------------------------


def throughput(run: Run) -> float | None:
    """The rate that all hosts receive in the judged time over that of their links; acknowledgments count."""
    end_s = min(flow.duration_s for flow in run.results.info.flows)
    begin_s = _LEFT_OUT * end_s
    routing = cast(Routing, run.values["routing"])
    growths = [
        measures.growth(measures.queue_series(run.results, "sent_bytes", delivery(routing, host)), begin_s, end_s)
        for host in range(HOSTS)
    ]
    present = [growth for growth in growths if growth is not None]
    return sum(present) * 8e-6 / (end_s - begin_s) / RATE_MBIT / HOSTS if len(present) == HOSTS else None


def mean_throughput(runs: Runs, pattern: Pattern, routing: Routing) -> float | None:
    """The mean of `throughput` over the runs of a pattern with a routing; None without runs."""
    shares = [throughput(run) for run in runs.select(pattern=pattern.name, routing=routing)]
    present = [share for share in shares if share is not None]
    return statistics.fmean(present) if present else None


def _all(
    runs: Runs, routing: Routing, applies: Callable[[Pattern], bool] = lambda _: True
) -> dict[Pattern, float] | None:
    """The throughput of all patterns with a routing; None if one is missing."""
    chosen = [pattern for pattern in with_routing(routing) if applies(pattern)]
    shares = {pattern: mean_throughput(runs, pattern, routing) for pattern in chosen}
    present = {pattern: share for pattern, share in shares.items() if share is not None}
    return present if len(present) == len(chosen) else None


def _ends(numbers: dict[Pattern, float] | None) -> CheckResult:
    """The smallest and the largest number, by the names of their patterns, or the only one."""
    if not numbers:
        return None
    if len(numbers) == 1:
        return {pattern.name: number for pattern, number in numbers.items()}
    ends = (min(numbers, key=numbers.__getitem__), max(numbers, key=numbers.__getitem__))
    return {f"{word}: {pattern.name}": numbers[pattern] for word, pattern in zip(("least", "most"), ends, strict=True)}


def full_of_permutations(runs: Runs) -> CheckResult:
    """The least and the most throughput of permutations if nothing blocks."""
    return _ends(_all(runs, "full", lambda pattern: pattern.is_permutation))


def over_model(routing: Routing, applies: Callable[[Pattern], bool] = lambda _: True) -> Callable[[Runs], CheckResult]:
    """The check of the least and the most throughput of a pattern over that of the model, for patterns that apply."""

    def measure(runs: Runs) -> CheckResult:
        shares = _all(runs, routing, applies)
        return _ends({pattern: share / expected(pattern, routing).mean for pattern, share in (shares or {}).items()})

    return measure


def sum_over_model(routing: Routing) -> Callable[[Runs], CheckResult]:
    """The check of the throughput of all patterns over that of the model."""

    def measure(runs: Runs) -> CheckResult:
        shares = _all(runs, routing)
        if not shares:
            return None
        model = sum(expected(pattern, routing).mean for pattern in shares)
        return {count_text(len(shares), "pattern"): sum(shares.values()) / model}

    return measure


def relative(runs: Runs, routing: Routing) -> dict[Pattern, float] | None:
    """The throughput of each pattern over that without blocking; None if one is missing."""
    shares, full = _all(runs, routing), _all(runs, "full")
    return {pattern: share / full[pattern] for pattern, share in shares.items()} if shares and full else None


def mean_relative(routing: Routing) -> Callable[[Runs], CheckResult]:
    """The check of the mean throughput over that without blocking."""

    def measure(runs: Runs) -> CheckResult:
        ratios = relative(runs, routing)
        return {f"{len(ratios)} patterns": statistics.fmean(ratios.values())} if ratios else None

    return measure


def distance_from_hardware(ratios: dict[Pattern, float]) -> float:
    """The mean distance from the published ECMP, both over the throughput without blocking."""
    return statistics.fmean(abs(ratio - pattern.ecmp / pattern.full) for pattern, ratio in ratios.items())


def distances(runs: Runs) -> CheckResult:
    """Whether the published ECMP is nearer to one path than to hashed paths."""
    tree, hashed = relative(runs, "tree"), relative(runs, "hashed")
    if not tree or not hashed:
        return None
    return {f"{len(tree)} patterns": float(distance_from_hardware(tree) < distance_from_hardware(hashed))}


def placed_over_hashed(runs: Runs) -> CheckResult:
    """The throughput of placed flows over that of hashed flows, for all permutations together."""
    placed, hashed = _all(runs, "placed"), _all(runs, "hashed", lambda pattern: pattern.is_permutation)
    return {f"{len(placed)} permutations": sum(placed.values()) / sum(hashed.values())} if placed and hashed else None


# --- figures ----------------------------------------------------------------------------------------------------------

_WORDS: dict[Routing, str] = {
    "full": "non-blocking router", "tree": "one path", "hashed": "hashed paths", "polarized": "one hash for all",
    "placed": "global first fit",
}  # fmt: skip
_COLORS: dict[Routing, str] = {"tree": "#4477aa", "hashed": "#ee6677", "polarized": "#aa3377", "placed": "#228833"}
_MARKERS: dict[Routing, str] = {"tree": "v", "hashed": "o", "polarized": "x", "placed": "^"}


def _draw_routing(panel: Axes, runs: Runs, routing: Routing) -> None:
    """Draw the throughput of one routing over that without blocking, a point for each pattern."""
    for place, pattern in enumerate(with_routing("full")):
        full = mean_throughput(runs, pattern, "full")
        shares = [throughput(run) for run in runs.select(pattern=pattern.name, routing=routing)]
        present = [share / full for share in shares if share is not None and full]
        if present:
            middle = statistics.fmean(present)
            spread = [[middle - min(present)], [max(present) - middle]]
            panel.errorbar(
                place, middle, yerr=spread, color=_COLORS[routing], marker=_MARKERS[routing], markersize=4,
                linestyle="none", elinewidth=0.7, label=f"ours, {_WORDS[routing]}",
            )  # fmt: skip


def draw_patterns(runs: Runs) -> Figure:
    """The throughput of each pattern over that without blocking, beside the hardware of Hedera."""
    figure, panels = published_style.new_figure(2, 1, width=7.2, height=5.6)
    shown: tuple[tuple[str, Callable[[Pattern], float], tuple[Routing, ...]], ...] = (
        ("ECMP", lambda pattern: pattern.ecmp, ("tree", "hashed", "polarized")),
        ("global first fit", lambda pattern: pattern.gff, ("placed",)),
    )
    shown_patterns = with_routing("full")
    places = range(len(shown_patterns))
    for panel, (name, published, drawn) in zip(panels, shown, strict=True):
        bars = [published(pattern) / pattern.full for pattern in shown_patterns]
        panel.bar(places, bars, width=0.7, color=published_style.PUBLISHED, alpha=0.35, label=f"hardware, {name}")
        for routing in drawn:
            _draw_routing(panel, runs, routing)
        published_style.set_axes(panel, "", "over non-blocking", (-0.6, len(places) - 0.4), (0, 1.2))
        published_style.add_legend(panel, loc="upper right", fontsize=6.5, ncols=4)
    panels[-1].set_xticks(list(places), [pattern.name for pattern in shown_patterns], fontsize=7)
    published_style.add_note(figure, published_style.missing_case_notes(runs))
    return figure


HEDERA = Experiment(
    name="HIFI-HEDERA",
    title="ECMP and placed flows in a fat tree",
    source=(
        f"{HIFI}; Al-Fares, Radhakrishnan, Raghavan, Huang, Vahdat: Hedera: Dynamic Flow Scheduling for Data Center "
        "Networks, NSDI 2010"
    ),
    setup="""Each of 16 hosts sends to one other host or to some, by 20 traffic patterns: staggered ones, which mostly
stay below an edge switch or within a pod; strides; random ones. Hedera's hardware had 1 Gbit/s; its authors measured
what all hosts received from 10 to 50 s, through a fat tree with ECMP, through the same tree with flows placed by global
first fit, and through one switch that never blocks. Mininet-HiFi repeated ECMP and the switch with 10 Mbit/s. The data
of the hardware and the pairs of all patterns are published; the results of Mininet-HiFi are published as a figure only.

Here links have 10 Mbit/s and a queue of 50 packets, as in Mininet-HiFi. The fat tree has 20 FRR routers with OSPF. A
run has 20 s with the first two patterns and 10 s with the others, of which the first 40 % are left out, and flows of
CUBIC. **Five of the 20 patterns run, each once**: a staggered one, two strides and two random ones. Packets take their
paths in five ways:

- **non-blocking**: one router has all hosts.
- **one path**: the costs of OSPF leave one path between two hosts.
- **hashed paths**: equal costs. Edge routers choose by a hash of addresses, protocol and ports, aggregation routers by
  one of addresses.
- **one hash for all**: equal costs and the usual setting of a router in a lab, for one stride.
- **global first fit**: each flow of a permutation gets the first path that no other flow has, by static routes.

**The flows of global first fit are placed before they start.** Hedera's scheduler detects large flows while they run,
and moves them every five seconds. Its simulated annealing is absent, and so are patterns in which a host receives
several flows: routes lead by destination, so such flows cannot be placed apart.""",
    lesson="""**The ECMP of the hardware looks like one path.** Over the throughput without blocking, it differs from
our one path by 0.04 on average, and from our hashed paths by 0.21. With a stride of 4, each of the 16 flows crosses the
core. The hardware received 0.28 of what it received without blocking, one path gives 0.25, and hashed paths give 0.60.
The program of Mininet-HiFi agrees: since 7 June 2012, two days before its results were posted, it has started its
controller with `--routing=st`, where it had `--routing=random` before. Li and Watanaprakornkul, who repeated Hedera in
2012, saw that its ECMP resembles a spanning tree (https://reproducingnetworkresearch.wordpress.com/2012/06/06/hedera/).

**The gain of placed flows is smaller against hashes.** They received 1.39 times as much as hashed flows here, and 1.89
times as much as ECMP on the hardware. They reach 0.94 of the throughput without blocking here, and 0.88 on the
hardware. The model has 0.96: it ignores the acknowledgments that share links with data.

**All routers of one kernel have the same hash.** With the setting that hashes ports, Linux takes the hash that a packet
has from its socket. So an edge router splits the flows in two, and an aggregation router sends all flows that it gets
to the same core router: stride 4 receives 0.44 instead of 0.60. In the case of hashed paths, the two levels of routers
hash different fields.

**This is weaker than the original.** Five of the 20 patterns run, for 10 or 20 s instead of 30 or 60 s, and once. One
run has one draw of hashes, so the bands of hashed paths are wide. A run of 20 routers took two minutes on a busy
machine. The rule of the bands was written before the first run, for all patterns. The bands were computed anew by the
same rule when the patterns were reduced, after three of them had run. One hash for all was run with one pattern only.
The hardware is compared only after division by its own throughput without blocking, which was 0.77 to 0.81 of its
links in permutations.""",
    cases=hedera_cases,
    checks=(
        Check("HIFI-HEDERA.1", full_of_permutations),
        Check("HIFI-HEDERA.2", over_model("full", lambda pattern: not pattern.is_permutation)),
        Check("HIFI-HEDERA.3", over_model("tree")),
        Check("HIFI-HEDERA.4", mean_relative("tree")),
        Check("HIFI-HEDERA.5", sum_over_model("hashed")),
        Check("HIFI-HEDERA.6", mean_relative("hashed")),
        Check("HIFI-HEDERA.7", distances),
        Check("HIFI-HEDERA.8", sum_over_model("polarized")),
        Check("HIFI-HEDERA.9", mean_relative("placed")),
        Check("HIFI-HEDERA.10", placed_over_hashed),
    ),
    pictures=(Picture("patterns", "Throughput over that of a non-blocking network, by pattern", draw_patterns),),
)
