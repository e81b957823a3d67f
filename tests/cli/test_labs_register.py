"""The register of running labs without a lab: names, the printed table, and leftovers of dead lab servers."""

from __future__ import annotations

import json
import os
from pathlib import Path

import msgspec
import pytest
from rich.console import Console
from typer.testing import CliRunner

from frrlib.errors import LabFailed, PlaceError
from frrlib.lab_server import register
from frrlib.lab_server.register import Card, NodeCard
from miniedit_frr.cli.detached import labs
from miniedit_frr.cli.main import app


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the running labs of this test. Returns the path of the register, which does not exist yet."""
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder / "miniedit-frr"


def test_the_register_is_private(runtime: Path) -> None:
    assert register.register_folder() == runtime
    assert runtime.stat().st_mode & 0o777 == 0o700


def test_somebody_elses_folder_is_refused(runtime: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make a folder of somebody else")
    runtime.mkdir()
    os.chown(runtime, 65534, 65534)
    with pytest.raises(PlaceError, match=r"belongs to another user.*XDG_RUNTIME_DIR"):
        register.register_folder()


@pytest.mark.parametrize(
    ("requested_name", "name"),
    [("two as", "two-as"), ("../../etc", "etc"), ("", "lab"), ("é/ü", "lab"), ("x" * 99, "x" * 40), ("-rf", "rf")],
)
def test_names_are_names_of_folders(runtime: Path, requested_name: str, name: str) -> None:
    reserved = register.reserve(requested_name)
    assert reserved.folder == runtime / name
    os.close(reserved.lock)


def test_a_name_that_is_taken_gets_a_number(runtime: Path) -> None:
    first, second = register.reserve("lab"), register.reserve("lab")
    assert (first.folder.name, second.folder.name) == ("lab", "lab-2")
    assert [card.name for card in register.labs()] == ["lab", "lab-2"]
    with pytest.raises(LabFailed, match="choose one of lab, lab-2"):
        register.find()
    with pytest.raises(LabFailed, match="no lab other is running; choose one of lab, lab-2"):
        register.find("other")
    os.close(first.lock)  # as the end of the lab server does
    assert [card.name for card in register.labs()] == ["lab-2"]
    assert register.find().name == "lab-2"
    assert register.reserve("lab").folder == first.folder
    os.close(second.lock)


def test_leftovers_of_a_dead_lab_server_are_removed(runtime: Path) -> None:
    reserved = register.reserve("lab")
    (reserved.folder / "ssh").mkdir()
    (reserved.folder / "ssh" / "id").write_text("secret")
    os.close(reserved.lock)
    result = CliRunner().invoke(app, ["labs", "--json"])
    assert (result.exit_code, json.loads(result.stdout)) == (0, [])
    assert list(runtime.iterdir()) == []


def test_a_socket_with_a_long_path_has_an_address(runtime: Path) -> None:
    deep = runtime.parent / ("d" * 100) / ("e" * 100)
    deep.mkdir(parents=True)
    with register.address(deep) as address:
        assert len(address) < 100


def test_cards_are_encoded_and_decoded() -> None:
    card = Card("a", nodes=(NodeCard("r1", "router", True),), failed_commands={"h1": "no"}, links_down=("l1",))
    assert msgspec.json.decode(msgspec.json.encode(card), type=Card) == card


def test_the_table_shows_the_age_and_state_of_labs() -> None:
    nodes = (NodeCard("r1", "router", True), NodeCard("h1", "host"))
    file = str(Path.cwd() / "topologies" / "as.mn")
    cards = [
        Card("as", "running", file, place="namespace", since_s=0, kept=True, nodes=nodes),
        Card("unsaved", "running", place="labkernel", since_s=7200 - 600),
        Card("new", since_s=7199),
    ]
    console = Console(width=100, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
    console.print(labs.labs_table(cards, 7200.0))
    lines = [line.split("  ") for line in console.export_text().splitlines()]
    words = [[word.strip() for word in line if word.strip()] for line in lines]
    assert words[1] == ["as", "running", "namespace", "2", "2 h", "topologies/as.mn"]
    assert words[2] == ["unsaved", "in the editor", "labkernel", "10 min", "not saved"]
    assert words[3] == ["new", "starting", "just now", "not saved"]


def test_the_table_fits_a_terminal() -> None:
    file = "/srv/courses/networks/week-4/two-as-no-delay-with-loss.mn"
    card = Card("two-as-no-delay-2", "running", file, place="labkernel", since_s=0)
    console = Console(width=80, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
    console.print(labs.labs_table([card], 7200.0, 80))
    head, line = console.export_text().splitlines()
    assert head.split() == ["lab", "state", "place", "nodes", "since", "file"]
    assert line.startswith("two-as-no-delay-2  in the editor  labkernel         2 h    …")
    assert line.rstrip().endswith("-with-loss.mn")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["shell", "h1"], "no lab is running"),
        (["exec", "nolab", "h1", "true"], "no lab is running"),
        (["labs", "stop"], "no lab is running"),
        (["labs", "stop", "x"], "no lab x is running"),
        (["ssh-config"], "`miniedit-frr start FILE` starts one"),
    ],
)
def test_commands_report_that_no_lab_is_running(runtime: Path, argv: list[str], message: str) -> None:
    result = CliRunner().invoke(app, argv)
    assert result.exit_code == 1
    assert message in result.stderr


def test_control_characters_in_file_names_are_not_printed() -> None:
    console = Console(width=300, force_terminal=True, color_system=None)
    with console.capture() as capture:
        console.print(labs.labs_table([Card("one", file="/home/me/\x1b]0;title\x07\n[bold]x.mn")], 7200.0))
    assert capture.get().splitlines()[-1].rstrip().endswith("/home/me/�]0;title� [bold]x.mn")
