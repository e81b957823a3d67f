"""The table of generators: it is complete, its parameters match, and errors name their field."""

from __future__ import annotations

import inspect

import pytest

from frrlib.checks.check import check
from frrlib.edits import generators
from frrlib.edits.clipboard import merge
from frrlib.edits.generator_table import DEVICES, RECIPES, generate, offset_beside
from frrlib.errors import TopologyError
from frrlib.model.annotations import Annotation
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_has_the_arguments_of_its_generator(name: str) -> None:
    recipe = RECIPES[name]
    assert recipe.make is getattr(generators, name)
    arguments = inspect.signature(recipe.make).parameters
    assert {parameter.name for parameter in recipe.parameters} <= arguments.keys()
    needed = {key for key, argument in arguments.items() if argument.default is inspect.Parameter.empty}
    assert needed <= {parameter.name for parameter in recipe.parameters}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", RECIPES)
def test_the_default_network_of_each_recipe_has_no_error(name: str, device: str) -> None:
    topology = generate(RECIPES[name], {}, device)
    assert len(topology.nodes) > 3
    assert not [problem for problem in check(topology) if problem.severity == "error"]


@pytest.mark.parametrize("name", RECIPES)
def test_a_number_below_the_minimum_is_refused_with_its_field(name: str) -> None:
    for parameter in RECIPES[name].parameters:
        with pytest.raises(TopologyError) as refused:
            generate(RECIPES[name], {parameter.name: str(parameter.least - 1)})
        assert refused.value.field == parameter.name
        generate(RECIPES[name], {parameter.name: f" {parameter.least} "})


@pytest.mark.parametrize("text", ["", "x", "3.5", "1e3", "٣", "--2", "9" * 400])
def test_invalid_numbers_are_rejected(text: str) -> None:
    with pytest.raises(TopologyError) as refused:
        generate(RECIPES["ring"], {"n": text})
    assert refused.value.field == "n"


def test_an_oversized_network_is_refused() -> None:
    with pytest.raises(TopologyError):
        generate(RECIPES["grid"], {"rows": "999", "columns": "999"})


@pytest.mark.parametrize("name", RECIPES)
def test_an_inserted_part_does_not_overlap(name: str) -> None:
    existing = Topology(
        nodes=(Host(name="h1", x=-50, y=20), Host(name="h2", x=900, y=300)),
        annotations=(Annotation(id="a1", x=950, y=0, width=100, height=500),),
    )
    part = generate(RECIPES[name], {})
    merged, _ = merge(existing, part, *offset_beside(existing, part))
    new = merged.nodes[2:]
    is_right = all(node.x > 1050 for node in new)
    is_below = all(node.y > 500 for node in new)
    assert is_right or is_below


def test_the_first_part_keeps_its_position() -> None:
    assert offset_beside(Topology(), generate(RECIPES["line"], {})) == (0, 0)
