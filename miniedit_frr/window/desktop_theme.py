"""The theme of the desktop, light or dark, if it is set anywhere."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

_QUERY = ("gsettings", "get", "org.gnome.desktop.interface", "color-scheme")
_TIMEOUT_S = 3.0


def theme_in_files(environment: Mapping[str, str] = os.environ) -> str:
    """The theme in the environment and in the files of GTK and KDE: "light", "dark", or empty."""
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
    background = _sections(folder / "kdeglobals").get("Colors:Window", {}).get("backgroundnormal", "")
    channels = [int(number) for number in re.findall(r"\d+", background)[:3]]
    if len(channels) == 3:
        return "dark" if sum(channels) < 3 * 128 else "light"
    return ""


def query_desktop_theme() -> str:
    """Query GNOME for its theme: "light", "dark", or empty. It waits for a process, so only workers may call it."""
    if not shutil.which(_QUERY[0]):
        return ""
    try:
        process = subprocess.run(_QUERY, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    scheme = process.stdout.strip().strip("'")
    return {"prefer-dark": "dark", "prefer-light": "light"}.get(scheme, "")


def _sections(path: Path) -> Mapping[str, Mapping[str, str]]:
    parser = configparser.RawConfigParser(strict=False)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            parser.read_string(file.read(1 << 20))
    except (OSError, configparser.Error):
        return {}
    return {name: dict(parser[name]) for name in parser.sections()}
