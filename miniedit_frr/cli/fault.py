"""`miniedit-frr fault`: injects faults into a detached lab, and shows its current faults. Also the option `--fault`."""

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
from frrlib.lab.detached import DetachedLab, join_lab
from frrlib.lab_server import register
from frrlib.model.fault_words import VERBS, parse, parse_planned
from frrlib.model.topology import Topology
from miniedit_frr.cli.detached.names import lab_names
from miniedit_frr.cli.exits import exit_on_errors, print_warnings, report_errors
from miniedit_frr.terminal.markup import escape

#: The word that clears all faults, and its former one.
_CLEAR, _FORMERLY = "clear", "mend"
_HELP = "\n\n".join(
    [
        "Inject a fault into a running lab. Without a fault, show the current faults.",
        "FOR and PERIOD are times such as 2s or 500ms. A fault with FOR is cleared after this time.",
        "clear clears all faults except changed values of links.",
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
    """Add this command to the command line."""
    app.command(
        help=_HELP, context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
    )(fault)  # fmt: skip


def _complete_words(incomplete: str) -> list[str]:
    return [*lab_names(incomplete), *(verb for verb in (*VERBS, _CLEAR) if verb.startswith(incomplete))]


def fault(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[LAB] [FAULT ...]", help="The fault, after the lab if several are running.",
                       autocompletion=_complete_words),
    ] = None,
) -> None:  # fmt: skip
    """See `_HELP`."""
    console, fault_words = Console(highlight=False), list(words or ())
    with report_errors():
        names = [card.name for card in register.labs()]
        name = (
            fault_words.pop(0)
            if fault_words and fault_words[0] in names and fault_words[0] not in (*VERBS, _CLEAR, _FORMERLY)
            else ""
        )
        fault_events: list[wire.FaultEvent] = []

        def listen(message: wire.Message) -> None:
            if isinstance(message, wire.FaultEvent):
                fault_events.append(message)

        with join_lab(name, listen) as lab:
            if not fault_words:
                _print_state(console, lab)
                return
            start_s = time.monotonic()
            if fault_words in ([_CLEAR], [_FORMERLY]):
                if not lab.clear_faults():
                    console.print(f"There is no fault to clear in {lab.name}.")
                    return
            else:
                lab.fault(parse(lab.topology, fault_words))
            took_s = time.monotonic() - start_s
        for event in fault_events:
            target = f" [bold]{escape(event.target)}[/bold]" if event.target else ""
            console.print(f"{escape(event.fault)}{target}: {escape(event.text)}")
        if not fault_events:
            raise LabFailed(f"the lab did not confirm the fault within {took_s:.1f} s")


def checked_topology(topology: Topology, fault_texts: list[str] | None) -> Topology:
    """The topology with more faults in its plan; prints warnings, and ends the program if an error prevents the run.

    Args:
        fault_texts: the faults to add, each in the form that `parse_planned` reads.

    Raises:
        TopologyError: a text is not a fault.
    """
    added_faults = [parse_planned(topology, text) for text in fault_texts or ()]
    planned = set_faults(topology, (*topology.faults, *added_faults)) if added_faults else topology
    problems = check(planned)
    exit_on_errors(problems, planned)
    exit_on_errors(refused_faults(planned), planned)
    print_warnings(problems, planned)
    return planned


def _print_state(console: Console, lab: DetachedLab) -> None:
    state = lab.faults_now()
    affected = {
        "without carrier": state["links_down"],
        "put down": state["interfaces_down"],
        "losing packets": state["lossy"],
        "with changed values": list(state["values"]),
        "frozen": state["frozen"],
        "stopped": state["stopped"],
        "dead": state["dead"],
    }
    for condition, names in affected.items():
        if names:
            console.print(f"{condition}: [bold]{', '.join(names)}[/bold]")
    if not any(affected.values()):
        console.print(f"There are no faults in {lab.name}.")
