"""Problems in the words of the window: fields by their names in forms, and the remedy as advice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from frrlib.model.problem import Problem
from miniedit_frr.dialogs.forms_flows import FLOW
from miniedit_frr.dialogs.forms_link import LINK
from miniedit_frr.dialogs.forms_node import FORMS
from miniedit_frr.dialogs.forms_topology import PREFERENCES
from miniedit_frr.dialogs.parts import Tab, fields_of

#: Fields that forms show in a table, or under names other than the model's.
_OTHERS = {
    "addresses": "Addresses", "interface": "Interface name", "mtu_bytes": "MTU", "until": "Until",
    "duration_s": "Duration", "size_bytes": "Size",
}  # fmt: skip
#: Directions and ends of a link.
_SIDES = {"a_to_b": "first to second end", "b_to_a": "second to first end", "a": "first end", "b": "second end"}
#: First words of advice that says what to do; other advice says what would be right.
_ORDERS = frozenset(
    ("add", "allow", "choose", "draw", "give", "leave", "link", "name", "plan", "put", "run", "say", "state", "such",
     "take", "use", "write")
)  # fmt: skip


def advised(why: str, right: str) -> str:
    """The problem and the remedy, as one text."""
    if not right:
        return why
    return f"{why}; {right}" if right.split(maxsplit=1)[0] in _ORDERS else f"{why}; expected {right}"


def place_of(problem: Problem) -> str:
    """Where a problem is: "h1, Default route"; "drawing" for the whole."""
    return ", ".join(part for part in (problem.node, label_of(problem.field)) if part) or "drawing"


def label_of(field: str) -> str:
    """The label of a model's field ("ospf.dead_s") in forms, with its page for a protocol's; the field itself where no
    form has it, and empty text for none.
    """
    plain = re.sub(r"\[.*?\]", "", field)
    side, _, rest = plain.partition(".")
    if side in _SIDES and rest:
        return f"{_label(rest) or rest} ({_SIDES[side]})"
    return _label(plain) or field


def _label(field: str) -> str:
    known = _known()
    while field not in known and "." in field:
        field = field.rpartition(".")[0]
    return known.get(field, "")


@cache
def _known() -> dict[str, str]:
    found = dict(_OTHERS)
    for tab in _tabs():
        for each in fields_of(tab.parts):
            for path in (each.path, *each.covers):
                name = path.removeprefix("node.")
                side, _, rest = name.partition(".")
                label = each.label or tab.title
                is_inside = tab.section in ("Protocols",) and label != tab.title
                found.setdefault(rest if side in _SIDES else name, f"{tab.title}, {label}" if is_inside else label)
    found.pop("", None)
    return found


def _tabs() -> Iterator[Tab]:
    for tabs in (*FORMS.values(), LINK, FLOW, PREFERENCES):
        yield from tabs
