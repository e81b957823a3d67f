"""No modules import each other in a ring: in one, none can be understood, tried or moved without all the others.

Imports under TYPE_CHECKING and inside functions count: they let a ring start, and hide it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import networkx as nx
import pytest

from tests.test_architecture import ROOT, imports_of, modules_below, small_tree


def ways(root: Path) -> dict[str, set[str]]:
    """Each module with those that it imports."""
    known = modules_below(root)
    return {
        module: {target for _, target in imports_of(module, path, known) if target in known}
        for module, path in known.items()
    }


def rings(imports: Mapping[str, set[str]]) -> set[frozenset[str]]:
    """The largest sets of modules each of which imports every other, itself or by way of others."""
    graph = nx.DiGraph((module, target) for module, targets in imports.items() for target in targets)
    return {frozenset(each) for each in nx.strongly_connected_components(graph) if len(each) > 1}


def test_no_modules_form_a_ring() -> None:
    imports = ways(ROOT)
    assert len(imports) > 100  # else it looked in the wrong place
    assert sorted(map(sorted, rings(imports))) == []


IMPORTS = [
    pytest.param("from frrlib.network import Net", id="plain"),
    pytest.param("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from frrlib.network import Net", id="types"),
    pytest.param("def f():\n    from frrlib import network", id="in-a-function"),
]


@pytest.mark.parametrize("back", IMPORTS)
def test_a_ring_is_found(tmp_path: Path, back: str) -> None:
    small_tree(tmp_path, "frrlib/network.py", "from frrlib import errors\nfrom frrlib.model import b")
    small_tree(tmp_path, "frrlib/model/c.py", back)
    (tmp_path / "frrlib/model/b.py").write_text("from . import c")
    assert rings(ways(tmp_path)) == {frozenset({"frrlib.network", "frrlib.model.b", "frrlib.model.c"})}


def test_what_only_goes_down_is_no_ring(tmp_path: Path) -> None:
    small_tree(tmp_path, "frrlib/network.py", "from frrlib import errors\nfrom frrlib.model import b")
    assert rings(ways(tmp_path)) == set()
