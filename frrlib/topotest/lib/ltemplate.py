"""`lib.ltemplate`: tests whose network is in `customize.py` beside them, and whose steps are scripts."""

from __future__ import annotations

import importlib.util
import platform
import re
from types import ModuleType
from typing import Any

import pytest

from frrlib.topotest.gears import Topogen, get_topogen
from frrlib.topotest.kinds import TopoRouter
from frrlib.topotest.lib.lutil import luFinish, luInclude, luShowFail, luShowResults, luStart
from frrlib.topotest.log import logger
from frrlib.topotest.state import STATE, current_script
from frrlib.topotest.versions import compare

__all__ = [
    "ltemplateRtrCmd",
    "ltemplateTest",
    "ltemplateVersionCheck",
    "setup_module",
    "teardown_module",
]

#: The reason why scripts cannot run in the current network; empty if they can.
_OBJECTIONS: list[str] = []


def setup_module(mod: ModuleType) -> None:
    """Start the network of `customize.py`, with all configurations in its folder."""
    spec = importlib.util.spec_from_file_location("customize", STATE.test_folder / "customize.py")
    assert spec is not None
    assert spec.loader is not None
    customize = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(customize)
    _OBJECTIONS.clear()
    tgen = Topogen(customize.build_topo, mod.__name__)
    tgen.start_topology()
    if getattr(customize, "ltemplatePreRouterStartHook", lambda: True)() is not True:
        _OBJECTIONS.append("what comes before the routers' start did not go well")
        return
    for name, router in tgen.routers().items():
        for number, daemon in TopoRouter.RD.items():
            file = STATE.test_folder / name / f"{daemon}.conf"
            if file.exists() and router.net.daemon_available(daemon):
                router.load_config(number, str(file))
    tgen.start_router()
    if getattr(customize, "ltemplatePostRouterStartHook", lambda: True)() is not True:
        _OBJECTIONS.append("what comes after the routers' start did not go well")
    luStart(net=tgen.net)


def teardown_module(mod: ModuleType) -> None:
    """End the network."""
    tgen = get_topogen()
    assert tgen is not None
    if not _OBJECTIONS:
        luShowResults(logger.info)
        luFinish()
    tgen.stop_topology()


def ltemplateTest(  # noqa: N802
    script: str, SkipIfFailed: bool = True, CallOnFail: Any = None, CheckFuncStr: str | None = None,  # noqa: N803
    KeepGoing: bool = False,  # noqa: N803
) -> None:  # fmt: skip
    """Run a script. It fails if any of its commands did.

    Args:
        script: its path below the test's folder.
        SkipIfFailed: whether it is skipped after a failure in the network.
        CallOnFail: ignored; it exists for callers.
        CheckFuncStr: a call of `ltemplateVersionCheck` that must return True.
        KeepGoing: whether failures are only counted.
    """
    if _OBJECTIONS:
        pytest.skip(_OBJECTIONS[0])
    tgen = get_topogen()
    assert tgen is not None
    earlier_failures = len(current_script().failures)
    if SkipIfFailed and tgen.routers_have_failure():
        pytest.skip(tgen.errors)
    if earlier_failures and not KeepGoing:
        pytest.skip(f"{earlier_failures} checks failed before")
    if CheckFuncStr:
        refusal = eval(CheckFuncStr)
        if refusal is not True:
            pytest.skip(str(refusal))
    luInclude(script)
    failed = current_script().failures[earlier_failures:]
    if failed and not KeepGoing:
        luShowFail()
        pytest.fail("\n".join(failed), pytrace=False)


class ltemplateRtrCmd:  # noqa: N801
    """Runs commands in nodes and counts their replies."""

    def __init__(self) -> None:
        self.resetCounts()

    def resetCounts(self) -> None:  # noqa: N802
        """Restart the count."""
        self.match = self.nomatch = self.output = self.none = 0

    def doCmd(self, tgen: Any, rtr: str, cmd: str, checkstr: str | None = None) -> re.Match[str] | None:  # noqa: N802
        """Run a command. Returns the match of a pattern in its reply, if one is given."""
        answer = str(tgen.net[rtr].cmd(cmd)).strip()
        logger.info("%s: %s\n%s", rtr, cmd, answer)
        self.none, self.output = self.none + (not answer), self.output + bool(answer)
        if not answer or checkstr is None:
            return None
        match = re.search(checkstr, answer)
        self.match, self.nomatch = self.match + (match is not None), self.nomatch + (match is None)
        return match

    def getOutput(self) -> int:  # noqa: N802
        """The number of commands with output."""
        return self.output


def ltemplateVersionCheck(  # noqa: N802
    vstr: str, rname: str = "r1", compstr: str = "<", cli: bool = False, kernel: str | None = "4.9",
    iproute2: str | None = None, mpls: bool = True,
) -> Any:  # fmt: skip
    """True, or the reason why scripts cannot run: a kernel without MPLS, or a kernel or FRR that is too old."""
    tgen = get_topogen()
    assert tgen is not None
    if mpls and not tgen.hasmpls:
        return "the kernel has no MPLS"
    if kernel and compare(platform.release(), kernel) < 0:
        return f"the kernel is older than {kernel}"
    if tgen.gears[rname].has_version(compstr, vstr):  # type: ignore[attr-defined]
        return f"FRR is {compstr} {vstr}"
    return True
