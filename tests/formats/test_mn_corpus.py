"""Files of other people: each loads or is rejected in one line, and is unchanged after saving."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from frrlib.checks.check import check
from frrlib.errors import TopologyError
from frrlib.formats import mn

FOREIGN = {"059.mn"}
#: Values that mean the same as no key at all.
_INSIGNIFICANT = ("", [], {}, "0", "0.0ms", "host", "default")


def test_every_file_loads_and_is_saved_unchanged(corpus: Path) -> None:
    files = sorted(corpus.glob("*.mn"))
    assert files
    for path in files:
        if path.name in FOREIGN:
            with pytest.raises(TopologyError, match="line 1"):
                mn.load(path)
            continue
        loaded = mn.load(path)
        text = mn.dumps(loaded.topology)
        assert mn.loads(text).topology == loaded.topology, path.name
        assert mn.dumps(mn.loads(text).topology) == text, path.name
        assert all(str(problem) for problem in [*loaded.warnings, *check(loaded.topology)])


def test_no_key_of_a_file_is_lost(corpus: Path) -> None:
    """A drawing that reads without a warning is written with every key and value that it had."""
    compared = 0
    for path in sorted(corpus.glob("*.mn")):
        if path.name in FOREIGN:
            continue
        loaded = mn.load(path)
        if any(problem.severity != "note" for problem in loaded.warnings):
            continue
        before, after = json.loads(path.read_text()), json.loads(mn.dumps(loaded.topology))
        del after["miniedit_frr"]
        assert _same(before) == _same(after), path.name
        compared += 1
    assert compared >= 10


def _same(document: dict[str, object]) -> str:
    """The text of a file without insignificant parts: the form of numbers, empty values and defaults."""

    def plain(value: object, key: str = "") -> object:
        if isinstance(value, dict):
            inner = {name: plain(item, name) for name, item in value.items()}
            return {name: item for name, item in inner.items() if item not in _INSIGNIFICANT or name == "opts"}
        if isinstance(value, list):
            return [plain(item) for item in value]
        if key in ("x", "y"):
            return float(str(value))
        return value if not isinstance(value, int) else str(value)

    return json.dumps(plain(document), sort_keys=True, indent=1)
