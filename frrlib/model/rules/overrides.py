"""Rules on commands of nodes that undo what is drawn: the drawing then says one thing, and the kernel does another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from frrlib.model.labels import label_of
from frrlib.model.problem import Problem, warning
from frrlib.model.rules.facts import Facts, Rule

#: Settings of TCP that a host has a field for: the kernel's name to the field, and its numbers to the field's values.
TCP_FIELDS: dict[str, tuple[str, dict[str, object]]] = {
    "tcp_congestion_control": ("congestion_control", {}),
    "tcp_ecn": ("tcp.ecn", {"0": "off", "1": "on", "2": "answer"}),
    "tcp_sack": ("tcp.sack", {"0": False, "1": True}),
    "tcp_slow_start_after_idle": ("tcp.slow_start_after_idle", {"0": False, "1": True}),
    "tcp_no_metrics_save": ("tcp.saves_metrics", {"0": True, "1": False}),
    "tcp_rmem": ("tcp.buffer_bytes", {}),
    "tcp_wmem": ("tcp.buffer_bytes", {}),
}
#: A line that sets such a value and does nothing else: its name and its value.
SYSCTL_LINE = re.compile(r"\s*(?:sudo\s+)?sysctl\s+(?:-q\s+)?-w\s+['\"]?net\.ipv4\.(tcp_\w+)=([\w-]+)['\"]?\s*")
_SYSCTL = re.compile(r"(?:sysctl\b.*\bnet[./]ipv4[./]|/proc/sys/net/ipv4/)(tcp_\w+)")


class Override(NamedTuple):
    """Commands of one kind: how they look, why they are told of, and what would be right."""

    kind: str
    looks: re.Pattern[str]
    why: str
    right: str


#: A line that switches offloads on.
OFFLOADS = re.compile(r"\bethtool\s+(?:-K|--features|--offload)\s.*\bon\b")
_OVERRIDES = (
    Override(
        "tc-command",
        re.compile(r"\btc\s+(?:-\S+\s+)*qdisc\s+(?:add|del|delete|replace|change)\b"),
        "changes queues by hand: what is drawn at its links is no longer what they do",
        "state rate, delay, loss and queue at the link",
    ),
    Override(
        "offload-command",
        OFFLOADS,
        "switches offloads on: packets of up to 64 kB then pass queue and cable as one, and are lost as one",
        "no such command: a lab has them off where links are shaped",
    ),
)


def commands(facts: Facts) -> Iterator[Problem]:
    """Each line that undoes something, at its node."""
    for node in facts.drawn.nodes:
        for line in node.start_command.splitlines():
            for each in _OVERRIDES:
                if each.looks.search(line):
                    yield warning(each.kind, node.name, "start_command", f"{_short(line)} {each.why}", each.right)
            found = _SYSCTL.search(line)
            if found and found[1] in TCP_FIELDS:
                field = TCP_FIELDS[found[1]][0] if node.kind == "host" else ""
                why = f"{_short(line)} sets TCP by hand: results would name another value than was used"
                yield warning(
                    "tcp-command", node.name, "start_command", why, f"use the field {label_of(field)}" if field else ""
                )


def _short(line: str) -> str:
    text = line.strip()
    return repr(text if len(text) <= 50 else f"{text[:47]}...")


RULES: tuple[Rule, ...] = (commands,)
