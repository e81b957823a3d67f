"""`miniedit-frr fault`: make faults in a lab that runs by itself, and say what is out of order in it; and `--fault`."""

from __future__ import annotations

import time
from typing import Annotated

import typer
from rich.console import Console

from frrlib import wire
from frrlib.checks.check import check
from frrlib.edits.fault_plan import set_faults
from frrlib.errors import LabFailed
from frrlib.lab.checks import refused_faults
from frrlib.lab.detached import DetachedLab
from frrlib.lab_server import register
from frrlib.model.fault_words import VERBS, parse, parse_planned
from frrlib.model.topology import Topology
from miniedit_frr.cli.detached_lab import join_lab, lab_names
from miniedit_frr.cli.exits import exit_on_errors, print_warnings, report_errors
from miniedit_frr.terminal.markup import escape

#: The word that stands for no fault.
_MEND = "mend"
_HELP = "\n\n".join(
    [
        "Inject a fault into a running lab. Without a fault, show the current faults.",
        "FOR and PERIOD are times such as 2s or 500ms. A fault with FOR is cleared after this time.",
        "mend clears all faults except changed values of links.",
        *(escape(f"{verb} {usage}".rstrip()) for verb, (_, usage) in VERBS.items()),
    ]
)

#: The option of commands that run a topology.
PlannedFaults = Annotated[
    list[str] | None,
    typer.Option("--fault", metavar="'AT FAULT'", help="Add a fault to the plan. AT is in seconds after the start of "
                 "the flows, as in '4 loss l1 30% 2s'; `miniedit-frr fault --help` has all words. Repeat for several."),
]  # fmt: skip


def add_to(app: typer.Typer) -> None:
    """Give the command line this command."""
    app.command(
        help=_HELP, context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
    )(fault)  # fmt: skip


def _completed(incomplete: str) -> list[str]:
    return [*lab_names(incomplete), *(each for each in (*VERBS, _MEND) if each.startswith(incomplete))]


def fault(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[LAB] [FAULT ...]", help="The lab, where several run; the fault.",
                       autocompletion=_completed),
    ] = None,
) -> None:  # fmt: skip
    """See `_HELP`."""
    console, rest = Console(highlight=False), list(words or ())
    with report_errors():
        names = [card.name for card in register.labs()]
        name = rest.pop(0) if rest and rest[0] in names and rest[0] not in (*VERBS, _MEND) else ""
        heard: list[wire.FaultEvent] = []

        def listen(message: wire.Message) -> None:
            if isinstance(message, wire.FaultEvent):
                heard.append(message)

        with join_lab(name, listen) as lab:
            if not rest:
                _say_state(console, lab)
                return
            began_s = time.monotonic()
            if rest == [_MEND]:
                if not lab.mend():
                    console.print(f"There is nothing to mend in {lab.name}.")
                    return
            else:
                lab.fault(parse(lab.topology, rest))
            took_s = time.monotonic() - began_s
        for event in heard:
            target = f" [bold]{escape(event.target)}[/bold]" if event.target else ""
            console.print(f"{escape(event.fault)}{target}: {escape(event.text)}")
        if not heard:
            raise LabFailed(f"the lab has said nothing about it in {took_s:.1f} s")


def checked_topology(topology: Topology, said: list[str] | None) -> Topology:
    """The drawing with more faults in its plan; prints warnings, and ends the program if an error prevents the run.

    Args:
        said: each as in `parse_planned`.

    Raises:
        TopologyError: words that say no fault.
    """
    more = [parse_planned(topology, text) for text in said or ()]
    planned = set_faults(topology, (*topology.faults, *more)) if more else topology
    problems = check(planned)
    exit_on_errors(problems, planned)
    exit_on_errors(refused_faults(planned), planned)
    print_warnings(problems, planned)
    return planned


def _say_state(console: Console, lab: DetachedLab) -> None:
    state = lab.faults_now()
    said = {
        "without carrier": state["links_down"],
        "put down": state["interfaces_down"],
        "losing packets": state["lossy"],
        "with changed values": list(state["values"]),
        "frozen": state["frozen"],
        "stopped": state["stopped"],
        "dead": state["dead"],
    }
    for what, names in said.items():
        if names:
            console.print(f"{what}: [bold]{', '.join(names)}[/bold]")
    if not any(said.values()):
        console.print(f"Nothing is out of order in {lab.name}.")
