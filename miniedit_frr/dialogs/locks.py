"""Locks of fields, and the remark beside a form about when its values take effect in a running lab."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from frrlib.edits.live_changes import is_live_field
from frrlib.model.links import Link
from frrlib.model.nodes import LOOKS, Router
from frrlib.model.topology import Topology
from miniedit_frr.dialogs.sheets import NodeSheet

#: Why a field is locked, given the values of its form and the dotted paths of the model's fields that it represents.
#: Without paths, the text is about the whole form. Empty if nothing is locked.
LockReason = Callable[[Sequence[Any], Sequence[str]], str]
#: The remark beside a form while a lab runs.
_OF_LINKS = "Shaping applies at once, the rest with F5."
_OF_NODES = "The lab gets these values with F5 (Apply)."
#: The notice beside the fields of sealed routers.
_SEALED = "Sealed: the settings of {} are given and not shown."


def sealed_reason(values: Sequence[Any], covers: Sequence[str]) -> str:
    """The `LockReason` of sealed routers, whose settings are locked and not shown."""
    sealed = [
        value.node.name
        for value in values
        if isinstance(value, NodeSheet) and isinstance(value.node, Router) and value.node.sealed
        if not covers or is_locked(value, covers)
    ]
    return _SEALED.format(", ".join(sealed)) if sealed else ""


def is_locked(value: Any, covers: Sequence[str]) -> bool:
    """Whether a field is about the lab rather than about looks and values that a running lab follows at once.

    Args:
        value: the value of the form: a link, a node's sheet, a flow or the topology.
        covers: dotted paths of the model's fields that the field represents.
    """
    if isinstance(value, Link):
        return not all(map(is_live_field, covers))
    if isinstance(value, NodeSheet):
        return not all(name.removeprefix("node.") in LOOKS for name in covers)
    return isinstance(value, Topology) and any(name.startswith("preferences.") for name in covers)


def running_notice(value: Any) -> str:
    """The remark beside a form while a lab runs; empty if its values concern no lab."""
    if isinstance(value, Link):
        return _OF_LINKS
    return _OF_NODES if isinstance(value, NodeSheet | Topology) else ""
