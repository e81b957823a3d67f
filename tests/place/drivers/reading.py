"""Commands in a lab that read files and memory of the machine: `drivers/reading.py PLACE FOLDER`.

Prints the outcomes as one JSON object. A home with secrets is made in the folder.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from frrlib.place.base import Program  # noqa: E402
from frrlib.place.labkernel import LabKernel  # noqa: E402
from frrlib.place.namespace import Namespace  # noqa: E402
from frrlib.place.root import Root  # noqa: E402

PLACES = {"namespace": Namespace, "labkernel": LabKernel, "root": Root}


def main() -> None:
    """Run the commands, and print their output."""
    place, folder = sys.argv[1], Path(tempfile.mkdtemp(dir=sys.argv[2]))
    home = folder / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / "labs").mkdir()
    (home / ".ssh/id").write_text("secret\n", encoding="ascii")
    (home / "diary").write_text("secret\n", encoding="ascii")
    (home / "work/deep").mkdir(parents=True)
    (home / "work/deep/data").write_text("for the lab\n", encoding="ascii")
    (home / "work/run").write_text("#!/bin/sh\necho ran\n", encoding="ascii")
    (home / "work/run").chmod(0o4755)
    (home / "work/closed").mkdir(mode=0o000)
    (home / "work/link").symlink_to("deep/data")
    os.mkfifo(home / "work/pipe")
    (home / "labs/data").write_text("for the lab\n", encoding="ascii")
    results = folder / "results"
    results.mkdir()
    os.environ["HOME"] = str(home)
    program = Program(
        "echo_agent", ROOT, results, site=(Path(__file__).parent,), visible_folders=(home / "labs", home / "work"),
        copied=(home / "work",), memory_mib=256,
    )  # fmt: skip
    with PLACES[place]().start(program) as lab:
        assert lab.wire.reader.readline() == b"hello\n"

        def reads(command: str) -> str:
            return lab.command(["sh", "-c", command]).stdout.decode()

        # The folder is an option without a name in Linux 6.1, and one with a name in 6.12.
        mounts = " || ".join(f"mount -t hostfs none /run/again -o {option}" for option in ("/", "hostfs=/"))
        again = f"mkdir /run/again && {{ {mounts}; }} || exit; "
        outcome = {
            "shown": reads(f"cat {home}/labs/data"),
            "written": lab.command(["sh", "-c", f"echo x > {home}/labs/new"]).status,
            "own": sorted(set(reads(f"ls -A {home}").split()) - {"labs", "work"}),
            "copy": reads(
                f"cd {home}/work && cat link && echo more >> link && cat link && ./run && ls -A; stat -c %a run"
            ),
            "others": reads("ls -A /home /root | grep -v :").split(),
            "mounted": reads(f"{again} cat /run/again{home}/.ssh/id /run/again{home}/diary"),
            "of the machine": reads("cat /run/again/etc/debian_version"),
            "environment": reads(f"cat /run/again/proc/{os.getpid()}/environ"),
        }
    outcome["not changed"] = (home / "work/deep/data").read_text(encoding="ascii")
    outcome["still there"] = (home / ".ssh/id").read_text(encoding="ascii")
    sys.stdout.write(json.dumps(outcome))


if __name__ == "__main__":
    main()
