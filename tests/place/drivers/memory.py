"""Labs that use memory, as on a machine short of it: `drivers/memory.py SCENARIO FOLDER`. Prints one JSON object."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from frrlib.place.base import Program  # noqa: E402
from frrlib.place.confinement import bounds  # noqa: E402
from frrlib.place.namespace import Namespace  # noqa: E402

MOST_MIB = 300
#: Programs that use up the memory: one process, several processes, files in a temporary folder of the lab.
BOMBS = {
    "process": f"x = bytearray({2 * MOST_MIB} << 20)",
    "processes": f"""
import os, signal
for _ in range(6):
    if not os.fork():
        x = bytearray({MOST_MIB // 3} << 20)
        signal.pause()
""",
    "folder": f"""
import os, subprocess
os.mkdir("/tmp/more")
subprocess.run(["mount", "-t", "tmpfs", "none", "/tmp/more"], check=True)
with open("/tmp/more/file", "wb") as file:
    for _ in range({2 * MOST_MIB}):
        file.write(bytes(1 << 20))
""",
    "beside": "",
    "little": f"x = bytearray({MOST_MIB // 2} << 20)",
}


def main() -> None:
    """Run the scenario of the arguments."""
    scenario = sys.argv[1]
    bounds.spare_mib = lambda: 1e9
    bounds.in_namespace_mib = lambda _: MOST_MIB
    program = Program("echo_agent", ROOT, None, site=(Path(__file__).parent,))
    with tempfile.TemporaryFile(dir="/dev/shm") as outside, Namespace().start(program) as lab:
        assert lab.wire.reader.readline() == b"hello\n"
        score = lab.command(["cat", "/proc/self/oom_score_adj"]).stdout.decode().strip()
        if scenario == "beside":  # a program of the machine, in a folder that the lab sees
            outside.write(bytes(2 * MOST_MIB << 20))
            outside.flush()
        ending = (
            "import time\ntime.sleep(3)\n" if scenario in ("beside", "little") else "import signal\nsignal.pause()\n"
        )
        lab.command(["sh", "-c", "cat > /tmp/bomb"], data=f"{BOMBS[scenario]}\n{ending}".encode())
        if scenario in ("beside", "little"):
            done = lab.command(["python3", "/tmp/bomb"]).status
        else:
            lab.command(["sh", "-c", "(python3 /tmp/bomb &) >/dev/null 2>&1"])
            while lab.wire.reader.read(1):
                pass  # until the lab ends
            done = -9
        words = lab.last_words() if done else ""  # this waits for the end
        outcome = {"score": score, "done": done, "alive": lab.alive(), "words": words}
    sys.stdout.write(json.dumps(outcome))


if __name__ == "__main__":
    main()
