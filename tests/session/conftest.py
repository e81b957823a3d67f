"""A topology, and a session with a running lab."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from frrlib.edits.changes import add_node
from frrlib.formats import mn
from frrlib.model.topology import Topology
from miniedit_frr.session.events import LabOrder, LabState
from miniedit_frr.session.session import Session
from tests import processes
from tests.examples.data import EXAMPLES
from tests.session.watching import Watch


@pytest.fixture(scope="module")
def topology() -> Topology:
    """h1 - r1 - r2 - h2, two autonomous systems with BGP between them, and a host h3 without a link."""
    return add_node(mn.load(EXAMPLES / "two-as-no-delay.mn").topology, "host", 0, 0)[0]


@pytest.fixture
def running(topology: Topology) -> Iterator[Watch]:
    """A session with a running lab. Afterwards none of its processes may be left."""
    earlier = processes.below(os.getpid())
    watch = Watch(Session())
    watch.session.start(LabOrder(topology, place="namespace"))
    try:
        watch.until_state(LabState.RUNNING)
        yield watch
    finally:
        of_lab = processes.below(os.getpid()) - earlier
        watch.session.close()
    assert processes.gone(of_lab)
