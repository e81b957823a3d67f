"""Configurations that vtysh loads: FRR's management daemon may be busy, and then it is asked again."""

from __future__ import annotations

import pytest

from frrlib.inside.frr import until_free

BUSY = (1, "% Can't enter config; running datastore locked by another session")


@pytest.mark.parametrize("answers", [[(0, "")], [BUSY, BUSY, (0, "")], [BUSY, (1, "% Unknown command: nonsense")]])
def test_it_is_loaded_again_while_another_one_is_loaded(answers: list[tuple[int, str]]) -> None:
    last, left = answers[-1], iter(answers)
    assert until_free(lambda: next(left)) == last
    assert list(left) == []


def test_whoever_is_busy_for_ever_is_told_of() -> None:
    assert until_free(lambda: BUSY, timeout_s=0.05) == BUSY
