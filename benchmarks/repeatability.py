"""Counts how many of N runs in virtual time are identical while all that surrounds them varies at random.

    python benchmarks/repeatability.py [-n 50] [--random SEED]

Each run repeats one BBR flow with random loss, from a folder of random depth beside a random number of files, with a
random time zone, locale, umask, hash seed, terminal width and environment, from this checkout or from a copy of it that
holds no bytecode and takes none, as this user or, for root, as nobody.
"""

from __future__ import annotations

import argparse
import os
import pwd
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from frrlib.formats.mn import dumps
from frrlib.network.network import Network, Shape, Wait, end
from frrlib.place.labkernel import find_kernel
from frrlib.results.sameness import differences

_CHECKOUT = Path(__file__).resolve().parents[1]
_PROGRAM = """
import sys
from pathlib import Path
from frrlib.formats import mn
from frrlib.run.run import RunSettings, run
file, out, kernel = map(Path, sys.argv[1:])
text = file.read_text(encoding="utf-8")
settings = RunSettings(virtual_time=True, seed=7, kernel=kernel)
outcome = run(mn.loads(text, str(file)).topology, text, out, settings, figure=False, folder=file.parent)
sys.exit("; ".join(outcome.failures) or 0)
"""


def main() -> None:
    """Run and print the count and each difference; exit status 1 if a run was not identical."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=50, help="number of runs")
    parser.add_argument("--random", type=int, default=1, help="seed of the choice of circumstances")
    options = parser.parse_args()
    chance = random.Random(options.random)
    with tempfile.TemporaryDirectory(prefix="repeatability-", dir="/tmp") as name:
        base = Path(name)
        base.chmod(0o755)
        copy, kernel = _prepare(base)
        reference, same, began_s = base / "reference", 0, time.monotonic()
        _run(base, reference, kernel, None, copy)
        for number in range(options.n):
            out = base / f"run-{number}"
            how = _run(base, out, kernel, chance, copy)
            all_differences = differences(_results(reference), _results(out))
            same += not all_differences
            for difference in all_differences:
                sys.stdout.write(f"run {number} ({how}): {difference}\n")
            shutil.rmtree(out)
        took_s = (time.monotonic() - began_s) / (options.n + 1)
        sys.stdout.write(f"{same} of {options.n} identical, {took_s:.1f} s each\n")
    raise SystemExit(same != options.n)


def _topology() -> str:
    net = Network("Two hosts", wait=Wait(ping_count=1))
    net.host("h1")
    net.host("h2")
    shape = Shape(rate_mbit=10, delay_ms=10, queue_ms=50, loss_percent=0.5)
    net.link(end("h1", "10.0.0.1/24"), end("h2", "10.0.0.2/24"), both=shape)
    net.flow("f", "h1", "h2", congestion_control="bbr", duration_s=1)
    return dumps(net.topology)


def _prepare(base: Path) -> tuple[Path, Path]:
    """A copy of the checkout that takes no bytecode, and one of the lab kernel that anybody can start."""
    copy, kernel = base / "a" / "copy", base / "kernel"
    for name in ("frrlib", "kernel"):
        shutil.copytree(_CHECKOUT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (copy, *copy.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    shutil.copyfile(find_kernel(), kernel)
    kernel.chmod(0o755)
    return copy, kernel


def _results(top: Path) -> Path:
    return next(top.rglob("run.json")).parent


def _run(base: Path, top: Path, kernel: Path, chance: random.Random | None, copy: Path) -> str:
    """One run below `top`, under random circumstances or, without `chance`, under the caller's; its circumstances."""
    folder = top
    home = base / "home"
    home.mkdir(exist_ok=True)
    environment, umask, user = {**os.environ, "PYTHONPATH": str(_CHECKOUT)}, 0o022, os.geteuid()
    if chance is not None:
        for _ in range(chance.randrange(12)):
            folder /= "d" * chance.randint(1, 20)
        umask = chance.choice((0o022, 0o077, 0o002))
        user = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 and chance.random() < 0.5 else user
        environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": str(home) if user != os.geteuid() else os.environ.get("HOME", "/"),
            "TZ": chance.choice(("UTC", "Asia/Tokyo", "America/New_York")),
            "LC_ALL": chance.choice(("C", "C.UTF-8", "POSIX")),
            "COLUMNS": str(chance.randint(20, 200)),
            "PYTHONHASHSEED": str(chance.randrange(1000)),
            "FILLING": "x" * chance.randrange(5000),
            "PYTHONPATH": str(chance.choice((copy, _CHECKOUT))),
        }
    folder.mkdir(parents=True)
    file = folder / "x.mn"
    file.write_text(_topology(), encoding="utf-8")
    for number in range(chance.randrange(60) if chance else 0):
        (folder / f"beside-{number}").touch()
    if user != os.geteuid():
        for path in (home, top, *top.rglob("*")):
            os.chown(path, user, -1)
    argv = [sys.executable, "-c", _PROGRAM, str(file), str(folder / "out"), str(kernel)]
    options = {"user": user, "group": pwd.getpwuid(user).pw_gid, "extra_groups": []} if user != os.geteuid() else {}
    subprocess.run(argv, env=environment, cwd="/", umask=umask, check=True, timeout=600, **options)  # type: ignore[call-overload]
    return f"user {user}, umask {umask:03o}, depth {len(folder.parts)}, {environment['PYTHONPATH']}"


if __name__ == "__main__":
    main()
