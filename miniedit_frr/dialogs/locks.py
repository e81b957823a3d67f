"""Locks of fields: while a lab runs from the topology, and for any other reason.

While a lab runs, a field stays open if its value has no effect on the lab, or if the lab can follow a change of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from frrlib.edits.live_changes import LINK_FIELDS
from frrlib.model.links import Link
from frrlib.model.nodes import LOOKS
from frrlib.model.topology import Topology
from miniedit_frr.dialogs.sheets import NodeSheet

#: Why a field is locked, given the values of its form and the dotted paths of the model's fields that it represents.
#: Without paths, the text is about the whole form. Empty if nothing is locked.
LockReason = Callable[[Sequence[Any], Sequence[str]], str]
#: The remark beside a form with locked fields.
_OF_LINKS = "Rate, delay, jitter, loss and queue limit take effect at once. Stop the lab (Shift+F5) for other values."
_OF_NODES = "Label, color and position can change while the lab runs. Stop the lab (Shift+F5) for other values."
_OF_ALL = "While the lab runs, preferences cannot be changed. Stop the lab (Shift+F5) first."


def never_locked(values: Sequence[Any], covers: Sequence[str]) -> str:
    """The `LockReason` of fields that are always open."""
    return ""


def is_locked(value: Any, covers: Sequence[str]) -> bool:
    """Whether a field is locked while a lab runs.

    Args:
        value: the value of the form: a link, a node's sheet, a flow or the topology.
        covers: dotted paths of the model's fields that the field represents.
    """
    if isinstance(value, Link):
        return not LINK_FIELDS.issuperset(covers)
    if isinstance(value, NodeSheet):
        return not all(name.removeprefix("node.") in LOOKS for name in covers)
    return isinstance(value, Topology) and any(name.startswith("preferences.") for name in covers)


def lock_notice(value: Any) -> str:
    """The remark beside a form with locked fields; empty without locked fields."""
    if isinstance(value, Link):
        return _OF_LINKS
    if isinstance(value, NodeSheet):
        return _OF_NODES
    return _OF_ALL if isinstance(value, Topology) else ""
