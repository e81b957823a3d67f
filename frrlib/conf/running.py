"""The configuration of a router's daemons, when the lab was up and later, put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from frrlib.conf.changes import ConfigChange, difference
from frrlib.conf.text import joined


@dataclass(frozen=True)
class RunningConfig:
    """The configuration of a router of a running lab.

    Attributes:
        router: its name.
        start: what was in force when the lab was up, before anybody could type anything.
        now: what is in force now. Of a daemon that does not answer: what it has written, else what it began with.
        silent: daemons that did not answer now, and why ("bgpd does not run").
    """

    router: str
    start: str
    now: str
    silent: tuple[str, ...] = ()

    def typed(self) -> list[ConfigChange]:
        """The changes by hand since the lab was up."""
        return difference(self.start, self.now)


@dataclass(frozen=True)
class ConfigReplies:
    """The answers of all daemons of a router at two times.

    Attributes:
        start, now: daemon to its configuration; those that did not answer are missing.
        silent: daemon to why it does not answer now.
        written: file of /etc/frr to its text, of those that are not as they were at the start.
    """

    start: Mapping[str, str] = field(default_factory=dict)
    now: Mapping[str, str] = field(default_factory=dict)
    silent: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, str] = field(default_factory=dict)


def running_configs(result: Mapping[str, Mapping[Any, Mapping[str, str]]]) -> dict[str, RunningConfig]:
    """Router to its configuration, from the agent's answer (see `wire.ReadConfigurations`)."""
    return {router: config_from_replies(router, ConfigReplies(**answers)) for router, answers in result.items()}


def config_from_replies(router: str, answers: ConfigReplies) -> RunningConfig:
    """The two configurations of a router. Only daemons that answered at the start, or have written, are compared."""
    start, now = dict(answers.start), dict(answers.now)
    for daemon in now:
        start.setdefault(daemon, now[daemon])  # it was not asked then, so nothing of it counts as changed
    whole = answers.written.get("frr.conf", "") if answers.silent else ""
    for daemon in answers.silent:
        now[daemon] = answers.written.get(f"{daemon}.conf") or ("" if whole else start.get(daemon, ""))
    start, now = ({daemon: _without_remarks(text) for daemon, text in each.items()} for each in (start, now))
    said = tuple(f"{daemon} {why}" for daemon, why in answers.silent.items())
    return RunningConfig(router, joined(start.values()), joined([*now.values(), whole]), said)


def _without_remarks(text: str) -> str:
    """A configuration without what FRR itself remarks in it, which is about how the daemon was started."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("!"))
