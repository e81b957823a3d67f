"""Rules on settings of hosts: private folders, CPUs, TCP, and interfaces of the machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import normpath

from frrlib.checks.rules.facts import Facts, Rule
from frrlib.model import hosting
from frrlib.model.names import interface_name_fault
from frrlib.model.nodes import Host, Switch
from frrlib.model.problem import Problem, error, note, warning
from frrlib.prediction.congestion import controls_used
from frrlib.prediction.flow_paths import largest_bdp_bytes

#: Folders that a node of a lab needs.
_NEEDED = ("/proc", "/sys", "/dev", "/run/lab", "/run/netns")


def _hosts(facts: Facts) -> Iterator[Host]:
    return (node for node in facts.nodes.values() if isinstance(node, Host))


def private_directories(facts: Facts) -> Iterator[Problem]:
    """Private folders of a host."""
    for host in _hosts(facts):
        seen = set()
        for directory in host.private_directories:
            path = directory.path
            fault = _path_fault(path)
            if not fault and normpath(path) in seen:
                fault = f"{path} is listed twice"
            if fault:
                right = "use an absolute path, such as /var/run"
                yield error("illegal-directory", host.name, "private_directories", fault, right)
            seen.add(normpath(path))
            yield from _persistent(host, directory.persistent, hosting.persistent_folder(host.name, directory))


def _path_fault(path: str) -> str:
    if not path.startswith("/") or "\0" in path:
        return f"{path!r} is not an absolute path"
    if ".." in path.split("/"):
        return f"{path} contains '..'"
    plain = normpath(path).replace("//", "/")
    if plain == "/":
        return "the whole file system cannot be private"
    if any(f"{plain}/".startswith(f"{each}/") for each in _NEEDED):
        return f"the lab itself needs the folder {path}"
    return ""


def _persistent(host: Host, text: str, kept: str) -> Iterator[Problem]:
    if not text:
        return
    if ".." in text.split("/") or "\0" in text or not kept:
        message = f"{text!r} is not a valid folder to keep"
        yield error(
            "illegal-directory", host.name, "private_directories", message, "use a folder such as data/%(name)s"
        )
        return
    message = (
        f"{text} is kept with the results, as files/kept/{kept}, because a topology cannot choose a place on this "
    )
    message += "machine"
    yield note("kept-directory", host.name, "private_directories", message)


def cpu_limits(facts: Facts) -> Iterator[Problem]:
    """The CPU share of a host, and the CPUs that it uses."""
    for host in _hosts(facts):
        try:
            hosting.core_numbers(host.cores)
        except ValueError as problem:
            yield error("illegal-cores", host.name, "cores", str(problem), "enter CPU numbers from 0, such as 0,2-3")
        if host.cpu_percent is None:
            continue
        if not host.cpu_percent:
            message = "a share of 0 % does not limit the host"
            yield warning("no-cpu", host.name, "cpu_percent", message, "enter a larger share, or remove it")
        elif host.scheduler == "host":
            message = 'the scheduler "host" does not enforce the CPU share'
            yield note("cpu-not-limited", host.name, "scheduler", message, "choose cfs to limit the host")
        elif host.scheduler == "rt":
            message = "rt limits the host as cfs does: kernels no longer divide real-time scheduling among groups"
            yield note("rt-as-cfs", host.name, "scheduler", message)


def congestion_controls(facts: Facts) -> Iterator[Problem]:
    """The congestion control of a host, and that of the flows that leave through one of its links."""
    for host in _hosts(facts):
        yield from _control_name(host.name, "congestion_control", host.congestion_control)
    for link in facts.filled.links:
        for side, end in (("a", link.a), ("b", link.b)):
            field = f"{side}.congestion_control"
            yield from _control_name(link.id, field, end.congestion_control)
            node = facts.nodes.get(end.node)
            if end.congestion_control and node is not None and not isinstance(node, Host):
                message = (
                    f"is {end.congestion_control} at {end.node}, a {node.kind}, but only hosts have one for a link"
                )
                yield error("congestion-control-place", link.id, field, message, "set it at a host, or at the flow")


def _control_name(subject: str, field: str, name: str) -> Iterator[Problem]:
    if name and not re.fullmatch(r"[a-z0-9_]{1,15}", name):
        message = f"{name!r} is not a valid name of a congestion control"
        yield error("illegal-congestion-control", subject, field, message, "enter a name such as bbr")


def can_pace(facts: Facts, host: str) -> bool:
    """Whether a host has an interface without the queue of a rate, on which `fq` can be set."""
    leaving = (shape for link, end in facts.ends.get(host, ()) for sender, _, shape in link.directions if sender is end)
    return any(shape.rate_mbit is None and not shape.qdiscs for shape in leaving)


def tcp_tuning(facts: Facts) -> Iterator[Problem]:
    """TCP settings of a host have an effect. Some deserve a remark."""
    for host in _hosts(facts):
        if host.tcp.pacing and facts.ends.get(host.name) and not can_pace(facts, host.name):
            message = (
                "no interface is left for fq: every link from this host has a rate, whose queue is at the interface"
            )
            right = "use fq as the queue of the link, or put a router between"
            yield note("pacing-at-queues", host.name, "tcp.pacing", message, right)
        if not host.tcp.pacing and "bbr" in controls_used(facts.filled, host):
            message = "is off, but BBR is used here; TCP then paces packets itself (since Linux 4.13)"
            yield note("bbr-without-fq", host.name, "tcp.pacing", message, "turn it on if fq is to pace the packets")
        if host.tcp.buffer_bdp is not None and largest_bdp_bytes(facts.filled, host.name) is None:
            message = (
                "is given in bandwidth-delay products, but no flow of this host has a path with a rate and a delay"
            )
            right = "set the buffer in bytes, or add a flow, a rate and a delay"
            yield error("bdp-without-delay", host.name, "tcp.buffer_bdp", message, right)
        if host.tcp.saves_metrics and facts.drawn.flows:
            message = "RTT and slow start threshold of ended connections are kept, so a flow depends on earlier flows"
            yield note("saved-metrics", host.name, "tcp.saves_metrics", message)


def external_interfaces(facts: Facts) -> Iterator[Problem]:
    """An interface of this machine belongs to one node at most."""
    seen: dict[str, str] = {}
    for node in facts.nodes.values():
        if not isinstance(node, Host | Switch):
            continue
        for name in node.external_interfaces:
            if fault := interface_name_fault(name):
                yield error("illegal-interface", node.name, "external_interfaces", f"{name!r} {fault}")
            elif name in facts.interface_names(node.name):
                message = f"{node.name} already has an interface named {name}"
                right = "rename the interface of the node"
                yield error("duplicate-interface", node.name, "external_interfaces", message, right)
            elif name in seen:
                message = f"{name} already belongs to {seen[name]}"
                right = "use an interface of this machine at one node only"
                yield error("duplicate-interface", node.name, "external_interfaces", message, right)
            else:
                message = f"the interface {name} of this machine is moved into the lab, which only root can do"
                right = "run the lab in the place root"
                yield note("external-interface", node.name, "external_interfaces", message, right)
            seen.setdefault(name, node.name)


RULES: tuple[Rule, ...] = (
    private_directories,
    cpu_limits,
    congestion_controls,
    tcp_tuning,
    external_interfaces,
)
