"""A worker's steps for a job: it runs a process, packs the results, and removes all temporary files.

The results folder is returned to the client as one zip file, so a worker needs no shared file system. A cancelled
process ends when its standard input is closed: by this module, or by the kernel if the worker is killed.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from distributed import get_worker

from frrlib import __version__
from frrlib.sweep.archive import ArchiveLimits, PackingCancelled, pack
from frrlib.sweep.job import Job, Report, process_name
from frrlib.sweep.run_process import RunProcess
from frrlib.system import removal

#: Prefix of the topic of events by which workers report started runs: [name, host].
BEGUN = "miniedit-frr-sweep-begun"
#: Time between two checks for cancellation, in seconds.
LOOK_S = 0.25
#: Time limit for a run to end in order.
END_S = 20.0
#: Maximum length of a run's output that is kept, in characters.
_OUTPUT = 20_000


def work(job: Job, topic: str) -> Report:
    """Carry out a job as a task of Dask, and report its start as an event of a topic."""
    worker = get_worker()
    key = worker.get_current_task()

    def is_wanted() -> bool:
        # The scheduler removes a task when its client has cancelled it, or has exited; the thread is not notified.
        task = worker.state.tasks.get(key)
        return task is not None and task.state not in ("cancelled", "released")

    worker.log_event(topic, [job.name, process_name()])
    return carry_out(job, is_wanted)


def carry_out(job: Job, is_wanted: Callable[[], bool] = lambda: True) -> Report:
    """Carry out a job in this process.

    Args:
        is_wanted: called regularly; when it returns False, the run is ended.
    """
    began_s = time.monotonic()
    if job.version != __version__:
        mismatch = f"this worker has miniedit-frr {__version__}, and the sweep is made with {job.version}"
        return Report(job.name, "failed", (f"{mismatch}; install the same there",), process_name())
    temporary = Path(tempfile.mkdtemp(prefix="miniedit-frr-sweep-"))
    try:
        report = _run(job, temporary, is_wanted, began_s)
    finally:
        removal.remove(temporary)  # a lab may leave folders that `shutil.rmtree` cannot remove
    return replace(report, host=process_name(), seconds=time.monotonic() - began_s)


def _run(job: Job, folder: Path, is_wanted: Callable[[], bool], began_s: float) -> Report:
    results, report_file, output_file = folder / "results", folder / "report.json", folder / "output.txt"
    line = {
        "text": job.text, "settings": job.settings, "figure": job.figure, "folder": job.folder,
        "out": str(results), "report": str(report_file),
    }  # fmt: skip
    process = RunProcess(job.program, json.dumps(line, default=str), folder, output_file)
    try:
        reason = _wait_for_end(process, job.timeout_s, is_wanted)
    finally:
        _end(process)
    output_text = output_file.read_text(errors="replace")[-_OUTPUT:]
    if reason == "cancelled":
        return Report(job.name, "cancelled")
    try:
        archive, left_out = _pack_results(results, job, began_s + (job.timeout_s or 0), is_wanted)
    except PackingCancelled:
        return Report(job.name, "cancelled")
    except OSError as error:
        archive, left_out = b"", (f"all results: they cannot be packed ({error.strerror})",)
    metrics = {}
    try:
        report = json.loads(report_file.read_text(encoding="utf-8"))
        status, failures = report["status"], tuple(report["failures"])
        metrics = report.get("metrics", {})
    except (OSError, ValueError, KeyError):
        last = output_text.strip().rpartition("\n")[2]
        exit_text = f"its process ended with status {process.exit_status}" + (f": {last}" if last else "")
        status, failures = "failed", (reason or exit_text,)
    return Report(job.name, status, failures, metrics=metrics, archive=archive, output=output_text, left_out=left_out)


def _wait_for_end(process: RunProcess, timeout_s: float | None, is_wanted: Callable[[], bool]) -> str:
    """Wait for a run. Returns the reason if it was ended early, "cancelled" or a sentence; else an empty string."""
    until_s = None if timeout_s is None else time.monotonic() + timeout_s
    while True:
        if process.wait(LOOK_S):
            return ""
        if not is_wanted():
            return "cancelled"
        if until_s is not None and time.monotonic() > until_s:
            process.interrupt()  # the run stores its measurements until then
            process.wait(END_S)
            return f"it took longer than {timeout_s:g} s and was ended"


def _end(process: RunProcess) -> None:
    """End a run's process: in order if it does so in time, else at once."""
    process.end_input()
    if not process.wait(END_S):
        process.kill_group()
        process.wait(END_S)
    process.close()


def _pack_results(
    results: Path, job: Job, until_s: float, is_wanted: Callable[[], bool]
) -> tuple[bytes, tuple[str, ...]]:
    """The results folder as a zip file, empty without a folder, and the files that were left out.

    Raises:
        PackingCancelled: the run is no longer wanted.
    """
    if not results.is_dir():
        return b"", ()
    packed = results.with_name("results.zip")
    bounds = ArchiveLimits() if job.timeout_s is None else ArchiveLimits(until_s=max(until_s, time.monotonic() + END_S))
    left_out = pack(results, packed, is_wanted, bounds)
    return packed.read_bytes(), left_out
