"""`miniedit-frr rerun DIR`: repeats the run of a results folder and compares the two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import TypeAdapter, ValidationError
from rich.console import Console

from frrlib.formats import mn
from frrlib.lab.program import CODE
from frrlib.place.choice import AUTO
from frrlib.places import PlaceName
from frrlib.results.layout import TOPOLOGY, RunInfo
from frrlib.results.read import open_results, read_info
from frrlib.results.records import Results
from frrlib.results.sameness import conditions, differences, numbers
from frrlib.run.facts import condition_facts
from frrlib.run.run import RunSettings
from frrlib.safe_text.plain import plain
from miniedit_frr.cli.exits import FAILED, WRONG_INPUT, exit_with, report_errors, stderr
from miniedit_frr.cli.options import AllowedControllers, Kernel, Trust
from miniedit_frr.cli.permissions import ask_permission

#: The settings of a run that a rerun takes from `run.json`.
_KEPT = ("sample_hz", "captures", "virtual_time", "seed", "silent_flows")

_SETTINGS = TypeAdapter(RunSettings)


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(rerun)


def rerun(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The results folder to repeat.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The new results folder (default: results/NAME-DATE-TIME).")
    ] = None,
    kernel: Kernel = None,
    allow_controller: AllowedControllers = None,
    trust: Trust = False,
) -> None:
    """Repeat a run from its results folder, and compare the two results byte for byte.

    The exit status is 0 if the results are identical, 1 if they differ, and 2 if the run cannot be repeated. Two runs
    in real time are never identical, so the values of their summaries are printed side by side.
    """
    from frrlib.results.writer import default_folder
    from miniedit_frr.cli.measured_run import run_with_progress

    with report_errors():
        recorded = open_results(folder)
        settings = _settings(recorded, kernel, allow_controller or ())
        text = recorded.topology_text
        topology = mn.loads(text, str(folder / TOPOLOGY)).topology
        ask_permission(topology, folder / TOPOLOGY, trust, settings.place)
        in_lab_kernel = settings.virtual_time or settings.place == PlaceName.LABKERNEL
        _print_conditions(folder, condition_facts(CODE, in_lab_kernel=in_lab_kernel, kernel=settings.kernel))
        new = out or default_folder(folder.resolve().name)
        outcome = run_with_progress(topology, text, new, settings, folder=folder)
        for failure in outcome.failures:
            stderr().print(plain(failure), markup=False, highlight=False, style="red", soft_wrap=True)
        # The versions of FRR and iproute2 are known only now.
        _print_conditions(folder, read_info(new).facts)
        is_same = _print_comparison(folder, new, recorded.info)
    failed_alike = bool(settings.virtual_time and recorded.info.failures)
    raise typer.Exit(0 if is_same and (not outcome.failures or failed_alike) else FAILED)


def _settings(recorded: Results, kernel: Path | None, allowed: Sequence[str]) -> RunSettings:
    """The settings of a recorded run. Ends the program with status 2 if they are missing or malformed.

    Args:
        allowed: the controllers that this user allows. A results folder may come from a stranger, so it allows none.
    """
    recorded_settings = recorded.info.settings
    if not recorded.topology_text or "virtual_time" not in recorded_settings:
        exit_with(
            f"{recorded.folder}: the run cannot be repeated, because its topology or its settings are not recorded",
            WRONG_INPUT,
        )
    settings = {name: recorded_settings[name] for name in _KEPT if name in recorded_settings}
    controllers = recorded_settings.get("allowed_controllers") or []
    for controller in controllers if isinstance(controllers, list) else ():
        if controller not in allowed:
            address = plain(str(controller))
            exit_with(
                f"{recorded.folder}: the switches of this run connected to the controller {address} outside of the "
                f"lab; allow this with --allow-controller {address}",
                WRONG_INPUT,
            )
    settings |= {"place": recorded.info.place or AUTO, "kernel": kernel, "allowed_controllers": allowed}
    try:
        return _SETTINGS.validate_python(settings)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        exit_with(
            f"{recorded.folder}/run.json: settings.{plain(field)}: {plain(first['msg'])}; restore the file", WRONG_INPUT
        )


def _print_conditions(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print the conditions that differ from the recorded ones, and those that were not recorded."""
    differing, unknown = conditions(folder, facts)
    console = stderr()
    for sentence in differing:
        console.print(f"Warning: {plain(sentence)}", markup=False, highlight=False, style="yellow", soft_wrap=True)
    if unknown:
        console.print(
            f"Not recorded in {plain(str(folder))}: {', '.join(unknown)}.",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )


def _print_comparison(folder: Path, new: Path, info: RunInfo) -> bool:
    """Print the comparison of two results folders, and return whether they are as equal as expected."""
    console = Console(highlight=False, markup=False, soft_wrap=True)
    console.print(f"results: {new}")
    if not info.settings.get("virtual_time"):
        console.print(
            "This run used real time, so its results are not expected to be identical. The values of the summaries:"
        )
        for row in numbers(folder, new):
            console.print(plain(row))
        return True
    found_differences = differences(folder, new)
    for difference in found_differences:
        console.print(plain(str(difference)))
    console.print("different" if found_differences else "identical, byte for byte")
    return not found_differences
