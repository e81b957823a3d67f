"""One valid message and one request of each kind, from which tests make hostile ones."""

from __future__ import annotations

import typing
from typing import Any

from frrlib import wire
from frrlib.wire.plan import CapturePlan, FaultPlan, FlowPlan, Plan, QueueProbe

_TIMES = {"time_s": 0.5}


def _row(table: str) -> list[Any]:
    """A row of samples: words where there are words, else numbers; the last one is not known."""
    words = {
        "flow": "f", "side": "sender", "state": "ESTAB", "congestion_control": "bbr", "direction": "l1:h1-r1",
        "where": "machine", "discipline": "fq", "statistic": "throttled", "node": "h1", "interface": "h1-eth0",
        "what": "request", "outcome": "", "bbr_phase": "drain", "bbr_cycle_phase": "up",
        "time_s": 0.25, "app_limited": False, "ecn": True,
    }  # fmt: skip
    return [*(words.get(column, 7) for column in wire.TABLES[table][:-1]), None]


EVENTS: tuple[wire.Message, ...] = (
    wire.Ready(wire.WIRE_VERSION, {"kernel": "6.1", "monotonic": 12.5, "tools": {"iperf3": "3.12"}}),
    wire.StepEvent("daemons", "start", 1.0),
    wire.StepEvent("r1", "done", 2.0, "daemons are up"),
    *(wire.Samples(table, [_row(table), _row(table)]) for table in wire.TABLES),
    wire.Samples("tcp", [["receiver" if value == "sender" else value for value in _row("tcp")]]),
    wire.FlowEvent("f", "start", 0.0, "h1 to h2"),
    wire.FlowEvent("f", "end", 3.0),
    wire.DaemonExit("r1", "bgpd", -11, "the end\nof its log", 4.0),
    wire.RouteEvent("r1", "10.9.0.0/16", True, 1.5, ("10.0.0.2 r1-eth0",), "ospf", 20),
    wire.AdjacencyEvent("r1", "ospf", "r2", "Full", True, 1.0, "r1-eth0", "10.0.0.2 2.2.2.2", "dead in 3 s"),
    wire.WaitingFor({"r1": ("the route to 10.9.0.0/16",)}, 1.0),
    wire.RoutingNote("r1", "ospf", "spf", "computed", 2.0, 0.004),
    wire.FaultEvent("link-down", "l1", 2.5, "no carrier"),
    wire.FaultEvent("link-values", "l1", 2.5, "rate_mbit=5", "queue limit 18750 bytes towards r2"),
    wire.ClockEvent(3.0, True, "busy"),
    wire.Failed(1, "command", "it failed", ("tc", "qdisc"), 2, "said", "Traceback"),
    wire.Done(1, {"text": "said"}),
)

_FLOW = FlowPlan("f", "h1", "h2", "10.0.1.2", 5201, 5202, "bbr", 0.0, 3.0, settings={"rate_mbit": 1.0})
_FAULT = FaultPlan("link-down", "l1", 1.0, links=("l1",))
_COMMANDS: tuple[wire.Command, ...] = (
    wire.Build(Plan((), (), {"jitter": "1\n2"}, "127.0.0.1 localhost\n")),
    wire.WaitRoutes({"r1": ("10.1.0.0/16",)}, 10.0),
    wire.WaitConverged(
        (wire.ExpectedAdjacency("r1", "ospf", "r2"),), (wire.ExpectedRoutes("r1", ("10.1.0.0/16",)),), 9
    ),
    wire.WatchAdjacencies(1.0),
    wire.Adjacencies(("r1",)),
    wire.Ping("h1", "10.0.1.2"),
    wire.FollowPath("h1", "10.0.1.2"),
    wire.Trace("h1", "10.0.1.2"),
    wire.TryDirection("h1", "h1-eth0", "r1", "10.0.0.1", "10.0.0.2", "flood", 1000, 1042, 5.0),
    wire.RunFlows(
        (_FLOW,), (QueueProbe("l1:h1-r1", "h1", "h1-eth0"),), 100.0, (_FAULT,), (CapturePlan("h1", "h1-eth0"),)
    ),
    wire.Execute("h1", ("true",)),
    wire.Vtysh("r1", ("show ip route",)),
    wire.ReadConfigurations(("r1",)),
    wire.ChangeLab(
        wire.LabChange(Plan((), ()), removed_links=("l1",), routers={"r1": wire.RouterLines((("no x 1", "no x"),))})
    ),
    wire.EndChange(keep=True),
    wire.SetLink("l1", True),
    wire.SaveLogs(),
    wire.KillDaemon("r1", "bgpd"),
    wire.RestartDaemon("r1", "bgpd"),
    wire.AddDaemon("r1", "staticd"),
    wire.MakeFault(_FAULT),
    wire.AskFaults(),
    wire.Stop(True),
)
assert {type(command) for command in _COMMANDS} == set(typing.get_args(wire.Command))
REQUESTS = tuple(wire.Request(number, command) for number, command in enumerate(_COMMANDS, 1))
