"""`lib.lutil`: scripts of single commands, each with a pattern for its reply."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from frrlib.topotest.log import logger
from frrlib.topotest.script_commands import Script
from frrlib.topotest.state import STATE, current_script
from frrlib.topotest.versions import satisfies

#: From this version of FRR on, a wait without a match is a failure. Some scripts of earlier versions pass only if it is
#: not.
STRICT_FROM = "8.5"
_STRICT = {"strict": True, "nostrict": False}


def luStart(  # noqa: N802
    baseScriptDir: str = ".", baseLogDir: str = ".", net: Any = "", fout: str = "", fsum: str = "", level: Any = None,  # noqa: N803
) -> None:  # fmt: skip
    """Start the count for a network."""
    assert isinstance(net, Mapping)
    version = STATE.current.version if STATE.current else STRICT_FROM
    STATE.script = Script(net, satisfies(version, ">=", STRICT_FROM))


def luSetWaitType(waittype: str) -> None:  # noqa: N802
    """Set whether a wait without a match is a failure: "strict" or "nostrict"."""
    current_script().strict = _STRICT[waittype]


def luCommand(  # noqa: N802
    target: str, command: str, regexp: str = ".", op: str = "none", result: str = "", time: float = 10,
    returnJson: bool = False, wait_time: float = 0.5,  # noqa: N803
) -> Any:  # fmt: skip
    """Run a command in a node and search its reply for a pattern; see `Script.ask`, and for "wait" `Script.wait`."""
    word, _, strict = op.partition("-")
    if word == "wait":
        return current_script().wait(
            target, command, regexp, result, time, wait_time, _STRICT[strict] if strict else None
        )
    return current_script().ask(target, command, regexp, op, result, returnJson)


def luLast(usenl: bool = False) -> Any:  # noqa: N802
    """The last match."""
    return current_script().last_lines if usenl else current_script().last


def luInclude(filename: str, CallOnFail: Callable[[], Any] | None = None) -> None:  # noqa: N802, N803
    """Run a script of the test's folder."""
    path = STATE.test_folder / filename
    code = compile(path.read_text(encoding="utf-8"), str(path), "exec")
    exec(code, {"__name__": "script", "__file__": str(path)})


def luNumFail() -> int:  # noqa: N802
    """The number of failed checks."""
    return len(current_script().failures)


def luNumPass() -> int:  # noqa: N802
    """The number of passed checks."""
    return current_script().passed


def luFinish() -> str:  # noqa: N802
    """End the count and return its result."""
    script, STATE.script = current_script(), None
    return f"{script.passed} passed, {len(script.failures)} failed"


def luShowResults(prFunction: Callable[[str], Any]) -> None:  # noqa: N802, N803
    """Log the number of passed checks."""
    prFunction(f"{luNumPass()} passed, {luNumFail()} failed")


def luShowFail() -> None:  # noqa: N802
    """Log the commands of failed checks."""
    for failure in current_script().failures:
        logger.error("%s", failure)
