"""Builds the two-router lab as an ordinary user and waits for its routes: `python -m tests.agent.as_user PLACE`."""

from __future__ import annotations

import os
import sys

from frrlib import wire
from tests.agent.harness import RunningAgent
from tests.agent.plans import TWO_AS_ROUTES, two_as

if __name__ == "__main__":
    assert os.geteuid() != 0
    with RunningAgent(sys.argv[1]) as lab:
        lab.do(wire.Build(two_as()))
        lab.do(wire.WaitRoutes(TWO_AS_ROUTES, 60.0))
        owner = lab.run("r1", "ps", "-o", "user=", "-C", "bgpd").split()
        answered = lab.do(wire.Ping("h1", "10.2.0.2", 1))["received"]
        sys.stdout.write(" ".join([str(answered), *set(owner)]))
