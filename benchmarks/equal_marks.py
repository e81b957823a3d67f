"""Grade submissions of the transport exercises several times beside busy loops, and compare the grades.

    python benchmarks/equal_marks.py [--exercises bufferbloat,bbr-and-cubic,rtt-unfairness,bbr-versions] [--runs 5]
                                     [--students 4] [--busy 2] [--jobs 1]

The submissions of each exercise are honest ones of `class_submissions.py`, right and wrong. They are graded in virtual
time. Printed are the marks that are not the expected ones, and the files of grades that are not equal byte by byte to
those of the first run. The exit status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE.parent), str(_HERE)]

from class_of_200 import differences, grade, show, wrong_marks  # noqa: E402
from class_submissions import honest_kinds, write_class  # noqa: E402

from frrlib.exercises.exercise import load  # noqa: E402

_SHIPPED = _HERE.parent / "examples" / "exercises"
_TRANSPORT = "bufferbloat,bbr-and-cubic,rtt-unfairness,bbr-versions"


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Keep processors busy with this number of endless loops."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def grade_several_times(name: str, options: argparse.Namespace, folder: Path) -> int:
    """Grade submissions of an exercise. Returns the number of wrong marks and of different files."""
    exercise = load(_SHIPPED / name)
    handed_in, temporary = folder / "handed-in", folder / "temporary"
    handed_in.mkdir(parents=True)
    temporary.mkdir()
    kinds = list(honest_kinds(exercise))[: options.students]
    expected = write_class(exercise, handed_in, options.students, 1, kinds)
    words = [
        *(sys.executable, "-m", "miniedit_frr", "exercise", "grade", str(handed_in)),
        *("--exercise", name, "--jobs", str(options.jobs), "--virtual-time"),
    ]
    problems, begin_s = [], time.monotonic()
    for run in range(options.runs):
        grading = grade(words, folder / f"run-{run}", temporary)
        if not (grading.out / "grades.csv").is_file():
            raise SystemExit(f"there are no grades:\n{grading.text}")
        problems += [f"run {run + 1}: {text}" for text in wrong_marks(grading, expected)]
        problems += [f"run {run + 1}: {text}" for text in differences(folder / "run-0", grading.out)]
    marks = " ".join(f"{mark.kind}={mark.points}" for mark in expected)
    print(f"{name}: {options.runs} runs of {len(expected)} submissions, {time.monotonic() - begin_s:.0f} s; {marks}")
    return show("  wrong marks and different files", problems)


def main() -> None:
    """Grade all exercises, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--exercises", default=_TRANSPORT, help="names, separated by commas")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--students", type=int, default=4, help="submissions of each exercise, one for each kind")
    parser.add_argument("--busy", type=int, default=2, help="busy loops beside the labs")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="equal-marks-") as folder, busy_loops(options.busy):
        problems = [grade_several_times(name, options, Path(folder) / name) for name in options.exercises.split(",")]
    sys.exit(1 if any(problems) else 0)


if __name__ == "__main__":
    main()
