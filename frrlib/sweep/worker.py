"""A worker's steps for a job: one process for the run, its results packed up, nothing left behind.

The whole results folder goes back to the caller as one zip file, so a worker needs no shared file system. A process
that is not wanted any more ends: its standard input is closed by its owner, which is this module, or the kernel when
the worker is killed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from distributed import get_worker

import frrlib
from frrlib import __version__
from frrlib.sweep.archive import ArchiveLimits, PackingCancelled, pack
from frrlib.sweep.job import Job, Report, process_name
from frrlib.system import removal

#: How the topic begins by which workers tell which runs they have begun: [name, host].
BEGUN = "miniedit-frr-sweep-begun"
#: How often it is looked whether a run is still wanted, in seconds.
LOOK_S = 0.25
#: How long a run may take to end in order.
END_S = 20.0
#: So much of what a run's process printed is kept.
_OUTPUT = 20_000
_CODE = Path(frrlib.__file__).resolve().parent.parent


def work(job: Job, topic: str) -> Report:
    """Carry out a job as a task of Dask, and tell under a topic of events that it has begun."""
    worker = get_worker()
    key = worker.get_current_task()

    def is_wanted() -> bool:
        # The scheduler removes a task when its client has cancelled it, or is gone; the thread is not notified.
        task = worker.state.tasks.get(key)
        return task is not None and task.state not in ("cancelled", "released")

    worker.log_event(topic, [job.name, process_name()])
    return carry_out(job, is_wanted)


def carry_out(job: Job, is_wanted: Callable[[], bool] = lambda: True) -> Report:
    """Carry out a job here and now.

    Args:
        is_wanted: asked all the time; after its first no the run is ended.
    """
    began_s = time.monotonic()
    if job.version != __version__:
        why = f"this worker has miniedit-frr {__version__}, and the sweep is made with {job.version}"
        return Report(job.name, "failed", (f"{why}; install the same there",), process_name())
    temporary = Path(tempfile.mkdtemp(prefix="miniedit-frr-sweep-"))
    try:
        report = _run(job, temporary, is_wanted, began_s)
    finally:
        removal.remove(temporary)  # a lab may leave folders that plain means do not remove
    return replace(report, host=process_name(), seconds=time.monotonic() - began_s)


def _run(job: Job, folder: Path, is_wanted: Callable[[], bool], began_s: float) -> Report:
    results, told, printed = folder / "results", folder / "report.json", folder / "output.txt"
    line = {
        "text": job.text, "settings": job.settings, "figure": job.figure, "folder": job.folder,
        "out": str(results), "report": str(told),
    }  # fmt: skip
    path = os.pathsep.join(filter(None, (str(_CODE), os.environ.get("PYTHONPATH", ""))))
    with printed.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", job.program], stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT,
            cwd=folder, env={**os.environ, "PYTHONPATH": path}, start_new_session=True,
        )  # fmt: skip
        try:
            why = _attend(process, json.dumps(line, default=str), job.timeout_s, is_wanted)
        finally:
            _end(process)
    output_text = printed.read_text(errors="replace")[-_OUTPUT:]
    if why == "cancelled":
        return Report(job.name, "cancelled")
    try:
        archive, left_out = _packed(results, job, began_s + (job.timeout_s or 0), is_wanted)
    except PackingCancelled:
        return Report(job.name, "cancelled")
    except OSError as error:
        archive, left_out = b"", (f"all results: they cannot be packed ({error.strerror})",)
    metrics = {}
    try:
        said = json.loads(told.read_text(encoding="utf-8"))
        status, failures = said["status"], tuple(said["failures"])
        metrics = said.get("metrics", {})
    except (OSError, ValueError, KeyError):
        last = output_text.strip().rpartition("\n")[2]
        ended = f"its process ended with status {process.returncode}" + (f": {last}" if last else "")
        status, failures = "failed", (why or ended,)
    return Report(job.name, status, failures, metrics=metrics, archive=archive, output=output_text, left_out=left_out)


def _attend(process: subprocess.Popen[bytes], line: str, timeout_s: float | None, is_wanted: Callable[[], bool]) -> str:
    """Wait for a run; why it was ended before its time, "cancelled" or a sentence, or nothing."""
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        process.stdin.write(f"{line}\n".encode())
        process.stdin.flush()
    until_s = None if timeout_s is None else time.monotonic() + timeout_s
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(LOOK_S)
            return ""
        if not is_wanted():
            return "cancelled"
        if until_s is not None and time.monotonic() > until_s:
            process.send_signal(signal.SIGINT)  # what was measured until then is kept
            with suppress(subprocess.TimeoutExpired):
                process.wait(END_S)
            return f"it took longer than {timeout_s:g} s and was ended"


def _end(process: subprocess.Popen[bytes]) -> None:
    """See to it that a run's process is over: in order first, and then at once."""
    if process.stdin is not None:
        with suppress(BrokenPipeError):
            process.stdin.close()
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _packed(results: Path, job: Job, until_s: float, is_wanted: Callable[[], bool]) -> tuple[bytes, tuple[str, ...]]:
    """The results folder as a zip file, empty where there is no folder, and what was left out of it.

    Raises:
        PackingCancelled: the run is no longer wanted.
    """
    if not results.is_dir():
        return b"", ()
    packed = results.with_name("results.zip")
    bounds = ArchiveLimits() if job.timeout_s is None else ArchiveLimits(until_s=max(until_s, time.monotonic() + END_S))
    left_out = pack(results, packed, is_wanted, bounds)
    return packed.read_bytes(), left_out
