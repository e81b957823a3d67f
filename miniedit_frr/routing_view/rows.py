"""Neighbours and events, as lines and rows of tables."""

from __future__ import annotations

from collections.abc import Sequence

from miniedit_frr.live.messages import AdjacencyState, protocol_title
from miniedit_frr.widgets.sheet import Column

NEIGHBORS = (
    Column("Protocol", 90), Column("Neighbor", 110), Column("State", 120), Column("Since", 80, True),
    Column("Interface", 100), Column("Address", 190), Column("VRF", 70), Column("Details", 240),
)  # fmt: skip
OF_LINK = (Column("Router", 90), *NEIGHBORS)

_MARKS = {"up": "✓", "coming": "…", "down": "✗"}


def age_text(seconds: float) -> str:
    """How long ago something was: "0.4 s", "75 s", "0:12:30"."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


def neighbor_line(told: AdjacencyState, since: str, both_ends: bool) -> str:
    """A neighbour in a line, for the text beside the pointer.

    Args:
        since: for how long it has been so.
        both_ends: whether it must be said who tells it.
    """
    who = f"{told.router} → {told.neighbor}" if both_ends else told.neighbor or told.address
    over = f" over {told.interface}" if told.interface and not both_ends else ""
    vrf = f", VRF {told.vrf}" if told.vrf else ""
    details = f", {told.detail}" if told.detail else ""
    title, mark = protocol_title(told.protocol), _MARKS[told.grade]
    return f"{mark} {title}  {who}: {told.state} for {since}{over}{vrf}{details}"


def neighbors(listed: Sequence[AdjacencyState], since: Sequence[str]) -> list[tuple[str, ...]]:
    """Rows for NEIGHBORS."""
    return [
        (protocol_title(each.protocol), each.neighbor, f"{_MARKS[each.grade]} {each.state}", age, each.interface,
         each.address, each.vrf, each.detail)
        for each, age in zip(listed, since, strict=True)
    ]  # fmt: skip


def of_link(listed: Sequence[AdjacencyState], since: Sequence[str]) -> list[tuple[str, ...]]:
    """Rows for OF_LINK."""
    return [(each.router, *row) for each, row in zip(listed, neighbors(listed, since), strict=True)]
