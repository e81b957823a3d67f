"""Fixtures for tests of the window: users with an empty topology, a topology, a lab, or a private screen."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from miniedit_frr.document.document import Document
from tests import keyboard
from tests.desktop import Desktop, desktop
from tests.window.hands_on_window import SPARE, SpareEditor, User

if TYPE_CHECKING:
    from tests.window.hands_on_labs import Runner


@pytest.fixture(scope="session")
def hands() -> Iterator[Desktop]:
    """A private screen with a pointer and a keyboard. It stays to the end: without its screen, Tk ends the process."""
    with desktop() as screen:
        yield screen


@pytest.fixture(scope="session", autouse=True)
def _pictures_of_styles() -> Iterator[None]:
    """Render each picture of ttkbootstrap's styles once in this process instead of once for each window.

    The pictures depend on the arguments only, and each window copies them.
    """
    from ttkbootstrap.style.elements import RecolorRenderer
    from ttkbootstrap.style.icons import IconRenderer

    with pytest.MonkeyPatch.context() as patched:
        for renderer in (RecolorRenderer, IconRenderer):
            patched.setattr(renderer, "render", lru_cache(maxsize=512)(renderer.render))
        yield


@pytest.fixture(scope="session")
def _spare(display: str) -> Iterator[SpareEditor]:
    yield SPARE
    SPARE.close()  # before its screen ends


@pytest.fixture
def user(_spare: SpareEditor) -> Iterator[User]:
    """A user of an editor with an empty topology; former tests may have used it, but have left nothing in it."""
    with _spare.lend() as editor:
        keyboard.give(editor.view)
        yield User(editor)


@pytest.fixture
def lab(user: User, request: pytest.FixtureRequest) -> User:
    """A user of an editor with the topology LAB of the test's module."""
    user.document.apply("Draw", request.module.LAB)
    user.editor.window.update()
    return user


@pytest.fixture(scope="module")
def _one_runner(
    display: str, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Runner]:
    """A user of a window with the topology LAB of the module."""
    from tests.window.hands_on_labs import Runner, at_a_window

    document, folder = Document(request.module.LAB), tmp_path_factory.mktemp("window")
    with pytest.MonkeyPatch.context() as patches, at_a_window(Runner, document, folder, patches) as runner:
        yield runner


@pytest.fixture
def shared_runner(_one_runner: Runner) -> Runner:
    """A user of a window with a running lab of the module's topology LAB, one lab for all tests of the module.

    A test undoes its changes. A lab in which something is not up is restarted for the next test.
    """
    _one_runner.begin_again()
    return _one_runner


@pytest.fixture
def runner(display: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runner]:
    """A user of a window with the two-AS example. The lab ends with the test."""
    from tests.window.hands_on_labs import Runner, at_a_window, two_as

    with at_a_window(Runner, two_as(), tmp_path, monkeypatch) as runner:
        yield runner
