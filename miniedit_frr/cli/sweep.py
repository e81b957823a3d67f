"""`miniedit-frr sweep`: many runs of one topology with varying values, on one or many machines, and one table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from frrlib.exchange import opening
from frrlib.formats import mn
from frrlib.model.topology import Topology
from frrlib.places import PlaceName
from frrlib.run.run import RunSettings
from frrlib.sweep.options import SweepOptions, default_jobs
from frrlib.sweep.plan import SweepPlan, SweepRun, runs_of
from frrlib.variation.axes import Axis, parse_axis, parse_zip, read_list, with_first_row
from miniedit_frr.cli.exits import FAILED, INTERRUPTED, exit_with, report_errors, stderr
from miniedit_frr.cli.options import AsJson, Kernel, Scheduler, TopologyFile, Trust, print_json
from miniedit_frr.cli.permissions import ask_permission
from miniedit_frr.terminal.sweep_progress import (
    SweepProgress,
    print_runs,
    print_sweep_tally,
    status_line,
    warn_of_disturbance,
)

_HELP = """Run a topology with varying values, each combination several times, and write the results into one table.

--set 'link:r1-r2.rate_mbit=10,20,50' --set 'flow:*.cc=cubic,bbr' results in six combinations. A path KIND:NAME.FIELD
is a field of an object. KIND is link, flow, fault, node, host, router or switch. NAME can contain *. The name of a link
is its ID, its ends r1-r2, or r1>r2 for one direction. Short names of fields: cc, rate, delay, jitter, loss, queue
(2bdp, 100 packets, 50ms, 64kB, or a discipline), mtu, cost, start, duration, size, buffer. Ranges of values: 10:50:10,
1:1000:x10, 10:1000:log5, 0:1:lin5.

The same command again continues an interrupted sweep and does not repeat finished runs. See docs/sweeps.md.
"""

Vary = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="'PATH=VALUE,...'", help="A field and its values. Repeat for several."),
]
Zip = Annotated[
    list[str] | None,
    typer.Option(
        "--zip",
        metavar="'PATH=VALUE,...; PATH=...'",
        help="Fields that vary together, each with the same number of values.",
    ),
]
Lists = Annotated[
    list[Path] | None,
    typer.Option(
        "--list",
        metavar="FILE.csv",
        help="A table with the names of fields in its first row, and one run in each further row.",
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command(help=_HELP)(sweep)


def sweep(
    file: TopologyFile,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Output folder: a new folder, or the folder of the same sweep.")
    ],
    vary: Vary = None,
    together: Zip = None,
    lists: Lists = None,
    repeat: Annotated[int, typer.Option(min=1, max=10_000, help="Runs of each combination.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the first repetition; each further one adds 1.")] = 1,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of parallel runs on this machine (default: 1; in virtual time one for each core)."
        ),
    ] = None,
    scheduler: Scheduler = "",
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Repeat failed runs.")] = False,
    timeout_s: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", min=1, help="Time limit of a run in seconds.")
    ] = None,
    figures: Annotated[bool, typer.Option("--figures", help="Also draw the figure of each run.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List the runs without running them.")] = False,
    place: Annotated[PlaceName, typer.Option(help="Place of the labs.")] = PlaceName.AUTO,
    kernel: Kernel = None,
    sample_hz: Annotated[float, typer.Option(min=1, max=1000, help="Samples per second.")] = 100.0,
    virtual_time: Annotated[
        bool, typer.Option("--virtual-time", help="Use virtual time, with the seed of the repetition.")
    ] = False,
    trust: Trust = False,
    as_json: AsJson = False,
) -> None:
    """See `_HELP`."""
    with report_errors():
        text = opening.mn_text(file)
        axes = _axes(opening.load(file).topology, vary or [], together or [], lists or [])
        settings = RunSettings(place=place.value, kernel=kernel, sample_hz=sample_hz, virtual_time=virtual_time)
        plan = SweepPlan(text, axes, repeat, seed, settings)
        runs = _all_runs(plan)
        if dry_run:
            print_runs(Console(), runs, plan)
            return
        ask_permission(opening.load(file).topology, file, trust, place.value)
        at_once = jobs or default_jobs(virtual_time)
        options = SweepOptions(at_once, scheduler, retry_failed, timeout_s, figures, folder=str(file.resolve().parent))
        _carry_out(plan, runs, out, options, as_json)


def _axes(topology: Topology, vary: list[str], together: list[str], lists: list[Path]) -> tuple[Axis, ...]:
    axes: list[Axis] = []
    for text in vary:
        axes.append(parse_axis(topology, text))
        topology = with_first_row(topology, axes[-1])
    for text in together:
        axes.append(parse_zip(topology, text))
        topology = with_first_row(topology, axes[-1])
    for path in lists:
        axes.append(read_list(topology, mn.read_text(path), path.name))
        topology = with_first_row(topology, axes[-1])
    return tuple(axes)


def _all_runs(plan: SweepPlan) -> tuple[SweepRun, ...]:
    """All runs. Their topologies are checked before any run starts."""
    combinations = plan.size // plan.repeat
    with status_line(stderr(), "preparing the combinations") as status:
        return runs_of(plan, lambda done: status.update(f"prepared {done} of {combinations} combinations"))


def _carry_out(plan: SweepPlan, runs: tuple[SweepRun, ...], out: Path, options: SweepOptions, as_json: bool) -> None:
    from frrlib.sweep.execution import run_sweep  # Dask takes a second to import
    from frrlib.sweep.table import CSV

    warn_of_disturbance(stderr(), options, plan.settings.virtual_time)
    if not options.scheduler:
        for topology in _topologies_by_needs(runs):  # anything that this machine lacks is reported before anything runs
            plan.settings.lab(topology, Path(options.folder))
    try:
        with SweepProgress(stderr(), runs, None if options.scheduler else options.jobs) as progress:
            tally = run_sweep(plan, runs, out, options, progress.show)
    except KeyboardInterrupt:
        exit_with(f"interrupted; finished runs are kept in {out}, and the same command continues", INTERRUPTED)
    if as_json:
        print_json({**vars(tally), "folder": str(out), "table": str(out / CSV)})
    else:
        print_sweep_tally(Console(), tally, out)
    if tally.failed:
        raise typer.Exit(FAILED)


def _topologies_by_needs(runs: tuple[SweepRun, ...]) -> list[Topology]:
    """One topology for each set of requirements that a place has to meet."""
    topologies: dict[Any, Topology] = {}
    for run in runs:
        kinds = frozenset(
            (shape.qdisc_kinds, end.congestion_control)
            for link in run.topology.links
            for end, _, shape in link.directions
        )
        controls = frozenset(flow.congestion_control for flow in run.topology.flows)
        hosts = frozenset(host.congestion_control for host in run.topology.hosts)
        topologies.setdefault((kinds, controls, hosts), run.topology)
    return list(topologies.values())
