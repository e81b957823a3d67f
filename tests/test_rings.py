"""No modules import each other in a ring: in one, none can be understood, tried or moved without all the others.

Imports under TYPE_CHECKING and inside functions count: they let a ring start, and hide it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import networkx as nx
import pytest

from tests.test_architecture import ROOT, imports_of, modules_below, small_tree


def imports_by_module(root: Path) -> dict[str, set[str]]:
    """Each module with those that it imports."""
    modules = modules_below(root)
    return {
        module: {target for _, target in imports_of(module, path, modules) if target in modules}
        for module, path in modules.items()
    }


def rings(imports: Mapping[str, set[str]]) -> set[frozenset[str]]:
    """The largest sets of modules each of which imports every other, itself or by way of others."""
    graph = nx.DiGraph((module, target) for module, targets in imports.items() for target in targets)
    return {frozenset(modules) for modules in nx.strongly_connected_components(graph) if len(modules) > 1}


def test_no_modules_form_a_ring() -> None:
    imports = imports_by_module(ROOT)
    assert len(imports) > 100  # else it looked in the wrong place
    assert sorted(map(sorted, rings(imports))) == []


IMPORTS = [
    pytest.param("from frrlib.network import Net", id="plain"),
    pytest.param("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from frrlib.network import Net", id="types"),
    pytest.param("def f():\n    from frrlib import network", id="in-a-function"),
]


@pytest.mark.parametrize("import_back", IMPORTS)
def test_a_ring_is_found(tmp_path: Path, import_back: str) -> None:
    small_tree(tmp_path, "frrlib/network.py", "from frrlib import errors\nfrom frrlib.model import b")
    small_tree(tmp_path, "frrlib/model/c.py", import_back)
    (tmp_path / "frrlib/model/b.py").write_text("from . import c")
    assert rings(imports_by_module(tmp_path)) == {frozenset({"frrlib.network", "frrlib.model.b", "frrlib.model.c"})}


def test_what_only_goes_down_is_no_ring(tmp_path: Path) -> None:
    small_tree(tmp_path, "frrlib/network.py", "from frrlib import errors\nfrom frrlib.model import b")
    assert rings(imports_by_module(tmp_path)) == set()
