"""Rules on commands of nodes that override settings of the topology, so that it no longer describes the lab."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from frrlib.checks.facts import Facts, Rule
from frrlib.model.labels import label_of
from frrlib.model.problem import Problem, warning

#: TCP settings for which a host has a field: the kernel's name to the field, and its numbers to the field's values.
TCP_FIELDS: dict[str, tuple[str, dict[str, object]]] = {
    "tcp_congestion_control": ("congestion_control", {}),
    "tcp_ecn": ("tcp.ecn", {"0": "off", "1": "on", "2": "answer"}),
    "tcp_sack": ("tcp.sack", {"0": False, "1": True}),
    "tcp_slow_start_after_idle": ("tcp.slow_start_after_idle", {"0": False, "1": True}),
    "tcp_no_metrics_save": ("tcp.saves_metrics", {"0": True, "1": False}),
    "tcp_rmem": ("tcp.buffer_bytes", {}),
    "tcp_wmem": ("tcp.buffer_bytes", {}),
}
#: A line that only sets such a value: its name and its value.
SYSCTL_LINE = re.compile(r"\s*(?:sudo\s+)?sysctl\s+(?:-q\s+)?-w\s+['\"]?net\.ipv4\.(tcp_\w+)=([\w-]+)['\"]?\s*")
_SYSCTL = re.compile(r"(?:sysctl\b.*\bnet[./]ipv4[./]|/proc/sys/net/ipv4/)(tcp_\w+)")


class Override(NamedTuple):
    """Commands of one kind: their pattern, the reason to report them, and the remedy."""

    kind: str
    looks: re.Pattern[str]
    why: str
    right: str


#: A line that enables offloads.
OFFLOADS = re.compile(r"\bethtool\s+(?:-K|--features|--offload)\s.*\bon\b")
_OVERRIDES = (
    Override(
        "tc-command",
        re.compile(r"\btc\s+(?:-\S+\s+)*qdisc\s+(?:add|del|delete|replace|change)\b"),
        "changes queues, so the links of this node no longer behave as in the topology",
        "set rate, delay, loss and queue at the link instead",
    ),
    Override(
        "offload-command",
        OFFLOADS,
        "enables offloads, so packets of up to 64 kB pass the queue and the link as one, and are lost as one",
        "remove the command; a lab disables offloads if it has shaped links",
    ),
)


def commands(facts: Facts) -> Iterator[Problem]:
    """Each line that overrides a setting, at its node."""
    for node in facts.drawn.nodes:
        for line in node.start_command.splitlines():
            for each in _OVERRIDES:
                if each.looks.search(line):
                    yield warning(each.kind, node.name, "start_command", f"{_short(line)} {each.why}", each.right)
            found = _SYSCTL.search(line)
            if found and found[1] in TCP_FIELDS:
                field = TCP_FIELDS[found[1]][0] if node.kind == "host" else ""
                message = (
                    f"{_short(line)} sets a TCP value, so the results would show another value than the one in use"
                )
                right = f"use the field {label_of(field)}" if field else "remove the command"
                yield warning("tcp-command", node.name, "start_command", message, right)


def _short(line: str) -> str:
    text = line.strip()
    return repr(text if len(text) <= 50 else f"{text[:47]}...")


RULES: tuple[Rule, ...] = (commands,)
