"""`miniedit-frr verify`: measures whether the links of a lab behave as the topology says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from frrlib.checks.check import check
from frrlib.exchange import opening
from frrlib.places import PlaceName
from frrlib.system.processor import busy_share, spent
from frrlib.system.signals import exit_on_sigterm
from frrlib.verify.links import LinkCheck, check_links, failures
from miniedit_frr.cli.exits import FAILED, exit_on_errors, exit_with, report_errors, stderr
from miniedit_frr.cli.options import (
    AsJson,
    Kernel,
    Seed,
    TopologyFile,
    Trust,
    VirtualTime,
    print_json,
    seed_of,
)
from miniedit_frr.cli.permissions import ask_permission
from miniedit_frr.terminal.tables import print_table

#: The share of processor time above which a machine is too busy for accurate measurements.
_BUSY = 0.8
_VERDICTS = {
    True: ("as configured", "green"), False: ("NOT as configured", "bold red"), None: ("not measured", "yellow"),
}  # fmt: skip


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command(name="verify")(verify)


def verify(
    file: TopologyFile,
    place: Annotated[PlaceName, typer.Option(help="Place of the lab.")] = PlaceName.AUTO,
    kernel: Kernel = None,
    virtual_time: VirtualTime = False,
    seed: Seed = None,
    trust: Trust = False,
    as_json: AsJson = False,
) -> None:
    """Build the lab, and measure each link: idle round-trip time, and rate, queue and loss of each direction.

    The measurements are compared with the topology. The exit status is 1 if one of them differs. Virtual time makes the
    measurements independent of the speed of this machine.
    """
    from frrlib.run.run import RunSettings

    settings = RunSettings(
        place.value, kernel, virtual_time=virtual_time, seed=seed_of(seed, virtual_time=virtual_time)
    )
    exit_on_sigterm()
    with report_errors():
        topology = opening.load(file).topology
        exit_on_errors(check(topology), topology)
        ask_permission(topology, file, trust, place.value)
        console = stderr()
        idle_topology = topology.model_copy(update={"flows": (), "faults": ()})
        with (
            console.status("start the lab", spinner="dots") as status,
            settings.lab(idle_topology, file.resolve().parent) as lab,
        ):
            lab.wait_routes(topology.wait.timeout_s)
            start_times = spent()
            checks = list(check_links(lab, lambda activity: status.update(f"measure {activity}")))
            busy = busy_share(start_times, spent())
            place_reason = lab.place_reason
    if as_json:
        print_json([as_dict(link_check) for link_check in checks])
    else:
        _print_checks(checks, place_reason)
    if busy > _BUSY and not virtual_time:
        console.print(
            f"this machine was {busy:.0%} busy during the measurement: rates are measured too low, RTTs too high",
            style="yellow",
        )
    wrong = failures(checks)
    if wrong:
        phrase = "one is" if len(wrong) == 1 else f"{len(wrong)} are"
        exit_with(f"{file}: of {len(checks)} measurements {phrase} outside of the limits", FAILED)


def as_dict(check: LinkCheck) -> dict[str, Any]:
    """A check as a value for JSON."""
    return {
        "link": check.link, "direction": check.direction, "what": check.quantity, "unit": check.unit,
        "configured": check.configured, "measured": check.measured, "low": check.low, "high": check.high,
        "reason": check.reason, "is_true": check.is_true,
    }  # fmt: skip


def _print_checks(checks: Sequence[LinkCheck], place_reason: str) -> None:
    console = Console(highlight=False)
    if not checks:
        console.print("no link of this topology can be measured, because none has two ends with addresses")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title, justify in (
        ("link", "left"), ("direction", "left"), ("value", "left"), ("configured", "right"),
        ("measured", "right"), ("", "left"), ("accepted", "left"), ("", "left"),
    ):  # fmt: skip
        table.add_column(title, justify=justify)  # type: ignore[arg-type]
    previous_link = ""
    for link_check in checks:
        verdict, style = _VERDICTS[link_check.is_true]
        reason = link_check.reason
        table.add_row(
            link_check.link if link_check.link != previous_link else "", link_check.direction, link_check.quantity,
            _number(link_check.configured), _number(link_check.measured), link_check.unit,
            f"{_number(link_check.low)} to {_number(link_check.high)}" if not reason else "",
            f"[{style}]{verdict}[/]" + (f": {reason}" if reason else ""),
        )  # fmt: skip
        previous_link = link_check.link
    print_table(console, table)
    console.print(f"in {place_reason}", style="dim")


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    if value == float("inf"):
        return "never"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"
