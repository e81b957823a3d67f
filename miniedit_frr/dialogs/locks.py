"""Which fields still take input while a lab runs from the drawing: those that the lab does not know or can follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from frrlib.edits.live_changes import LINK_FIELDS
from frrlib.model.links import Link
from frrlib.model.nodes import LOOKS
from frrlib.model.topology import Topology
from miniedit_frr.dialogs.sheets import NodeSheet

#: The remark beside fields of which some are locked.
_OF_LINKS = (
    "While the lab runs, changes of rate, delay, jitter, loss and queue limit take effect at once. Stop the lab "
    "(Shift+F5) to change other values."
)
_OF_NODES = (
    "While the lab runs, only label, color and position can be changed. Stop the lab (Shift+F5) to change other values."
)
_OF_ALL = "While the lab runs, preferences cannot be changed. Stop the lab (Shift+F5) first."


def is_locked(value: Any, covers: Sequence[str]) -> bool:
    """Whether a field takes no input while a lab runs.

    Args:
        value: what the form is about: a link, a node's sheet, a flow, the whole drawing.
        covers: the model's fields that it stands for, dotted.
    """
    if isinstance(value, Link):
        return not LINK_FIELDS.issuperset(covers)
    if isinstance(value, NodeSheet):
        return not all(name.removeprefix("node.") in LOOKS for name in covers)
    return isinstance(value, Topology) and any(name.startswith("preferences.") for name in covers)


def lock_notice(value: Any) -> str:
    """The remark beside a form with locked fields; empty where none is."""
    if isinstance(value, Link):
        return _OF_LINKS
    if isinstance(value, NodeSheet):
        return _OF_NODES
    return _OF_ALL if isinstance(value, Topology) else ""
