"""The golden topologies: their configurations equal the stored ones, and FRR accepts every line."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given

from frrlib.addressing.addressing import addressed
from frrlib.agent.frr.daemons import MANAGED, is_managed
from frrlib.checks.check import refuse_errors
from frrlib.formats import mn
from frrlib.model.topology import Topology
from frrlib.render import frr
from tests.golden.data import DRAWINGS, FOLDER, configurations
from tests.render.daemons import refusals
from tests.strategies.topologies import topologies

NAMES = sorted(DRAWINGS)
CONFIGURATIONS = sorted(file.name for file in FOLDER.glob("*.conf"))


@pytest.mark.parametrize("name", NAMES)
def test_rendered_text_equals_the_golden_files(name: str) -> None:
    assert mn.load(FOLDER / f"{name}.mn").topology == DRAWINGS[name]()
    for conf, text in configurations(name).items():
        assert text == (FOLDER / conf).read_text(encoding="utf-8"), f"{conf}: python -m tests.golden.data"


def test_no_golden_file_is_unused() -> None:
    assert sorted(file.stem for file in FOLDER.glob("*.mn")) == NAMES
    assert sorted(conf for name in NAMES for conf in configurations(name)) == CONFIGURATIONS


@pytest.mark.parametrize("name", sorted(DRAWINGS.keys() - {"bgp-all"}))  # that one names interfaces that do not exist
def test_no_golden_topology_has_an_error(name: str) -> None:
    refuse_errors(mn.load(FOLDER / f"{name}.mn").topology)


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_vtysh_accepts_the_golden_files(name: str, tmp_path: Path) -> None:
    argv = ["vtysh", "--config_dir", str(tmp_path), "-C", "-f", str(FOLDER / name)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=30)
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    assert "% " not in output.replace("% Can't open configuration file", "")


@pytest.mark.parametrize("name", NAMES)
def test_each_daemon_accepts_its_part(name: str, tmp_path: Path, groups: Path) -> None:
    full = addressed(mn.load(FOLDER / f"{name}.mn").topology)
    for router in full.routers:
        names = frr.daemons(router)
        text = frr.frr_conf(full, router)
        for conf, part in frr.per_daemon(text, names).items():
            if is_managed() and conf.removesuffix(".conf") in MANAGED:
                continue  # FRR's management daemon reads it with them
            file = tmp_path / f"{router.name}-{conf}"
            file.write_text(part)
            assert refusals(conf.removesuffix(".conf"), file, groups) == [], part


def test_a_daemon_names_a_refused_line(tmp_path: Path, groups: Path) -> None:
    file = tmp_path / "ospfd.conf"
    file.write_text("router ospf\n nonsense of ours\nexit\n")
    assert any("nonsense of ours" in line for line in refusals("ospfd", file, groups))


@given(topologies())
def test_any_topology_is_rendered(topology: Topology) -> None:
    """Every topology can be rendered. FRR accepts the text if its values are valid (see above)."""
    full = addressed(topology)
    for router in full.routers:
        text = frr.frr_conf(full, router)
        names = frr.daemons(router)
        assert bool(names) == router.runs_frr
        assert set(frr.per_daemon(text, names)) == {f"{name}.conf" for name in names}
