"""The state of the running pytest session: where labs run, where their files go, and the current network."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from frrlib.topotest.network import TestNetwork
from frrlib.topotest.script_commands import Script


@dataclass
class SessionState:
    """One session's.

    Attributes:
        place: as for `Lab`.
        run_folder: where every module's folder of logs is made; below a folder that labs have for themselves.
        test_folder: of the module whose tests run now.
        current: the network that was made last.
        places: names of the places in which labs were started.
        script: what its scripts of single commands have come to; None before the first begins.
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
        raise RuntimeError("no script has begun")
    return STATE.script
