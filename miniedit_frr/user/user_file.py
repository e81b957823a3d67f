"""A small JSON object in the user's configuration folder, which users can edit.

A broken file never prevents the start: it is renamed, and its loss is reported. Unknown keys are preserved, since
another version may use them.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from frrlib.errors import LabError, TopologyError
from frrlib.formats.files import replace_file
from frrlib.formats.jsontext import read_bytes


class UserFile:
    """The object in a file.

    Attributes:
        path: the file.
        error: why the file was unusable when it was last read; empty if it was not.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.error = path, ""

    def read(self) -> dict[str, Any]:
        """The whole object; empty if the file is missing, or is broken and was therefore renamed."""
        self.error = ""
        if not os.path.lexists(self.path):
            return {}
        try:
            value = json.loads(read_bytes(self.path))
        except TopologyError as error:
            return self._set_aside(error.message)
        except (ValueError, RecursionError) as error:
            return self._set_aside(str(error).partition("\n")[0])
        return value if isinstance(value, dict) else self._set_aside("it contains no JSON object")

    def write(self, values: dict[str, Any]) -> str:
        """Set values of the object and keep its other ones; returns why this failed, empty for success."""
        present = self.read()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(self.path, json.dumps({**present, **values}, indent=2).encode() + b"\n")
        except (LabError, OSError) as error:
            return str(error)
        return ""

    def _set_aside(self, reason: str) -> dict[str, Any]:
        renamed = self.path.with_name(f"{self.path.name}.bad")
        outcome = "is left unchanged"
        with contextlib.suppress(OSError):
            self.path.replace(renamed)
            outcome = f"was renamed to {renamed.name}"
        self.error = f"{self.path} cannot be read ({reason}) and {outcome}; default settings are used"
        return {}
