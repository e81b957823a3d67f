"""Rules on what hosts have beside their links: folders, CPUs, a congestion control, interfaces of the machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import normpath

from frrlib.model import hosting
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
            yield warning("no-cpu", host.name, "cpu_percent", "is 0, which limits nothing", "more, or none at all")
        elif host.scheduler == "host":
            why = 'has a share of the CPU and the scheduler "host", which limits nothing'
            yield note("cpu-not-limited", host.name, "scheduler", why, "choose cfs to limit it")
        elif host.scheduler == "rt":
            why = "is limited as with cfs: kernels no longer share real time out among groups"
            yield note("rt-as-cfs", host.name, "scheduler", why)


def congestion_controls(facts: Facts) -> Iterator[Problem]:
    """The default of a host's sockets."""
    for host in _hosts(facts):
        if host.congestion_control and not re.fullmatch(r"[a-z0-9_]{1,15}", host.congestion_control):
            why = f"{host.congestion_control!r} is no name of a congestion control"
            yield error("illegal-congestion-control", host.name, "congestion_control", why, "such as bbr")


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
                yield error("duplicate-interface", node.name, "external_interfaces", why, "another name for that")
            elif name in seen:
                why = f"{name} is given to {seen[name]} already"
                yield error("duplicate-interface", node.name, "external_interfaces", why, "one node an interface")
            else:
                why = f"this machine's {name} is moved into the lab, which only root can do"
                yield note("external-interface", node.name, "external_interfaces", why, "run it in the place root")
            seen.setdefault(name, node.name)


RULES: tuple[Rule, ...] = (
    private_directories,
    cpu_limits,
    congestion_controls,
    external_interfaces,
)
