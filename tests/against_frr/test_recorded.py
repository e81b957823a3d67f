"""Predictions for random networks agree with what FRR did in them: observations of many labs, compared without labs.

`python -m tests.against_frr --seeds 1-200 --record FILE` records observations.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.against_frr.records import read_records
from tests.against_frr.trial import compare_again

FILES = sorted((Path(__file__).parents[1] / "data" / "against_frr").glob("*.gz"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_predictions_agree_with_recorded_labs(file: Path) -> None:
    trials = [compare_again(record) for record in read_records(file)]
    assert len(trials) >= 3
    assert {trial.seed: str(trial) for trial in trials if trial.faults} == {}
