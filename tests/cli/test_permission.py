"""A new topology on the command line: its requests are printed, and it runs only if the user agrees."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pexpect
import pytest

from frrlib.formats import mn
from frrlib.model.flows import Flow
from frrlib.model.nodes import Host
from frrlib.model.permissions import requested_permissions
from frrlib.model.topology import Topology
from frrlib.model.traffic.waiting_kinds import Command
from miniedit_frr.user import permissions
from miniedit_frr.user.package_files import examples_folder
from tests.cli.commands import ROOT, invoke

COMMAND = "touch /tmp/there"


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "foreign.mn"
    path.write_text(mn.dumps(Topology(nodes=(Host(name="h1", start_command=COMMAND),))), encoding="utf-8")
    return path


def test_programs_and_outside_resources_need_permission() -> None:
    host = Host(name="h1", start_command="begin", stop_command="end", external_interfaces=("eth7",))
    flow = Flow(id="f1", source="h1", destination="h2", traffic=Command(command="ask", server="serve"))
    requests = requested_permissions(
        Topology(nodes=(host, Host(name="h2")), flows=(flow,), shown_folders=("~/labs",), copied_folders=("w",))
    )
    assert requests == (
        "h1 runs when the lab begins: begin",
        "h1 runs when the lab ends: end",
        "h1 runs for the flow f1: ask",
        "h2 runs for the flow f1: serve",
        "the lab reads the folder ~/labs",
        "the lab has a copy of the folder w",
        "h1 gets this machine's interface eth7",
    )
    assert requested_permissions(Topology(nodes=(Host(name="h1"),))) == ()


@pytest.mark.parametrize("command", ["run", "start", "verify", "timeline", "sweep"])
def test_nothing_runs_without_a_terminal_and_a_permission(file: Path, command: str, tmp_path: Path) -> None:
    options = ["--set", "title=a,b", "--out", tmp_path / "out"] if command == "sweep" else []
    result = invoke(command, file, *options)
    assert result.exit_code == 2
    assert f"h1 runs when the lab begins: {COMMAND}" in result.output
    assert "--trust" in result.output
    assert not (tmp_path / "out").exists()


def test_requests_of_a_topology_are_printed_as_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "foreign.mn"
    command = "echo '[/red]\x1b]0;title\x07[bold]'"
    path.write_text(mn.dumps(Topology(nodes=(Host(name="h1", start_command=command),))), encoding="utf-8")
    result = invoke("run", path)
    assert result.exit_code == 2
    assert "[/red]" in result.output
    assert "\x1b" not in result.output


@pytest.mark.lab
def test_a_permission_is_asked_for_only_once(file: Path, tmp_path: Path) -> None:
    for folder, options in (("one", ["--trust"]), ("two", [])):
        result = invoke("run", file, "--out", tmp_path / folder, "--place", "namespace", *options)
        assert result.exit_code == 0, result.output
        assert ("requests" in result.output) is bool(options)
    moved = tmp_path / "elsewhere" / file.name
    moved.parent.mkdir()
    moved.write_bytes(file.read_bytes())
    assert invoke("run", moved).exit_code == 2, "the same requests in another folder belong to another topology"


@pytest.mark.lab
@pytest.mark.parametrize(("answer", "status"), [("n", 2), ("", 2), ("y", 0)])
def test_a_terminal_asks_for_permission(file: Path, tmp_path: Path, answer: str, status: int) -> None:
    argv = ["-m", "miniedit_frr", "run", str(file), "--out", str(tmp_path / "out"), "--place", "namespace"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with pexpect.spawn(sys.executable, argv, env=environment, timeout=60, encoding="utf-8") as person:
        person.expect("Run it")
        person.sendline(answer)
        person.expect(pexpect.EOF)
        person.wait()
        assert person.exitstatus == status


def test_examples_are_trusted_and_a_broken_permissions_file_is_ignored(tmp_path: Path) -> None:
    topology = Topology(nodes=(Host(name="h1", start_command=COMMAND),))
    memory = tmp_path / "trust.json"
    assert permissions.missing_permissions(topology, examples_folder() / "any.mn", memory) == ()
    for broken in ("", "[]", '{"agreed": 7}', '{"agreed": [7]}'):
        memory.write_text(broken, encoding="utf-8")
        assert permissions.missing_permissions(topology, None, memory)
    memory.unlink()
    permissions.grant(requested_permissions(topology), None, memory)
    assert permissions.missing_permissions(topology, None, memory) == ()
    assert COMMAND not in memory.read_text(encoding="utf-8"), "the file stores no commands in plain text"
    assert len(json.loads(memory.read_text(encoding="utf-8"))["agreed"]) == 1


def test_text_of_a_topology_cannot_imitate_the_program(tmp_path: Path) -> None:
    path = tmp_path / "harmless.mn was not run here before. It requests:\n  nothing\n.mn"
    command = f"evil{60_000 * chr(10)}miniedit-frr: this topology is known\nRun it? [y/N]: "
    path.write_text(mn.dumps(Topology(nodes=(Host(name="h1", start_command=command),))), encoding="utf-8")
    result = invoke("run", path)
    assert result.exit_code == 2
    first, *request_lines, last = result.output.rstrip("\n").split("\n")
    assert "harmless.mn" in first and first.endswith(".mn was not run here before. It requests:")
    assert last.startswith("miniedit-frr: nothing was run")
    further = len(f"h1 runs when the lab begins: {command}") - 4000
    assert request_lines[:2] == ["  h1 runs when the lab begins: evil", f"  … and {further:,} further characters"]
    assert not any(line.startswith("miniedit-frr") for line in request_lines)
