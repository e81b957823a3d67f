"""Users in the tests of the window: somebody at an editor, with a drawing, with a lab, on a screen of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from miniedit_frr.document.document import Document
from tests.desktop import Desktop, desktop
from tests.window.hands_on_window import User, editor_on

if TYPE_CHECKING:
    from tests.window.hands_on_labs import Runner


@pytest.fixture(scope="session")
def hands() -> Iterator[Desktop]:
    """Hands on a private screen. It stays to the end: a toolkit that loses its screen ends the process."""
    with desktop() as screen:
        yield screen


@pytest.fixture
def user(display: str, tmp_path: Path) -> Iterator[User]:
    """Somebody at an editor with an empty drawing."""
    with editor_on(Document(), tmp_path) as editor:
        yield User(editor)


@pytest.fixture
def lab(user: User, request: pytest.FixtureRequest) -> User:
    """Somebody at an editor with a drawing in it: the one that the test's module calls LAB."""
    user.document.apply("Draw", request.module.LAB)
    user.editor.window.update()
    return user


@pytest.fixture(scope="module")
def _one_runner(
    display: str, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Runner]:
    """Somebody at a window with the drawing that the module calls LAB."""
    from tests.window.hands_on_labs import Runner, at_a_window

    document, folder = Document(request.module.LAB), tmp_path_factory.mktemp("window")
    with pytest.MonkeyPatch.context() as patches, at_a_window(Runner, document, folder, patches) as somebody:
        yield somebody


@pytest.fixture
def shared_runner(_one_runner: Runner) -> Runner:
    """Somebody at a window whose lab runs: the drawing that the module calls LAB, one lab for all tests of the module.

    A test mends its changes; a lab in which something is not up is started anew for the next.
    """
    _one_runner.begin_again()
    return _one_runner


@pytest.fixture
def runner(display: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runner]:
    """Somebody at a window with the two-AS example, whose lab ends with the test."""
    from tests.window.hands_on_labs import Runner, at_a_window, two_as

    with at_a_window(Runner, two_as(), tmp_path, monkeypatch) as somebody:
        yield somebody
