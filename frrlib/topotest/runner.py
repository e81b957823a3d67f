"""Runs topotest directories, each in a separate process, and reports their results."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from frrlib.errors import PlaceError
from frrlib.system import removal

#: Time limit for a process to terminate, before it is killed.
END_S = 20.0
#: Name of the report's property for the places of labs.
PLACE = "place"
#: pytest's exit status if no test was selected.
NO_TESTS = 5
_CODE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class TopotestSettings:
    """Settings for running directories.

    Attributes:
        place: as for `Lab`.
        only: pytest's expression of names ("-k"), empty for all tests.
        timeout_s: time limit for a directory; None for no limit.
        keep: whether logs of passed tests are kept, too; those of failed ones always are.
        quiet: whether pytest's output is stored in the outcome instead of being printed.
        options: further arguments for pytest.
    """

    place: str = "auto"
    only: str = ""
    timeout_s: float | None = None
    keep: bool = False
    quiet: bool = False
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class DirectoryOutcome:
    """The result of a directory.

    Attributes:
        folder: the directory.
        passed, failed, skipped: numbers of tests; errors outside of tests count as failed.
        took_s: duration in seconds, including the lab's start and end.
        status: pytest's exit status; -1 after the time limit.
        reasons: the first line of every failure and skip, each once, in order.
        logs: folder of logs; None if they were removed.
        printed: pytest's output, if `quiet` was set.
        report: JUnit's XML of the tests; empty if there is none.
        places: names of the labs' places, in order; empty if no lab was started.
    """

    folder: Path
    passed: int
    failed: int
    skipped: int
    took_s: float
    status: int
    reasons: tuple[str, ...] = ()
    logs: Path | None = None
    printed: str = ""
    report: str = ""
    places: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no test failed within the time limit. A directory without tests has failed."""
        return self.status == 0


def run_directory(folder: Path, settings: TopotestSettings) -> DirectoryOutcome:
    """Run the tests of a directory (or of one file) and end all that they started. Raises PlaceError without pytest."""
    if importlib.util.find_spec("pytest") is None:
        raise PlaceError("the Python package pytest is missing", "pip install pytest")
    logs = Path(tempfile.mkdtemp(prefix="topotest-", dir="/tmp"))
    stay = settings.keep
    try:
        begin = time.monotonic()
        status, printed = _pytest(folder.resolve(), logs, settings)
        took_s = time.monotonic() - begin
        stay = stay or status not in (0, NO_TESTS)
        report = logs / "report.xml"
        text = report.read_text(encoding="utf-8") if report.exists() else ""
    finally:  # after an interrupt, half a log is of no use
        if not stay:
            removal.remove(logs)
    numbers = _read(text)
    reasons = [f"not done within {settings.timeout_s:g} s", *numbers.reasons] if status == -1 else numbers.reasons
    return DirectoryOutcome(
        folder, numbers.passed, numbers.failed, numbers.skipped, took_s, status, tuple(reasons),
        logs if stay else None, printed, text, tuple(numbers.places),
    )  # fmt: skip


def joined_reports(reports: Sequence[str]) -> str:
    """Several reports of JUnit as one."""
    root = ET.Element("testsuites")
    for report in filter(None, reports):
        root.extend(ET.fromstring(report).iter("testsuite"))
    return ET.tostring(root, encoding="unicode")


def _pytest(folder: Path, logs: Path, settings: TopotestSettings) -> tuple[int, str]:
    root = folder if folder.is_dir() else folder.parent
    words = [sys.executable, "-m", "pytest", "-p", "frrlib.topotest.plugin", "-p", "no:cacheprovider"]
    # Neither the settings nor the conftest.py of the tree around the directory are meant for labs.
    words += ["-c", os.devnull, f"--rootdir={root}", f"--confcutdir={root}", f"--junitxml={logs}/report.xml"]
    words += ["-o", "junit_family=xunit2", "-o", "norecursedirs=.git lib", "--tb=short", "-W", "ignore"]
    words += [f"--log-file={logs}/log.txt", "--log-file-level=DEBUG"]
    words += [f"--topotest-place={settings.place}", f"--topotest-folder={logs}"]
    words += [*([] if settings.quiet else ["-v"]), *(["-k", settings.only] if settings.only else [])]
    words += [*settings.options, str(folder)]
    path = os.pathsep.join(filter(None, (str(_CODE), os.environ.get("PYTHONPATH", ""))))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    with (logs / "pytest.txt").open("wb") as file:
        printed = file if settings.quiet else None
        # Only this process gets Ctrl-C: a second signal could interrupt pytest's orderly end.
        process = subprocess.Popen(
            words, env=environment, stdin=subprocess.DEVNULL, stdout=printed, stderr=printed, cwd=root, process_group=0
        )
        with _end_with_block(process):
            try:
                status = process.wait(settings.timeout_s)
            except subprocess.TimeoutExpired:
                status = -1
    output = (logs / "pytest.txt").read_text(encoding="utf-8", errors="replace")
    if not settings.quiet:
        (logs / "pytest.txt").unlink()
    return status, output


@contextmanager
def _end_with_block(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """End a process at the end of the block: in order, together with its lab, or by force."""
    try:
        yield
    finally:
        if process.poll() is None:
            process.terminate()  # the plugin handles it like Ctrl-C
            with suppress(subprocess.TimeoutExpired):
                process.wait(END_S)
        if process.poll() is None:
            process.kill()  # the lab ends with the process that holds its wire
            process.wait()


@dataclass
class _Report:
    """Numbers of tests, first lines of failures and skips, and the labs' places."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    reasons: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)


def _read(report: str) -> _Report:
    """The contents of a report."""
    read = _Report()
    if not report:
        return read
    root = ET.fromstring(report)
    for case in root.iter("testcase"):
        bad = [child for child in case if child.tag in ("failure", "error")]
        skips = [child for child in case if child.tag == "skipped"]
        read.failed, read.skipped = read.failed + bool(bad), read.skipped + (bool(skips) and not bad)
        read.passed += not bad and not skips
        for child in [*bad, *skips]:
            reason = f"{case.get('name')}: {_first_line(child)}" if bad else f"skipped: {_first_line(child)}"
            read.reasons += [reason] if reason not in read.reasons else []
    read.places = [child.get("value", "") for child in root.iter("property") if child.get("name") == PLACE]
    return read


def _first_line(element: ET.Element) -> str:
    lines = [line.strip() for line in (element.get("message") or "").splitlines() if line.strip()]
    line = lines[0] if lines else ""
    if line.endswith("Failed") and len(lines) > 1:  # FRR's tests print the reason in the next line
        return f"{line} {lines[1]}"
    if line == "collection failure":  # the reason is in the text below
        return next((element[2:].strip() for element in (element.text or "").splitlines() if element[:2] == "E "), line)
    return line
