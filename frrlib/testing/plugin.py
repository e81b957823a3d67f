"""Labs for pytest: the fixture `lab`, one running lab for all tests of a module with the same topology.

    pytestmark = pytest.mark.topology("two-as.mn")

    def test_session(lab):
        expect(lambda: lab["r1"].vtysh("show bgp summary", json=True), {...})

The report of a failed test contains the configurations and logs of the routers. A crashed daemon fails the module's
last test at its end; a process that was left running is a warning. `docs/testing-with-frrlib.md` describes all of it.
Loading this plugin is cheap: it does not import the lab.
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

#: Time limit for a test with a lab, including the lab's start, if pytest-timeout is installed.
TIMEOUT_S = 300.0

_MARK = (
    "topology(drawing, *, wait=True): the lab that the fixture `lab` is: a file, a Topology or a function that gives"
)
_MARK += " one (that by name, drawing=...); `wait` until the drawing has converged before the first test."


class LeftoverWarning(UserWarning):
    """A test left a process running in a lab."""


@dataclass(frozen=True, eq=False)
class LabRequirements:
    """A module's requirements for its lab.

    Attributes:
        drawing: a file's name, a Topology, a Network, or a function that returns one of the latter two.
        folders: the folders to search for the file, in this order.
        wait: whether to wait until the network has converged.
    """

    drawing: Any
    folders: tuple[Path, ...]
    wait: bool


@dataclass(frozen=True)
class _RunningLab:
    """A lab, the monitor of its leftovers, its history, and its folder."""

    lab: Lab
    monitor: LeftoverMonitor
    history: LabHistory
    folder: Path


#: Requirements by module, topology and `wait`, so that equal ones share a lab.
_REQUIREMENTS = pytest.StashKey[dict[tuple[Any, ...], LabRequirements]]()
#: The running labs.
_RUNNING = pytest.StashKey[dict[Any, "_RunningLab"]]()
#: Sections of reports about labs whose start has failed.
_FAILED_STARTS = pytest.StashKey[dict[Any, list[tuple[str, str]]]]()
#: Start time of a test, on the monotonic clock.
_BEGAN = pytest.StashKey[float]()
#: The last test of each lab.
_LAST = pytest.StashKey[dict[Any, pytest.Item]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options for the place of labs and their time limit."""
    group = parser.getgroup("labs", "labs of hosts, switches and FRR routers")
    group.addoption("--lab-place", choices=[*PlaceName], default="auto", help="where labs run (default: auto)")
    text = f"limit for each test with a lab, its start included; needs pytest-timeout (default: {TIMEOUT_S:g})"
    group.addoption("--lab-timeout", type=float, default=None, metavar="SECONDS", help=text)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and ignore one warning: a fork with threads is safe here, since the child at once executes
    the program of a lab's terminal and needs no lock of this process."""
    config.addinivalue_line("markers", _MARK)
    config.addinivalue_line("filterwarnings", r"ignore:.*multi-threaded, use of forkpty\(\):DeprecationWarning")
    config.stash[_REQUIREMENTS], config.stash[_RUNNING], config.stash[_LAST], config.stash[_FAILED_STARTS] = (
        {},
        {},
        {},
        {},
    )
    if config.getoption("--lab-timeout") is not None and not config.pluginmanager.hasplugin("timeout"):
        raise pytest.UsageError("--lab-timeout needs pytest-timeout: pip install pytest-timeout")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Pass the marker's topology to the fixture: the same one to all tests of a module, so that they share a lab."""
    mark = metafunc.definition.get_closest_marker("topology")
    if mark is None or "lab" not in metafunc.fixturenames:
        return
    topologies = [*mark.args, *(value for name, value in mark.kwargs.items() if name == "drawing")]
    if len(topologies) != 1 or mark.kwargs.keys() - {"drawing", "wait"}:
        raise pytest.UsageError(
            f"{metafunc.definition.nodeid}: pytest.mark.topology has one argument, a topology, and wait="
        )
    (drawing,), path = topologies, metafunc.definition.path
    wait = bool(mark.kwargs.get("wait", True))
    key = (path, str(drawing) if isinstance(drawing, str | Path) else id(drawing), wait)
    requirements = LabRequirements(drawing, (path.parent, metafunc.config.rootpath), wait)
    requirements = metafunc.config.stash[_REQUIREMENTS].setdefault(key, requirements)
    # A module with one topology, the usual case, needs no suffix in the names of its tests.
    hidden = getattr(pytest, "HIDDEN_PARAM", None)
    name = Path(drawing).stem if isinstance(drawing, str | Path) else getattr(drawing, "__name__", "topology")
    metafunc.parametrize("lab", [requirements], indirect=True, scope="module", ids=[hidden or name])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Set the time limit of every test with a lab and without its own limit."""
    if not config.pluginmanager.hasplugin("timeout"):
        return
    timeout_s = config.getoption("--lab-timeout")
    if timeout_s is None and (config.getoption("timeout", None) is not None or config.getini("timeout")):
        return
    for item in items:
        with_lab = item.get_closest_marker("topology") and "lab" in getattr(item, "fixturenames", ())
        if with_lab and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(timeout_s or TIMEOUT_S))


# --- the fixture ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """The running lab of `@pytest.mark.topology(...)`, for all tests of the module."""
    requirements = getattr(request, "param", None)
    if not isinstance(requirements, LabRequirements):
        pytest.fail("the fixture `lab` needs a topology: pytestmark = pytest.mark.topology('my.mn')", pytrace=False)
    from frrlib.errors import LabError
    from frrlib.lab.lab import Lab
    from frrlib.lab.leftovers import LeftoverMonitor
    from frrlib.testing.report import LabHistory, combine_listeners

    monitor, history = LeftoverMonitor(), LabHistory()
    folder = tmp_path_factory.mktemp(f"lab-{request.path.stem}")
    try:
        place = request.config.getoption("--lab-place")
        running = Lab(
            _topology_of(requirements),
            place=place,
            writable=folder,
            listener=combine_listeners([monitor.record, history.record]),
        )
        running.start()
    except LabError as error:
        raise _failure(error) from None
    labs = request.config.stash[_RUNNING]
    try:
        labs[requirements] = _RunningLab(running, monitor, history, folder)
        try:
            monitor.begin(running)
            if requirements.wait:
                running.wait_converged()
        except LabError as error:
            from frrlib.testing.report import sections

            request.config.stash[_FAILED_STARTS][requirements] = sections(running, history, folder / "failed", None)
            raise _failure(error) from None
        yield running
    finally:
        labs.pop(requirements, None)
        running.stop()


def _failure(error: Exception) -> BaseException:
    """The failure of a test with an error's message and no traceback: the topology or the machine is its cause."""
    return pytest.fail.Exception(str(error), pytrace=False)


def _topology_of(requirements: LabRequirements) -> Topology:
    """The required topology. Raises TopologyError."""
    from frrlib.errors import TopologyError
    from frrlib.exchange import opening
    from frrlib.network.network import Network

    drawing = requirements.drawing
    if isinstance(drawing, str | Path):
        paths = [folder / drawing for folder in requirements.folders]
        file = next((path for path in paths if path.exists()), None)
        if file is None:
            raise TopologyError(
                "the file does not exist", node=str(drawing), remedy=f"one of {', '.join(map(str, paths))}"
            )
        return opening.load(file).topology
    source = drawing() if callable(drawing) else drawing
    topology: Topology = source.topology if isinstance(source, Network) else source
    return topology


# --- at the end of a lab --------------------------------------------------------------------------------------------


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note the last test of each lab, now that the order is known."""
    session.config.stash[_LAST] = {
        _requirements_of(item): item for item in session.items if _requirements_of(item) is not None
    }


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, None, None]:
    """After the last test of a lab, look for its leftovers.

    The end of the fixture would be too late: with several topologies in a module it comes with the start of the next
    one, and an error would fail an unrelated test.
    """
    errors: list[str] = []
    requirements = _requirements_of(item)
    if requirements in item.config.stash[_RUNNING] and (
        nextitem is None or item.config.stash[_LAST].get(requirements) is item
    ):
        errors = _find_leftovers(item.config.stash[_RUNNING][requirements])
    yield
    if errors:
        pytest.fail("\n".join(["the lab did not end well:", *errors]), pytrace=False)


def _find_leftovers(running: _RunningLab) -> list[str]:
    """The errors of a lab; a process that was left running is only a warning."""
    from frrlib.errors import LabError

    try:
        leftovers = running.monitor.find_leftovers(running.lab)
    except LabError as error:
        return [str(error)]
    for leftover in leftovers:
        if leftover.kind == "process":
            warn(f"left running in the lab: {leftover.node}: {leftover.text}", LeftoverWarning, stacklevel=1)
    return [str(leftover) for leftover in leftovers if leftover.kind != "process"]


def _requirements_of(item: pytest.Item) -> Any:
    """A test's requirements for its lab; None if it has none."""
    requirements = getattr(getattr(item, "callspec", None), "params", {}).get("lab")
    return requirements if isinstance(requirements, LabRequirements) else None


# --- reports of failures --------------------------------------------------------------------------------------------


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """Let the traceback of a fixture's failed request end at the request."""
    return (yield from _with_short_traceback(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Record the start time of a test, and let the traceback of a failed request end at the request."""
    item.stash[_BEGAN] = time.monotonic()
    return (yield from _with_short_traceback(item))


def _with_short_traceback(item: pytest.Item) -> Generator[None, None, None]:
    try:
        return (yield)
    except Exception as error:
        if _requirements_of(item) is not None:
            from frrlib.errors import LabError
            from frrlib.testing.report import shorten

            if isinstance(error, LabError):
                shorten(error, item.config.rootpath)
        raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach the lab's events, configurations and logs to the report of a failure."""
    report = yield
    if report.failed:  # of all tests of a lab whose start has failed, the first one reports it
        report.sections += item.config.stash[_FAILED_STARTS].pop(_requirements_of(item), [])
    running = item.config.stash[_RUNNING].get(_requirements_of(item))
    if report.when in ("setup", "call") and report.failed and running is not None:
        from frrlib.testing.report import sections

        began_s = item.stash.get(_BEGAN, None)
        report.sections += sections(
            running.lab, running.history, running.folder / "failed" / _folder_name(item.name), began_s
        )
    return report


def _folder_name(name: str) -> str:
    """A test's name as the name of a folder."""
    return re.sub(r"[^\w.-]+", "_", name)
