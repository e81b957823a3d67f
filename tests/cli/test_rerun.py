"""`miniedit-frr rerun`: exit status, warnings and differences, in virtual time and in real time."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from frrlib.formats import mn
from frrlib.model.topology import Topology
from frrlib.network.network import Network, Shape, Wait
from tests.cli.commands import invoke

pytestmark = pytest.mark.lab


def _topology() -> Topology:
    net = Network("Two hosts", wait=Wait(ping_count=1))
    net.host("h1")
    net.host("h2")
    net.link("h1", "h2", a_to_b=Shape(rate_mbit=5))
    net.flow("f", "h1", "h2", duration_s=1)
    return net.topology


def _recorded(folder: Path, *options: str) -> Path:
    mn.save(_topology(), folder / "lab.mn")
    done = invoke("run", folder / "lab.mn", "--out", folder / "recorded", "--sample-hz", "20", *options)
    assert done.exit_code == 0, done.output
    return folder / "recorded"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, virtual_time: None) -> Path:
    """The results folder of a run in virtual time."""
    return _recorded(tmp_path_factory.mktemp("virtual"), "--virtual-time", "--seed", "3")


@pytest.fixture
def copy(recorded: Path, tmp_path: Path) -> Path:
    """A copy of that folder whose files may be changed."""
    folder = shutil.copytree(recorded, tmp_path / "copy")
    for path in folder.rglob("*"):
        os.chmod(path, 0o755 if path.is_dir() else 0o644)
    return folder


def _change_record(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    record = json.loads((folder / "run.json").read_text())
    change(record)
    (folder / "run.json").write_text(json.dumps(record))


def test_the_first_differing_row_is_printed_with_the_conditions_that_differ(copy: Path, tmp_path: Path) -> None:
    lines = (copy / "samples" / "tcp.csv").read_text().splitlines()
    lines[3] = lines[3].replace(",f,", ",g,", 1)
    (copy / "samples" / "tcp.csv").write_text("\n".join(lines) + "\n")

    def become_older(record: dict[str, Any]) -> None:
        record["facts"] |= {"frr": "1.0", "miniedit_frr": "0.0.1"}
        del record["facts"]["kernel_digest"]

    _change_record(copy, become_older)
    done = invoke("rerun", copy, "--out", tmp_path / "again")
    assert done.exit_code == 1, done.output
    assert "samples/tcp.csv, row 4: was " in done.stdout
    assert done.stdout.rstrip().endswith("different")
    assert "Warning: program: recorded 0.0.1, now " in done.stderr
    assert "Warning: FRR: recorded 1.0, now " in done.stderr
    assert "Not recorded" in done.stderr and "kernel file" in done.stderr


def test_the_same_folder_twice_is_identical(recorded: Path, tmp_path: Path) -> None:
    done = invoke("rerun", recorded, "--out", tmp_path / "again")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "identical, byte for byte"), done.output
    assert "Warning" not in done.stderr


def test_a_folder_without_settings_or_topology_is_refused(copy: Path, tmp_path: Path) -> None:
    _change_record(copy, lambda record: record["settings"].pop("virtual_time"))
    without_settings = invoke("rerun", copy, "--out", tmp_path / "again")
    (tmp_path / "empty").mkdir()
    for done in (without_settings, invoke("rerun", tmp_path / "empty"), invoke("rerun", tmp_path / "missing")):
        assert done.exit_code == 2, done.output
    assert "settings are not recorded" in without_settings.stderr
    assert not (tmp_path / "again").exists()


def test_in_real_time_the_numbers_of_both_runs_are_printed(tmp_path: Path) -> None:
    folder = _recorded(tmp_path, "--place", "namespace")
    done = invoke("rerun", folder, "--out", tmp_path / "again")
    assert done.exit_code == 0, done.output
    assert "not expected to be identical" in done.stdout
    assert "flow f: goodput, Mbit/s: was " in done.stdout


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seed": "x"}, "settings.seed: Input should be a valid integer"),
        ({"captures": [["a"], 3]}, "settings.captures.0: Input should be a valid string"),
        ({"silent_flows": [{}]}, "settings.silent_flows.0: Input should be a valid string"),
        ({"sample_hz": "often"}, "settings.sample_hz: Input should be a valid number"),
        ({"virtual_time": "\x1b[2J"}, "settings.virtual_time: Input should be a valid boolean"),
    ],
)
def test_malformed_settings_are_named(copy: Path, tmp_path: Path, settings: dict[str, Any], message: str) -> None:
    _change_record(copy, lambda record: record["settings"].update(settings))
    done = invoke("rerun", copy, "--out", tmp_path / "again")
    assert (done.exit_code, message in done.stderr) == (2, True), done.output
    assert not (tmp_path / "again").exists()


def test_a_results_folder_cannot_allow_a_controller_outside_of_the_lab(copy: Path, tmp_path: Path) -> None:
    """The folder may come from a stranger, and its lab would reach an address of this machine's network."""
    _change_record(copy, lambda record: record["settings"].update(allowed_controllers=["127.0.0.1:22"]))
    done = invoke("rerun", copy, "--out", tmp_path / "again", "--trust")
    assert done.exit_code == 2 and "allow this with --allow-controller 127.0.0.1:22" in done.stderr
    assert not (tmp_path / "again").exists()
