"""vtysh's check of configurations: every refused line has its number, for any user."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from frrlib.addressing.resolved import resolved
from frrlib.formats import mn
from frrlib.place.checker import frr_check
from frrlib.place.checker.frr_check import refused_lines, refused_lines_of_all
from frrlib.render.frr import frr_conf
from tests.conftest import ROOT, OrdinaryUser

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
    frr_check._cache.clear()


def test_every_refused_line_has_its_number() -> None:
    refused = refused_lines(TEXT)
    early = [(line.line_number, line.line) for line in refused if line.reason.startswith("early exit")]
    assert early in ([], [(8, "exit"), (9, "exit")])  # FRR 10 reports this and stops parsing there
    assert [
        (line.line_number, line.line, line.reason) for line in refused if not line.reason.startswith("early exit")
    ] == [
        (2, "fool", "Unknown command"),
        (6, "ip ospf cost 9999999", "Unknown command"),
        (12, "neighbor 10.0.0.1 remote-as", "Command incomplete"),
        (14, "netwrk 10.0.0.0/8", "Unknown command"),
    ]


def test_commands_of_vtysh_itself_are_refused_and_do_nothing(tmp_path: Path) -> None:
    output_file = tmp_path / "made"
    lines = [
        f"output file {output_file}",
        f"o f {output_file}",
        "no output file",
        "li",
        "list permutations",
        "find .*",
        "sh cli g",
    ]
    refused = refused_lines(
        "\n".join(["router bgp 1", *lines, f" outp fi {output_file}", f"router isis 1\n output file {output_file}"])
    )
    assert [line.line_number for line in refused] == [*range(2, 10), 11]
    assert {line.reason for line in refused} == {"it is a command of vtysh itself, not of a configuration. Remove it"}
    assert not output_file.exists()


def test_nothing_is_executed_after_the_configuration_was_left() -> None:
    leaving = ("exit", "ex", "q", "quit", "end", "en", "exit\nexit", "interface e0\nexit\nexi")
    then = ("show version", "ping 127.0.0.9", "do show version", "start-shell", "write file")
    texts = {f"{first}\n{second}": (first.count("\n") + 2, second) for first in leaving for second in then}
    for answer, expected in zip(refused_lines_of_all(list(texts)), texts.values(), strict=True):
        assert expected in [(line.line_number, line.line) for line in answer]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("exit\0", "U+0000"), ("hostname\x1b[2J", "U+001B"), ("hostname a\x7f", "U+007F"), ("  a\x9b", "U+009B"),
        ("!" + "x" * 1000, "it has 1,001 characters"), ("banner motd line " + "é" * 984, "it has 1,001 characters"),
    ],
)  # fmt: skip
def test_control_characters_and_long_lines_never_reach_vtysh(line: str, reason: str) -> None:
    refused = refused_lines(f"hostname r1\n{line}\nping 127.0.0.9\n")
    assert [(refusal.line_number, refusal.line) for refusal in refused] == [(2, line.strip()), (3, "ping 127.0.0.9")]
    assert reason in refused[0].reason
    assert str(refused[0]).isprintable()
    assert len(str(refused[0])) < 250


def test_lines_that_only_look_like_such_commands_are_taken() -> None:
    text = "banner motd line output file x\nline vty\nexit\nip prefix-list list seq 5 permit any\n! output file x\n"
    assert refused_lines(text + "hostname " + "x" * 50 + "\nrouter bgp 1\n\tno neighbor find\n!" + "é" * 999) == []


def test_confined_vtysh_finds_the_same(tmp_path: Path) -> None:
    examples = [mn.load(path).topology for path in sorted((ROOT / "examples").glob("*.mn"))]
    texts = [frr_conf(topology, router) for topology in map(resolved, examples) for router in topology.routers]
    lines, _ = frr_check._one_file([TEXT, *texts, TEXT], [set() for _ in range(len(texts) + 2)])
    file = tmp_path / "frr.conf"
    file.write_text("\n".join(lines) + "\n")
    argv = ["vtysh", "--config_dir", str(tmp_path), "-C", "-f", str(file)]
    freely = subprocess.run(argv, capture_output=True, text=True, check=False)
    confined = frr_check._output(str(shutil.which("vtysh")), lines, 60)
    refusals = [line for line in confined.splitlines() if line.startswith("line ")]
    is_early = any("early exit" in refusal for refusal in refusals)  # FRR 10 reads no further than to the first text
    assert len(refusals) >= (4 if is_early else 8)
    assert refusals == [line for line in (freely.stdout + freely.stderr).splitlines() if line.startswith("line ")]


def test_one_process_checks_many_texts_and_cached_ones_need_none(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    real = frr_check.checkers.output_of
    monkeypatch.setattr(frr_check.checkers, "output_of", lambda *a, **k: (calls.append(a), real(*a, **k))[1])
    texts = [f"hostname r{number}\nrouter bgp {number}\n netwrk {number}\n" for number in range(1, 65)]
    answers = refused_lines_of_all([*texts, "", texts[0]])
    assert [[line.line for line in answer] for answer in answers[:64]] == [
        [f"netwrk {number}"] for number in range(1, 65)
    ]
    assert {answer[0].line_number for answer in answers[:64]} == {3}
    assert answers[64] == ()
    assert answers[65] == answers[0]
    assert refused_lines_of_all(texts) == answers[:64]
    assert len(calls) == 1


def test_an_ordinary_user_gets_the_same_answer(ordinary_user: OrdinaryUser) -> None:
    program = (
        "from frrlib.place.checker.frr_check import refused_lines\n"
        "print([refused.line_number for refused in refused_lines(input())])"
    )
    assert ordinary_user.run([ordinary_user.python, "-c", program], input="netwrk\n").stdout.strip() == "[1]"


def test_without_frr_no_line_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frr_check.shutil, "which", lambda *_, **__: None)
    assert refused_lines("netwrk\n") == []


def test_a_vtysh_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "vtysh"
    program.write_text("#!/bin/sh\nexec sleep 20\n")
    program.chmod(0o755)
    monkeypatch.setattr(frr_check.shutil, "which", lambda *_, **__: str(program))
    monkeypatch.setattr(frr_check, "TIMEOUT_S", 0.2)
    assert refused_lines("netwrk\n") == []
