"""Whether `.ci/run` ends alike with the same code under different conditions.

    python benchmarks/steadiness.py FOLDER [CONDITION...] [--only WORDS]

Runs `.ci/run` in a clean clone of HEAD below FOLDER, once for each condition, and prints the table of docs/testing.md:

    calm     as the caller, nothing beside it
    user     as an ordinary user (for root only; the others run as root then)
    busy     beside two loops that never wait
    tmp      in a folder with a space in its name below /tmp, with SIGINT ignored, no core files and no terminal
    beside   while another user's suite boots labs

and, when they are named (for root, with debootstrap),

    debian12, debian13, ubuntu24.04   as root of a fresh, minimal system, where ./test installs all that it needs

Each takes as long as `.ci/run`. FOLDER must be readable by all. Whole logs stay there, the clones do not. Everything
that is started here is ended here, by its handle.
"""

from __future__ import annotations

import argparse
import os
import pwd
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from frrlib.system import signals
from tests.rounds import ROOT
from tests.systems import roots

#: Longer than any whole suite takes.
_LIMIT_S = 5400
_LOOP = "while True: pass"


@dataclass(frozen=True)
class SuiteEnd:
    """How a `.ci/run` ended: its exit status, wall time, last line and unsteady tests with their reasons."""

    condition: str
    status: int
    seconds: float
    last_line: str
    unsteady: tuple[str, ...]


@dataclass(frozen=True)
class Site:
    """Where suites run: a folder, and the tests to run of each (all where it is empty)."""

    folder: Path
    only: tuple[str, ...]

    def clone(self, name: str) -> Path:
        """A clean clone of HEAD, with no file of ours in it: some are given away."""
        checkout = self.folder / name / "main"
        shutil.rmtree(checkout, ignore_errors=True)
        checkout.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "-q", "--no-hardlinks", ROOT, checkout], check=True)
        return checkout

    def suite(self, checkout: Path, argv: Sequence[str], log: IO[bytes], **options: Any) -> subprocess.Popen[bytes]:
        """Start a suite in a session of its own, so that all of it can be ended together."""
        options.setdefault("preexec_fn", signals.reset)
        return subprocess.Popen(
            argv, cwd=checkout, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, **options
        )


def _ordinary() -> dict[str, Any]:
    """The options of `Popen` that make a program run as an ordinary user; a caller that has a home adds its folder."""
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _as_user(site: Site, checkout: Path) -> dict[str, Any]:
    """Options of Popen for a suite as an ordinary user, to whom the clone is given."""
    who, home = _ordinary(), checkout.parent / "home"
    home.mkdir(exist_ok=True)
    subprocess.run(["chown", "-R", f"{who['user']}:{who['group']}", checkout.parent], check=True)
    environment = {
        "HOME": str(home),
        "USER": "nobody",
        "LOGNAME": "nobody",
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
    }
    return {**who, "env": environment}


@contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        process.wait()


@contextmanager
def _loops() -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(2):
            process = subprocess.Popen([sys.executable, "-c", _LOOP], start_new_session=True)
            stack.enter_context(_ended(process))
        yield


def _deaf() -> None:
    signals.reset()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _calm(site: Site, name: str) -> SuiteEnd:
    return _run(site, name, site.clone(name))


def _user(site: Site, name: str) -> SuiteEnd:
    checkout = site.clone(name)
    return _run(site, name, checkout, **_as_user(site, checkout))


def _busy(site: Site, name: str) -> SuiteEnd:
    with _loops():
        return _run(site, name, site.clone(name))


def _tmp(site: Site, name: str) -> SuiteEnd:
    folder = Path("/tmp/frr suite")
    try:
        return _run(site, name, Site(folder, ()).clone(name), preexec_fn=_deaf)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _beside(site: Site, name: str) -> SuiteEnd:
    other_checkout = site.clone("other")
    options = _as_user(site, other_checkout)
    with ExitStack() as stack, open(site.folder / "other.log", "wb") as log:
        # ready before the other begins: its labs, again and again, as long as the suite takes
        subprocess.run(
            ["bash", ".ci/setup.sh", "test"], cwd=other_checkout, check=True, stdout=log, stderr=log, **options
        )
        again = "while :; do ./test -q tests/lab tests/agent tests/place tests/cli || true; done"
        argv = ["bash", "-c", again]
        process = subprocess.Popen(argv, cwd=other_checkout, stdout=log, stderr=log, start_new_session=True, **options)
        stack.enter_context(_ended(process))
        return _run(site, name, site.clone(name))


def _fresh(system: str, site: Site, name: str) -> SuiteEnd:
    root = roots.make_root(roots.SYSTEMS[system], site.folder / "roots")
    try:
        checkout = Site(root, ()).clone("suite")
        inside = roots.command_in_root(root, Path("/suite/main"), ["bash", ".ci/run", *site.only])
        return _run(site, name, checkout, inside, env=roots.environment())
    finally:
        roots.remove_root(root)


CONDITIONS: dict[str, Callable[[Site, str], SuiteEnd]] = {
    "calm": _calm, "user": _user, "busy": _busy, "tmp": _tmp, "beside": _beside,
    **{system: partial(_fresh, system) for system in roots.SYSTEMS},
}  # fmt: skip
#: Run where none is named.
_ALWAYS = ("calm", "user", "busy", "tmp", "beside")


def _run(site: Site, name: str, checkout: Path, argv: Sequence[str] = (), **options: Any) -> SuiteEnd:
    """Run a suite to its end, that of the checkout where no other is given, and remove the checkout."""
    argv = argv or ["bash", str(checkout / ".ci" / "run"), *site.only]
    path = site.folder / f"{name}.log"
    began_s = time.monotonic()
    with path.open("wb") as log:
        process = site.suite(checkout, argv, log, **options)
        with _ended(process):
            process.wait(_LIMIT_S)
    seconds = time.monotonic() - began_s
    shutil.rmtree(checkout.parent, ignore_errors=True)
    lines = path.read_text(errors="replace").strip().splitlines()
    return SuiteEnd(name, process.returncode, seconds, lines[-1] if lines else "", tuple(_unsteady(lines)))


def _unsteady(lines: Sequence[str]) -> Iterator[str]:
    """The unsteady tests that the end of a log lists."""
    heads = [number for number, line in enumerate(lines) if line.startswith("Unsteady: ")]
    for line in lines[heads[-1] + 1 :] if heads else ():
        if not line.startswith("  "):
            return
        yield line.strip()


def table(ended: Sequence[SuiteEnd]) -> str:
    """The results in the words of docs/testing.md."""
    lines = ["| condition | exit | minutes | what it said |", "|---|---|---|---|"]
    for end in ended:
        last_line = re.sub(r" in \d+ s$", "", end.last_line)
        lines.append(f"| {end.condition} | {end.status} | {end.seconds / 60:.1f} | {last_line} |")
    unsteady = [f"- {end.condition}: `{test}`" for end in ended for test in end.unsteady]
    return "\n".join([*lines, "", *(unsteady or ["No test was unsteady."])])


def main() -> int:
    """0 where all ended with 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("conditions", nargs="*", choices=[*CONDITIONS, []], help=f"without any: {' '.join(_ALWAYS)}")
    parser.add_argument("--only", default="", help="words for pytest instead of the whole suite, to try this out")
    options = parser.parse_args()
    site = Site(options.folder.resolve(), tuple(options.only.split()))
    site.folder.mkdir(parents=True, exist_ok=True)
    ended = []
    for name in options.conditions or _ALWAYS:
        if os.geteuid() != 0 and name not in ("calm", "busy", "tmp"):
            sys.stderr.write(f"{name}: left out, it needs root\n")
            continue
        sys.stderr.write(f"{name}: since {time.strftime('%H:%M:%S')}\n")
        ended.append(CONDITIONS[name](site, name))
        sys.stdout.write(f"{table(ended[-1:])}\n")
    sys.stdout.write(f"\n{table(ended)}\n")
    return 0 if ended and not any(end.status for end in ended) else 1


if __name__ == "__main__":
    sys.exit(main())
