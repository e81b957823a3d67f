"""An error inside a lab is the same error outside, with all that it carries."""

from __future__ import annotations

import pytest

from frrlib import wire
from frrlib.agent.agent import failure
from frrlib.errors import CommandFailed, LabError, LabFailed, PlaceError
from frrlib.lab.replies import PendingReplies


def _outside(error: BaseException) -> LabError:
    """What a caller outside gets of an error inside, over the wire."""
    answers = PendingReplies()
    number, answer = answers.expect()
    message = wire.decode_message(wire.encode(failure(number, error)))
    assert isinstance(message, wire.Failed)
    answers.take(message)
    with pytest.raises(LabError) as caught:
        answer.result(timeout=0)
    return caught.value


def test_missing_things_keep_their_remedy() -> None:
    told = _outside(PlaceError("tcpdump is not installed", "sudo apt-get install tcpdump"))
    assert isinstance(told, PlaceError)
    assert (told.missing, told.remedy) == ("tcpdump is not installed", "sudo apt-get install tcpdump")
    assert str(told) == "tcpdump is not installed. Remedy: sudo apt-get install tcpdump"


def test_a_command_keeps_its_words_and_a_failure_its_message() -> None:
    command = _outside(CommandFailed(["ip", "link"], 2, "no such device"))
    assert isinstance(command, CommandFailed)
    assert (command.argv, command.status, command.stderr) == (("ip", "link"), 2, "no such device")
    assert str(_outside(LabFailed("r1 has died"))) == "r1 has died"
