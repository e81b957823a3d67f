"""A sweep of 200 runs: how fast, whether it goes on after kill -9, and whether a cluster gives the same.

    python benchmarks/sweep_200.py [--out DIR] [--seconds 20] [--few] [--without-cluster] [--figure FILE.png]

Two congestion controls, five rates, four delays and five queues, 20 s of each in virtual time. First the command line
runs it on this machine, one run on each processor; half way all of its processes are killed, and the same command goes
on. Then a scheduler of Dask and two workers are started as processes of their own, and the same sweep goes through
them. Printed are wall time, runs a minute, how many runs were repeated (none), and a checksum of each table: of its
rows without the columns `host` and `seconds`, which say where and how fast; what a run measures does not depend on
either. --few takes two of each, 16 runs.

It needs a lab kernel that has virtual time (`miniedit-frr kernel build`).
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import hashlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE.parent), str(_HERE)]

from virtual_time import bottleneck  # noqa: E402

from frrlib.formats import mn  # noqa: E402

#: Rates in Mbit/s, delays of one direction in ms (as much again on the way back), queues in bandwidth-delay products.
AXES = {
    "flow:*.cc": ["cubic", "bbr"],
    "link:r1-h2.rate": ["4", "8", "16", "32", "64"],
    "link:r1-h2.delay": ["10ms", "20ms", "40ms", "80ms"],
    "link:r1>h2.queue": ["0.25bdp", "0.5bdp", "1bdp", "2bdp", "4bdp"],
}
SAMPLE_HZ = 20
#: Columns that differ between tables though the runs are the same.
_ELSEWHERE = ("host", "seconds")
_ENVIRONMENT = {**os.environ, "PYTHONPATH": str(_HERE.parent)}


def words_of(drawing: Path, out: Path, few: bool, scheduler: str = "") -> list[str]:
    """The command line of the sweep."""
    axes = {path: values[:2] if few else values for path, values in AXES.items()}
    sets = [word for path, values in axes.items() for word in ("--set", f"{path}={','.join(values)}")]
    where = ["--scheduler", scheduler] if scheduler else []
    return [
        *(sys.executable, "-m", "miniedit_frr", "sweep", str(drawing), "--out", str(out), "--virtual-time"),
        *("--sample-hz", str(SAMPLE_HZ), *sets, *where),
    ]


@contextlib.contextmanager
def started(words: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a group of its own; ending it ends the whole group."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=_ENVIRONMENT, start_new_session=True
        )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def finished(out: Path) -> dict[str, float]:
    """The runs that have ended, and when their results were written."""
    return {path.parent.name: path.stat().st_mtime for path in out.glob("runs/[!.]*/sweep-run.json")}


def killed_half_way(words: list[str], out: Path, half: int, log: Path) -> float:
    """Start the sweep, and kill it with SIGKILL when half of its runs have ended; how long that took, in seconds."""
    began_s = time.monotonic()
    with started(words, log) as process:
        while len(finished(out)) < half:
            if process.poll() is not None:
                raise SystemExit(f"the sweep has ended by itself; {log} says why")
            time.sleep(0.2)
        process.kill()
        process.wait()
        took_s = time.monotonic() - began_s
    return took_s


def whole(words: list[str], log: Path) -> float:
    """Run the sweep to its end; how long that took, in seconds."""
    began_s = time.monotonic()
    with started(words, log) as process:
        if process.wait():
            raise SystemExit(f"the sweep has failed; {log} says why")
    return time.monotonic() - began_s


@contextlib.contextmanager
def cluster(folder: Path, log: Path) -> Iterator[str]:
    """The address of a scheduler with two workers of one thread each, all processes of their own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address, dask = f"tcp://127.0.0.1:{port}", [sys.executable, "-m", "dask"]
    begun = [*dask, "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    worker = [*dask, "worker", address, "--nthreads", "1", "--memory-limit", "0", "--no-dashboard"]
    with started(begun, log), contextlib.ExitStack() as stack:
        for number in (1, 2):
            local = folder / f"worker{number}"
            stack.enter_context(started([*worker, "--local-directory", str(local)], log))
        yield address


def checksum(out: Path) -> tuple[int, str]:
    """How many runs of a table have finished, and a checksum of its rows without the columns for place and speed."""
    with (out / "table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    digest = hashlib.blake2b(digest_size=8)
    for row in sorted(rows, key=lambda row: row["name"]):
        digest.update(repr([(key, value) for key, value in row.items() if key not in _ELSEWHERE]).encode())
    return sum(row["status"] == "finished" for row in rows), digest.hexdigest()


def main() -> None:
    """Carry it out, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="a new folder for the sweeps; without it one that is taken away")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--without-cluster", action="store_true")
    parser.add_argument("--figure", type=Path, help="draw the map of queueing delay into this file")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        temporary = stack.enter_context(tempfile.TemporaryDirectory(prefix="sweep-200-"))
        folder = options.out or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        log, drawing, out = folder / "log.txt", folder / "bottleneck.mn", folder / "local"
        topology = bottleneck(1, 10, "cubic")
        flows = tuple(flow.model_copy(update={"duration_s": options.seconds}) for flow in topology.flows)
        drawing.write_text(mn.dumps(topology.model_copy(update={"flows": flows})))
        many = 16 if options.few else 200
        words = words_of(drawing, out, options.few)
        first_s = killed_half_way(words, out, many // 2, log)
        before = finished(out)
        print(f"killed (SIGKILL) after {first_s:.0f} s, when {len(before)} of {many} runs had finished", flush=True)
        second_s = whole(words, log)
        after = finished(out)
        again = sum(after[name] != at for name, at in before.items())
        took_s = first_s + second_s
        print(f"gone on with the same command: {len(after) - len(before)} further runs in {second_s:.0f} s, "
              f"{again} run again")  # fmt: skip
        virtual_s = many * options.seconds
        processors = len(os.sched_getaffinity(0))
        print(f"together {took_s:.0f} s for {virtual_s / 60:.0f} minutes of experiment: {virtual_s / took_s:.1f} times "
              f"as fast, {60 * many / took_s:.1f} runs a minute on {processors} processors")  # fmt: skip
        print("{} finished; table {}".format(*checksum(out)), flush=True)
        if options.figure:
            heat = ["plot", str(out / "runs"), "--kind", "heat", "--of", "queueing_ms", "--across", "delay", "--up"]
            figure = [sys.executable, "-m", "miniedit_frr", *heat, "queue", "--out", str(options.figure), "--overwrite"]
            subprocess.run(figure, env=_ENVIRONMENT, check=True)
        if not options.without_cluster:
            cluster_out = folder / "cluster"
            with cluster(folder, log) as address:
                took_s = whole(words_of(drawing, cluster_out, options.few, address), log)
            print(f"on a scheduler and two workers, processes of their own: {took_s:.0f} s, "
                  f"{60 * many / took_s:.1f} runs a minute")  # fmt: skip
            print("{} finished; table {}".format(*checksum(cluster_out)))


if __name__ == "__main__":
    main()
