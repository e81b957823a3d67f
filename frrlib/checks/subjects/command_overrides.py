"""Commands of nodes that override settings of the topology or of the lab, so that they no longer describe it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, nodes_fix, with_fields
from frrlib.checks.kinds import CheckSubject, ProblemKind, warning
from frrlib.model.labels import label_of
from frrlib.model.nodes import Host, Router
from frrlib.model.problem import Problem

SUBJECT = CheckSubject()
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
#: A line that enables offloads.
OFFLOADS = re.compile(r"\bethtool\s+(?:-K|--features|--offload)\s.*\bon\b")
TC_COMMAND = SUBJECT.kind(
    "tc-command",
    "A start command changes queueing disciplines with `tc`.",
    "Rate, delay and queue then differ from the topology, but the lab compares links with the topology and figures "
    "use its values as labels. In Mininet scripts such commands often put rate and delay into one queue, where the "
    "limit of the queue also counts packets in flight.",
    "Set rate, delay, loss and queue at the link, and remove the command.",
)
OFFLOAD_COMMAND = SUBJECT.kind(
    "offload-command",
    "A start command enables segmentation or receive offloads.",
    "Packets of up to 64 kB then cross the link as one: a queue of 10 packets holds 640 kB, and one loss drops 44 "
    "segments.",
    "Remove the command. A lab disables offloads if it has shaped links.",
)
TCP_COMMAND = SUBJECT.kind(
    "tcp-command",
    "A start command sets a value for which the topology has a field.",
    "The topology, the results and the exported script then show another value than the one in use.",
    "Set the field of the host, and remove the command.",
)

RP_FILTER_COMMAND = SUBJECT.kind(
    "rp-filter-command",
    "A start command sets the strict reverse path filter of a router between whose interfaces there is another path.",
    "The kernel drops each packet that arrives on another interface than that of the route back to its sender "
    "(RFC 3704, section 2.2). Where the two directions of a flow take different paths, all its packets are lost.",
    "Set `rp_filter` to 2, the loose mode, or remove the command. A lab sets it to 0.",
)
_RP_FILTER = re.compile(r"\brp_filter\s*=\s*['\"]?1\b|\becho\s+1\s*>\s*/proc/sys/net/ipv4/conf/\S+/rp_filter\b")


class Override(NamedTuple):
    """Commands of one kind: their pattern, the reason to report them, and the remedy."""

    kind: ProblemKind
    pattern: re.Pattern[str]
    message: str
    remedy: str


_OVERRIDES = (
    Override(
        TC_COMMAND,
        re.compile(r"\btc\s+(?:-\S+\s+)*qdisc\s+(?:add|del|delete|replace|change)\b"),
        "changes queues, so the links of this node no longer behave as in the topology",
        "set rate, delay, loss and queue at the link instead",
    ),
    Override(
        OFFLOAD_COMMAND,
        OFFLOADS,
        "enables offloads, so packets of up to 64 kB pass the queue and the link as one, and are lost as one",
        "remove the command; a lab disables offloads if it has shaped links",
    ),
)


@SUBJECT.rule(TCP_COMMAND, TC_COMMAND, OFFLOAD_COMMAND)
def commands(facts: Facts) -> Iterator[Problem]:
    """Each line that overrides a setting, at its node."""
    for node in facts.topology.nodes:
        for line in node.start_command.splitlines():
            for override in _OVERRIDES:
                if override.pattern.search(line):
                    yield warning(
                        override.kind,
                        node.name,
                        "start_command",
                        f"{_excerpt(line)} {override.message}",
                        override.remedy,
                    )
            match = _SYSCTL.search(line)
            if match and match[1] in TCP_FIELDS:
                field = TCP_FIELDS[match[1]][0] if node.kind == "host" else ""
                message = (
                    f"{_excerpt(line)} sets a TCP value, so the results would show another value than the one in use"
                )
                remedy = f"use the field {label_of(field)}" if field else "remove the command"
                yield warning(TCP_COMMAND, node.name, "start_command", message, remedy)


@SUBJECT.rule(RP_FILTER_COMMAND)
def reverse_path_filters(facts: Facts) -> Iterator[Problem]:
    """A router with a strict reverse path filter has only one path to each of its neighbors."""
    for router in facts.routers():
        line = next((line for line in router.start_command.splitlines() if _RP_FILTER.search(line)), "")
        if line and (rings := _interfaces_on_a_ring(facts, router.name)):
            message = f"{_excerpt(line)} drops packets whose route back uses another interface, and {rings[0]} and "
            message += f"{rings[1]} are joined by another path"
            remedy = "set rp_filter to 2, or remove the command"
            yield warning(RP_FILTER_COMMAND, router.name, "start_command", message, remedy)


def _interfaces_on_a_ring(facts: Facts, router: str) -> tuple[str, str] | None:
    """Two interfaces of a router that other routers connect; None if there are none."""
    groups: list[tuple[set[str], str]] = []  # routers that are connected without this one, and its interface to them
    nets = [{place.end.node for place in domain.ends if isinstance(place.node, Router)} for domain in facts.domains]
    for domain, names in zip(facts.domains, nets, strict=True):
        mine = next((place.end.interface for place in domain.ends if place.end.node == router), None)
        if mine is None or len(names) < 2:
            continue
        reached = names - {router}
        while more := set().union(*(net for net in nets if net & reached)) - reached - {router}:
            reached |= more
        for others, interface in groups:
            if others & reached:
                return interface, mine
        groups.append((reached, mine))
    return None


def _excerpt(line: str) -> str:
    text = line.strip()
    return repr(text if len(text) <= 50 else f"{text[:47]}...")


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(OFFLOAD_COMMAND)
def _remove_offload_lines(facts: Facts, problem: Problem) -> Fix | None:
    """Remove the lines that only enable offloads."""

    def change(node: Any) -> Any:
        lines = node.start_command.splitlines()
        remaining = [line for line in lines if not (OFFLOADS.search(line) and not set(line) & set(";&|<>`$"))]
        return node.model_copy(update={"start_command": "\n".join(remaining)}) if len(remaining) < len(lines) else None

    return nodes_fix(
        f"remove the commands that enable offloads at {problem.node}", facts.topology, [problem.node], change
    )


@SUBJECT.fix(TCP_COMMAND)
def _set_fields_for_lines(facts: Facts, problem: Problem) -> Fix | None:
    """Set the fields of the host, and remove the lines that set these values."""

    def change(node: Any) -> Any:
        if not isinstance(node, Host):
            return None
        remaining = []
        for line in node.start_command.splitlines():
            match = SYSCTL_LINE.fullmatch(line)
            changed = _with_sysctl(node, match[1], match[2]) if match else None
            node = changed or node
            remaining += [] if changed else [line]
        return node.model_copy(update={"start_command": "\n".join(remaining)})

    label = f"use the TCP fields of {problem.node} instead of commands"
    return nodes_fix(label, facts.topology, [problem.node], change)


def _with_sysctl(host: Host, key: str, text: str) -> Host | None:
    """A host with the value of a sysctl in its field; None if it has no field for it."""
    field, values = TCP_FIELDS.get(key, ("", {}))
    if field == "congestion_control":
        return host.model_copy(update={field: text})
    if text not in values:
        return None
    tcp = with_fields(host.tcp, **{field.removeprefix("tcp."): values[text]})
    return host.model_copy(update={"tcp": tcp}) if tcp is not None else None
