"""The JSON Schema of a topology, generated from the model.

python -m frrlib.formats.schema > docs/topology.schema.json
"""

from __future__ import annotations

import json
import sys
from typing import Any

from frrlib.formats.own import SCHEMA
from frrlib.model.topology import Topology


def topology_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of `Topology` in the form of `model_dump(mode="json")`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": f"Made by `python -m frrlib.formats.schema`; schema {SCHEMA} of the key miniedit_frr in .mn files.",
        **Topology.model_json_schema(),
    }


def schema_text() -> str:
    """The schema as the text of its file."""
    return json.dumps(topology_schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(schema_text())
