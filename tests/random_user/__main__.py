"""`python -m tests.random_user --seeds 1-20 --steps 500`: use the window at random, and report what goes wrong.

Each seed is a process of its own with a screen of its own. The steps up to a fault are written to a file, which
`--replay FILE` plays again and `--shrink FILE` shortens.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests import screens
from tests.random_user.steps import Step


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.random_user", description=__doc__)
    parser.add_argument("--seeds", default="1-5", help="FIRST-LAST")
    parser.add_argument("--steps", type=int, default=300, help="number of steps of each seed")
    parser.add_argument("--size", default="1280x800", help="WIDTHxHEIGHT of the screen")
    parser.add_argument("--theme", choices=["light", "dark"], default="light")
    parser.add_argument("--scaling", type=int, default=100, help="in percent, 100 to 200")
    parser.add_argument("--labs", action="store_true", help="labs may start; otherwise they have no place")
    parser.add_argument("--out", type=Path, default=Path("random-user"), help="folder for the steps of faults")
    parser.add_argument("--replay", type=Path, help="play the steps of this file")
    parser.add_argument("--shrink", type=Path, help="remove steps of this file while the fault remains")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def _play(options: argparse.Namespace, seed: int, steps: list[Step] | None) -> dict[str, object]:
    """The findings of a session in a process of its own."""
    width, height = map(int, options.size.split("x"))
    with tempfile.TemporaryDirectory(prefix="random-user-") as home, screens.screen(width, height) as display:
        report = Path(home, "report.json")
        job = {"seed": seed, "count": options.steps, "steps": steps, "report": str(report), "display": display,
               "preferences": {"theme": options.theme, "scaling_percent": options.scaling,
                               **({} if options.labs else {"place": "labkernel"})}}  # fmt: skip
        Path(home, "job.json").write_text(json.dumps(job))
        environment = {**os.environ, "HOME": home, "XDG_RUNTIME_DIR": home, "DISPLAY": display,
                       "PYTHONPATH": str(Path(__file__).resolve().parents[2])}  # fmt: skip
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_DOCUMENTS_DIR"):
            environment.pop(name, None)
        if not options.labs:
            environment["MINIEDIT_FRR_KERNEL"] = "/nonexistent"
        argv = [sys.executable, "-P", "-m", "tests.random_user", "--one", str(Path(home, "job.json"))]
        done = subprocess.run(argv, env=environment, cwd=home, capture_output=True, text=True, check=False)
        if not report.exists():
            return {"steps": steps or [], "faults": [f"the process ended: {done.stderr[-3000:]}"], "slow": []}
        findings: dict[str, object] = json.loads(report.read_text())
        return findings


def _one(path: Path) -> int:
    from tests.random_user.session import RandomUserSession, from_list, from_seed

    job = json.loads(path.read_text())
    # A process that hangs ends with the stacks of its threads on its standard error.
    faulthandler.dump_traceback_later(60 + (len(job["steps"] or ()) or job["count"]) // 2, exit=True)
    session = RandomUserSession(path.parent, job["display"], job["preferences"])
    steps = job["steps"]
    source = from_list([(kind, words) for kind, words in steps]) if steps else from_seed(job["seed"], job["count"])
    session.run(source, Path(job["report"]))
    return 0


def _shrink(options: argparse.Namespace, path: Path) -> None:
    """Remove steps, in blocks of shrinking length, while the same fault remains."""
    steps: list[Step] = json.loads(path.read_text())["steps"]
    first = _signature(_play(options, 0, steps))
    size = max(1, len(steps) // 2)
    while size:
        start = 0
        while start < len(steps):
            fewer = steps[:start] + steps[start + size :]
            findings = _play(options, 0, fewer)
            if findings["faults"] and _signature(findings) == first:
                steps = findings["steps"] or fewer  # type: ignore[assignment]
                print(f"{len(steps)} steps", flush=True)  # noqa: T201
            else:
                start += size
        size //= 2
    short = path.with_suffix(".short.json")
    short.write_text(json.dumps({"steps": steps}, indent=1))
    print(f"{first}\n{short}")  # noqa: T201


def _signature(findings: dict[str, object]) -> str:
    """The last line of the first fault, without numbers."""
    faults = findings["faults"]
    assert isinstance(faults, list)
    return "".join(c for c in faults[0].strip().splitlines()[-1] if not c.isdigit())[:60] if faults else ""


def main() -> int:
    """Run all seeds. Returns the exit status."""
    options = _options()
    if options.one:
        return _one(options.one)
    if options.shrink:
        _shrink(options, options.shrink)
        return 0
    if options.replay:
        findings = _play(options, 0, json.loads(options.replay.read_text())["steps"])
        print("\n".join(map(str, findings["faults"])) or "no fault")  # type: ignore[call-overload] # noqa: T201
        return 1 if findings["faults"] else 0
    first, _, last = options.seeds.partition("-")
    options.out.mkdir(parents=True, exist_ok=True)
    bad = 0
    for seed in range(int(first), int(last or first) + 1):
        findings = _play(options, seed, None)
        steps, faults = findings["steps"], findings["faults"]
        assert isinstance(steps, list) and isinstance(faults, list)
        words = faults[0].strip().splitlines()[-1] if faults else "no fault"
        summary = f"{len(steps)} steps, {findings.get('edits', 0)} edits, slow: {findings['slow']}"
        print(f"seed {seed}: {words}; {summary}", flush=True)  # noqa: T201
        if faults:
            bad += 1
            (options.out / f"seed-{seed}.json").write_text(json.dumps(findings, indent=1))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
