"""Kernel modules of a topology, and the constants of congestion controls and queueing disciplines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from frrlib.checks.facts import Facts
from frrlib.checks.kinds import CheckSubject, error, warning
from frrlib.model.problem import Problem, ProblemSubject
from frrlib.prediction.congestion import control_of

SUBJECT = CheckSubject()
#: The file name of a module, as `frrlib.place.module_compiler` accepts it.
_FILE = re.compile(r"(tcp|sch)_[a-z0-9_]{1,15}\.c")
#: The congestion control of kernels, unless another one is chosen.
_USUAL = "cubic"
MODULE_NAME = SUBJECT.kind(
    "module-name",
    "The file of a kernel module has no name of a congestion control or queueing discipline.",
    "The kernel loads a module by its name, and flows choose a congestion control by it. So the lab cannot start.",
    "Name the file tcp_NAME.c or sch_NAME.c, with up to 15 small letters, digits and underscores.",
)
MODULE_TWICE = SUBJECT.kind(
    "module-twice",
    "Two kernel modules have the same name.",
    "The kernel refuses the second one.",
    "Remove one of them, or rename it, also in its source.",
)
PARAMETER_TWICE = SUBJECT.kind(
    "parameter-twice",
    "A kernel parameter has two values.",
    "Only the last one is in force.",
    "Remove one of them.",
)
UNUSED_PARAMETER = SUBJECT.kind(
    "unused-parameter",
    "A kernel parameter belongs to a congestion control that no flow uses.",
    "It has no effect on the results.",
    "Let a flow use this congestion control, or remove the parameter.",
)


@SUBJECT.rule(MODULE_NAME, MODULE_TWICE)
def module_files(facts: Facts) -> Iterator[Problem]:
    """The names of the files."""
    names: set[str] = set()
    for index, path in enumerate(facts.topology.kernel_modules):
        name, field = path.rpartition("/")[2], f"kernel_modules.{index}"
        subject = ProblemSubject("", path)
        if not _FILE.fullmatch(name):
            yield error(
                MODULE_NAME, subject, field, "is not a valid name of a kernel module", "name the file tcp_NAME.c"
            )
        elif name in names:
            yield error(MODULE_TWICE, subject, field, "has the name of another module", "remove it, or rename it")
        names.add(name)


@SUBJECT.rule(PARAMETER_TWICE, UNUSED_PARAMETER)
def parameters(facts: Facts) -> Iterator[Problem]:
    """The names of the parameters."""
    flows = [flow for flow in facts.resolved.flows if flow.is_tcp]
    controls = {f"tcp_{control_of(facts.resolved, flow).name or _USUAL}" for flow in flows}
    names: set[str] = set()
    for index, parameter in enumerate(facts.topology.kernel_parameters):
        field, subject = f"kernel_parameters.{index}", ProblemSubject("", parameter.name)
        if parameter.name in names:
            yield error(PARAMETER_TWICE, subject, field, "has two values", "remove one of them")
        elif controls and parameter.module.startswith("tcp_") and parameter.module not in controls:
            control = parameter.module.removeprefix("tcp_")
            yield warning(UNUSED_PARAMETER, subject, field, f"has no effect, because no flow uses {control}",
                          f"let a flow use {control}, or remove the parameter")  # fmt: skip
        names.add(parameter.name)
