"""What the window remembers from one time to the next: a small file of the user's, never of the drawing's."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from miniedit_frr.canvas.labels import Labels

_RECENT = 10


@dataclass(frozen=True)
class Settings:
    """What is remembered.

    Attributes:
        recent: files that were opened or saved, newest first.
        theme: "light" or "dark".
        geometry: size and place of the window as Tk writes it; empty for the usual.
        labels: which texts are shown.
    """

    recent: tuple[str, ...] = ()
    theme: str = "light"
    geometry: str = ""
    labels: Labels = field(default_factory=Labels)

    def with_recent(self, path: Path) -> Settings:
        """The settings with a file at the head of the recent ones."""
        newest = str(path.absolute())
        return replace(self, recent=(newest, *(each for each in self.recent if each != newest))[:_RECENT])


def load(path: Path) -> Settings:
    """What was remembered; the usual where the file is missing or cannot be understood."""
    usual = Settings()
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        known = {name: bool(data["labels"][name]) for name in asdict(usual.labels) if name in data.get("labels", {})}
        return Settings(
            recent=tuple(str(each) for each in data.get("recent", ()))[:_RECENT],
            theme="dark" if data.get("theme") == "dark" else "light",
            geometry=str(data.get("geometry", "")),
            labels=Labels(**known),
        )
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        return usual


def save(settings: Settings, path: Path) -> None:
    """Remember; that it cannot be written is no reason to bother anyone."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(settings), indent=2), encoding="utf-8")
    except OSError:
        return
