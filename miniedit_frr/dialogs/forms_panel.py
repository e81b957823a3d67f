"""The short forms of the side panel, cut out of the dialogs' forms so that both say the same in the same words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from miniedit_frr.dialogs.fields import Field, Group, Pair, Part, Tab
from miniedit_frr.dialogs.forms_link import LINK
from miniedit_frr.dialogs.forms_node import FORMS
from miniedit_frr.dialogs.kinds import Kind

#: What only a dialog has: what is drawn by hand, belongs to the file, or is seldom changed.
_ONLY_IN_DIALOGS = {
    "node.x", "node.y", "node.number", "node.colour", "id", "speedup", "a.node", "b.node", "node.ospf.point_to_point",
    "node.ospf.lab_timers", "node.bgp.connect_retry_s", "node.bgp.coalesce_ms", "node.bgp.requires_policy",
}  # fmt: skip
_WIDGETS = {"line", "choice", "open", "flag", "measured"}
_SIDES = {"a_to_b": "There", "b_to_a": "Back", "a": "First end", "b": "Second end"}


def _shortened(parts: tuple[Part, ...]) -> Iterator[Part]:
    """The parts without tables and other widgets that are wider than a panel."""
    for part in parts:
        if isinstance(part, Field):
            if part.path not in _ONLY_IN_DIALOGS and isinstance(part.kind, Kind) and part.kind.widget in _WIDGETS:
                # What depends on the whole drawing is worked out for dialogs only.
                yield part if isinstance(part.hint, str) else replace(part, hint="automatic")
        elif isinstance(part, Group):
            below = tuple(_shortened(part.parts))
            if below:
                yield replace(part, parts=below)
        elif isinstance(part, Pair):
            for number, side in enumerate((part.left, part.right)):
                both = tuple(each[number + 1] for each in part.sides())
                yield Group(_SIDES[side], tuple(_shortened(both)))


def shortened(tabs: tuple[Tab, ...]) -> tuple[Part, ...]:
    """All pages of a form one below the other, without what is too wide."""
    return tuple(part for tab in tabs for part in _shortened(tab.parts))


NODE_PANELS: dict[str, tuple[Part, ...]] = {kind: shortened(tabs) for kind, tabs in FORMS.items()}
LINK_PANEL: tuple[Part, ...] = shortened(LINK)
