"""Shared parts of tests in all rooms: an ordinary user, an X server, virtual time, a stand-in's log, and skips."""

from __future__ import annotations

import gc
import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from frrlib.errors import PlaceError
from frrlib.lab.virtual_clock import refuse_virtual
from frrlib.place.labkernel import KERNEL_VARIABLE
from tests import screens
from tests.example_counts import examples
from tests.kept_cache import KeptCache

ROOT = Path(__file__).resolve().parents[1]

# A busy machine is no defect: examples have no deadline. A gate says the same of the same text twice, so its examples
# are the same every time; HYPOTHESIS_PROFILE=search tries others, and more of them.
settings.register_profile("suite", deadline=None, print_blob=True, derandomize=True, max_examples=examples(100))
settings.register_profile("search", settings.get_profile("suite"), derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


def pytest_configure() -> None:
    """Hear Ctrl-C, and so whatever tests start, though the caller may be a script's background job."""
    KeptCache()  # before workers start
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    gc.disable()


def pytest_unconfigure() -> None:
    """Delete what the workers have kept for each other."""
    KeptCache().remove()


def pytest_collection_finish() -> None:
    """Exempt everything that exists after the collection from garbage collection.

    The tests themselves and all modules stay to the end. To look through them after each test with a window takes a
    quarter of a second, which was a sixth of the whole suite's processor time.
    """
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests that this user on this machine cannot run, and put files with labs first.

    Tests run side by side file by file. If files with a few long tests came last, some workers would wait for them.
    """
    with_labs = {item.path for item in items if item.get_closest_marker("lab")}
    items.sort(key=lambda item: item.path not in with_labs)
    reasons = {}
    if os.geteuid() != 0:
        reasons["root"] = "needs root"
    if lacks := screens.missing():
        reasons["gui"] = f"needs a screen, and there is no {lacks}"
    for item in items:
        for marker, reason in reasons.items():
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Collect what a test with a window leaves, in the thread of that window.

    A variable or an image of Tk that some thread of a later test collects waits a second for a window that is gone, and
    there are hundreds of them.
    """
    result = yield
    if item.get_closest_marker("gui"):
        gc.collect()
    return result


# --- an ordinary user ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OrdinaryUser:
    """A user without any rights, and a way to run commands as one.

    Attributes:
        uid, gid: its numbers; never 0.
        home: an empty folder of its own with a short path, removed afterwards.
        python: an interpreter that it can start and that has the project on its path.
        kernel: the lab kernel that it uses; None for Debian's.
        cache: the folder of its caches, if it is not that in its home.
    """

    uid: int
    gid: int
    home: Path
    python: str = sys.executable
    kernel: Path | None = None
    cache: Path | None = None

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """The environment that a login would set, nothing of the caller's."""
        return {
            "HOME": str(self.home),
            "TMPDIR": str(self.home / "tmp"),
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            **({KERNEL_VARIABLE: str(self.kernel)} if self.kernel else {}),
            **({"XDG_CACHE_HOME": str(self.cache)} if self.cache else {}),
            **(extra or {}),
        }

    def as_daemon(self) -> OrdinaryUser:
        """The same user with the ID of the account `daemon` instead of `nobody`, which most tests beside this one have.

        They do not touch its limits then, and in a user namespace it differs from root, who is nobody there. A caller
        who is not root cannot have another ID.
        """
        if os.geteuid() != 0:
            return self
        uid = pwd.getpwnam("daemon").pw_uid
        for path in (self.home, *self.home.rglob("*")):
            os.chown(path, uid, self.gid, follow_symlinks=False)
        return replace(self, uid=uid)

    def _options(self, env: Mapping[str, str] | None) -> dict[str, Any]:
        options: dict[str, Any] = {"env": self.environment(env), "cwd": self.home}
        if os.geteuid() == 0:
            options |= {"user": self.uid, "group": self.gid, "extra_groups": []}
        return options

    def run(
        self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, timeout: float = 60, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in its home and return its output; the exit status is the caller's to judge."""
        options = {"capture_output": True, "text": True, "check": False, **self._options(env), **options}
        return subprocess.run(argv, timeout=timeout, **options)

    def who_starts(self, place: str) -> OrdinaryUser:
        """The user who starts labs in a place: root in the place of that name, with the same folder; else this user."""
        return replace(self, uid=0, gid=0, cache=self.home / ".root") if place == "root" else self

    def popen(
        self, argv: Sequence[str], *, env: Mapping[str, str] | None = None, **options: Any
    ) -> subprocess.Popen[Any]:
        """Start a command in its home; the caller ends it."""
        return subprocess.Popen(argv, **{**self._options(env), **options})


#: Above all groups that a machine has.
_FIRST_GROUP = 1_000_000


def _numbers() -> tuple[int, int]:
    if os.geteuid() != 0:
        return os.getuid(), os.getgid()
    # A user that has an entry: programs such as ssh refuse to run for a number that has none. The group has none: it
    # tells the files of this process's programs apart from those of the tests that run beside it.
    return pwd.getpwnam("nobody").pw_uid, _FIRST_GROUP + os.getpid()


def _force(function: Callable[[str], object], path: str, _: object) -> None:
    # overlays and tests of rights leave folders that even their owner may not enter
    for blocked in (os.path.dirname(path), path):
        if os.path.lexists(blocked) and not os.path.islink(blocked):
            os.chmod(blocked, stat.S_IRWXU)
    shutil.rmtree(path) if os.path.isdir(path) else function(path)


_readers: dict[int, bool] = {}


def _can_read_checkout(user: OrdinaryUser) -> bool:
    if user.uid not in _readers:
        try:
            _readers[user.uid] = user.run([user.python, "-c", "import frrlib.errors"]).returncode == 0
        except PermissionError:
            _readers[user.uid] = False
    return _readers[user.uid]


@pytest.fixture(scope="session")
def _kept_cache() -> KeptCache:
    return KeptCache()


@pytest.fixture
def ordinary_user(_kept_cache: KeptCache) -> Iterator[OrdinaryUser]:
    """The caller, or for root a user that is nobody; skips where that user cannot read the checkout."""
    uid, gid = _numbers()
    home = Path(tempfile.mkdtemp(prefix="frr-user-", dir="/tmp"))
    try:
        (home / "tmp").mkdir()
        for folder in (home, home / "tmp"):
            os.chown(folder, uid, gid)
        _kept_cache.give(home, uid, gid)
        user = OrdinaryUser(uid, gid, home, kernel=_kept_cache.kernel())
        if not _can_read_checkout(user):
            pytest.skip("the checkout or its Python cannot be read by an ordinary user")
        yield user
        _kept_cache.keep(home)
    finally:
        shutil.rmtree(home, onerror=_force)


# --- an X server --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    """The name of an X display that only this process uses; the environment names it."""
    with screens.screen(1280, 900) as name, pytest.MonkeyPatch.context() as patched:
        patched.setenv("DISPLAY", name)
        yield name


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Close the editor of other tests before a test that opens a window of its own."""
    has_own_window = item.get_closest_marker("gui") and "user" not in getattr(item, "fixturenames", ())
    if has_own_window and (windows := sys.modules.get("tests.window.hands_on_window")):
        windows.SPARE.close()


@pytest.fixture(autouse=True)
def _display_for_gui(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("gui"):
        request.getfixturevalue("display")


# --- labs ---------------------------------------------------------------------------------------------------------


def _no_virtual_time() -> str:
    """The thing that this machine lacks for labs in virtual time; empty if it has all."""
    try:
        refuse_virtual()
    except PlaceError as error:
        return f"no virtual time here: {error.missing}; {error.remedy} (in a checkout: ./run kernel build)"
    return ""


@pytest.fixture(scope="session")
def virtual_time() -> None:
    """A lab kernel that has virtual time; skips where this machine has none."""
    if lacks := _no_virtual_time():
        pytest.skip(lacks)


@pytest.fixture(scope="session")
def is_virtual() -> bool:
    """Whether a test that can do with both is to use virtual time, in which its numbers are exact: where there is a lab
    kernel for that."""
    return not _no_virtual_time()


@pytest.fixture
def standin_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty file in which `tests.sweep.standin` enters each run that it stands in for."""
    path = tmp_path / "started.log"
    path.touch()
    monkeypatch.setenv("STANDIN_LOG", str(path))
    return path


# --- material -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def corpus() -> Path:
    """A folder of drawings that people made with MiniEdit; it is not part of the project."""
    folder = Path(os.environ.get("MINIEDIT_FRR_CORPUS", ROOT.parent / "shared" / "data" / "mn"))
    if not folder.is_dir():
        pytest.skip("the corpus of drawings is not here; MINIEDIT_FRR_CORPUS may name it")
    return folder
