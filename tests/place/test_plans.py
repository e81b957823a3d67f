"""Records that the processes of a lab send to each other, and their strict reader."""

from __future__ import annotations

import json
from typing import Any

import pytest

from frrlib.place.plans import (
    InitPlan,
    KernelProcess,
    KernelSetup,
    LabFolders,
    LabIds,
    LabLimits,
    OwnModule,
    SupervisorPlan,
    VisibleFolder,
)
from frrlib.place.records import RecordError

FOLDERS = LabFolders(
    code="/code",
    site=("/a", "/b"),
    files="/files",
    boot="/boot",
    visible=(VisibleFolder(source="/data", target="/data", is_copy=True),),
    hidden=("/home",),
)
KERNEL = KernelProcess(
    file="/linux",
    argv=("linux", "quiet"),
    preload="",
    memory="/mem",
    gate="",
    ssh_socket="/ssh.sock",
    landlock_abi=4,
    uses_seccomp=False,
    bound_paths=(),
)
PLAN = SupervisorPlan(
    python="/usr/bin/python3",
    scratch="/scratch",
    console="/scratch/console.log",
    files="/files",
    ids=LabIds(uid=1, gid=1, count=65536),
    interfaces=("eth1",),
    sockets=(),
    limits=LabLimits(processes=10, memory_mib=100, spare_mib=1024.5),
    folders=FOLDERS,
    kernel=KERNEL,
)


def changed(**changes: Any) -> dict[str, Any]:
    """The values of the plan, some of them replaced."""
    return {**PLAN.to_dict(), **changes}


def test_a_plan_is_read_from_its_json() -> None:
    """Tuples, nested records and None arrive as they were sent."""
    for plan in (PLAN, PLAN.replace(ids=None, kernel=None)):
        assert SupervisorPlan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan
        assert hash(SupervisorPlan.from_dict(plan.to_dict())) == hash(plan)


def test_an_init_plan_is_read_from_its_literals() -> None:
    """Init gets its plan as the literals of a start file."""
    setup = KernelSetup(
        folders=FOLDERS, memory="/mem", gate="", seed="00", modules=("veth",), module_folder="",
        own_modules=(OwnModule(name="tcp_mine", parameters=("beta=1",)),), parameters=("tcp_mine.beta=1",),
    )  # fmt: skip
    plan = InitPlan(place="labkernel", module="agent", site_count=2, wire=-1, kernel=setup)
    assert InitPlan.from_dict(eval(repr(plan.to_dict()))) == plan


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"console": "/console"}, "SupervisorPlan: missing field files, folders"),
        (changed(lent=[]), "SupervisorPlan: unknown field lent"),
        (changed(console=3), "SupervisorPlan.console: int instead of str"),
        (changed(interfaces="eth1"), "SupervisorPlan.interfaces: str instead of tuple"),
        (changed(interfaces=["eth1", None]), "SupervisorPlan.interfaces[1]: NoneType instead of str"),
        (changed(limits=None), "SupervisorPlan.limits: NoneType instead of a record"),
        (changed(limits={"processes": True, "memory_mib": 1, "spare_mib": 1}), "limits.processes: bool instead of int"),
        (changed(kernel={**KERNEL.to_dict(), "uses_seccomp": 1}), "kernel.uses_seccomp: int instead of bool"),
        (changed(ids={"uid": 1, "gid": 1}), "LabIds: missing field count"),
        ([], "SupervisorPlan: list instead of a record"),
    ],
)
def test_a_malformed_plan_is_refused(values: object, problem: str) -> None:
    """The error names the field, and nothing is guessed."""
    with pytest.raises(RecordError) as caught:
        SupervisorPlan.from_dict(values)
    assert problem in str(caught.value)


def test_a_record_cannot_be_changed() -> None:
    """A plan is a value; state at run time has its own class."""
    with pytest.raises(AttributeError):
        PLAN.limits.processes = 5  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del PLAN.limits.processes
    with pytest.raises(RecordError):
        PLAN.replace(process=5)
