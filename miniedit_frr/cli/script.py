"""The end of an exported script: `main(net)`, with the options that every such script has.

Exit status as `miniedit-frr run`: see `endings`. Several runs that did not all do what was asked end with 1.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.markup import escape

from frrlib.addressing.resolved import resolved
from frrlib.checks.check import check
from frrlib.formats import mn
from frrlib.model.topology import Topology
from frrlib.network.network import Network
from frrlib.places import PlaceName
from frrlib.render.frr import frr_conf
from miniedit_frr.cli.exits import FAILED, exit_on_errors, exit_on_sigterm, report_errors, stderr
from miniedit_frr.cli.options import (
    AllowedControllers,
    AsJson,
    Captures,
    Kernel,
    SilentFlows,
    VirtualTime,
    print_json,
    seed_of,
)
from miniedit_frr.terminal import report

if TYPE_CHECKING:
    from frrlib.run.run import RunSettings

_NOBODY = 65534
RepetitionSeed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", help="In virtual time: the seed of the first repetition; each further one has "
                 "the next (1)."),
]  # fmt: skip

__all__ = ["Run", "main", "runs"]


@dataclass(frozen=True)
class Run:
    """One of the runs of a script.

    Attributes:
        topology: what it runs.
        folder: its name below the results folder; empty where the results folder is its own.
        repetition: its number among the repetitions, from 1.
    """

    topology: Topology
    folder: str
    repetition: int = 1


def runs(topology: Topology, repeat: int = 1, congestion_controls: tuple[str, ...] = ()) -> Iterator[Run]:
    """Every run that is asked for; repetitions alternate between congestion controls, so that what drifts hits all.

    Args:
        topology: what to run.
        repeat: how often.
        congestion_controls: each has runs of its own, in which all flows use it; none to leave the flows as they are.

    Raises:
        ValueError: a flow cannot have such a congestion control.
    """
    for number in range(1, repeat + 1):
        for name in congestion_controls:
            flows = tuple(type(flow)(**{**dict(flow), "congestion_control": name}) for flow in topology.flows)
            yield Run(topology.model_copy(update={"flows": flows}), f"{name}-{number}", number)
        if not congestion_controls:
            yield Run(topology, f"run-{number}" if repeat > 1 else "", number)


def main(net: Network) -> None:
    """Run a network as the command line says, and end the program where anything fails."""
    exit_on_sigterm()
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

    @app.command(help=escape(f"Run the lab ({net.topology.title or 'no title'}) and keep what was measured."))
    def lab(
        place: Annotated[PlaceName, typer.Option(help="Where the lab runs.")] = PlaceName.AUTO,
        repeat: Annotated[int, typer.Option(min=1, max=1000, help="How often to run it.")] = 1,
        cc: Annotated[str, typer.Option(metavar="NAME,...", help="A run for each, all flows using it.")] = "",
        out: Annotated[
            Path | None,
            typer.Option("--out", "-o", help="The results folder, or where several go (results/NAME-DATE-TIME)."),
        ] = None,
        overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace earlier runs there.")] = False,
        kernel: Kernel = None,
        sample_hz: Annotated[float, typer.Option(min=1, max=1000, help="Samples a second.")] = 100.0,
        virtual_time: VirtualTime = False,
        seed: RepetitionSeed = None,
        capture: Captures = None,
        allow_controller: AllowedControllers = None,
        silent_flow: SilentFlows = None,
        as_json: AsJson = False,
        frr: Annotated[bool, typer.Option("--frr", help="Print every router's frr.conf, and run nothing.")] = False,
    ) -> None:
        if frr:
            _print_frr(net.topology)
            return
        names = tuple(dict.fromkeys(word for word in cc.replace(" ", "").split(",") if word))
        try:
            asked = list(runs(net.topology, repeat, names))
        except ValidationError:
            raise typer.BadParameter(f"{cc!r} is not a list of congestion controls such as bbr,cubic") from None
        from frrlib.run.run import RunSettings

        settings = RunSettings(
            place.value, kernel, sample_hz, tuple(capture or ()), virtual_time,
            seed_of(seed, virtual_time=virtual_time), tuple(allow_controller or ()), tuple(silent_flow or ()),
        )  # fmt: skip
        _run_all(asked, settings, out, overwrite, as_json)

    app()


def _run_all(asked: list[Run], settings: RunSettings, out: Path | None, overwrite: bool, as_json: bool) -> None:
    from frrlib.results.folder import default_folder
    from miniedit_frr.cli.measured_run import run_with_progress

    base = out or default_folder(Path(sys.argv[0]).stem)
    outcomes = []
    with report_errors():
        exit_on_errors(check(asked[0].topology), asked[0].topology)
        for number, each in enumerate(asked, 1):
            if len(asked) > 1:
                stderr().print(f"run {number} of {len(asked)}: {each.folder}", highlight=False)
            folder = base / each.folder
            with _lendable(folder) as written:
                outcome = run_with_progress(
                    each.topology, mn.dumps(each.topology), written,
                    replace(settings, seed=settings.seed + each.repetition - 1),
                    folder=Path(sys.argv[0]).resolve().parent, overwrite=overwrite,
                )  # fmt: skip
            outcome.folder = folder
            outcomes.append(outcome)
            if not as_json:
                report.print_outcome(Console(), outcome)
    if as_json:
        said = [report.outcome_json(outcome) for outcome in outcomes]
        print_json(said if len(asked) > 1 else said[0])
    if any(outcome.failures for outcome in outcomes):
        raise typer.Exit(FAILED)


@contextmanager
def _lendable(folder: Path) -> Iterator[Path]:
    """Where to write results for `folder`: there, or where root cannot give its files away, in a temporary folder that
    is copied afterwards. In a lab kernel, root cannot: the files are the host's.

    Raises:
        ResultsError: results would have to be copied over what is there.
    """
    from frrlib.results.layout import ResultsError

    if os.geteuid() != 0 or _can_be_given(folder):
        yield folder
        return
    if folder.exists():
        raise ResultsError(
            folder, "already exists", "choose a new folder; an existing one cannot be replaced on this file system"
        )
    with tempfile.TemporaryDirectory(prefix="lab-results-") as temporary:
        written = Path(temporary) / (folder.name or "results")
        try:
            yield written
        finally:
            _copy(written, folder)


def _copy(source: Path, target: Path) -> None:
    """Copy the files' contents, not their owners: a file system that takes no owners takes no modes either."""
    if source.is_dir() and not source.is_symlink():
        target.mkdir(parents=True)
        for each in sorted(source.iterdir()):
            _copy(each, target / each.name)
    elif source.is_file() and not source.is_symlink():
        shutil.copyfile(source, target)


def _can_be_given(folder: Path) -> bool:
    """Whether a file in `folder`, or in its parent until it exists, can get another owner."""
    there = next(each for each in (folder.absolute(), *folder.absolute().parents) if each.is_dir())
    try:
        with tempfile.TemporaryFile(dir=there) as file:
            os.fchown(file.fileno(), _NOBODY, _NOBODY)
    except OSError:
        return not os.access(there, os.W_OK)  # unwritable folders are refused elsewhere
    return True


def _print_frr(topology: Topology) -> None:
    """Every router's configuration, as FRR gets it."""
    with report_errors():
        exit_on_errors(check(topology), topology)
    filled = resolved(topology)
    for router in filled.routers:
        if router.runs_frr:
            sys.stdout.write(f"! {router.name}: frr.conf\n{frr_conf(filled, router)}\n")
