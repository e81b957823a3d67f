"""An error in a lab reaches the caller with its kind and all its attributes."""

from __future__ import annotations

import pytest

from frrlib import wire
from frrlib.agent.agent import failure
from frrlib.errors import CommandFailed, LabError, LabFailed, PlaceError
from frrlib.lab.replies import PendingReplies


def _outside(error: BaseException) -> LabError:
    """The error that a caller gets over the wire for an error in the lab."""
    answers = PendingReplies()
    number, answer = answers.expect()
    message = wire.decode_message(wire.encode(failure(number, error)))
    assert isinstance(message, wire.Failed)
    answers.take(message)
    with pytest.raises(LabError) as caught:
        answer.result(timeout=0)
    return caught.value


def test_missing_things_keep_their_remedy() -> None:
    received = _outside(PlaceError("tcpdump is not installed", "sudo apt-get install tcpdump"))
    assert isinstance(received, PlaceError)
    assert (received.missing, received.remedy) == ("tcpdump is not installed", "sudo apt-get install tcpdump")
    assert str(received) == "tcpdump is not installed. Remedy: sudo apt-get install tcpdump"


def test_a_command_keeps_its_words_and_a_failure_its_message() -> None:
    command = _outside(CommandFailed(["ip", "link"], 2, "no such device"))
    assert isinstance(command, CommandFailed)
    assert (command.argv, command.status, command.stderr) == (("ip", "link"), 2, "no such device")
    assert str(_outside(LabFailed("r1 has died"))) == "r1 has died"
