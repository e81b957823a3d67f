"""The processes of a lab: each end is reported once, no matter which thread finds it."""

from __future__ import annotations

import queue
import threading

import pytest

from frrlib.agent import processes
from tests import waiting


@pytest.mark.parametrize("ending", ["poll", "wait"])
@pytest.mark.parametrize("kind", ["process", "copy"])
def test_an_end_is_reported_once_although_another_thread_finds_it_first(kind: str, ending: str) -> None:
    ends: queue.SimpleQueue[processes.Process | processes.Orphan] = queue.SimpleQueue()
    process: processes.Process | processes.Orphan
    if kind == "process":
        process = processes.spawn(["false"], ends.put)
    else:
        process = processes.fork(lambda: None, ends.put)
    # No collector runs in this process, so this thread takes the exit status.
    if ending == "wait":
        process.wait(waiting.PATIENCE_S)
    else:
        waiting.wait_for(lambda: process.poll() is not None, "the end of the process")
    threading.Thread(target=processes.report_ends, daemon=True).start()
    assert ends.get(timeout=waiting.PATIENCE_S) is process
    assert process.returncode == (1 if kind == "process" else 0)
    process.poll()
    assert ends.empty()
