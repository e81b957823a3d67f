"""Flows of the project's own senders: the settings of their ends, and the reports."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from typing import Any

from frrlib.agent.network.nodes import LabNode
from frrlib.agent.virtual_channel import in_virtual_time
from frrlib.errors import PlaceError
from frrlib.wire.plan import FlowPlan

#: Kinds whose connections have known ports, so that they can be sampled.
_SAMPLED = frozenset({"bulk", "on-off", "request-response", "video"})
#: Kinds whose other end is only the kernel.
_ALONE = frozenset({"ping"})
#: Kinds whose ends start other programs.
WITH_PROGRAMS = frozenset({"web-page", "command"})
#: Programs that a kind needs, by the name of both command and package.
PROGRAMS: dict[str, tuple[str, ...]] = {"bulk": ("iperf3",), "web-page": ("nginx",)}
_PATH = f"{os.environ.get('PATH', '/usr/bin:/bin')}:/usr/sbin:/sbin"


def is_own(plan: FlowPlan) -> bool:
    """Whether our own sender sends a flow: if iperf3 cannot send it, or if both can and iperf3 is missing or costs
    too much. iperf3 wakes for every packet, and in virtual time wake-ups take real time."""
    may_choose = plan.tool == "auto" and (in_virtual_time() or not program("iperf3"))
    return plan.kind != "bulk" or plan.tool == "own" or may_choose


def program(name: str) -> str:
    """The path of a program; empty if it is not installed."""
    return shutil.which(name, path=_PATH) or ""


def check_programs(plan: FlowPlan) -> None:
    """Raises PlaceError if a flow needs a program that is not installed."""
    names = () if plan.kind == "bulk" and is_own(plan) else PROGRAMS.get(plan.kind, ())
    names += (plan.settings["client"],) if plan.kind == "web-page" else ()
    for name in names:
        if not program(name):
            raise PlaceError(f"{name} is not installed, but flow {plan.id} needs it", f"sudo apt-get install {name}")


class OwnFlow:
    """A running flow of our own sender.

    Attributes:
        plan, source, destination: its plan and its nodes.
        source_address: the source's address towards the destination.
        deadline_s: the latest time of its end, by the monotonic clock.
        reports: the received reports, by role of the end.
        ended_s: when the asking end was done, from the start of all flows.
    """

    def __init__(self, plan: FlowPlan, source: LabNode, destination: LabNode) -> None:
        self.plan, self.source, self.destination = plan, source, destination
        self.source_address = ""
        self.deadline_s = 0.0
        self.reports: dict[str, dict[str, Any]] = {}
        self.ended_s: float | None = None

    def ends(self) -> list[tuple[LabNode, dict[str, Any]]]:
        """Both ends: the node of each, and its settings."""
        plan = self.plan
        at_source = {"sends": True, "here": (self.source_address, plan.source_port), "there": (plan.address, plan.port)}
        at_destination = {"sends": False, "here": at_source["there"], "there": at_source["here"]}
        ends = []
        for node, side, addresses in (
            (self.source, "source", at_source),
            (self.destination, "destination", at_destination),
        ):
            role = "ask" if plan.asked_by == side else "serve"
            if role == "ask" or plan.kind not in _ALONE:
                ends.append((node, self._common_settings() | addresses | {"role": role}))
        return ends

    def _common_settings(self) -> dict[str, Any]:
        plan = self.plan
        names = ("kind", "streams", "start_s", "duration_s", "size_bytes", "congestion_control", "dscp", "ecn")
        programs = {name: program(name) for name in ("nginx", "curl", "wget")} if plan.kind == "web-page" else {}
        return {
            "flow": plan.id,
            **{name: getattr(plan, name) for name in names},
            "settings": {**plan.settings, **({"programs": programs} if programs else {})},
        }

    def streams(self) -> list[tuple[str, int]]:
        """The names of its connections in samples and their ports at the source; empty if they are unknown."""
        plan = self.plan
        is_new = plan.settings.get("connection") == "new"
        if plan.kind not in _SAMPLED or plan.transport != "tcp" or is_new:
            return []
        if plan.streams == 1:
            return [(plan.id, plan.source_port)]
        return [(f"{plan.id}/{number + 1}", plan.source_port + number) for number in range(plan.streams)]

    def accept_report(self, message: Mapping[str, Any]) -> bool:
        """Store an end's report. Returns whether both ends have reported."""
        self.reports[message["role"]] = message["report"]
        if message.get("time_s") is not None and (message["role"] == "ask" or self.ended_s is None):
            self.ended_s = message["time_s"]
        return len(self.reports) == len(self.ends())

    @property
    def report(self) -> dict[str, Any]:
        """The reports of both ends, with the keys of iperf3's reports for amounts of data."""
        parts = [part for role in ("serve", "ask") for part in (self.reports.get(role, {}),)]
        merged = {name: value for part in parts for name, value in part.items()}
        sums = {name: merged.pop(name) for name in ("sum_sent", "sum_received") if name in merged}
        return {"kind": self.plan.kind, "end": sums, **merged}
