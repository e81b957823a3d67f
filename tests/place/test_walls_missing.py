"""Which walls stand on this machine, and how a missing one is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.place import walls
from frrlib.place.syscalls import landlock_abi
from tests.cli.commands import cli

GROUP = "a control group that this user may divide: systemd-run --user --scope miniedit-frr ..."


@pytest.mark.parametrize(
    ("release", "abi", "lacking"),
    [("6.12.0", 6, set()), ("6.1.0-30-amd64", 2, {"Linux 6.2"}), ("5.4.0", 0, {
        "Landlock (Linux 5.13)", "Linux 6.2", "overlays (Linux 5.11)", "Linux 5.14",
        "Linux 6.12, or filters of system calls that ask (Linux 5.5)", GROUP})],
)  # fmt: skip
def test_each_needs_what_its_kernel_has(
    release: str, abi: int, lacking: set[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "filesystems").write_text("nodev\tsysfs\nnodev\toverlay\n", encoding="ascii")
    monkeypatch.setattr(walls, "_FILE_SYSTEMS", tmp_path / "filesystems")
    monkeypatch.setattr(walls.os, "uname", lambda: type("Name", (), {"release": release}))
    monkeypatch.setattr(walls.sys_, "landlock_abi", lambda: abi)
    monkeypatch.setattr(walls.control_group, "room_for", lambda _: "/sys/fs/cgroup/lab" if GROUP not in lacking else "")
    assert {wall.needs for wall in walls.missing("auto")} == lacking


def test_places_tells_them() -> None:
    said = cli("places", "--json")
    assert said.exit_code == 0, said.output
    assert f'"stands": {"true" if landlock_abi() >= 3 else "false"}' in said.output


def test_a_missing_one_is_said_before_a_drawing_from_elsewhere_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from frrlib.formats import mn
    from frrlib.model.nodes import Host
    from frrlib.model.topology import Topology

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(walls.sys_, "landlock_abi", lambda: 2)
    monkeypatch.setattr(walls, "_FILTERS", tmp_path / "none")
    file = tmp_path / "foreign.mn"
    file.write_text(mn.dumps(Topology(nodes=(Host(name="h1", start_command="true"),))), encoding="utf-8")
    said = cli("run", file)
    assert "does not see to it that code in a lab kernel sends no signal" in said.output
