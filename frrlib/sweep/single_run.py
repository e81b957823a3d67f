"""One run in a separate process, for a worker: `python -m frrlib.sweep.single_run`.

The job is one line of JSON on standard input, which stays open. When standard input ends, the client has exited: the
run then ends in order, as after Ctrl-C, and removes its folder. The outcome is a JSON file beside the results folder.
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
    """Carry out the job on standard input. Exit status 0 if the outcome is in its file, 130 if the run was ended."""
    # A shell starts background jobs with this signal ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    job = json.loads(sys.stdin.readline())
    client_gone = threading.Event()
    threading.Thread(target=_end_with_input, args=(client_gone,), name="wanted", daemon=True).start()
    try:
        report = _run_job(job)
    except KeyboardInterrupt:
        if client_gone.is_set():  # the worker that removes the folder may have been killed
            removal.remove(Path(job["report"]).parent)
        return 130
    Path(job["report"]).write_text(json.dumps(report), encoding="utf-8")
    return 0


def _run_job(job: dict[str, Any]) -> dict[str, Any]:
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
    """The metrics that compare runs, computed by the worker, so that the table need not read all samples."""
    try:
        run = statistics(open_results(results))
    except ResultsError:
        return {}
    return {name: metric.of(run) for name, metric in METRICS.items()}


def _end_with_input(client_gone: threading.Event) -> None:
    sys.stdin.read()
    client_gone.set()
    main_thread = threading.main_thread().ident
    if main_thread is not None:
        signal.pthread_kill(main_thread, signal.SIGINT)


if __name__ == "__main__":
    sys.exit(main())
