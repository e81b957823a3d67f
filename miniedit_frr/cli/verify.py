"""`miniedit-frr verify`: whether the links of a drawing do what it says, measured on each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from frrlib.checks.check import check
from frrlib.formats import mn
from frrlib.places import PlaceName
from frrlib.system.processor import busy_share, spent
from frrlib.verify.links import LinkCheck, check_links, failures
from miniedit_frr.cli.exits import FAILED, exit_on_errors, exit_on_sigterm, exit_with, report_errors, stderr
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
from miniedit_frr.terminal.report import print_table

#: The share of processor time above which a machine is too busy for true measurements.
_BUSY = 0.8
_VERDICTS = {True: ("as drawn", "green"), False: ("NOT as drawn", "bold red"), None: ("not measured", "yellow")}


def add_to(app: typer.Typer) -> None:
    """Give the command line this command."""
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
    """Build the lab and measure every link of it, one after the other: round trip at rest, rate, queue and loss of each
    direction against what is drawn. Ends with 1 where one of them is otherwise. In virtual time no machine is too slow
    to tell."""
    from frrlib.run.run import RunSettings

    settings = RunSettings(
        place.value, kernel, virtual_time=virtual_time, seed=seed_of(seed, virtual_time=virtual_time)
    )
    exit_on_sigterm()
    with report_errors():
        topology = mn.load(file).topology
        exit_on_errors(check(topology), topology)
        ask_permission(topology, file, trust, place.value)
        console = stderr()
        still = topology.model_copy(update={"flows": (), "faults": ()})
        with (
            console.status("start the lab", spinner="dots") as status,
            settings.lab(still, file.resolve().parent) as lab,
        ):
            lab.wait_routes(topology.wait.timeout_s)
            before = spent()
            checks = list(check_links(lab, lambda what: status.update(f"measure {what}")))
            busy = busy_share(before, spent())
            where = lab.place_reason
    if as_json:
        print_json([as_dict(each) for each in checks])
    else:
        _print(checks, where)
    if busy > _BUSY and not virtual_time:
        console.print(
            f"this machine was {busy:.0%} busy during the measurement: rates are measured too low, RTTs too high",
            style="yellow",
        )
    wrong = failures(checks)
    if wrong:
        ways = "one is" if len(wrong) == 1 else f"{len(wrong)} are"
        exit_with(f"{file}: of {len(checks)} measurements {ways} outside of the limits", FAILED)


def as_dict(check: LinkCheck) -> dict[str, Any]:
    """A check as a value of JSON."""
    names = ("link", "direction", "what", "unit", "configured", "measured", "low", "high", "why")
    return {name: getattr(check, name) for name in names} | {"is_true": check.is_true}


def _print(checks: Sequence[LinkCheck], where: str) -> None:
    console = Console(highlight=False)
    if not checks:
        console.print("no link of this topology can be measured, because none has two ends with addresses")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title, justify in (
        ("link", "left"), ("direction", "left"), ("what", "left"), ("drawn", "right"), ("measured", "right"),
        ("", "left"), ("may be", "left"), ("", "left"),
    ):  # fmt: skip
        table.add_column(title, justify=justify)  # type: ignore[arg-type]
    before = ""
    for each in checks:
        verdict, style = _VERDICTS[each.is_true]
        table.add_row(
            each.link if each.link != before else "", each.direction, each.what, _number(each.configured),
            _number(each.measured), each.unit, f"{_number(each.low)} to {_number(each.high)}" if not each.why else "",
            f"[{style}]{verdict}[/]" + (f": {each.why}" if each.why else ""),
        )  # fmt: skip
        before = each.link
    print_table(console, table)
    console.print(f"in {where}", style="dim")


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    if value == float("inf"):
        return "never"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"
