"""A few random networks in labs: the prediction, the wait for convergence and FRR agree, and `why` finds no cause."""

from __future__ import annotations

import pytest

from tests.against_frr.trial import try_healthy

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("virtual_time"), pytest.mark.timeout(400)]


@pytest.mark.parametrize(("kind", "seed"), [("isis", 71), ("vrfs", 101), ("bgp", 40)])
def test_a_random_network_is_as_predicted(kind: str, seed: int) -> None:
    trial = try_healthy(seed, kind, "labkernel", virtual_time=True, asks_why=True)
    assert trial.faults == ()
    assert trial.explained > 5
