"""Neighbors as lines and as rows of tables."""

from __future__ import annotations

from collections.abc import Sequence

from miniedit_frr.live.messages import AdjacencyState, protocol_title
from miniedit_frr.widgets.data_table import Column

NEIGHBORS = (
    Column("Protocol", 90), Column("Neighbor", 110), Column("State", 120), Column("Since", 80, True),
    Column("Interface", 100), Column("Address", 190), Column("VRF", 70), Column("Details", 240),
)  # fmt: skip
OF_LINK = (Column("Router", 90), *NEIGHBORS)

_MARKS = {"up": "✓", "coming": "…", "down": "✗"}


def age_text(seconds: float) -> str:
    """An age for people: "0.4 s", "75 s", "0:12:30"."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes, seconds_left = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds_left:02}"


def neighbor_line(adjacency: AdjacencyState, since: str, both_ends: bool) -> str:
    """A neighbor in a line, for the tip beside the pointer.

    Args:
        since: time since its last change.
        both_ends: whether the line names the reporting router.
    """
    ends = f"{adjacency.router} → {adjacency.neighbor}" if both_ends else adjacency.neighbor or adjacency.address
    over = f" over {adjacency.interface}" if adjacency.interface and not both_ends else ""
    vrf = f", VRF {adjacency.vrf}" if adjacency.vrf else ""
    details = f", {adjacency.detail}" if adjacency.detail else ""
    title, mark = protocol_title(adjacency.protocol), _MARKS[adjacency.grade]
    return f"{mark} {title}  {ends}: {adjacency.state} for {since}{over}{vrf}{details}"


def neighbors(adjacencies: Sequence[AdjacencyState], since: Sequence[str]) -> list[tuple[str, ...]]:
    """Rows for NEIGHBORS."""
    return [
        (
            protocol_title(adjacency.protocol), adjacency.neighbor, f"{_MARKS[adjacency.grade]} {adjacency.state}",
            age, adjacency.interface, adjacency.address, adjacency.vrf, adjacency.detail,
        )
        for adjacency, age in zip(adjacencies, since, strict=True)
    ]  # fmt: skip


def of_link(adjacencies: Sequence[AdjacencyState], since: Sequence[str]) -> list[tuple[str, ...]]:
    """Rows for OF_LINK."""
    return [(adjacency.router, *row) for adjacency, row in zip(adjacencies, neighbors(adjacencies, since), strict=True)]
