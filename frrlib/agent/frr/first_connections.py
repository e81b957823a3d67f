"""BGP's first connections, which only one end of each session makes.

The plan names the routers that start first and then make no connection: a rule of the router's kernel refuses them, so
its bgpd listens until its peer connects. Some seconds later the rules are removed, and both ends may connect. The
configuration stays the same.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable

from frrlib.agent.network import rtnetlink
from frrlib.agent.network.nodes import FrrRouter
from frrlib.errors import LabFailed

#: The rules stay for this time after the start of all daemons: a session comes up within a few round trips.
HELD_S = 5.0


class FirstConnections:
    """The rules of a lab's routers.

    Args:
        routers: those that run FRR.
    """

    def __init__(self, routers: Iterable[FrrRouter]) -> None:
        self._routers = [router for router in routers if router.frr.plan.callers]
        self._timer = threading.Timer(HELD_S, self._allow_calls)
        self._timer.daemon = True

    def refuse_calls(self) -> None:
        """Set the rules. Call it before daemons start. Raises NetlinkError."""
        for router in self._routers:
            self._set_rules(router, held=True)

    def allow_calls_soon(self) -> None:
        """Remove the rules some seconds from now. Call it when all daemons run."""
        if self._routers:
            self._timer.start()

    def end(self) -> None:
        """Do nothing more, since the lab ends."""
        self._timer.cancel()

    def _allow_calls(self) -> None:
        for router in self._routers:
            with contextlib.suppress(LabFailed, OSError):  # the rule was removed by a user, or the lab has ended
                self._set_rules(router, held=False)

    def _set_rules(self, router: FrrRouter, *, held: bool) -> None:
        if router.netlink is not None:
            router.netlink.apply(
                [
                    rtnetlink.refuse_connections(caller, rtnetlink.BGP_PORT, held=held)
                    for caller in router.frr.plan.callers
                ]
            )
