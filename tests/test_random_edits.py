"""The random edits leave nothing out: every function of the model that edits, every generator, every field."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from frrlib import edits
from frrlib.edits import generators
from frrlib.model import annotations, flows, links, nodes, topology
from tests import random_edits
from tests.contents.drawing import CONTENTS, editable
from tests.random_edits import EDITS, GENERATORS

#: Modules that make whole topologies from nothing.
_GENERATORS = {"generator_table", "mininet_topologies"}
#: Functions that serve others in the model, and are no edits themselves.
_HELPERS = {
    "follow_interfaces", "following", "with_each_router", "with_link_id", "with_nodes", "with_updated_references",
}  # fmt: skip


def _makes_topology(function: Any) -> bool:
    hint = get_type_hints(function).get("return")
    return hint is topology.Topology or topology.Topology in getattr(hint, "__args__", ())


def _functions(module: Any) -> Iterator[str]:
    for name, function in inspect.getmembers(module, inspect.isfunction):
        if not name.startswith("_") and function.__module__ == module.__name__ and _makes_topology(function):
            yield name


def test_every_edit_of_the_model_is_among_them() -> None:
    edits_found = {
        f"{info.name}.{name}"
        for info in pkgutil.iter_modules(edits.__path__)
        for name in _functions(importlib.import_module(f"{edits.__name__}.{info.name}"))
        if info.name not in _GENERATORS and name not in _HELPERS
    }
    source = Path(random_edits.__file__).read_text(encoding="utf-8")
    assert {
        "changes.rename",
        "clipboard.merge",
        "spring_layout.auto_layout",
        "autonomous_systems.as_per_router",
    } <= edits_found
    assert not {name for name in edits_found if name not in source}


def test_every_generator_is_among_them() -> None:
    assert set(_functions(generators)) == set(GENERATORS)


_SHOWN: dict[str, set[str]] = {
    "every node": editable(nodes.NodeBase),
    **{
        kind.__name__: editable(kind) - editable(nodes.NodeBase)
        for kind in (nodes.Host, nodes.Router, nodes.Switch, nodes.Bridge, nodes.Controller)
    },
    **{
        kind.__name__: editable(kind)
        for kind in (links.Link, links.End, flows.Flow, flows.Wait, topology.Preferences, annotations.Annotation)
    },
}
#: Either this or a duration, so no field that changes alone.
_NOT_ALONE = {"size_bytes"}


@pytest.mark.parametrize("value", _SHOWN)
def test_every_field_can_be_filled_in(value: str) -> None:
    assert set(CONTENTS[value]) == _SHOWN[value] - _NOT_ALONE
    for contents in CONTENTS[value].values():
        assert len(set(map(repr, contents))) == len(contents) >= 2


@pytest.mark.parametrize("edit", sorted(EDITS))
def test_a_drawing_of_everything_takes_every_edit(edit: str) -> None:
    """Whatever the edit needs is there, so that one that is always refused is found."""
    before = random_edits.everything()
    afters = [random_edits.edited(before, edit, seed) for seed in range(60)]
    assert sum(after != before for after in afters) >= 5
