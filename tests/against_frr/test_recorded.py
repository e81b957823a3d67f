"""Predictions for random networks agree with what FRR did in them: observations of many labs, compared without labs.

`python -m tests.against_frr --seeds 1-200 --record FILE` records observations.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.against_frr.records import read_records
from tests.against_frr.trial import compare_again

#: Networks in which FRR lacks a route that RFC 5340 gives it. Border router r3 of seed 140 gets only a part of the
#: summaries of another area, while its neighbor in the backbone gets all of them from the same border router.
DEFECTS_OF_FRR = {("frr-8.4.4", 140)}
FILES = sorted((Path(__file__).parents[1] / "data" / "against_frr").glob("*.gz"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_predictions_agree_with_recorded_labs(file: Path) -> None:
    trials = [compare_again(record) for record in read_records(file)]
    assert len(trials) >= 30
    different = {(file.stem, trial.seed): str(trial) for trial in trials if trial.faults}
    assert {key: text for key, text in different.items() if key not in DEFECTS_OF_FRR} == {}
    assert different.keys() >= {key for key in DEFECTS_OF_FRR if key[0] == file.stem}
