"""The published JSON Schema is that of the model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from frrlib.formats.schema import schema_text

ROOT = Path(__file__).resolve().parents[2]


def test_the_published_schema_is_up_to_date() -> None:
    published = (ROOT / "docs" / "topology.schema.json").read_text(encoding="utf-8")
    assert published == schema_text(), "python -m frrlib.formats.schema > docs/topology.schema.json"


def test_the_documented_command_writes_the_schema() -> None:
    argv = [sys.executable, "-m", "frrlib.formats.schema"]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True)
    schema = json.loads(done.stdout)
    properties = {
        "title",
        "nodes",
        "links",
        "flows",
        "faults",
        "wait",
        "preferences",
        "annotations",
        "foreign",
        "shown_folders",
        "copied_folders",
        "kernel_modules",
        "kernel_parameters",
        "intended_problems",
    }
    assert set(schema["properties"]) == properties
    assert {"Host", "Router", "Switch", "Bridge", "Controller"} <= set(schema["$defs"])
