"""Tests that are scripts of commands, each with a pattern for its reply; passes and failures are counted."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from typing import Any

from frrlib.topotest.lib.topotest import json_cmp
from frrlib.topotest.log import logger


class Script:
    """The state of a network's scripts after the commands so far.

    Attributes:
        passed: number of passed checks.
        failures: descriptions of the failed checks.
        last: the last match, in the reply joined to one line; None for none.
        last_lines: the last match in the reply with its lines.
        strict: whether a wait without a match is a failure; with FRR before 8.5 it is not.
    """

    def __init__(self, net: Mapping[str, Any], strict: bool = True) -> None:
        self.net = net
        self.strict = strict
        self.passed = 0
        self.failures: list[str] = []
        self.last: re.Match[str] | None = None
        self.last_lines: re.Match[str] | None = None

    def result(self, target: str, well: bool, about: str, details: str | None = None) -> None:
        """Count an outcome."""
        if well:
            self.passed += 1
        else:
            self.failures.append(f"{target}: {about}" + (f" ({details})" if details else ""))
        logger.info("%s: %s: %s", target, "pass" if well else "FAIL", about)

    def ask(self, target: str, command: str, pattern: str, operation: str, about: str, as_json: bool = False) -> Any:
        """Run a command once. Returns the match, the reply's value with `as_json`, or False for no match.

        Args:
            target: the node.
            command: a line for bash.
            pattern: regular expression; for "jsoncmp_pass" and "jsoncmp_fail" the expected value.
            operation: "pass" or "fail" if the result counts, and how.
            about: name of the check.
            as_json: whether to return the reply's value.
        """
        answer = str(self.net[target].cmd(command)).rstrip()
        logger.info("%s: %s\n%s", target, command, answer)
        value = _value(answer) if as_json or operation.startswith("jsoncmp") else None
        if operation.startswith("jsoncmp"):
            fits = json_cmp(value, json.loads(pattern)) is None
            self.result(target, fits is (operation == "jsoncmp_pass"), about)
            return fits if value is None else value
        self.last_lines = re.search(pattern, answer, re.DOTALL)
        self.last = re.search(pattern, " ".join(answer.splitlines()))
        if operation in ("pass", "fail"):
            self.result(target, (self.last is not None) is (operation == "pass"), about)
        if value is not None:
            return value
        return self.last.group() if self.last else operation == "fail"

    def wait(
        self, target: str, command: str, pattern: str, about: str, limit_s: float, interval_s: float,
        strict: bool | None = None,
    ) -> Any:  # fmt: skip
        """Run a command until its reply has a match. Returns the match, or False.

        Args:
            target, command, pattern, about: as for `ask`.
            limit_s: time limit in seconds.
            interval_s: seconds between two runs.
            strict: whether a wait without a match is a failure; None for the script's setting.
        """
        deadline_s = time.monotonic() + limit_s
        while True:
            last = time.monotonic() >= deadline_s
            match = self.ask(target, command, pattern, "none", about)
            if match is not False:
                self.result(target, True, about)
                return match
            if last:
                if self.strict if strict is None else strict:
                    self.result(target, False, about)
                else:
                    logger.info("%s: no match within the time limit: %s", target, about)
                return False
            time.sleep(interval_s)


def _value(answer: str) -> Any:
    try:
        return json.loads(answer)
    except ValueError:
        return None
