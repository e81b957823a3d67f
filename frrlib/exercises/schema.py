"""The JSON Schema of `exercise.toml`, generated from the model.

python -m frrlib.exercises.schema > docs/exercise.schema.json
"""

from __future__ import annotations

import json
import sys
from typing import Any

from frrlib.exercises.exercise import ExerciseFile


def exercise_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the content of `exercise.toml`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "Made by `python -m frrlib.exercises.schema`.",
        **ExerciseFile.model_json_schema(),
    }


def schema_text() -> str:
    """The schema as the text of its file."""
    return json.dumps(exercise_schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(schema_text())
