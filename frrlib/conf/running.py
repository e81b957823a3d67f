"""The configuration of a router, joined from its daemons: at the start of the lab, and now."""

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
        start: the configuration once the lab ran, before any command could be typed.
        now: the present configuration. For a daemon that does not reply: the file that it has written, else its
            configuration at the start.
        silent: daemons that do not reply now, with the reason ("bgpd does not run").
    """

    router: str
    start: str
    now: str
    silent: tuple[str, ...] = ()

    def typed(self) -> list[ConfigChange]:
        """The changes typed since the lab was up."""
        return difference(self.start, self.now)


@dataclass(frozen=True)
class ConfigReplies:
    """The replies of all daemons of a router at two times.

    Attributes:
        start, now: configuration by daemon; daemons that did not reply are missing.
        silent: reason by daemon that does not reply now.
        written: text by file of /etc/frr, for the files that have changed since the start.
    """

    start: Mapping[str, str] = field(default_factory=dict)
    now: Mapping[str, str] = field(default_factory=dict)
    silent: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, str] = field(default_factory=dict)


def running_configs(result: Mapping[str, Mapping[Any, Mapping[str, str]]]) -> dict[str, RunningConfig]:
    """The configuration of each router by its name, from the agent's reply to `ReadConfigurations`."""
    return {router: config_from_replies(router, ConfigReplies(**replies)) for router, replies in result.items()}


def config_from_replies(router: str, replies: ConfigReplies) -> RunningConfig:
    """The two configurations of a router. Only daemons that replied at the start or wrote a file are compared."""
    start, now = dict(replies.start), dict(replies.now)
    for daemon in now:
        start.setdefault(daemon, now[daemon])  # it was not queried then, so it counts as unchanged
    integrated = replies.written.get("frr.conf", "") if replies.silent else ""
    for daemon in replies.silent:
        now[daemon] = replies.written.get(f"{daemon}.conf") or ("" if integrated else start.get(daemon, ""))
    start, now = ({daemon: _without_remarks(text) for daemon, text in texts.items()} for texts in (start, now))
    silent = tuple(f"{daemon} {reason}" for daemon, reason in replies.silent.items())
    return RunningConfig(router, joined(start.values()), joined([*now.values(), integrated]), silent)


def _without_remarks(text: str) -> str:
    """A configuration without FRR's own comments, which describe how the daemon was started."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("!"))
