"""The files of one router's FRR: configurations, and the list of daemons."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import get_args

from frrlib.conf.text import joined
from frrlib.model.protocols.common import Daemon

DAEMONS = get_args(Daemon)
#: Daemons that FRR starts without a line in the file `daemons`.
_ALWAYS = ("zebra", "staticd")
#: Files with lines of a configuration.
CONFIGURED = ("frr.conf", *(f"{name}.conf" for name in DAEMONS))
#: Files of FRR that contain no settings of a router.
WITHOUT_SETTINGS = ("vtysh.conf", "support_bundle_commands.conf")
_ENABLED = re.compile(r"\s*(\w+)\s*=\s*\"?(yes|y|1|true)\"?\s*(#.*)?", re.IGNORECASE)

#: The old form of an interface's settings of OSPF, which ospfd accepts alone: its lines do not say whose they are.
_OLD_OSPF = re.compile(
    r"^(\s*)ospf (authentication|authentication-key|cost|dead-interval|hello-interval|message-digest-key|network|"
    r"priority|retransmit-interval|transmit-delay)\b",
    re.MULTILINE,
)


@dataclass
class FrrFiles:
    """The configuration of one router.

    Attributes:
        text: its lines of all files.
        daemons: daemons that its file `daemons` starts.
        has_daemons: whether it has such a file.
        used: places in the topology's file of the entries that were read.
        remarks: places that were not read, with the line and the reason.
    """

    text: str = ""
    daemons: tuple[Daemon, ...] = ()
    has_daemons: bool = False
    used: set[str] = field(default_factory=set)
    remarks: list[tuple[str, int, str]] = field(default_factory=list)

    def take_daemons(self, text: str) -> None:
        """Take the daemons that a file `daemons` starts."""
        enabled = {match[1] for line in text.splitlines() if (match := _ENABLED.fullmatch(line))}
        self.daemons = tuple(daemon for daemon in DAEMONS if daemon in enabled and daemon not in _ALWAYS)
        self.has_daemons = True

    def take_texts(self, texts: dict[str, str], names: Iterable[str] = CONFIGURED) -> None:
        """Take the lines of configurations, by the name of the file, in the order of `names`."""
        ordered = [_OLD_OSPF.sub(r"\1ip ospf \2", texts[name]) for name in names if name in texts]
        self.text = joined(ordered) if len(ordered) > 1 else "".join(ordered)
