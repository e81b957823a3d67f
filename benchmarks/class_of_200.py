"""Grade a class of 200 submissions, half of them damaged or hostile: marks, time, memory, disk, and equal files.

    python benchmarks/class_of_200.py [--students 200] [--seed 1] [--exercise two-as] [--jobs 2] [--place auto]
                                      [--kinds vrf,pipe] [--cluster] [--out DIR]

`class_submissions.py` writes the submissions and the mark that each must get. `miniedit-frr exercise grade` then grades
them in one command. Printed are its time, the memory of all its processes together (the largest sum of their
proportional set sizes, looked at twice a second), the space of its files, and each mark that differs. The same is done
again into another folder, and all files must be equal byte by byte. A third time Ctrl-C interrupts it at a third of the
submissions; the same command goes on, and its files must be equal, too. With --cluster, a Dask scheduler and two
workers, processes of their own, also grade the class.

The exit status is 1 if a mark differs, a file differs, or a process or a temporary file is left.
"""

from __future__ import annotations

import argparse
import csv
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE.parent), str(_HERE)]

from class_submissions import ExpectedMark, kinds_of, write_class  # noqa: E402
from sweep_200 import cluster  # noqa: E402

from frrlib.exercises.exercise import load  # noqa: E402
from frrlib.place.namespace import Namespace  # noqa: E402

_SHIPPED = _HERE.parent / "examples" / "exercises"
_MB = 1_000_000
#: Time in which the processes of labs end after the command, in seconds.
_END_S = 20.0
#: A folder for locks that Dask makes and keeps.
_DASK = "dask-scratch-space"


@dataclass
class Usage:
    """The resources of a process with all that it starts.

    Attributes:
        memory_bytes: the largest sum of proportional set sizes.
        disk_bytes: the largest space of the watched folders.
        processes: the largest number of processes.
        seen: all processes that were seen.
    """

    memory_bytes: int = 0
    disk_bytes: int = 0
    processes: int = 0
    seen: dict[int, psutil.Process] = field(default_factory=dict)

    def look(self, root: psutil.Process, folders: list[Path]) -> None:
        """Look once."""
        total, count = 0, 0
        for process in _tree(root):
            self.seen[process.pid] = process
            count += 1
            try:
                total += process.memory_full_info().pss
            except psutil.Error:
                continue  # it has ended meanwhile
        self.memory_bytes, self.processes = max(self.memory_bytes, total), max(self.processes, count)
        self.disk_bytes = max(self.disk_bytes, sum(map(_space, folders)))

    def left(self) -> list[str]:
        """The processes that run still."""
        return [f"{process.pid} {process.name()}" for process in self.seen.values() if process.is_running()]


def _tree(root: psutil.Process) -> list[psutil.Process]:
    try:
        return [root, *root.children(recursive=True)]
    except psutil.Error:
        return []


def _space(folder: Path) -> int:
    """The bytes that the files in a folder occupy."""
    total = 0
    for path, _, names in os.walk(folder, onerror=None):
        for name in names:
            try:
                total += os.lstat(os.path.join(path, name)).st_blocks * 512
            except OSError:
                continue
    return total


@dataclass
class GradeCommand:
    """One command `grade`.

    Attributes:
        out: the folder of the grades.
        seconds: its time.
        usage: its resources.
        text: its output.
    """

    out: Path
    seconds: float
    usage: Usage
    text: str


def grade(words: list[str], out: Path, temporary: Path, interrupt_after: int = 0) -> GradeCommand:
    """Run the command to its end.

    Args:
        words: its words.
        out: the folder of the grades.
        temporary: the folder for its temporary files.
        interrupt_after: the number of grades after which Ctrl-C interrupts it; 0 for never.
    """
    environment = {**os.environ, "PYTHONPATH": str(_HERE.parent), "TMPDIR": str(temporary), "NO_COLOR": "1"}
    log = out.with_suffix(".log")
    began_s = time.monotonic()
    with log.open("ab") as output:
        process = subprocess.Popen(
            [*words, "--out", str(out)], stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment,
            start_new_session=True,
        )  # fmt: skip
        usage, over = Usage(), threading.Event()
        watcher = threading.Thread(target=_watch, args=(process.pid, [out, temporary], usage, over))
        watcher.start()
        while interrupt_after and process.poll() is None:
            if _graded(log) >= interrupt_after:
                os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to the whole group
                break
            time.sleep(0.1)
        process.wait()
        over.set()
        watcher.join()
    return GradeCommand(out, time.monotonic() - began_s, usage, log.read_text(errors="replace"))


def _graded(log: Path) -> int:
    """The number of submissions that the output of the command names."""
    return sum(" of " in line and ".zip" in line for line in log.read_text(errors="replace").splitlines())


def _watch(pid: int, folders: list[Path], usage: Usage, over: threading.Event) -> None:
    root = psutil.Process(pid)
    while not over.wait(0.5):
        usage.look(root, folders)


def wrong_marks(grading: GradeCommand, expected: list[ExpectedMark]) -> Iterator[str]:
    """A sentence for each submission whose mark is not the expected one."""
    with (grading.out / "grades.csv").open(newline="") as file:
        rows = {row["file"][:3]: row for row in csv.DictReader(file)}
    if len(rows) != len(expected):
        yield f"{len(rows)} of {len(expected)} submissions have a row"
    for mark in expected:
        row = rows.get(mark.file[:3])
        if row is None:
            yield f"{mark.kind}: no row"
        elif int(row["points"]) != mark.points or bool(row["error"]) != mark.is_refused:
            text = "to be refused" if mark.is_refused else f"{mark.points} points"
            yield f"{mark.file!r} ({mark.kind}): {row['points']} points {row['error']}, expected {text}"


def differences(first: Path, second: Path) -> Iterator[str]:
    """The files that only one of two folders has, or that differ."""
    files = [{path.relative_to(out): path for path in out.rglob("*") if path.is_file()} for out in (first, second)]
    for name in sorted(files[0].keys() | files[1].keys()):
        contents = [paths[name].read_bytes() if name in paths else None for paths in files]
        if contents[0] != contents[1]:
            yield f"{name}: {'differs' if None not in contents else 'is missing in one of them'}"


def report(name: str, grading: GradeCommand, temporary: Path) -> int:
    """Print the figures of a grading. Returns the number of its faults."""
    usage = grading.usage
    print(f"{name}: {grading.seconds:.0f} s, at most {usage.memory_bytes / _MB:.0f} MB of memory in "
          f"{usage.processes} processes, {usage.disk_bytes / _MB:.1f} MB of files", flush=True)  # fmt: skip
    end_s = time.monotonic() + _END_S
    while usage.left() and time.monotonic() < end_s:
        time.sleep(0.2)
    faults = [f"the process {process} is left" for process in usage.left()]
    faults += [f"{path} is left" for path in temporary.iterdir() if path.name != _DASK]
    print(*faults, sep="\n", end="\n" if faults else "", flush=True)
    return len(faults)


def show(what: str, problems: list[str]) -> int:
    """Print problems below a line with their number. Returns their number."""
    print(f"{what}: {len(problems)}", *problems, sep="\n  ", flush=True)
    return len(problems)


def main() -> None:
    """Carry it out, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--exercise", default="two-as")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--place", default="auto")
    parser.add_argument("--kinds", default="", help="only these kinds of submissions, separated by commas")
    parser.add_argument("--virtual-time", action="store_true")
    parser.add_argument("--once", action="store_true", help="grade once, and compare the marks only")
    parser.add_argument("--without-interrupt", action="store_true")
    parser.add_argument("--cluster", action="store_true", help="grade also on a Dask scheduler with two workers")
    parser.add_argument("--out", type=Path, help="a new folder for everything; without it one that is removed")
    options = parser.parse_args()
    exercise = load(_SHIPPED / options.exercise)
    only = [kind for kind in options.kinds.split(",") if kind]
    if unknown := [kind for kind in only if kind not in set(kinds_of(exercise))]:
        parser.error(f"no kind {unknown[0]}; choose among {', '.join(kinds_of(exercise))}")
    with tempfile.TemporaryDirectory(prefix="class-") as removed:
        folder = options.out or Path(removed)
        (folder / "handed-in").mkdir(parents=True)
        (folder / "temporary").mkdir()
        lacking = [] if options.place != "namespace" or "vrf" in Namespace().abilities().device_types else ["vrf"]
        expected = write_class(exercise, folder / "handed-in", options.students, options.seed, only, lacking)
        sys.exit(1 if _measure(options, folder, expected) else 0)


def _measure(options: argparse.Namespace, folder: Path, expected: list[ExpectedMark]) -> int:
    """Grade the class two or three times. Returns the number of problems."""
    words = [
        *(sys.executable, "-m", "miniedit_frr", "exercise", "grade", str(folder / "handed-in")),
        *("--exercise", options.exercise, "--jobs", str(options.jobs), "--place", options.place),
        *(["--virtual-time"] if options.virtual_time else []),
    ]
    temporary = folder / "temporary"
    hostile = sum(mark.is_refused for mark in expected)
    print(f"{len(expected)} submissions of {options.exercise}, {hostile} of them to be refused", flush=True)
    first = grade(words, folder / "first", temporary)
    problems = report("first", first, temporary)
    if not (first.out / "grades.csv").is_file():
        raise SystemExit(f"there are no grades:\n{first.text}")
    problems += show("wrong marks", list(wrong_marks(first, expected)))
    if options.once:
        return problems
    second = grade(words, folder / "second", temporary)
    problems += report("second", second, temporary)
    problems += show("different files", list(differences(first.out, second.out)))
    if options.cluster:
        with cluster(folder, folder / "cluster.log") as address:
            elsewhere = grade([*words, "--scheduler", address], folder / "elsewhere", temporary)
        problems += report("two Dask workers (their memory is not counted)", elsewhere, temporary)
        problems += show("different files on the workers", list(differences(first.out, elsewhere.out)))
    if options.without_interrupt:
        return problems
    broken = grade(words, folder / "third", temporary, max(1, len(expected) // 3))
    problems += report("interrupted", broken, temporary)
    resumed = grade(words, folder / "third", temporary)
    problems += report("resumed", resumed, temporary)
    problems += show("different files after Ctrl-C", list(differences(first.out, resumed.out)))
    return problems


if __name__ == "__main__":
    main()
