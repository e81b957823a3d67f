"""Whether anything is left of strangers' labs that are killed at random moments, or anything outside has changed.

    python benchmarks/kills.py [--labs 200] [--first 0] [--seed 1] [--json FILE]

To be called by an ordinary user. Nine strangers' drawings, in namespaces and in lab kernels in turn: set-user-id
programs and links out in folders of mode 000, processes that ignore every signal, forks without end, hundreds of MiB,
escape sequences, memory-backed folders that nobody can list, floods on the agent's wire, an agent that is stopped, and
every way to change a file. At a random moment of each lab, one of these is killed with SIGKILL: the program, either of
its supervisors, the lab's first process or the one above it, both supervisors, or the program and both supervisors; or
the program is ended by Ctrl-C or SIGTERM. Then this program waits until nothing of it is left: no process, no temporary
folder, no mount.

A tree of files of all kinds, which the lab sees, is compared each time: types, modes, owners, links, sizes, blocks,
times of change in ns, attributes and content. In the results is no set-user-id program, no link out, no pipe, and
nothing that its owner can neither read nor remove; where nobody was left to see to that, they are closed to others.

Prints a line for each lab, and ends with 1 where anything was wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from frrlib.system import removal
from tests.conftest import OrdinaryUser
from tests.walls import canary, kills


def _own(folders: tuple[str, ...] = ("/tmp", "/var/tmp", "/dev/shm")) -> set[str]:
    """This user's files in the machine's temporary folders."""
    return {
        entry.path
        for folder in folders
        for entry in os.scandir(folder)
        if entry.stat(follow_symlinks=False).st_uid == os.getuid()
    }


def main() -> int:
    """0 where nothing was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labs", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="go on with this one of them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if os.geteuid() == 0:
        sys.exit("to be called by an ordinary user")
    before, began_s = _own(), time.monotonic()
    home = Path(tempfile.mkdtemp(prefix="frr-kills-", dir="/tmp"))
    (home / "tmp").mkdir()
    ended = []
    place = kills.Range(OrdinaryUser(os.getuid(), os.getgid(), home))
    try:
        begun = canary.checksum(place.before)
        for kill in list(kills.plan(options.labs, options.seed))[options.first :]:
            killed = kills.run_and_kill(kill, place)
            ended.append(killed)
            print(
                f"{kill} {killed.struck:30} nothing left after {killed.seconds:5.1f} s",
                *killed.wrong,
                sep="\n    ",
                flush=True,
            )
        same = canary.checksum(canary.state_of(place.shown, set(place.before))) == begun
    finally:
        place.close()
        removal.remove(home)
    wrong = [killed for killed in ended if killed.wrong]
    stays = _own() - before
    if options.json:
        options.json.write_text(json.dumps([asdict(killed) for killed in ended], indent=1) + "\n", encoding="utf-8")
    for struck, count in sorted(Counter(killed.struck for killed in ended).items()):
        print(f"{count:4} {struck}")
    seconds = sorted(killed.seconds for killed in ended)
    print(f"until nothing was left: median {seconds[len(seconds) // 2]:.1f} s, longest {seconds[-1]:.1f} s")
    print(f"the tree: {len(place.before)} entries, checksum {begun}, {'the same' if same else 'ANOTHER'} at the end")
    print(*(f"left in the machine's folders: {path}" for path in sorted(stays)), sep="\n")
    print(f"{len(ended)} labs in {(time.monotonic() - began_s) / 60:.1f} min, {len(wrong)} with something wrong")
    return 1 if wrong or stays or not same else 0


if __name__ == "__main__":
    sys.exit(main())
