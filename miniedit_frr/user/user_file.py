"""A small JSON object in the user's configuration folder, which survives the user's mistakes and every editor.

A broken file never prevents the start: it is kept aside, and its loss is reported. Keys that this version does not
know survive, for another version may.
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
        complaint: what was wrong with the file when it was read last; empty for nothing.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.error = path, ""

    def read(self) -> dict[str, Any]:
        """The whole object; empty where there is no file, or a broken one, which then is kept aside."""
        self.error = ""
        if not os.path.lexists(self.path):
            return {}
        try:
            value = json.loads(read_bytes(self.path))
        except TopologyError as error:
            return self._aside(error.why)
        except (ValueError, RecursionError) as error:
            return self._aside(str(error).partition("\n")[0])
        return value if isinstance(value, dict) else self._aside("it contains no JSON object")

    def write(self, values: dict[str, Any]) -> str:
        """Put these values into the object, beside its other ones; returns why that failed, empty where it did not."""
        kept = self.read()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(self.path, json.dumps({**kept, **values}, indent=2).encode() + b"\n")
        except (LabError, OSError) as error:
            return str(error)
        return ""

    def _aside(self, why: str) -> dict[str, Any]:
        bad = self.path.with_name(f"{self.path.name}.bad")
        where = "is left unchanged"
        with contextlib.suppress(OSError):
            self.path.replace(bad)
            where = f"was renamed to {bad.name}"
        self.error = f"{self.path} cannot be read ({why}) and {where}; default settings are used"
        return {}
