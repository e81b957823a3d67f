"""How soon a machine answers while a lab takes all that it can get: processes, disk, room in memory, open files.

    python benchmarks/bombs.py [--place namespace] [--seconds 8] [processes disk ...]

A bomb runs in the lab as its root. Meanwhile this program, outside, starts `/bin/true` twenty times a second and waits
for its end: that is what whoever sits at the machine would notice. At rest it is the same without a bomb. Of each bomb
the median and the worst of these times are told, and whether the slowest of a hundred was within 100 ms.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from frrlib.place.base import Program
from frrlib.place.labkernel import LabKernel
from frrlib.place.namespace import Namespace
from frrlib.place.root import Root
from frrlib.place.sandbox import SupervisedSandbox

ROOT = Path(__file__).resolve().parent.parent
PLACES = {"namespace": Namespace, "labkernel": LabKernel, "root": Root}
LIMIT_MS = 100.0
_EACH_S = 0.05

#: The effect of each, as a program in Python; none of them ends by itself.
BOMBS = {
    "nothing": "import time\nwhile True: time.sleep(1)",
    # every process has a session of its own, so that the scheduler takes none of them for parts of one job
    "processes": """
import os
while True:
    try:
        if not os.fork():
            os.setsid()
    except OSError:
        pass
""",
    "short-lived": """
import os
for _ in range(300):
    if not os.fork():
        while True:
            try:
                if not (child := os.fork()):
                    os._exit(0)
                os.waitpid(child, 0)
            except OSError:
                pass
while True:
    os.wait()
""",
    "disk": """
import os
data = os.urandom(1 << 20)
while True:
    file = os.open("/run/lab/files/large", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    for _ in range(1024):
        os.write(file, data)
    os.fsync(file)
    os.close(file)
""",
    "files": """
import itertools, os
for number in itertools.count():
    path = f"/run/lab/files/{number % 40_000}"
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
    if number % 3:
        os.unlink(path)
""",
    "room": """
import os
data = bytes(1 << 20)
while True:
    for folder in ("/tmp", "/run", "/dev/shm", "/var/tmp", "/mnt"):
        try:
            with open(f"{folder}/large", "wb", buffering=0) as file:
                while True:
                    file.write(data)
        except OSError:
            pass
    for number in range(90_000):
        open(f"/tmp/{number}", "w").close()
    for number in range(90_000):
        os.unlink(f"/tmp/{number}")
""",
    "open files": """
import os, resource
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
while True:
    had = []
    try:
        while True:
            had.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        pass
    for each in had:
        os.close(each)
""",
}


def reactions_ms(seconds: float) -> list[float]:
    """How long `/bin/true` took, again and again for that long, the slowest last: from when it was to start, so that a
    program that is not woken in time counts, too."""
    took = []
    due_s = time.monotonic()
    until_s = due_s + seconds
    while due_s < until_s:
        time.sleep(max(0.0, due_s - time.monotonic()))
        os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
        now_s = time.monotonic()
        took.append((now_s - due_s) * 1000)
        due_s = max(due_s + _EACH_S, now_s)
    return sorted(took)


def set_off(lab: SupervisedSandbox, bomb: str) -> subprocess.Popen[bytes]:
    """Start a bomb; its end is that of the lab."""
    argv = lab.pipe_argv(["python3", "-c", BOMBS[bomb]])
    null = subprocess.DEVNULL
    return subprocess.Popen(argv, stdin=null, stdout=null, stderr=null)


def measure(place: str, bomb: str, seconds: float, processes: int) -> tuple[list[float], float]:
    """The reactions of the machine to a bomb in a lab of its own, in milliseconds, and how long the lab took to end, in
    seconds."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder, "results")
        results.mkdir()
        program = Program("echo_agent", ROOT, results, site=(ROOT / "tests" / "place",), processes=processes)
        lab = PLACES[place]().start(program)
        try:
            lab.wire.reader.readline()
            fuse = threading.Timer(seconds + 3.0, lab.cut)  # a machine that does not answer gets free again
            fuse.start()
            with set_off(lab, bomb):
                time.sleep(1.0)
                took = reactions_ms(seconds)
                began_s = time.monotonic()
                lab.cut()
            fuse.cancel()
        finally:
            lab.stop(60)
        return took, time.monotonic() - began_s


def main() -> None:
    """Measure the bombs that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bombs", nargs="*", metavar="BOMB", help=", ".join(BOMBS))
    parser.add_argument("--place", default="namespace", choices=sorted(PLACES))
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--processes", type=int, default=Program.processes, help="the lab's bound (%(default)s)")
    options = parser.parse_args()
    for bomb in options.bombs or BOMBS:
        took, end_s = measure(options.place, bomb, options.seconds, options.processes)
        slow_ms = took[int(len(took) * 0.99)]
        words = "" if slow_ms <= LIMIT_MS else f", more than {LIMIT_MS:g} ms"
        print(
            f"{options.place}, {bomb}: median {took[len(took) // 2]:.1f} ms, 99 % within {slow_ms:.1f} ms{words}, "
            f"worst {took[-1]:.1f} ms of {len(took)}; the lab ended within {end_s:.1f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
