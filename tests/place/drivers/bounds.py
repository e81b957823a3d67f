"""Labs that exceed limits: `drivers/bounds.py PLACE SCENARIO FOLDER`. Prints one JSON object."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from frrlib.place.base import Program  # noqa: E402
from frrlib.place.confinement.bounds import CONSOLE_MIB, RESULTS_FILES  # noqa: E402
from frrlib.place.labkernel import LabKernel  # noqa: E402
from frrlib.place.namespace import Namespace  # noqa: E402
from frrlib.place.root import Root  # noqa: E402
from tests.waiting import PATIENCE_S, pause  # noqa: E402

PLACES = {"namespace": Namespace, "labkernel": LabKernel, "root": Root}
PROCESSES = 150
#: Starts waiting processes until no more can be started, or far too many were; prints their number.
BOMB = f"""
import os, signal, sys
had = []
while len(had) < {5 * PROCESSES}:
    try:
        pid = os.fork()
    except OSError:
        break
    if not pid:
        signal.pause()
    had.append(pid)
print(len(had))
for pid in had:
    os.kill(pid, signal.SIGKILL)
"""
#: Takes as many inotify instances, pending signals and message queues as it can; prints the number of each.
TAKE = """
import ctypes, os, signal, sys, threading
libc = ctypes.CDLL(None)
def most(take):
    had = 0
    while had < 1_000_000 and take(had):
        had += 1
    return had
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
watches = most(lambda had: libc.inotify_init1(0) >= 0)
waiting = most(lambda had: libc.sigqueue(os.getpid(), signal.SIGRTMIN, ctypes.c_void_p(0)) == 0)
attributes = (ctypes.c_long * 8)(0, 10, 8192)
queues = most(lambda had: libc.mq_open(b"/q%d" % had, os.O_CREAT | os.O_RDWR, 0o600, attributes) >= 0)
print(watches, waiting, queues, flush=True)
sys.stdin.read()
for number in range(queues):
    libc.mq_unlink(b"/q%d" % number)
"""
#: Each process has a session of its own, so that the scheduler does not group them.
CROWD = """
import os
while True:
    try:
        if not os.fork():
            os.setsid()
    except OSError:
        pass
"""
FILL = f"""
for number in range({RESULTS_FILES + 10}):
    open(f"/run/lab/files/{{number}}", "w").close()
"""


def _taken(argv: list[str]) -> list[int]:
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
    return [int(word) for word in done.stdout.split()]


def main() -> None:
    """Run the scenario of the arguments."""
    place, scenario, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    results = Path(tempfile.mkdtemp(dir=folder))
    program = Program("echo_agent", ROOT, results, site=(Path(__file__).parent,), memory_mib=256, processes=PROCESSES)
    outcome: dict[str, object] = {}
    with PLACES[place]().start(program) as lab:
        assert lab.wire.reader.readline() == b"hello\n"
        if scenario == "processes":
            outcome["had"] = int(lab.command(["python3", "-c", BOMB]).stdout)
            outcome["again"] = int(lab.command(["python3", "-c", BOMB]).stdout)
            outcome["outside"] = os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)[1])
        elif scenario == "shares":
            outcome["alone"] = _taken([sys.executable, "-c", TAKE])
            pipe = subprocess.PIPE
            with subprocess.Popen(lab.pipe_argv(["python3", "-c", TAKE]), stdin=pipe, stdout=pipe) as inside:
                assert inside.stdin is not None and inside.stdout is not None
                outcome["in the lab"] = [int(word) for word in inside.stdout.readline().split()]
                outcome["beside it"] = _taken([sys.executable, "-c", TAKE])
                inside.stdin.close()
        elif scenario == "room":
            words = lab.command(["stat", "-f", "-c", "%b %S %c", "/tmp", "/dev/shm", "/run"]).stdout.split()
            outcome["rooms"] = [int(words[index]) * int(words[index + 1]) for index in range(0, len(words), 3)]
            outcome["files"] = [int(count) for count in words[2::3]]
        elif scenario == "crowd":
            lab.command(["sh", "-c", "cat > /tmp/bomb"], data=CROWD.encode())
            lab.command(["sh", "-c", "(python3 /tmp/bomb &) >/dev/null 2>&1"])
            while lab.wire.reader.read(1):
                pass  # until the lab ends
            outcome["words"] = lab.last_words()
        elif scenario == "console":
            much = f"head -c {CONSOLE_MIB + 20}M /dev/zero | tr '\\0' x"
            lab.command(["sh", "-c", f"({much}; echo; echo the end) >> /proc/1/fd/1"])
            until_s = time.monotonic() + PATIENCE_S
            while (size := lab.console.stat().st_size) > CONSOLE_MIB << 20 and time.monotonic() < until_s:
                pause(0.05)
            lab.command(["sh", "-c", "echo and more >> /proc/1/fd/1"])
            outcome |= {"size": size, "words": lab.last_words()[-100:]}
        else:
            lab.command(["sh", "-c", f"(python3 -c '{FILL}' &) >/dev/null 2>&1"])
            while lab.wire.reader.read(1):
                pass  # until the lab ends
            outcome["words"] = lab.last_words()
    sys.stdout.write(json.dumps(outcome))


if __name__ == "__main__":
    main()
