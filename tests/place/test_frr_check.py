"""vtysh's own opinion of configurations: every refused line, at its number, for anybody."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from frrlib.place import frr_check
from frrlib.place.frr_check import checked, checked_all
from tests.conftest import OrdinaryUser

pytestmark = pytest.mark.skipif(shutil.which("vtysh") is None, reason="needs FRR")

TEXT = """\
hostname r1
fool
!
interface e0
 ip ospf cost 5
 ip ospf cost 9999999
exit
exit
exit
end
router bgp 65001
 neighbor 10.0.0.1 remote-as
 address-family ipv4 unicast
  netwrk 10.0.0.0/8
"""


@pytest.fixture(autouse=True)
def forgetful() -> None:
    frr_check._known.clear()


def test_every_refused_line_is_told_at_its_number() -> None:
    refused = checked(TEXT)
    early = [(each.line_number, each.line) for each in refused if each.why.startswith("early exit")]
    assert early in ([], [(8, "exit"), (9, "exit")])  # FRR 10 looks no further there, and says so
    assert [(each.line_number, each.line, each.why) for each in refused if not each.why.startswith("early exit")] == [
        (2, "fool", "Unknown command"),
        (6, "ip ospf cost 9999999", "Unknown command"),
        (12, "neighbor 10.0.0.1 remote-as", "Command incomplete"),
        (14, "netwrk 10.0.0.0/8", "Unknown command"),
    ]


def test_one_process_answers_for_many_and_none_for_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    real = frr_check.subprocess.run
    monkeypatch.setattr(frr_check.subprocess, "run", lambda *a, **k: (calls.append(a), real(*a, **k))[1])
    texts = [f"hostname r{number}\nrouter bgp {number}\n netwrk {number}\n" for number in range(1, 65)]
    answers = checked_all([*texts, "", texts[0]])
    assert [[each.line for each in one] for one in answers[:64]] == [[f"netwrk {number}"] for number in range(1, 65)]
    assert {one[0].line_number for one in answers[:64]} == {3}
    assert answers[64] == ()
    assert answers[65] == answers[0]
    assert checked_all(texts) == answers[:64]
    assert len(calls) == 1


def test_an_ordinary_user_gets_the_same_answer(ordinary_user: OrdinaryUser) -> None:
    program = "from frrlib.place.frr_check import checked; print([each.line_number for each in checked(input())])"
    assert ordinary_user.run([ordinary_user.python, "-c", program], input="netwrk\n").stdout.strip() == "[1]"


def test_without_frr_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frr_check.shutil, "which", lambda *_, **__: None)
    assert checked("netwrk\n") == []


def test_a_vtysh_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "vtysh"
    program.write_text("#!/bin/sh\nsleep 20\n")
    program.chmod(0o755)
    monkeypatch.setattr(frr_check.shutil, "which", lambda *_, **__: str(program))
    monkeypatch.setattr(frr_check, "TIMEOUT_S", 0.2)
    assert checked("netwrk\n") == []
