"""`miniedit-frr experiment`: published experiments, run, drawn and judged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from frrlib.model.topology import Topology
from frrlib.places import PlaceName
from frrlib.run.run import RunSettings
from frrlib.sweep.options import SweepOptions, default_jobs
from miniedit_frr.cli.edit import open_window
from miniedit_frr.cli.exits import FAILED, INTERRUPTED, WRONG_INPUT, exit_with, report_errors, stderr
from miniedit_frr.cli.options import AsJson, Kernel, Scheduler, print_json
from miniedit_frr.terminal.sweep_progress import SweepProgress, status_line, warn_of_disturbance

if TYPE_CHECKING:
    from experiments.conclusion import Concluded
    from experiments.plan import Order
    from experiments.runner import Course

experiment_app = typer.Typer(
    no_args_is_help=True,
    help="Run published experiments of congestion control and routing, draw their figures, and judge their statements.",
)

_RUN_HELP = """Run experiments, draw their figures, and judge each of their statements.

The default is virtual time, which is faster, exactly repeatable and independent of the other load of this machine.
It needs your own lab kernel (miniedit-frr kernel build). --real-time uses real time. The same command again continues
an interrupted one and does not repeat finished runs.

The exit status is 1 if a run failed. A statement that does not hold is a result and not a failure; see
`experiment verdict --strict`.
"""

Names = Annotated[list[str], typer.Argument(metavar="NAME...|all", help="Experiments, such as CF5; see `list`.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="An experiment, such as CF5; see `list`.")]
CaseName = Annotated[
    str, typer.Argument(metavar="[CASE]", help="One of its cases, see `show NAME` (default: the first).")
]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The output folder of `experiment run`.")]


@experiment_app.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List all experiments."""
    from experiments.catalogue import experiments
    from miniedit_frr.terminal import experiments as words

    with report_errors():
        found = list(experiments().values())
        if as_json:
            print_json([words.experiment_json(each) for each in found])
        else:
            words.print_experiments(Console(), found)


@experiment_app.command()
def show(name: Name, as_json: AsJson = False) -> None:
    """Show the setup of an experiment, its cases and its statements."""
    from experiments.catalogue import experiment
    from miniedit_frr.terminal import experiments as words

    with _told_by_name():
        found = experiment(name)
        if as_json:
            print_json(words.experiment_json(found, details=True))
        else:
            words.print_experiment(Console(), found)


@experiment_app.command()
def export(
    name: Name,
    case: CaseName = "",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Output file (default: NAME-CASE.mn).")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")] = False,
) -> None:
    """Write a case as a topology file, which you can view, change and run like any other."""
    from frrlib.formats import mn
    from frrlib.formats.files import replace_file

    with _told_by_name():
        found, topology = _drawing(name, case)
        to = out or Path(f"{found}.mn")
        if to.exists() and not overwrite:
            exit_with(f"{to} already exists; --overwrite replaces it", WRONG_INPUT)
        replace_file(to, mn.dumps(topology).encode())
        Console(highlight=False).print(str(to), soft_wrap=True, markup=False)


@experiment_app.command("open")
def open_case(name: Name, case: CaseName = "") -> None:
    """Open a case in the editor's window."""
    with _told_by_name():
        open_window(None, _drawing(name, case)[1])


def _drawing(name: str, case: str) -> tuple[str, Topology]:
    """A case as a drawing, and its name."""
    from experiments.catalogue import experiment
    from experiments.topologies import case_of, drawing_of

    one = experiment(name)
    found = case_of(one, case)
    return f"{one.name}-{found.name}", drawing_of(one, found)


@experiment_app.command(help=_RUN_HELP)
def run(
    names: Names,
    virtual_time: Annotated[
        bool,
        typer.Option(
            "--virtual-time/--real-time", help="Use virtual or real time (default: virtual).", show_default=False
        ),
    ] = True,
    repeat: Annotated[
        int | None,
        typer.Option(min=1, max=1000, metavar="N", help="Runs of each case (default: as declared by the case)."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Run selected, shortened cases for every figure, within a few minutes.")
    ] = False,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the first repetition; each further one adds 1.")] = 1,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Number of parallel runs (default: one for each core; 1 in real time)."),
    ] = None,
    scheduler: Scheduler = "",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="DIR", help="Output folder (default: results/experiments and the mode of the run)."
        ),
    ] = None,
    place: Annotated[PlaceName, typer.Option(help="Place of the labs.")] = PlaceName.AUTO,
    kernel: Kernel = None,
    as_json: AsJson = False,
) -> None:
    """See `_RUN_HELP`."""
    from experiments.catalogue import chosen
    from experiments.plan import Order
    from experiments.runner import planned

    with _told_by_name():
        settings = RunSettings(place=place.value, kernel=kernel, virtual_time=virtual_time)
        order = Order(quick, repeat, seed, settings)
        found = chosen(names)
        if virtual_time and not scheduler:
            _check_virtual_time(settings)
        with status_line(stderr(), "preparing the cases"):
            course = planned(found, order, elsewhere=bool(scheduler))
        how = SweepOptions(jobs or default_jobs(virtual_time), scheduler)
        warn_of_disturbance(stderr(), how, virtual_time)
        _carry_out(course, out or default_folder(order), how, as_json)


@contextmanager
def _told_by_name() -> Iterator[None]:
    """As `told`; an unknown name is an input error."""
    from experiments.catalogue import UnknownExperiment

    with report_errors():
        try:
            yield
        except UnknownExperiment as error:
            exit_with(str(error), WRONG_INPUT)


def default_folder(order: Order) -> Path:
    """The default folder of runs: one for each way of running, so that one can be continued."""
    ways = [
        *(["quick"] if order.quick else []),
        *(["real-time"] if not order.settings.virtual_time else []),
        *([f"seed-{order.seed}"] if order.seed != 1 else []),
    ]
    return Path("results") / "-".join(("experiments", *ways))


def _check_virtual_time(settings: RunSettings) -> None:
    """Say how to get virtual time, or how to do without, where this machine has none."""
    from frrlib.errors import PlaceError
    from frrlib.lab.virtual_clock import refuse_virtual

    try:
        refuse_virtual(settings.kernel)
    except PlaceError as error:
        remedy = f"{error.remedy}; or use --real-time, which takes longer" if error.remedy else "--real-time"
        raise PlaceError(error.missing, remedy) from None


def _carry_out(course: Course, out: Path, how: SweepOptions, as_json: bool) -> None:
    from experiments.runner import carry_out, left
    from miniedit_frr.terminal import experiments as words

    words.print_missing_cases(stderr(), course)
    try:
        jobs = None if how.scheduler else how.jobs
        with SweepProgress(stderr(), left(course, out), jobs, tells_each=True) as progress:
            tally = carry_out(course, out, how, progress.take)
        concluded = _conclude([out / each.name for each in course.experiments], how.jobs)
    except KeyboardInterrupt:
        exit_with(f"interrupted; finished runs are kept in {out}, and the same command continues", INTERRUPTED)
    page = _report(out)
    if as_json:
        print_json({**vars(tally), **words.conclusions_json(concluded), "folder": str(out), "report": str(page)})
    else:
        words.print_conclusions(Console(), concluded, out)
        words.print_tally(Console(), tally, out)
        Console(highlight=False).print(f"report: {page}", soft_wrap=True, markup=False)
    if tally.failed or any(each.failures for each in concluded):
        raise typer.Exit(FAILED)


@experiment_app.command()
def verdict(
    folder: Folder,
    against: Annotated[
        Path | None,
        typer.Option(metavar="DIR2", help="Show only the statements with a different verdict in this other folder."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with status 1 if a statement fails, or if two folders differ.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Judge finished runs again: each statement with its published value, its measured value and its band."""
    from experiments.verdict import changes
    from miniedit_frr.terminal import experiments as words

    with report_errors():
        ours = _judged(folder)
        if against is None:
            if as_json:
                print_json(words.conclusions_json(ours))
            else:
                words.print_conclusions(Console(), ours, folder)
            bad = any(verdict.outcome == "fail" for each in ours for verdict in each.verdicts)
        else:
            other = _judged(against)
            both = {each.name for each in ours} & {each.name for each in other}
            here, there = (
                [verdict for each in side if each.name in both for verdict in each.verdicts] for side in (ours, other)
            )
            found = changes(here, there)
            if as_json:
                print_json(words.changes_json(found))
            else:
                words.print_changes(Console(), found, len(here), folder, against)
            bad = bool(found)
        if strict and bad:
            raise typer.Exit(FAILED)


@experiment_app.command()
def report(folder: Folder) -> None:
    """Judge finished runs again, redraw their figures, and write a report on one page."""
    from experiments.runs import experiment_folders

    with report_errors():
        there = experiment_folders(folder)
        whole = folder if there != [folder] else folder.parent
        _conclude(there, default_jobs(virtual_time=True))
        Console(highlight=False).print(str(_report(whole)), soft_wrap=True, markup=False)


def _judged(folder: Path) -> list[Concluded]:
    from experiments.runs import experiment_folders

    return _conclude(experiment_folders(folder), default_jobs(virtual_time=True), draws=False)


def _conclude(folders: list[Path], jobs: int, *, draws: bool = True) -> list[Concluded]:
    """Judge and draw, with a line of progress; in the order of the catalogue."""
    from experiments.catalogue import experiments
    from experiments.conclusion import conclude_all

    found: dict[str, Concluded] = {}
    what = "drawing and judging" if draws else "judging"
    with status_line(stderr(), what) as status:
        for each in conclude_all(folders, jobs, draws):
            found[each.name] = each
            status.update(f"{what}: {len(found)} of {len(folders)} experiments")
    for each in found.values():
        for why in each.failures:
            stderr().print(f"[red]error[/] {why}", highlight=False, soft_wrap=True)
    return [found[name] for name in experiments() if name in found]


def _report(out: Path) -> Path:
    from experiments.report import write

    with status_line(stderr(), "writing the report"):
        return write(out)
