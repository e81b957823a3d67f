"""Configurations loaded by vtysh, with retries while FRR's management daemon is busy; and routers without vtysh,
whose daemons read their own files."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from frrlib.agent.frr import daemons, rejections
from frrlib.agent.frr.daemons import Frr, until_free
from frrlib.wire.plan import FrrPlan

BUSY = (1, "% Can't enter config; running datastore locked by another session")


@pytest.mark.parametrize("answers", [[(0, "")], [BUSY, BUSY, (0, "")], [BUSY, (1, "% Unknown command: nonsense")]])
def test_a_configuration_is_loaded_again_while_the_daemon_is_busy(answers: list[tuple[int, str]]) -> None:
    last, remaining = answers[-1], iter(answers)
    assert until_free(lambda: next(remaining)) == last
    assert list(remaining) == []


def test_a_daemon_that_stays_busy_is_reported() -> None:
    assert until_free(lambda: BUSY, timeout_s=0.05) == BUSY


FIRST = "frr defaults traditional\nhostname r1\nlog timestamp precision 6\n!\n"
OSPF = f"{FIRST}interface r1-eth0\n ip ospf area 0\nexit\n!\n"


@pytest.fixture
def router(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes a router of FRR 10, or of an older version, with files."""
    (tmp_path / "etc/frr").mkdir(parents=True)
    (tmp_path / "var/log/frr").mkdir(parents=True)
    monkeypatch.setattr(daemons, "owner", lambda: (0, 0, "frr", "frr"))
    monkeypatch.setattr(daemons, "program", lambda daemon: f"/usr/lib/frr/{daemon}")

    def make(managed: bool, **files: str) -> Frr:
        monkeypatch.setattr(daemons, "is_managed", lambda: managed)
        named = {f"{daemon}.conf": text for daemon, text in {"frr": "".join(files.values()), **files}.items()}
        (tmp_path / "etc/frr/frr.conf").write_text(named["frr.conf"])
        thread: Any = SimpleNamespace(name="r1", root=str(tmp_path))
        return Frr(thread, FrrPlan(tuple(files), named), lambda *_: None)

    return make


def with_files(router: Frr) -> list[str]:
    """The daemons that are started with a file of their own."""
    return [Path(command[0]).name for command in router.commands() if "-f" in command]


def test_daemons_that_frr_10_does_not_manage_read_their_own_files(router: Any) -> None:
    assert with_files(router(True, zebra=FIRST, ospfd=OSPF)) == ["zebra", "ospfd"]
    assert with_files(router(True, zebra=FIRST, staticd=FIRST, ospfd=OSPF)) == ["zebra", "ospfd"]
    assert with_files(router(True, zebra=f"{FIRST}zebra dplane limit 10000\n", bgpd=OSPF)) == ["zebra", "bgpd"]


@pytest.mark.parametrize(
    "files",
    [
        {"zebra": FIRST, "staticd": f"{FIRST}ip route 10.0.0.0/8 10.1.0.1\n"},
        {"zebra": f"{FIRST}interface r1-eth0\n description to r2\nexit\n"},
        {"zebra": FIRST, "ripd": f"{FIRST}router rip\n version 2\nexit\n"},
    ],
)
def test_managed_lines_are_loaded_by_vtysh_for_all_daemons(router: Any, files: dict[str, str]) -> None:
    assert with_files(router(True, **files, ospfd=OSPF)) == []
    assert with_files(router(False, **files, ospfd=OSPF)) == [*files, "ospfd"]


def test_a_router_whose_daemons_have_no_files_is_loaded_by_vtysh(router: Any) -> None:
    """The plan has no files of daemons if a line must be loaded after the start."""
    frr = router(True, zebra=FIRST, pimd=FIRST)
    del frr.plan.files["pimd.conf"]
    again = Frr(frr._thread, frr.plan, lambda *_: None)
    assert with_files(again) == []


@pytest.mark.parametrize(("managed", "loads"), [("", 0), ("zebra", 0), ("zebra ospfd", 1)])
def test_an_frr_that_manages_more_daemons_is_noticed(
    router: Any, monkeypatch: pytest.MonkeyPatch, managed: str, loads: int
) -> None:
    frr, loaded = router(True, zebra=FIRST, ospfd=OSPF), []
    log = Path(frr.log_path("mgmtd"))
    log.write_text(
        "".join(f"MGMTD: [A-B] mgmtd: reading config file: /etc/frr//{daemon}.conf\n" for daemon in managed.split())
    )
    monkeypatch.setattr(frr, "_load_by_vtysh", lambda: loaded.append(1))
    frr.wait_ready(0.0)
    assert len(loaded) == loads


def test_values_that_a_daemon_rejects_while_it_reads_its_file_are_found() -> None:
    printed = """% Failed to edit configuration.

YANG error(s):
 Value "300" is out of type uint8 min/max bounds.
 YANG path: Data location "/interface[name='r1-eth0']/hello-interval".

% Failed to edit configuration.

"""
    assert rejections.rejected_values(printed) == [
        'Value "300" is out of type uint8 min/max bounds. YANG path: Data location '
        "\"/interface[name='r1-eth0']/hello-interval\".",
        "no reason given",
    ]
    assert rejections.rejected_values("pimd: started\n") == []
