"""The state of the running pytest session: where labs run, where their files go, and the current network."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from frrlib.topotest.network import TestNetwork
from frrlib.topotest.script_commands import Script


@dataclass
class SessionState:
    """The state of a session.

    Attributes:
        place: as for `Lab`.
        run_folder: parent of each module's folder of logs; it is below a private folder of labs.
        test_folder: folder of the running module.
        current: the latest network.
        places: names of the places in which labs were started.
        script: the state of its scripts of commands; None before the first script.
    """

    place: str = "auto"
    run_folder: Path = Path("/tmp/topotests")
    test_folder: Path = Path()
    current: TestNetwork | None = None
    places: list[str] = field(default_factory=list)
    script: Script | None = None


STATE = SessionState()


def current_script() -> Script:
    """The script of the current network. Raises RuntimeError before its start."""
    if STATE.script is None:
        raise RuntimeError("no script has started")
    return STATE.script
