"""The plugin by which pytest runs topotest directories; `frrlib.topotest.runner` starts pytest with it.

Loading it replaces the package `lib` for imports, so it needs a separate process.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from frrlib.place.confinement import syscalls
from frrlib.system import removal
from frrlib.topotest.gears import Topogen, get_topogen, set_topogen
from frrlib.topotest.import_hook import install_importer
from frrlib.topotest.runner import PLACE
from frrlib.topotest.state import STATE

#: The process that has started pytest.
_PARENT = os.getppid()
#: The markers of the tests: the tested daemons.
MARKS = (
    *("babeld", "bfdd", "bgpd", "eigrpd", "isisd", "ldpd", "nhrpd", "ospf6d", "ospfd", "pathd", "pbrd", "pimd"),
    *("ripd", "ripngd", "sharpd", "staticd", "vrrpd", "snmp"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options for the place of labs and for their files."""
    group = parser.getgroup("topotests", "FRR's topotests in labs")
    group.addoption("--topotest-place", default="auto", help="where labs run (default: auto)")
    group.addoption("--topotest-folder", required=True, help="where logs go")


def pytest_configure(config: pytest.Config) -> None:
    """Install our package `lib`, and register the tests' markers."""
    for mark in MARKS:
        config.addinivalue_line("markers", f"{mark}: about this daemon")
    STATE.place = config.getoption("--topotest-place")
    STATE.run_folder = Path(config.getoption("--topotest-folder"))
    # Our parent may have set Ctrl-C to be ignored, as shells do for background jobs.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGTERM)  # nor do labs outlive our parent
    install_importer()


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Set the folder of a module before its import, since modules may use it then."""
    if isinstance(collector, pytest.Module):
        _enter(collector.path)


def _enter(path: Path) -> None:
    STATE.test_folder = path.resolve().parent
    os.environ["PYTEST_TOPOTEST_SCRIPTDIR"] = str(STATE.test_folder)


@pytest.fixture(scope="module", autouse=True)
def _module(request: pytest.FixtureRequest) -> Iterator[None]:
    """Each module starts in its folder without a network, and its network is ended after it."""
    _enter(request.path)
    os.chdir(STATE.test_folder)
    set_topogen(None)
    yield
    set_topogen(None)


@pytest.fixture
def tgen() -> Topogen | None:
    """The network of the module."""
    return get_topogen()


@pytest.fixture
def topo() -> dict[str, Any]:
    """The network's JSON, if it was made from JSON."""
    current = get_topogen()
    return current.json_topo if current else {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, pytest.TestReport, Any]:
    """After a failure record an error of the network: the following tests check for errors and skip."""
    report = yield
    current = get_topogen()
    if report.failed and current is not None:
        current.set_error(f"{item.nodeid} failed")
        report.sections.append(("lab: files", str(current.folder)))
    return report


@pytest.fixture(scope="session", autouse=True)
def _places(record_testsuite_property: Callable[[str, object], None]) -> Iterator[None]:
    """Add the places of the labs to the report."""
    yield
    for name in STATE.places:
        record_testsuite_property(PLACE, name)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """End everything that still runs."""
    set_topogen(None)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    """Remove the logs if our parent was killed, which removes them otherwise."""
    if os.getppid() != _PARENT:
        removal.remove(STATE.run_folder)
