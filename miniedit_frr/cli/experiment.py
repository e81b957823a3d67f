"""`miniedit-frr experiment`: published experiments, run, their figures and verdicts."""

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
    from miniedit_frr.experiments.conclusion import Conclusion
    from miniedit_frr.experiments.plan import ExperimentOptions
    from miniedit_frr.experiments.runner import ExperimentPlan

experiment_app = typer.Typer(
    no_args_is_help=True,
    help="Run published experiments of congestion control and routing, draw their figures, and judge their statements.",
)

_RUN_HELP = """Run experiments, draw their figures, and judge each of their statements.

The default is virtual time, which is faster, exactly repeatable and independent of the other load of this machine.
It needs your own lab kernel (miniedit-frr kernel build). --real-time uses real time. The same command again continues
an interrupted one and does not repeat finished runs.

The exit status is 1 if a run failed. A statement that is not confirmed is a result and not a failure; see
`experiment verdict --strict`.
"""

Names = Annotated[list[str], typer.Argument(metavar="NAME...|all", help="Experiments, such as CF5; see `list`.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="An experiment, such as CF5; see `list`.")]
CaseName = Annotated[
    str, typer.Argument(metavar="[CASE]", help="A case of the experiment, see `show NAME` (default: the first).")
]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The output folder of `experiment run`.")]


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.add_typer(experiment_app, name="experiment")


@experiment_app.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List all experiments."""
    from miniedit_frr.experiments.catalogue import experiments
    from miniedit_frr.terminal import experiments as output

    with report_errors():
        all_experiments = list(experiments().values())
        if as_json:
            print_json([output.experiment_json(experiment) for experiment in all_experiments])
        else:
            output.print_experiments(Console(), all_experiments)


@experiment_app.command()
def show(name: Name, as_json: AsJson = False) -> None:
    """Show the setup of an experiment, its cases and its statements."""
    from miniedit_frr.experiments.catalogue import experiment
    from miniedit_frr.terminal import experiments as output

    with _report_unknown_names():
        shown_experiment = experiment(name)
        if as_json:
            print_json(output.experiment_json(shown_experiment, details=True))
        else:
            output.print_experiment(Console(), shown_experiment)


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

    with _report_unknown_names():
        case_name, topology = _case_topology(name, case)
        to = out or Path(f"{case_name}.mn")
        if to.exists() and not overwrite:
            exit_with(f"{to} already exists; --overwrite replaces it", WRONG_INPUT)
        replace_file(to, mn.dumps(topology).encode())
        Console(highlight=False).print(str(to), soft_wrap=True, markup=False)


@experiment_app.command("open")
def open_case(name: Name, case: CaseName = "") -> None:
    """Open a case in the editor's window."""
    with _report_unknown_names():
        open_window(None, _case_topology(name, case)[1])


def _case_topology(name: str, case: str) -> tuple[str, Topology]:
    """The name of a case, with its experiment, and its topology."""
    from miniedit_frr.experiments.catalogue import experiment
    from miniedit_frr.experiments.topologies import annotated_topology, find_case

    named_experiment = experiment(name)
    selected_case = find_case(named_experiment, case)
    return f"{named_experiment.name}-{selected_case.name}", annotated_topology(named_experiment, selected_case)


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
    from miniedit_frr.experiments.catalogue import select_experiments
    from miniedit_frr.experiments.plan import ExperimentOptions
    from miniedit_frr.experiments.runner import make_plan

    with _report_unknown_names():
        settings = RunSettings(place=place.value, kernel=kernel, virtual_time=virtual_time)
        order = ExperimentOptions(quick, repeat, seed, settings)
        selected = select_experiments(names)
        if virtual_time and not scheduler:
            _check_virtual_time(settings)
        with status_line(stderr(), "preparing the cases"):
            course = make_plan(selected, order, remote=bool(scheduler))
        options = SweepOptions(jobs or default_jobs(virtual_time), scheduler)
        warn_of_disturbance(stderr(), options, virtual_time)
        _carry_out(course, out or default_folder(order), options, as_json)


@contextmanager
def _report_unknown_names() -> Iterator[None]:
    """As `report_errors`; the name of an unknown experiment is wrong input."""
    from miniedit_frr.experiments.catalogue import UnknownExperiment

    with report_errors():
        try:
            yield
        except UnknownExperiment as error:
            exit_with(str(error), WRONG_INPUT)


def default_folder(order: ExperimentOptions) -> Path:
    """The default output folder: one for each mode of running, so that an interrupted command can be continued."""
    from miniedit_frr.experiments.plan import folder_name

    return Path("results") / folder_name(order.quick, order.settings.virtual_time, order.seed)


def _check_virtual_time(settings: RunSettings) -> None:
    """Raise PlaceError if this machine has no virtual time, with two remedies: to set it up, or to use real time."""
    from frrlib.errors import PlaceError
    from frrlib.lab.virtual_clock import refuse_virtual

    try:
        refuse_virtual(settings.kernel)
    except PlaceError as error:
        remedy = f"{error.remedy}; or use --real-time, which takes longer" if error.remedy else "--real-time"
        raise PlaceError(error.missing, remedy) from None


def _carry_out(course: ExperimentPlan, out: Path, options: SweepOptions, as_json: bool) -> None:
    from miniedit_frr.experiments.runner import carry_out, unfinished_runs
    from miniedit_frr.terminal import experiments as output

    output.print_missing_cases(stderr(), course)
    try:
        jobs = None if options.scheduler else options.jobs
        with SweepProgress(stderr(), unfinished_runs(course, out), jobs, prints_each_run=True) as progress:
            tally = carry_out(course, out, options, progress.show)
        conclusions = _conclude([out / conclusion.name for conclusion in course.experiments], options.jobs)
    except KeyboardInterrupt:
        exit_with(f"interrupted; finished runs are kept in {out}, and the same command continues", INTERRUPTED)
    page = _report(out)
    if as_json:
        print_json({**vars(tally), **output.conclusions_json(conclusions), "folder": str(out), "report": str(page)})
    else:
        output.print_conclusions(Console(), conclusions, out)
        output.print_tally(Console(), tally, out)
        Console(highlight=False).print(f"report: {page}", soft_wrap=True, markup=False)
    if tally.failed or any(conclusion.failures for conclusion in conclusions):
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
    from miniedit_frr.experiments.verdict import verdict_changes
    from miniedit_frr.terminal import experiments as output

    with report_errors():
        conclusions = _judged(folder)
        if against is None:
            if as_json:
                print_json(output.conclusions_json(conclusions))
            else:
                output.print_conclusions(Console(), conclusions, folder)
            is_bad = any(verdict.outcome == "fail" for conclusion in conclusions for verdict in conclusion.verdicts)
        else:
            compared_conclusions = _judged(against)
            shared_names = {ours.name for ours in conclusions} & {theirs.name for theirs in compared_conclusions}
            verdicts, compared_verdicts = (
                [verdict for conclusion in side if conclusion.name in shared_names for verdict in conclusion.verdicts]
                for side in (conclusions, compared_conclusions)
            )
            differences = verdict_changes(verdicts, compared_verdicts)
            if as_json:
                print_json(output.changes_json(differences))
            else:
                output.print_changes(Console(), differences, len(verdicts), folder, against)
            is_bad = bool(differences)
        if strict and is_bad:
            raise typer.Exit(FAILED)


@experiment_app.command()
def report(folder: Folder) -> None:
    """Judge finished runs again, redraw their figures, and write a report on one page."""
    from miniedit_frr.experiments.runs import experiment_folders

    with report_errors():
        folders = experiment_folders(folder)
        output_folder = folder if folders != [folder] else folder.parent
        _conclude(folders, default_jobs(virtual_time=True))
        Console(highlight=False).print(str(_report(output_folder)), soft_wrap=True, markup=False)


def _judged(folder: Path) -> list[Conclusion]:
    from miniedit_frr.experiments.runs import experiment_folders

    return _conclude(experiment_folders(folder), default_jobs(virtual_time=True), draws=False)


def _conclude(folders: list[Path], jobs: int, *, draws: bool = True) -> list[Conclusion]:
    """Judge experiments and draw their figures, and show the progress. The conclusions have the catalogue's order."""
    from miniedit_frr.experiments.catalogue import experiments
    from miniedit_frr.experiments.conclusion import conclude_all

    conclusions: dict[str, Conclusion] = {}
    activity = "drawing and judging" if draws else "judging"
    with status_line(stderr(), activity) as status:
        for conclusion in conclude_all(folders, jobs, draws):
            conclusions[conclusion.name] = conclusion
            status.update(f"{activity}: {len(conclusions)} of {len(folders)} experiments")
    for conclusion in conclusions.values():
        for failure in conclusion.failures:
            stderr().print(f"[red]error[/] {failure}", highlight=False, soft_wrap=True)
    return [conclusions[name] for name in experiments() if name in conclusions]


def _report(out: Path) -> Path:
    from miniedit_frr.experiments.report import write

    with status_line(stderr(), "writing the report"):
        return write(out)
