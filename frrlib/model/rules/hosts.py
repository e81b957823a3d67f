"""Rules on what hosts have beside their links: folders, CPUs, TCP, interfaces of the machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import normpath

from frrlib.model import hosting
from frrlib.model.congestion import controls_used
from frrlib.model.flow_paths import largest_bdp_bytes
from frrlib.model.names import interface_name_fault
from frrlib.model.nodes import Host, Switch
from frrlib.model.problem import Problem, error, note, warning
from frrlib.model.rules.facts import Facts, Rule

#: Folders without which a node of a lab does not work.
_NEEDED = ("/proc", "/sys", "/dev", "/run/lab", "/run/netns")


def _hosts(facts: Facts) -> Iterator[Host]:
    return (node for node in facts.nodes.values() if isinstance(node, Host))


def private_directories(facts: Facts) -> Iterator[Problem]:
    """Folders of a host's own."""
    for host in _hosts(facts):
        seen = set()
        for directory in host.private_directories:
            path = directory.path
            fault = _path_fault(path)
            if not fault and normpath(path) in seen:
                fault = f"{path} is there twice"
            if fault:
                right = "an absolute path, such as /var/run"
                yield error("illegal-directory", host.name, "private_directories", fault, right)
            seen.add(normpath(path))
            yield from _persistent(host, directory.persistent, hosting.kept_folder(host.name, directory))


def _path_fault(path: str) -> str:
    if not path.startswith("/") or "\0" in path:
        return f"{path!r} is no absolute path"
    if ".." in path.split("/"):
        return f"{path} has '..' in it"
    plain = normpath(path).replace("//", "/")
    if plain == "/":
        return "the whole file system cannot be private"
    if any(f"{plain}/".startswith(f"{each}/") for each in _NEEDED):
        return f"{path} is a folder that the lab itself needs"
    return ""


def _persistent(host: Host, text: str, kept: str) -> Iterator[Problem]:
    if not text:
        return
    if ".." in text.split("/") or "\0" in text or not kept:
        why = f"{text!r} is no folder that could be kept"
        yield error("illegal-directory", host.name, "private_directories", why, "such as data/%(name)s")
        return
    why = f"{text} is kept with the results, as files/kept/{kept}: a drawing chooses no place on this machine"
    yield note("kept-directory", host.name, "private_directories", why)


def cpu_limits(facts: Facts) -> Iterator[Problem]:
    """A host's share of the CPUs, and which of them."""
    for host in _hosts(facts):
        try:
            hosting.core_numbers(host.cores)
        except ValueError as problem:
            yield error("illegal-cores", host.name, "cores", str(problem), "numbers of CPUs from 0 on, such as 0,2-3")
        if host.cpu_percent is None:
            continue
        if not host.cpu_percent:
            yield warning(
                "no-cpu", host.name, "cpu_percent", "is 0 %, which limits nothing", "more, or no limit at all"
            )
        elif host.scheduler == "host":
            why = 'has a share of the CPU and the scheduler "host", which limits nothing'
            yield note("cpu-not-limited", host.name, "scheduler", why, "choose cfs to limit it")
        elif host.scheduler == "rt":
            why = "is limited as with cfs: kernels no longer share real time out among groups"
            yield note("rt-as-cfs", host.name, "scheduler", why)


def congestion_controls(facts: Facts) -> Iterator[Problem]:
    """The default of a host's sockets, and of those whose packets leave by a link."""
    for host in _hosts(facts):
        yield from _control_name(host.name, "congestion_control", host.congestion_control)
    for link in facts.filled.links:
        for side, end in (("a", link.a), ("b", link.b)):
            field = f"{side}.congestion_control"
            yield from _control_name(link.id, field, end.congestion_control)
            node = facts.nodes.get(end.node)
            if end.congestion_control and node is not None and not isinstance(node, Host):
                why = f"is {end.congestion_control} at {end.node}, a {node.kind}: only hosts have one for a link"
                yield error("congestion-control-place", link.id, field, why, "state it at a host, or at the flow")


def _control_name(subject: str, field: str, name: str) -> Iterator[Problem]:
    if name and not re.fullmatch(r"[a-z0-9_]{1,15}", name):
        why = f"{name!r} is no name of a congestion control"
        yield error("illegal-congestion-control", subject, field, why, "such as bbr")


def can_pace(facts: Facts, host: str) -> bool:
    """Whether a host has an interface whose queue is not that of a rate, so that `fq` can be there."""
    leaving = (shape for link, end in facts.ends.get(host, ()) for sender, _, shape in link.directions if sender is end)
    return any(shape.rate_mbit is None and not shape.qdiscs for shape in leaving)


def tcp_tuning(facts: Facts) -> Iterator[Problem]:
    """TCP settings of a host have an effect; some deserve a remark."""
    for host in _hosts(facts):
        if host.tcp.pacing and facts.ends.get(host.name) and not can_pace(facts, host.name):
            why = "has no interface to act on: every link has a rate from here on, and its queue is there"
            yield note(
                "pacing-at-queues", host.name, "tcp.pacing", why, "fq as the queue of the link, or a router between"
            )
        if not host.tcp.pacing and "bbr" in controls_used(facts.filled, host):
            why = "is off, and BBR is used here: TCP paces by itself since Linux 4.13"
            yield note("bbr-without-fq", host.name, "tcp.pacing", why, "fq, where you want packets spaced by a queue")
        if host.tcp.buffer_bdp is not None and largest_bdp_bytes(facts.filled, host.name) is None:
            why = "counts in bandwidth-delay products, and no flow of this host has a path with a rate and a delay"
            right = "give the buffer in bytes, or a flow, a rate and a delay"
            yield error("bdp-without-delay", host.name, "tcp.buffer_bdp", why, right)
        if host.tcp.saves_metrics and facts.drawn.flows:
            why = "keeps RTT and slow start threshold of ended connections, so that flows depend on those before them"
            yield note("saved-metrics", host.name, "tcp.saves_metrics", why)


def external_interfaces(facts: Facts) -> Iterator[Problem]:
    """Interfaces of the machine: one node each."""
    seen: dict[str, str] = {}
    for node in facts.nodes.values():
        if not isinstance(node, Host | Switch):
            continue
        for name in node.external_interfaces:
            if fault := interface_name_fault(name):
                yield error("illegal-interface", node.name, "external_interfaces", f"{name!r} {fault}")
            elif name in facts.interface_names(node.name):
                why = f"has an interface called {name} already"
                yield error(
                    "duplicate-interface", node.name, "external_interfaces", why, "another name for that interface"
                )
            elif name in seen:
                why = f"{name} is given to {seen[name]} already"
                yield error(
                    "duplicate-interface",
                    node.name,
                    "external_interfaces",
                    why,
                    "an interface of this machine at one node only",
                )
            else:
                why = f"this machine's {name} is moved into the lab, which only root can do"
                yield note("external-interface", node.name, "external_interfaces", why, "run it in the place root")
            seen.setdefault(name, node.name)


RULES: tuple[Rule, ...] = (
    private_directories,
    cpu_limits,
    congestion_controls,
    tcp_tuning,
    external_interfaces,
)
