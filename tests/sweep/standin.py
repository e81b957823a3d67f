"""Replaces `frrlib.sweep.single_run`: reads a job and writes a results folder in the same way, but runs no lab.

The title of the topology decides what happens. "fail" lets the run fail. "die" ends the process without a report.
"wait S" takes S seconds. "names" creates files whose names or paths cannot be packed, as the commands of a lab may.
Each start adds a line with the process ID to the file that STANDIN_LOG names.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
import time
from pathlib import Path

#: The value for `frrlib.sweep.options.SweepOptions.program`.
STANDIN = "tests.sweep.standin"


def started_pids(log: Path) -> list[int]:
    """The process IDs in the log file, one for each start."""
    return [int(line) for line in log.read_text().split()]


def end_with_input(folder: Path) -> None:
    sys.stdin.read()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(130)


def leave_odd_names(files: Path) -> None:
    (files / "plain").mkdir(parents=True)
    (files / "plain" / "kept").write_text("kept")
    os.close(os.open(os.fsencode(files) + b"/a\xff\xfe", os.O_CREAT | os.O_WRONLY))
    handle = os.open(files, os.O_RDONLY)
    for _ in range(40):  # a path of 8,000 bytes
        os.mkdir("d" * 200, dir_fd=handle)
        inner = os.open("d" * 200, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(handle)


def main() -> int:
    job = json.loads(sys.stdin.readline())
    threading.Thread(target=end_with_input, args=(Path(job["report"]).parent,), daemon=True).start()
    document = json.loads(job["text"])
    topology = document["miniedit_frr"]
    with Path(os.environ["STANDIN_LOG"]).open("a") as log:
        log.write(f"{os.getpid()}\n")
    words = topology.get("title", "").split()
    if words[:1] == ["wait"]:
        time.sleep(float(words[1]))
    sys.stdout.write("output of the stand-in\n")
    if words == ["die"]:
        return 7
    out = Path(job["out"])
    (out / "logs").mkdir(parents=True)
    (out / "logs" / "log.txt").write_text("a log")
    rate_mbit = max(float(link["opts"].get("bw", 0)) for link in document["links"])
    if words == ["names"]:
        leave_odd_names(out / "files")
    flows = [{"flow": flow["id"], "goodput_mbit": 0.9 * rate_mbit} for flow in topology["flows"]]
    summary = {"status": "finished", "flows": flows, "jain_index": 1.0}
    (out / "summary.json").write_text(json.dumps(summary))
    failed = words == ["fail"]
    report = {"status": "failed" if failed else "finished", "failures": ["r1 did not converge"] if failed else []}
    (out / "topology.mn").write_text(job["text"])
    (out / "run.json").write_text(json.dumps({"format_version": 1, "settings": job["settings"], **report}))
    report["metrics"] = {"goodput_mbit": 0.9 * rate_mbit, "jain_index": 1.0}
    Path(job["report"]).write_text(json.dumps(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
