"""Labs for pytest: the fixture `lab`, one running lab for all tests of a module that want the same drawing.

    pytestmark = pytest.mark.topology("two-as.mn")

    def test_session(lab):
        expect(lambda: lab["r1"].vtysh("show bgp summary", json=True), {...})

What a failed test needs to be understood, configurations and logs of the routers, stands in its report. A daemon that
crashed fails the module's last test at its end; a process that was left running is a warning.
`docs/testing-with-frrlib.md` shows all of it. Loading this costs pytest next to nothing: no lab, no import of one.
"""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

import pytest

from frrlib.places import PlaceName

if TYPE_CHECKING:
    from frrlib.lab.lab import Lab
    from frrlib.lab.leftovers import LeftoverMonitor
    from frrlib.model.topology import Topology
    from frrlib.testing.report import LabHistory

#: How long a test with a lab may take, and the lab's start with it, where pytest-timeout is installed.
TIMEOUT_S = 300.0

_MARK = (
    "topology(drawing, *, wait=True): the lab that the fixture `lab` is: a file, a Topology or a function that gives"
)
_MARK += " one (that by name, drawing=...); `wait` until the drawing has converged before the first test."


class LeftRunning(UserWarning):
    """A test left a process running in a lab."""


@dataclass(frozen=True, eq=False)
class LabRequirements:
    """A module's requirements for its lab.

    Attributes:
        drawing: a file's name, a Topology, a Network, or a function that gives one of the latter.
        folders: where a file is looked for, in this order.
        wait: whether to wait until the network has converged.
    """

    drawing: Any
    folders: tuple[Path, ...]
    wait: bool


@dataclass(frozen=True)
class _Running:
    """A lab, who watches it, what happened in it, and the folder that is its own."""

    lab: Lab
    watch: LeftoverMonitor
    story: LabHistory
    folder: Path


#: By module, drawing and `wait`: what makes a lab, so that equal ones are one.
_WANTED = pytest.StashKey[dict[tuple[Any, ...], LabRequirements]]()
#: The labs that run now.
_RUNNING = pytest.StashKey[dict[Any, "_Running"]]()
#: What reports tell of labs that did not become as they were wanted, and were ended.
_STILLBORN = pytest.StashKey[dict[Any, list[tuple[str, str]]]]()
#: When a test began, on the monotonic clock.
_BEGAN = pytest.StashKey[float]()
#: The last test of each lab.
_LAST = pytest.StashKey[dict[Any, pytest.Item]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options for the place of labs and their longest time."""
    group = parser.getgroup("labs", "labs of hosts, switches and FRR routers")
    group.addoption("--lab-place", choices=[*PlaceName], default="auto", help="where labs run (default: auto)")
    text = f"limit for each test with a lab, its start included; needs pytest-timeout (default: {TIMEOUT_S:g})"
    group.addoption("--lab-timeout", type=float, default=None, metavar="SECONDS", help=text)


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, and one warning not: a program in a terminal of a lab is started at once, which needs no
    lock that a thread of this process may have."""
    config.addinivalue_line("markers", _MARK)
    config.addinivalue_line("filterwarnings", r"ignore:.*multi-threaded, use of forkpty\(\):DeprecationWarning")
    config.stash[_WANTED], config.stash[_RUNNING], config.stash[_LAST], config.stash[_STILLBORN] = {}, {}, {}, {}
    if config.getoption("--lab-timeout") is not None and not config.pluginmanager.hasplugin("timeout"):
        raise pytest.UsageError("--lab-timeout needs pytest-timeout: pip install pytest-timeout")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Hand the marker's drawing to the fixture: the same one to all tests of a module, so that they share a lab."""
    mark = metafunc.definition.get_closest_marker("topology")
    if mark is None or "lab" not in metafunc.fixturenames:
        return
    given = [*mark.args, *(value for name, value in mark.kwargs.items() if name == "drawing")]
    if len(given) != 1 or mark.kwargs.keys() - {"drawing", "wait"}:
        raise pytest.UsageError(
            f"{metafunc.definition.nodeid}: pytest.mark.topology has one argument, a topology, and wait="
        )
    (drawing,), path = given, metafunc.definition.path
    wait = bool(mark.kwargs.get("wait", True))
    key = (path, str(drawing) if isinstance(drawing, str | Path) else id(drawing), wait)
    wanted = LabRequirements(drawing, (path.parent, metafunc.config.rootpath), wait)
    wanted = metafunc.config.stash[_WANTED].setdefault(key, wanted)
    # A module with one drawing, which is nearly every one, needs no suffix that tells its tests apart.
    hidden = getattr(pytest, "HIDDEN_PARAM", None)
    name = Path(drawing).stem if isinstance(drawing, str | Path) else getattr(drawing, "__name__", "topology")
    metafunc.parametrize("lab", [wanted], indirect=True, scope="module", ids=[hidden or name])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A limit for every test with a lab that has none of its own."""
    if not config.pluginmanager.hasplugin("timeout"):
        return
    given = config.getoption("--lab-timeout")
    if given is None and (config.getoption("timeout", None) is not None or config.getini("timeout")):
        return
    for item in items:
        with_lab = item.get_closest_marker("topology") and "lab" in getattr(item, "fixturenames", ())
        if with_lab and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(given or TIMEOUT_S))


# --- the fixture ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """The running lab of `@pytest.mark.topology(...)`, for all tests of the module."""
    wanted = getattr(request, "param", None)
    if not isinstance(wanted, LabRequirements):
        pytest.fail("the fixture `lab` needs a topology: pytestmark = pytest.mark.topology('my.mn')", pytrace=False)
    from frrlib.errors import LabError
    from frrlib.lab.lab import Lab
    from frrlib.lab.leftovers import LeftoverMonitor
    from frrlib.testing.report import LabHistory, combine_listeners

    watch, story = LeftoverMonitor(), LabHistory()
    folder = tmp_path_factory.mktemp(f"lab-{request.path.stem}")
    try:
        place = request.config.getoption("--lab-place")
        running = Lab(
            _drawn(wanted), place=place, writable=folder, listener=combine_listeners([watch.record, story.record])
        )
        running.start()
    except LabError as error:
        raise _failure(error) from None
    labs = request.config.stash[_RUNNING]
    try:
        labs[wanted] = _Running(running, watch, story, folder)
        try:
            watch.begin(running)
            if wanted.wait:
                running.wait_converged()
        except LabError as error:
            from frrlib.testing.report import sections

            request.config.stash[_STILLBORN][wanted] = sections(running, story, folder / "failed", None)
            raise _failure(error) from None
        yield running
    finally:
        labs.pop(wanted, None)
        running.stop()


def _failure(error: Exception) -> BaseException:
    """The failure of a test, with what an error says and no traceback: it is the drawing's or the machine's."""
    return pytest.fail.Exception(str(error), pytrace=False)


def _drawn(wanted: LabRequirements) -> Topology:
    """The topology that is wanted. Raises TopologyError."""
    from frrlib.errors import TopologyError
    from frrlib.formats import mn
    from frrlib.network.network import Network

    drawing = wanted.drawing
    if isinstance(drawing, str | Path):
        paths = [folder / drawing for folder in wanted.folders]
        found = next((path for path in paths if path.exists()), None)
        if found is None:
            raise TopologyError(
                "the file does not exist", node=str(drawing), right=f"one of {', '.join(map(str, paths))}"
            )
        return mn.load(found).topology
    made = drawing() if callable(drawing) else drawing
    topology: Topology = made.topology if isinstance(made, Network) else made
    return topology


# --- at the end of a lab --------------------------------------------------------------------------------------------


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note the last test of each lab, now that the order is known."""
    session.config.stash[_LAST] = {_wanted(item): item for item in session.items if _wanted(item) is not None}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, None, None]:
    """After the last test of a lab, look for its remains.

    The fixture's own end is no good moment: with several drawings in a module it comes with the next one's start, and
    what it said would be held against a test that has nothing to do with it.
    """
    worse: list[str] = []
    wanted = _wanted(item)
    if wanted in item.config.stash[_RUNNING] and (nextitem is None or item.config.stash[_LAST].get(wanted) is item):
        worse = _left(item.config.stash[_RUNNING][wanted])
    yield
    if worse:
        pytest.fail("\n".join(["the lab did not end well:", *worse]), pytrace=False)


def _left(running: _Running) -> list[str]:
    """The errors of a lab; processes merely left running become a warning."""
    from frrlib.errors import LabError

    try:
        remains = running.watch.find_leftovers(running.lab)
    except LabError as error:
        return [str(error)]
    for each in remains:
        if each.kind == "process":
            warn(f"left running in the lab: {each.node}: {each.text}", LeftRunning, stacklevel=1)
    return [str(each) for each in remains if each.kind != "process"]


def _wanted(item: pytest.Item) -> Any:
    """A test's requirements for its lab; None if it has none."""
    wanted = getattr(getattr(item, "callspec", None), "params", {}).get("lab")
    return wanted if isinstance(wanted, LabRequirements) else None


# --- what a report of a failure shows -------------------------------------------------------------------------------


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """Let what fixtures ask of a lab fail where they ask."""
    return (yield from _shortening(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Remember when a test begins, and let what it asks of its lab fail where it asks."""
    item.stash[_BEGAN] = time.monotonic()
    return (yield from _shortening(item))


def _shortening(item: pytest.Item) -> Generator[None, None, None]:
    try:
        return (yield)
    except Exception as error:
        if _wanted(item) is not None:
            from frrlib.errors import LabError
            from frrlib.testing.report import shorten

            if isinstance(error, LabError):
                shorten(error, item.config.rootpath)
        raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach what happened in the lab, configurations and logs to the report of a failure."""
    report = yield
    if report.failed:  # the first test tells it, of all those whose lab did not come to be
        report.sections += item.config.stash[_STILLBORN].pop(_wanted(item), [])
    found = item.config.stash[_RUNNING].get(_wanted(item))
    if report.when in ("setup", "call") and report.failed and found is not None:
        from frrlib.testing.report import sections

        began_s = item.stash.get(_BEGAN, None)
        report.sections += sections(found.lab, found.story, found.folder / "failed" / _plain(item.name), began_s)
    return report


def _plain(name: str) -> str:
    """A test's name as that of a folder."""
    return re.sub(r"[^\w.-]+", "_", name)
