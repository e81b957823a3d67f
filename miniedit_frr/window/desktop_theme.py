"""Whether the desktop is light or dark, as far as it says so anywhere."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

_ASK = ("gsettings", "get", "org.gnome.desktop.interface", "color-scheme")
_PATIENCE_S = 3.0


def theme_in_files(environment: Mapping[str, str] = os.environ) -> str:
    """The theme set in the environment and the files of GTK and KDE: "light", "dark", or nothing. Takes no time."""
    name = environment.get("GTK_THEME", "")
    if name:
        return "dark" if re.search(r"[:-]dark$", name, re.IGNORECASE) else "light"
    folder = Path(environment.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"))
    for version in ("4.0", "3.0"):
        settings = _sections(folder / f"gtk-{version}" / "settings.ini").get("Settings", {})
        if settings.get("gtk-application-prefer-dark-theme", "").lower() in ("1", "true"):
            return "dark"
        if settings.get("gtk-theme-name", "").lower().endswith("-dark"):
            return "dark"
    ground = _sections(folder / "kdeglobals").get("Colors:Window", {}).get("backgroundnormal", "")
    colours = [int(each) for each in re.findall(r"\d+", ground)[:3]]
    if len(colours) == 3:
        return "dark" if sum(colours) < 3 * 128 else "light"
    return ""


def query_desktop_theme() -> str:
    """GNOME's theme, on request: "light", "dark", or nothing. Waits for a process: for a worker only."""
    if not shutil.which(_ASK[0]):
        return ""
    try:
        done = subprocess.run(_ASK, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    said = done.stdout.strip().strip("'")
    return {"prefer-dark": "dark", "prefer-light": "light"}.get(said, "")


def _sections(path: Path) -> Mapping[str, Mapping[str, str]]:
    parser = configparser.RawConfigParser(strict=False)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            parser.read_string(file.read(1 << 20))
    except (OSError, configparser.Error):
        return {}
    return {name: dict(parser[name]) for name in parser.sections()}
