"""One run in a process of its own, for a worker: `python -m frrlib.sweep.single_run`.

A job comes as one line of JSON on standard input, which then stays open: when it ends, the client is gone,
and the run ends in order, as after Ctrl-C, and removes its folder. Its outcome is a JSON file beside the results
folder.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from frrlib.errors import LabError
from frrlib.formats import mn
from frrlib.results.layout import ResultsError
from frrlib.results.read import open_results
from frrlib.results.statistics.comparison import METRICS
from frrlib.results.statistics.statistics import statistics
from frrlib.run.run import run
from frrlib.sweep.job import settings_of
from frrlib.system import removal


def main() -> int:
    """Carry out the job on standard input. Exit status 0 where the file tells what came of it, 130 where it ended."""
    # A shell starts what runs in its background with this signal ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    job = json.loads(sys.stdin.readline())
    nobody = threading.Event()
    threading.Thread(target=_end_with_input, args=(nobody,), name="wanted", daemon=True).start()
    try:
        said = _carried_out(job)
    except KeyboardInterrupt:
        if nobody.is_set():  # who would have taken the folder away may have been killed
            removal.remove(Path(job["report"]).parent)
        return 130
    Path(job["report"]).write_text(json.dumps(said), encoding="utf-8")
    return 0


def _carried_out(job: dict[str, Any]) -> dict[str, Any]:
    try:
        topology = mn.loads(job["text"]).topology
        folder = Path(job["folder"]) if job["folder"] else None
        settings = settings_of(job["settings"])
        outcome = run(topology, job["text"], Path(job["out"]), settings, figure=job["figure"], folder=folder)
    except LabError as error:
        return {"status": "failed", "failures": [str(error)]}
    status = "failed" if outcome.failures else "finished"
    return {"status": status, "failures": outcome.failures, "metrics": _metrics(Path(job["out"]))}


def _metrics(results: Path) -> dict[str, float | None]:
    """The numbers by which runs are compared, computed by the worker, so a table need not read all samples."""
    try:
        run = statistics(open_results(results))
    except ResultsError:
        return {}
    return {name: metric.of(run) for name, metric in METRICS.items()}


def _end_with_input(nobody: threading.Event) -> None:
    sys.stdin.read()
    nobody.set()
    main_thread = threading.main_thread().ident
    if main_thread is not None:
        signal.pthread_kill(main_thread, signal.SIGINT)


if __name__ == "__main__":
    sys.exit(main())
