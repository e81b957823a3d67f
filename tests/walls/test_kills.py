"""A few untrusted labs that are killed at random moments. `benchmarks/kills.py` kills two hundred."""

from __future__ import annotations

from typing import Any

import pytest

from tests.walls import canary, kills

KILLS = 8


@pytest.mark.lab
@pytest.mark.timeout(900)
@pytest.mark.slow
def test_nothing_is_left_of_killed_labs(ordinary_user: Any) -> None:
    place = kills.Range(ordinary_user)
    try:
        labs = [kills.run_and_kill(kill, place) for kill in kills.plan(KILLS, seed=7)]
    finally:
        place.close()
    assert {str(lab.kill): lab.wrong for lab in labs if lab.wrong} == {}
    assert len({lab.struck for lab in labs}) > 2, "hardly anything was killed"
    assert canary.checksum(canary.state_of(place.shown, set(place.before))) == canary.checksum(place.before)


def test_a_canary_detects_every_change(ordinary_user: Any) -> None:
    """The user changes files outside, in every way, and each change is detected."""
    place = kills.Range(ordinary_user)
    try:
        assert place.changed() == []
        for number, line in enumerate(_LINES):
            state_before = canary.state_of(place.shown, set(place.before))
            done = ordinary_user.run(["sh", "-c", f"cd {place.shown}/plain && {line}"])
            assert done.returncode == 0, done.stderr
            state_after = canary.state_of(place.shown, set(place.before))
            assert canary.checksum(state_after) != canary.checksum(state_before), (number, line)
        place.bystander.kill()
        place.bystander.wait()
        assert "a program outside was ended" in place.changed()
    finally:
        place.close()


_LINES = (
    "echo x >> 644", "chmod 640 644", "chmod 640 644 && chmod 644 644", "touch -d @1 644", "ln 644 more", "rm more",
    "mkfifo another", "ln -sf elsewhere link", "mv 666 667", "truncate -s 0 sparse", "chmod 755 ../closed",
    "python3 -c 'import os; os.setxattr(\"644\", \"user.kept\", b\"other\")'",
)  # fmt: skip


def test_dangerous_entries_are_found(ordinary_user: Any) -> None:
    out = ordinary_user.home / "out"
    out.mkdir()
    code = """
cd out; cp /bin/true suid; chmod 4755 suid; ln -s /etc/passwd out; ln -s suid within; mkfifo pipe; mkdir closed
mkdir -p open; echo x > open/unreadable; chmod 000 closed open/unreadable
"""
    out.chmod(0o777)
    assert ordinary_user.run(["sh", "-c", code]).returncode == 0
    paths = {line.partition(":")[0] for line in canary.armed(out, ordinary_user.uid)}
    assert paths == {"/suid", "/out", "/pipe", "/closed", "/open/unreadable"}
