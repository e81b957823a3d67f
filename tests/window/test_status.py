"""The status bar's message: of what has just happened, and of what goes on."""

from __future__ import annotations

from typing import Any

import pytest

from miniedit_frr.panels import status
from tests.waiting import pause

pytestmark = pytest.mark.gui


def test_a_message_goes_by_itself_unless_something_goes_on(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "_LASTS_MS", 200)
    bar = user.editor.status

    def said() -> str:
        return str(bar._message.cget("text"))

    bar.tell("Opened it.")
    assert said() == "Opened it."
    user.wait(lambda: said() == "")
    bar.progress(0.3)
    bar.tell("Sending the flows …")
    pause(0.8, user.editor.window.update)
    assert said() == "Sending the flows …"
    bar.progress(None)
    user.wait(lambda: said() == "")
