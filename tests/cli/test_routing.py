"""`miniedit-frr routing`: each preset is written to the file, and a refused change leaves the file unchanged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from frrlib.checks.check import check
from frrlib.edits import generators, routing_presets
from frrlib.formats import mn
from frrlib.model.annotations import Annotation
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from tests.cli.commands import invoke

GRID = routing_presets.clear_routing(generators.grid(2, 2))


def routing(*argv: object) -> Any:
    """Run `miniedit-frr routing` with these arguments."""
    return invoke("routing", *argv)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "grid.mn"
    mn.save(GRID, path)
    return path


def routers(file: Path) -> tuple[Router, ...]:
    return mn.load(file).topology.routers


@pytest.mark.parametrize(
    ("argv", "protocols"),
    [
        (["ospf"], {"ospf"}),
        (["isis"], {"isis"}),
        (["rip"], {"rip"}),
        (["as-per-router"], {"bgp"}),
        (["systems", "--group", "r1,r2", "--group", "r3 r4"], {"ospf", "bgp"}),
        (["systems", "--group", "r1,r2", "--group", "r3,r4", "--igp", "isis"], {"isis", "bgp"}),
    ],
)
def test_a_preset_is_in_the_file(argv: list[str], protocols: set[str], file: Path) -> None:
    result = routing(argv[0], file, *argv[1:])
    assert (result.exit_code, "r1, r2, r3, r4; written to" in result.stderr) == (0, True)
    for router in routers(file):
        assert {name for name in ("ospf", "isis", "rip", "bgp") if getattr(router, name)} == protocols
    assert [problem for problem in check(mn.load(file).topology) if problem.severity == "error"] == []
    assert routing("clear", file).exit_code == 0
    assert not any(router.runs_frr for router in routers(file))


def test_options_are_those_of_the_presets(file: Path) -> None:
    assert routing("ospf", file, "--area", "7", "--router", "r2", "--frr-timers").exit_code == 0
    first, second, *_ = routers(file)
    assert first.ospf is None
    assert second.ospf is not None
    assert (second.ospf.area, second.ospf.hello_s, second.ospf.lab_timers) == ("7", 10, False)
    assert routing("lab-timers", file).exit_code == 0
    assert [router.ospf.hello_s for router in routers(file) if router.ospf] == [1]
    assert routing("frr-timers", file).exit_code == 0
    assert [router.ospf.hello_s for router in routers(file) if router.ospf] == [10]
    assert (
        routing("systems", file, "--group", "r1,r2,r3,r4", "--reflectors", "1", "--first-asn", "64600").exit_code == 0
    )
    bgp_by_router = {router.name: router.bgp for router in routers(file)}
    assert {bgp.asn for bgp in bgp_by_router.values() if bgp} == {64_600}
    assert (
        sum(
            bool(bgp and any(group.route_reflector_client for group in bgp.peer_groups))
            for bgp in bgp_by_router.values()
        )
        == 1
    )


def test_the_input_file_is_kept_if_another_is_written(file: Path, tmp_path: Path) -> None:
    original_bytes = file.read_bytes()
    output_file = tmp_path / "other.mn"
    assert routing("ospf", file, "--out", output_file).exit_code == 0
    assert file.read_bytes() == original_bytes
    assert all(router.ospf for router in routers(output_file))


def test_groups_are_derived_from_shapes(file: Path) -> None:
    r1 = next(router for router in GRID.routers if router.name == "r1")
    shape = Annotation(id="a1", kind="rectangle", x=r1.x - 5, y=r1.y - 5, width=10, height=10)
    mn.save(GRID.model_copy(update={"annotations": (shape,)}), file)
    assert routing("systems", file, "--by", "shapes").exit_code == 0
    assert [router.name for router in routers(file) if router.bgp] == ["r1"]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["systems"], "--group"),
        (["systems", "--group", "r1,r2", "--by", "colours"], "--group"),
        (["systems", "--group", "r1,r9"], "r9"),
        (["systems", "--group", "r1,r4"], "cannot be reached"),
        (["systems", "--by", "areas"], "finds no group with a router"),
        (["ospf", "--router", "r9"], "r9"),
    ],
)
def test_a_refused_change_leaves_the_file_unchanged(argv: list[str], message: str, file: Path) -> None:
    original_bytes = file.read_bytes()
    result = routing(argv[0], file, *argv[1:])
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr
    assert file.read_bytes() == original_bytes


def test_a_topology_without_routers_is_refused(tmp_path: Path) -> None:
    mn.save(Topology(), tmp_path / "empty.mn")
    assert routing("ospf", tmp_path / "empty.mn").exit_code == 2
