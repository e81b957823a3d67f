"""Settings of hosts: private folders, CPUs, and names of congestion controls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import normpath
from typing import Any

from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, Fixer, host_fix, links_fix, place_title
from frrlib.checks.kinds import CheckSubject, error, note, warning
from frrlib.model import hosting
from frrlib.model.links import Link
from frrlib.model.nodes import Host
from frrlib.model.problem import Problem

SUBJECT = CheckSubject()
#: Folders that a node of a lab needs.
_FOLDERS_OF_LAB = ("/proc", "/sys", "/dev", "/run/lab", "/run/netns")
ILLEGAL_DIRECTORY = SUBJECT.kind(
    "illegal-directory",
    "A private folder is not valid: its path is not absolute, it is listed twice, or the lab itself needs the folder.",
    "The node would not start.",
    "Use an absolute path, such as `/var/run/mine`.",
)
KEPT_DIRECTORY = SUBJECT.kind(
    "kept-directory",
    "The topology requests a folder that outlives the lab.",
    "A topology cannot choose a place on your machine. The content of that folder is kept with the results.",
    "Look for it in `files/kept` of the results folder.",
)
ILLEGAL_CORES = SUBJECT.kind(
    "illegal-cores",
    "The list of CPUs is not valid.",
    "The host cannot be pinned to CPUs.",
    "Enter numbers from 0 and ranges, such as `0,2-3`. Leave the field empty for all CPUs.",
)
NO_CPU = SUBJECT.kind(
    "no-cpu",
    "The CPU share is 0 %.",
    "A share of 0 % does not limit the host.",
    "Enter a share above 0 %, or remove it.",
)
CPU_NOT_LIMITED = SUBJECT.kind(
    "cpu-not-limited",
    "A CPU share is set together with a scheduler that enforces no limit.",
    "The host uses as much of the CPU as it can get.",
    "Choose `cfs` as its scheduler.",
)
RT_AS_CFS = SUBJECT.kind(
    "rt-as-cfs",
    "The scheduler is set to `rt`.",
    "Kernels no longer divide real-time scheduling among groups, so the host is limited as with `cfs`.",
    "No action is needed. Choose `cfs` if the topology is to show the actual scheduler.",
)
ILLEGAL_CONGESTION_CONTROL = SUBJECT.kind(
    "illegal-congestion-control",
    "The name is not a valid name of a congestion control.",
    "Names consist of lowercase letters, digits and `_`. The kernel refuses others.",
    "Enter a name such as `bbr`, `cubic` or `reno`.",
)
CONGESTION_CONTROL_PLACE = SUBJECT.kind(
    "congestion-control-place",
    "A congestion control is set at a link end that does not belong to a host.",
    "It is an attribute of a host's routes and has no effect elsewhere.",
    "Set it at the host's end of the link, at the host, or at the flow.",
)


@SUBJECT.rule(ILLEGAL_DIRECTORY, KEPT_DIRECTORY)
def private_directories(facts: Facts) -> Iterator[Problem]:
    """Private folders of a host."""
    for host in facts.hosts():
        paths = set()
        for directory in host.private_directories:
            path = directory.path
            fault = _path_fault(path)
            if not fault and normpath(path) in paths:
                fault = f"{path} is listed twice"
            if fault:
                remedy = "use an absolute path, such as /var/run"
                yield error(ILLEGAL_DIRECTORY, host.name, "private_directories", fault, remedy)
            paths.add(normpath(path))
            yield from _check_persistent(host, directory.persistent, hosting.persistent_folder(host.name, directory))


def _path_fault(path: str) -> str:
    if not path.startswith("/") or "\0" in path:
        return f"{path!r} is not an absolute path"
    if ".." in path.split("/"):
        return f"{path} contains '..'"
    plain = normpath(path).replace("//", "/")
    if plain == "/":
        return "the whole file system cannot be private"
    if any(f"{plain}/".startswith(f"{folder}/") for folder in _FOLDERS_OF_LAB):
        return f"the lab itself needs the folder {path}"
    return ""


def _check_persistent(host: Host, text: str, kept_path: str) -> Iterator[Problem]:
    if not text:
        return
    if ".." in text.split("/") or "\0" in text or not kept_path:
        message = f"{text!r} is not a valid folder to keep"
        yield error(ILLEGAL_DIRECTORY, host.name, "private_directories", message, "use a folder such as data/%(name)s")
        return
    message = (
        f"{text} is kept with the results, as files/kept/{kept_path}, because a topology cannot choose a place on this "
    )
    message += "machine"
    yield note(KEPT_DIRECTORY, host.name, "private_directories", message)


@SUBJECT.rule(NO_CPU, ILLEGAL_CORES, CPU_NOT_LIMITED, RT_AS_CFS)
def cpu_limits(facts: Facts) -> Iterator[Problem]:
    """The CPU share of a host, and the CPUs that it uses."""
    for host in facts.hosts():
        try:
            hosting.core_numbers(host.cores)
        except ValueError as problem:
            yield error(ILLEGAL_CORES, host.name, "cores", str(problem), "enter CPU numbers from 0, such as 0,2-3")
        if host.cpu_percent is None:
            continue
        if not host.cpu_percent:
            message = "a share of 0 % does not limit the host"
            yield warning(NO_CPU, host.name, "cpu_percent", message, "enter a larger share, or remove it")
        elif host.scheduler == "host":
            message = 'the scheduler "host" does not enforce the CPU share'
            yield note(CPU_NOT_LIMITED, host.name, "scheduler", message, "choose cfs to limit the host")
        elif host.scheduler == "rt":
            message = "rt limits the host as cfs does: kernels no longer divide real-time scheduling among groups"
            yield note(RT_AS_CFS, host.name, "scheduler", message)


@SUBJECT.rule(CONGESTION_CONTROL_PLACE, ILLEGAL_CONGESTION_CONTROL)
def congestion_controls(facts: Facts) -> Iterator[Problem]:
    """The congestion control of a host, and that of the flows that leave through one of its links."""
    for host in facts.hosts():
        yield from _check_control_name(host.name, "congestion_control", host.congestion_control)
    for link in facts.resolved.links:
        for side, end in (("a", link.a), ("b", link.b)):
            field = f"{side}.congestion_control"
            yield from _check_control_name(link, field, end.congestion_control)
            node = facts.nodes.get(end.node)
            if end.congestion_control and node is not None and not isinstance(node, Host):
                message = (
                    f"is {end.congestion_control} at {end.node}, a {node.kind}, but only hosts have one for a link"
                )
                yield error(CONGESTION_CONTROL_PLACE, link, field, message, "set it at a host, or at the flow")


def _check_control_name(subject: str | Link, field: str, name: str) -> Iterator[Problem]:
    if name and not re.fullmatch(r"[a-z0-9_]{1,15}", name):
        message = f"{name!r} is not a valid name of a congestion control"
        yield error(ILLEGAL_CONGESTION_CONTROL, subject, field, message, "enter a name such as bbr")


# --- fixes -----------------------------------------------------------------------------------------------------------


def _host_fixer(label: str, **update: Any) -> Fixer:
    """A fixer that sets fields of a host."""
    return lambda facts, problem: host_fix(facts, problem, label, **update)


@SUBJECT.fix(ILLEGAL_CONGESTION_CONTROL, CONGESTION_CONTROL_PLACE)
def _correct_control(facts: Facts, problem: Problem) -> Fix | None:
    """The name in lowercase and without blanks if that is valid; otherwise the default of the kernel."""
    side = problem.field.partition(".")[0]
    if side not in ("a", "b"):
        node = facts.nodes.get(problem.node)
        name = _corrected_name(node.congestion_control) if isinstance(node, Host) else ""
        control = name or "the kernel's default congestion control"
        return host_fix(facts, problem, f"use {control}", congestion_control=name)

    def change(link: Link) -> Link:
        end = getattr(link, side)
        name = _corrected_name(end.congestion_control) if problem.kind != "congestion-control-place" else ""
        return link.model_copy(update={side: end.model_copy(update={"congestion_control": name})})

    label = f"correct or remove the congestion control at {place_title(facts, problem)}"
    return links_fix(label, facts.topology, problem.node, change)


def _corrected_name(text: str) -> str:
    name = text.strip().lower()
    return name if re.fullmatch(r"[a-z0-9_]{1,15}", name) else ""


SUBJECT.fix(ILLEGAL_CORES)(_host_fixer("use all CPUs", cores=""))


SUBJECT.fix(NO_CPU)(_host_fixer("remove the CPU share", cpu_percent=None))


SUBJECT.fix(CPU_NOT_LIMITED)(_host_fixer("use the scheduler cfs", scheduler="cfs"))


SUBJECT.fix(RT_AS_CFS)(_host_fixer("use the scheduler cfs", scheduler="cfs"))
