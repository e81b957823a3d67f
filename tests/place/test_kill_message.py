"""The line on a lab's console that says which signal has killed the lab."""

from __future__ import annotations

import pytest

from frrlib.place.supervisor.messages import KILLED_BY, REASON, reason_of_end, split_at_kill

_FUTEX = "The futex facility returned an unexpected error code.\n"


@pytest.mark.parametrize(
    ("console", "before", "signal_name"),
    [
        (f"booted\n{KILLED_BY}SIGKILL\n", "booted\n", "SIGKILL"),
        # Threads of a killed lab kernel print after the supervisor.
        (f"booted\n{KILLED_BY}SIGKILL\n{_FUTEX}{_FUTEX}", "booted\n", "SIGKILL"),
        (f"{KILLED_BY}SIGUSR1", "", "SIGUSR1"),
        ("booted\n", "booted\n", ""),
        # A program in the lab may print anything.
        (f"{KILLED_BY}\x1b[2J\n", f"{KILLED_BY}\x1b[2J\n", ""),
    ],
)
def test_the_signal_is_read_from_its_line(console: str, before: str, signal_name: str) -> None:
    assert split_at_kill(console) == (before, signal_name)


def test_the_first_reason_of_an_end_is_read_from_its_line() -> None:
    console = f"booted\n{REASON}it used 5,000 MiB\n{KILLED_BY}SIGKILL\n{REASON}another\n"
    assert reason_of_end(console) == "it used 5,000 MiB"
    assert reason_of_end(f"booted\nprinted {REASON}\n{KILLED_BY}SIGKILL\n") == ""
