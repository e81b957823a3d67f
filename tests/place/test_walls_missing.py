"""The walls that stand on this machine, and the report of a missing one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from frrlib.formats import mn
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from frrlib.place.confinement import walls
from frrlib.place.confinement.syscalls import landlock_abi
from tests.cli.commands import invoke
from tests.conftest import OrdinaryUser

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
    monkeypatch.setattr(
        walls.control_group, "available_folder", lambda _: "/sys/fs/cgroup/lab" if GROUP not in lacking else ""
    )
    assert {wall.needs for wall in walls.missing("auto")} == lacking


def test_places_lists_missing_walls() -> None:
    outcome = invoke("places", "--json")
    assert outcome.exit_code == 0, outcome.output
    assert f'"stands": {"true" if landlock_abi() >= 3 else "false"}' in outcome.output


def test_a_missing_wall_is_reported_before_a_topology_from_elsewhere_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(walls.sys_, "landlock_abi", lambda: 2)
    monkeypatch.setattr(walls, "_FILTERS", tmp_path / "none")
    file = tmp_path / "foreign.mn"
    file.write_text(mn.dumps(Topology(nodes=(Host(name="h1", start_command="true"),))), encoding="utf-8")
    outcome = invoke("run", file)
    assert "Not guaranteed on this machine: code in a lab kernel sends no signal" in outcome.output


#: Runs the program on a kernel that has no Landlock, as far as the program can find out: a filter of system calls
#: answers landlock_create_ruleset (444) as a kernel before Linux 5.13 does.
_WITHOUT_LANDLOCK = """
import errno, runpy, struct, sys
from frrlib.place.confinement import syscalls
lines = ((0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x50000 | errno.ENOSYS), (0x06, 0, 0, 0x7FFF0000))
syscalls.seccomp_filter(b"".join(struct.pack("<HBBI", *line) for line in lines))
sys.argv[0] = "miniedit-frr"
runpy.run_module("miniedit_frr", run_name="__main__")
"""


def test_on_a_kernel_without_landlock_the_question_names_each_wall_that_needs_it(
    ordinary_user: OrdinaryUser,
) -> None:
    file = ordinary_user.home / "foreign.mn"
    file.write_text(mn.dumps(Topology(nodes=(Host(name="h1", start_command="true"),))), encoding="utf-8")
    argv = [ordinary_user.python, "-c", _WITHOUT_LANDLOCK, "run", str(file), "--place", "labkernel"]
    done = ordinary_user.run(argv, stdin=subprocess.DEVNULL)
    assert done.returncode == 2, done.stderr
    outcome = " ".join(done.stderr.split())
    assert "Not guaranteed on this machine: a lab writes nothing outside of its results (needs Landlock" in outcome
    assert "Not guaranteed on this machine: a lab empties no file that it may read (needs Linux 6.2)" in outcome
    trusting = ordinary_user.run([*argv, "--trust"], stdin=subprocess.DEVNULL)  # and no lab kernel starts without
    assert trusting.returncode != 0 and "has no Landlock" in trusting.stderr, trusting.stderr
