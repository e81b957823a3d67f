"""BGP's first connections, made by one end of each session only.

The plan says who starts first and then does not call: a rule of that router's kernel refuses its connections to the
other end, so its bgpd listens until it is called. Some seconds later the rules are gone, and both may call. No line of
any configuration is another one because of that.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable

from frrlib.agent.network import rtnetlink
from frrlib.agent.network.nodes import FrrRouter
from frrlib.errors import LabFailed

#: For so long the rules stay when all daemons run: a session comes up within a few round trips.
HELD_S = 5.0


class FirstConnections:
    """The rules of a lab's routers.

    Args:
        routers: those that run FRR.
    """

    def __init__(self, routers: Iterable[FrrRouter]) -> None:
        self._routers = [each for each in routers if each.frr.plan.callers]
        self._timer = threading.Timer(HELD_S, self._free)
        self._timer.daemon = True

    def refuse_calls(self) -> None:
        """Set the rules. To be called before daemons start. Raises NetlinkError."""
        for router in self._routers:
            self._ask(router, held=True)

    def allow_calls_soon(self) -> None:
        """Take the rules away some seconds from now. To be called when all daemons run."""
        if self._routers:
            self._timer.start()

    def end(self) -> None:
        """Do nothing any more: the lab ends."""
        self._timer.cancel()

    def _free(self) -> None:
        for router in self._routers:
            with contextlib.suppress(LabFailed, OSError):  # somebody took it away, or the lab has ended
                self._ask(router, held=False)

    def _ask(self, router: FrrRouter, *, held: bool) -> None:
        if router.netlink is not None:
            router.netlink.apply(
                [rtnetlink.refuse_connections(each, rtnetlink.BGP_PORT, held=held) for each in router.frr.plan.callers]
            )
