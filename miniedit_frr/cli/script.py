"""The end of an exported script: `main(net)`, with the options of every exported script.

The exit status is that of `miniedit-frr run`, see `exits`. It is 1 if one of several runs failed.
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
from frrlib.model.sealed import is_sealed
from frrlib.model.topology import Topology
from frrlib.network.network import Network
from frrlib.places import PlaceName
from frrlib.render.frr import frr_confs
from frrlib.system.signals import exit_on_sigterm
from miniedit_frr.cli.exits import FAILED, exit_on_errors, report_errors, stderr
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
    typer.Option("--seed", metavar="N", help="Seed of the first repetition in virtual time; each further one adds 1 "
                 "(default: 1)."),
]  # fmt: skip

__all__ = ["Run", "main", "runs"]


@dataclass(frozen=True)
class Run:
    """One of the runs of a script.

    Attributes:
        topology: the topology to run.
        folder: the name of its folder in the results folder; empty if it is the only run.
        repetition: the number of the repetition, from 1.
    """

    topology: Topology
    folder: str
    repetition: int = 1


def runs(topology: Topology, repeat: int = 1, congestion_controls: tuple[str, ...] = ()) -> Iterator[Run]:
    """All requested runs. Repetitions alternate between congestion controls, so that slow changes affect all of them.

    Args:
        topology: the topology to run.
        repeat: the number of repetitions.
        congestion_controls: each of them is used by all flows in runs of its own; empty to leave the flows unchanged.

    Raises:
        ValueError: a flow cannot use one of the congestion controls.
    """
    for number in range(1, repeat + 1):
        for name in congestion_controls:
            flows = tuple(type(flow)(**{**dict(flow), "congestion_control": name}) for flow in topology.flows)
            yield Run(topology.model_copy(update={"flows": flows}), f"{name}-{number}", number)
        if not congestion_controls:
            yield Run(topology, f"run-{number}" if repeat > 1 else "", number)


def main(net: Network) -> None:
    """Run a network with the options of the command line, and end the program if a run fails."""
    exit_on_sigterm()
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

    @app.command(help=escape(f"Run the lab ({net.topology.title or 'no title'}) and save the measurements."))
    def lab(
        place: Annotated[PlaceName, typer.Option(help="Place of the lab.")] = PlaceName.AUTO,
        repeat: Annotated[int, typer.Option(min=1, max=1000, help="Number of repetitions.")] = 1,
        cc: Annotated[
            str, typer.Option(metavar="NAME,...", help="Run once with each of these congestion controls for all flows.")
        ] = "",
        out: Annotated[
            Path | None,
            typer.Option(
                "--out", "-o", help="Results folder, or the parent of several (default: results/NAME-DATE-TIME)."
            ),
        ] = None,
        overwrite: Annotated[
            bool, typer.Option("--overwrite", help="Replace earlier runs in the results folder.")
        ] = False,
        kernel: Kernel = None,
        sample_hz: Annotated[float, typer.Option(min=1, max=1000, help="Samples per second.")] = 100.0,
        virtual_time: VirtualTime = False,
        seed: RepetitionSeed = None,
        capture: Captures = None,
        allow_controller: AllowedControllers = None,
        silent_flow: SilentFlows = None,
        as_json: AsJson = False,
        frr: Annotated[
            bool, typer.Option("--frr", help="Print the frr.conf of every router without running the lab.")
        ] = False,
    ) -> None:
        if frr:
            _print_frr(net.topology)
            return
        names = tuple(dict.fromkeys(word for word in cc.replace(" ", "").split(",") if word))
        try:
            requested_runs = list(runs(net.topology, repeat, names))
        except ValidationError:
            raise typer.BadParameter(f"{cc!r} is not a list of congestion controls such as bbr,cubic") from None
        from frrlib.run.run import RunSettings

        settings = RunSettings(
            place.value, kernel, sample_hz, tuple(capture or ()), virtual_time,
            seed_of(seed, virtual_time=virtual_time), tuple(allow_controller or ()), tuple(silent_flow or ()),
        )  # fmt: skip
        _run_all(requested_runs, settings, out, overwrite, as_json)

    app()


def _run_all(
    requested_runs: list[Run], settings: RunSettings, out: Path | None, overwrite: bool, as_json: bool
) -> None:
    from frrlib.results.writer import default_folder
    from miniedit_frr.cli.measured_run import run_with_progress

    base = out or default_folder(Path(sys.argv[0]).stem)
    outcomes = []
    with report_errors():
        exit_on_errors(check(requested_runs[0].topology), requested_runs[0].topology)
        for number, requested_run in enumerate(requested_runs, 1):
            if len(requested_runs) > 1:
                stderr().print(f"run {number} of {len(requested_runs)}: {requested_run.folder}", highlight=False)
            folder = base / requested_run.folder
            with _writable_folder(folder) as writable:
                outcome = run_with_progress(
                    requested_run.topology, mn.dumps(requested_run.topology), writable,
                    replace(settings, seed=settings.seed + requested_run.repetition - 1),
                    folder=Path(sys.argv[0]).resolve().parent, overwrite=overwrite,
                )  # fmt: skip
            outcome.folder = folder
            outcomes.append(outcome)
            if not as_json:
                report.print_outcome(Console(), outcome)
    if as_json:
        outcomes_json = [report.outcome_json(outcome) for outcome in outcomes]
        print_json(outcomes_json if len(requested_runs) > 1 else outcomes_json[0])
    if any(outcome.failures for outcome in outcomes):
        raise typer.Exit(FAILED)


@contextmanager
def _writable_folder(folder: Path) -> Iterator[Path]:
    """The folder into which a run writes its results for `folder`.

    It is `folder` itself, or a temporary folder that is copied to `folder` afterwards. The copy is needed if root
    cannot change the owner of files in `folder`, as in a lab kernel, whose files are the host's.

    Raises:
        ResultsError: the folder exists, and results would have to be copied over it.
    """
    from frrlib.results.layout import ResultsError

    if os.geteuid() != 0 or _can_change_owner(folder):
        yield folder
        return
    if folder.exists():
        raise ResultsError(
            folder, "already exists", "choose a new folder; an existing one cannot be replaced on this file system"
        )
    with tempfile.TemporaryDirectory(prefix="lab-results-") as temporary:
        writable = Path(temporary) / (folder.name or "results")
        try:
            yield writable
        finally:
            _copy(writable, folder)


def _copy(source: Path, target: Path) -> None:
    """Copy the contents of files without owners and modes. A file system that refuses owners refuses modes, too."""
    if source.is_dir() and not source.is_symlink():
        target.mkdir(parents=True)
        for path in sorted(source.iterdir()):
            _copy(path, target / path.name)
    elif source.is_file() and not source.is_symlink():
        shutil.copyfile(source, target)


def _can_change_owner(folder: Path) -> bool:
    """Whether the owner of a file in `folder` can be changed. If it does not exist, its parent is tested."""
    existing_folder = next(
        candidate for candidate in (folder.absolute(), *folder.absolute().parents) if candidate.is_dir()
    )
    try:
        with tempfile.TemporaryFile(dir=existing_folder) as file:
            os.fchown(file.fileno(), _NOBODY, _NOBODY)
    except OSError:
        return not os.access(existing_folder, os.W_OK)  # unwritable folders are refused elsewhere
    return True


def _print_frr(topology: Topology) -> None:
    """Print the frr.conf of every router."""
    with report_errors():
        exit_on_errors(check(topology), topology)
    filled = resolved(topology)
    for name, text in frr_confs(filled).items():
        if not is_sealed(filled, name):
            sys.stdout.write(f"! {name}: frr.conf\n{text}\n")
