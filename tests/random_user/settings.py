"""The settings of a session, and the files that keep the steps of a fault together with them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.random_user.steps import Step


@dataclass(frozen=True)
class SessionSettings:
    """Everything besides the steps that a session depends on.

    Attributes:
        width, height: the size of the screen in pixels.
        theme: "light" or "dark".
        scaling_percent: the scaling of the window, 100 to 200.
        labs: whether labs may start. Otherwise they have no place.
    """

    width: int = 1280
    height: int = 800
    theme: str = "light"
    scaling_percent: int = 100
    labs: bool = False

    def preferences(self) -> dict[str, Any]:
        """The preferences of the user, as in their file."""
        place = {} if self.labs else {"place": "labkernel"}
        return {"theme": self.theme, "scaling_percent": self.scaling_percent, **place}

    def __str__(self) -> str:
        labs = ", labs" if self.labs else ""
        return f"{self.width}x{self.height}, {self.theme}, {self.scaling_percent} %{labs}"


@dataclass
class Findings:
    """The findings of a session.

    Attributes:
        steps: the steps, as far as they were done.
        faults: the violated conditions and exceptions of the last step, or of the end; empty for none.
        slow: (number of the step, seconds) of steps that blocked the window for long.
        edits: the number of changes of the drawing.
        undone: the number of edits that were undone and redone at the end.
    """

    steps: list[Step] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    slow: list[tuple[int, float]] = field(default_factory=list)
    edits: int = 0
    undone: int = 0

    @property
    def signature(self) -> str:
        """The last line of the first fault without its numbers: two faults of one signature count as the same."""
        line = self.faults[0].strip().splitlines()[-1] if self.faults else ""
        return "".join(letter for letter in line if not letter.isdigit())[:60]


def read_findings(text: str) -> Findings:
    """The findings of a report, or of a fault file."""
    known = {name: value for name, value in json.loads(text).items() if name in Findings.__dataclass_fields__}
    findings = Findings(**known)
    findings.steps = steps_of(findings.steps)
    return findings


def steps_of(rows: Sequence[Sequence[Any]]) -> list[Step]:
    """The steps of rows of JSON."""
    return [(kind, list(words)) for kind, words in rows]


def write_fault(path: Path, settings: SessionSettings, findings: Findings) -> None:
    """Write a fault file: the settings, the steps and the findings."""
    path.write_text(json.dumps({"settings": asdict(settings), **asdict(findings)}, indent=1))


def read_fault(path: Path, default: SessionSettings) -> tuple[SessionSettings, list[Step]]:
    """The settings and the steps of a fault file.

    Args:
        default: the settings that the file does not have.
    """
    content: Mapping[str, Any] = json.loads(path.read_text())
    settings = SessionSettings(**{**asdict(default), **content.get("settings", {})})
    return settings, steps_of(content["steps"])
