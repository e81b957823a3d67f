"""Everything that hostile topologies have reached or done once, with the tests that try it again.

All of it was done by start commands of a topology, or by code that such commands brought into the lab's kernel, as an
ordinary user. `docs/security.md` describes the walls against it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

#: Effects outside of the lab, or after its end.
REACHED = {
    "commands typed into the user's terminal by `exec`, `ssh`, or another program in the place of `enter`": (
        "walls/test_entering.py", "place/test_ways_in.py", "walls/test_files.py",
    ),
    "set-user-id programs and links out, left in folders that nobody can list": (
        "walls/test_attacks.py", "place/test_removal.py", "walls/test_kills.py",
    ),
    "sockets and pipes in folders that a lab sees": ("walls/test_attacks.py", "walls/test_files.py"),
    "files of the user's that were streams of a command": ("walls/test_entering.py", "place/test_ways_in.py"),
    "the user's keys": ("walls/test_attacks.py", "place/test_ways_in.py"),
    "folders that nobody can list, in results and in memory, and a run that could not be replaced": (
        "walls/test_attacks.py", "walls/test_kills.py", "place/test_removal.py", "results/test_writer.py",
    ),
    "the user's processes, terminal and keys, by way of a Python program that read the lab's files as it entered": (
        "walls/test_entering.py", "place/test_ways_in.py",
    ),
    "links out by way of other links": ("walls/test_attacks.py", "place/test_removal.py"),
    "escape sequences and markup on the user's terminal": (
        "walls/test_attacks.py", "walls/test_agent.py", "terminal/test_progress.py", "safe_text/test_plain.py",
    ),
    "limits, priorities, locks and signals, from code in a lab kernel's own process": ("place/test_confine.py",),
}  # fmt: skip
#: Effects of a replaced agent on the program outside.
DONE_TO_THE_PROGRAM = {
    "the agent reads nothing: the program waited for ever, and Ctrl-C did nothing": (
        "walls/test_agent.py", "walls/test_kills.py",
    ),
    "JSON of 100,000 levels": ("walls/test_agent.py",),
    "a console of 256 GB": ("walls/test_agent.py",),
    "a sparse log of many GB": ("walls/test_agent.py",),
    "logs that cannot be read, or have too long a name": ("walls/test_agent.py",),
    "answers of other types": ("walls/test_agent.py", "wire/test_replies.py"),
    "a serial line with streams that have no reader or no end": ("walls/test_agent.py", "place/test_mux.py"),
    "a line without an end": ("walls/test_agent.py",),
    "a title that is a formula to matplotlib": ("walls/test_attacks.py", "plots/test_figures.py"),
    "a node at 1e308": ("walls/test_attacks.py", "formats/test_positions.py"),
    "processes, memory and room without bounds": ("place/test_bounds.py",),
    "names that are formulas to a spreadsheet": (
        "walls/test_attacks.py", "results/test_writer.py", "safe_text/test_spreadsheet.py",
    ),
    "a name or a path that cannot be packed: a sweep lost the whole run": (
        "walls/test_attacks.py", "sweep/test_packing.py", "sweep/test_running.py",
    ),
    "leases and pipes in the place of files: a program that opened one hung": (
        "walls/test_attacks.py", "results/test_hostile.py", "sweep/test_packing.py",
    ),
    "archives without an end": ("place/test_unpacking.py",),
    "events of 64 MiB, and more events than a window shows": ("wire/test_hostile.py", "session/test_session.py"),
    "names that no drawing has, without an end": ("live/test_bounds.py",),
    "samples, events, steps and deaths of daemons without an end": ("results/test_received.py",),
    "deaths and faults without an end, in the process that holds a lab": ("lab_server/test_broker.py",),
}  # fmt: skip
#: Damage by untrusted folders.
FOLDERS = {
    "links in the place of a sweep's runs, lock or drawing: the user's hidden files were removed, others emptied": (
        "sweep/test_plan.py", "experiments/test_running.py",
    ),
    "escape sequences in the tables of a run": ("results/test_hostile.py",),
}  # fmt: skip
#: Attacks of other users of the machine, against a lab's user or by means of a lab.
OTHER_USERS = {
    "modes and access control lists, by which they changed results": (
        "walls/test_attacks.py", "place/test_removal.py", "results/test_writer.py",
    ),
    "pages of Dask": ("sweep/test_running.py",),
    "libraries in the cache": ("kernels/test_libraries.py",),
    "lab kernels that they could change": ("kernels/test_kernels.py",),
}  # fmt: skip
#: Leftovers after kills at any moment.
LEFT = {"whatever is killed, or all of it": ("walls/test_kills.py", "place/test_ending.py")}


@pytest.mark.parametrize("effect", [*REACHED, *DONE_TO_THE_PROGRAM, *FOLDERS, *OTHER_USERS, *LEFT])
def test_every_effect_has_tests(effect: str) -> None:
    for name in {**REACHED, **DONE_TO_THE_PROGRAM, **FOLDERS, **OTHER_USERS, **LEFT}[effect]:
        assert "\ndef test_" in (TESTS / name).read_text(encoding="utf-8"), name


def test_the_tests_named_by_docs_security_exist() -> None:
    text = (TESTS.parent / "docs/security.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/]+\.py)`", text.partition("## Walls")[2].partition("\n## ")[0])
    named = [name for name in named if not name.startswith("frrlib/")]
    assert len(named) > 20
    assert [name for name in named if not (TESTS / name).is_file()] == []
