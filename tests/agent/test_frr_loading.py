"""Configurations that vtysh loads: FRR's management daemon may be busy, and then it is asked again; and those that it
need not load, since the daemons read their own files."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from frrlib.agent.frr import daemons
from frrlib.agent.frr.daemons import Frr, until_free
from frrlib.wire.plan import FrrPlan

BUSY = (1, "% Can't enter config; running datastore locked by another session")


@pytest.mark.parametrize("answers", [[(0, "")], [BUSY, BUSY, (0, "")], [BUSY, (1, "% Unknown command: nonsense")]])
def test_it_is_loaded_again_while_another_one_is_loaded(answers: list[tuple[int, str]]) -> None:
    last, left = answers[-1], iter(answers)
    assert until_free(lambda: next(left)) == last
    assert list(left) == []


def test_whoever_is_busy_for_ever_is_told_of() -> None:
    assert until_free(lambda: BUSY, timeout_s=0.05) == BUSY


FIRST = "frr defaults traditional\nhostname r1\nlog timestamp precision 6\n!\n"
OSPF = f"{FIRST}interface r1-eth0\n ip ospf area 0\nexit\n!\n"


@pytest.fixture
def router(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes a router of FRR 10, or of an older one, with files."""
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
    """The daemons that are told of a file of their own."""
    return [Path(command[0]).name for command in router.commands() if "-f" in command]


def test_the_management_daemon_of_frr_10_has_nothing_to_say_where_only_others_are_configured(router: Any) -> None:
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
def test_what_it_keeps_comes_from_vtysh_for_all_daemons(router: Any, files: dict[str, str]) -> None:
    assert with_files(router(True, **files, ospfd=OSPF)) == []
    assert with_files(router(False, **files, ospfd=OSPF)) == [*files, "ospfd"]


def test_a_router_whose_daemons_have_no_files_is_loaded_by_vtysh(router: Any) -> None:
    """The drawing says so where a line is to be taken later than at the start."""
    one = router(True, zebra=FIRST, pimd=FIRST)
    del one.plan.files["pimd.conf"]
    again = Frr(one._thread, one.plan, lambda *_: None)
    assert with_files(again) == []


@pytest.mark.parametrize(("kept", "loads"), [("", 0), ("zebra", 0), ("zebra ospfd", 1)])
def test_a_later_frr_that_keeps_more_is_noticed(
    router: Any, monkeypatch: pytest.MonkeyPatch, kept: str, loads: int
) -> None:
    one, loaded = router(True, zebra=FIRST, ospfd=OSPF), []
    log = Path(one.log_path("mgmtd"))
    log.write_text(
        "".join(f"MGMTD: [A-B] mgmtd: reading config file: /etc/frr//{each}.conf\n" for each in kept.split())
    )
    monkeypatch.setattr(one, "_load_by_vtysh", lambda: loaded.append(1))
    one.wait_ready(0.0)
    assert len(loaded) == loads
