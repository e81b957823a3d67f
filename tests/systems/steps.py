"""What is done in a fresh system, word for word as its user types it, and what came of it."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.rounds import ROOT
from tests.systems import roots

CHECKOUT = Path("/home") / roots.USER / "miniedit-frr"


@dataclass(frozen=True)
class Step:
    """A command in the checkout.

    Attributes:
        words: the command, for a shell.
        results: what it keeps of its run, as a pattern below the checkout; empty where it runs no lab.
        limit_s: longer than it ever takes.
    """

    command: str
    results: str = ""
    limit_s: float = 900


def _run(example: str, place: str) -> Step:
    return Step(f"./run run examples/{example}.mn --place {place} --out results/{place}", f"results/{place}")


#: The columns of the table. The first sets up all that is missing, and its example is that of `./run`.
STEPS = {
    "`./run`, the first time": Step("./run", "results/two-as-bgp-*", 2400),
    "`--version`": Step("./run --version"),
    "in a namespace": _run("two-as-no-delay", "namespace"),
    "in a lab kernel": _run("ospf-multihop", "labkernel"),
}
WHOLE_SUITE = {"`./test`": Step("./test", limit_s=5400)}
#: First of all where no package has a lab kernel.
BUILD = {"`kernel build`": Step(".ci/setup.sh kernel && ./run kernel build", limit_s=5400)}
_TIMED_OUT = 124


@dataclass(frozen=True)
class StepResult:
    """How a step ended: exit status (124 when it was ended at its limit), wall time, what it said last, in its log."""

    status: int
    seconds: float
    last_output: str


@dataclass
class SystemResult:
    """A system and all that was done in it.

    Attributes:
        system: what people call it.
        why_not: why nothing was done, empty where it was.
        facts: what the runs kept about `python`, `frr` and the lab's `kernel`.
        done: of each step, by its column.
    """

    system: str
    reason_skipped: str = ""
    facts: dict[str, str] = field(default_factory=dict)
    step_results: dict[str, StepResult] = field(default_factory=dict)

    def succeeded(self) -> bool:
        """Whether all that was done succeeded; a system that was not tried has not failed."""
        return not any(one.status for one in self.step_results.values())


def try_system(system: roots.System, folder: Path, steps: Mapping[str, Step], keep: bool = False) -> SystemResult:
    """Make a system and do all steps in it; of each a log stays in `folder`, the root only where it is to be kept.

    Raises:
        CalledProcessError: the system could not be made, or the project not cloned.
    """
    tried = SystemResult(system.title)
    try:
        root = roots.make_root(system, folder / "roots")
    except roots.ArchiveUnreachable:
        tried.reason_skipped = "its archive does not answer"
        return tried
    try:
        _clone(root)
        for number, (column, step) in enumerate({**({} if system.has_kernel else BUILD), **steps}.items(), 1):
            tried.step_results[column] = _do(step, root, folder / f"{system.suite}-{number}.log")
            for found in _runs(root, step):
                tried.facts.update(run_facts(found))
    finally:
        if not keep:
            roots.remove_root(root)
    return tried


def _clone(root: Path) -> None:
    """HEAD as the user's own: linked files would be given away here as well."""
    target = root / CHECKOUT.relative_to("/")
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", ROOT, target], check=True)
    own = ["chown", "-R", f"{roots.USER}:{roots.USER}", str(CHECKOUT)]
    subprocess.run(roots.command_in_root(root, Path("/"), own), check=True)


def _do(step: Step, root: Path, log: Path) -> StepResult:
    argv = roots.command_in_root(root, CHECKOUT, ["bash", "-c", step.command], roots.USER)
    began_s = time.monotonic()
    with log.open("wb") as file:
        try:
            status = subprocess.run(
                argv, stdin=subprocess.DEVNULL, stdout=file, stderr=file, timeout=step.limit_s,
                env=roots.environment(roots.USER),
            ).returncode  # fmt: skip
        except subprocess.TimeoutExpired:
            status = _TIMED_OUT
    seconds = time.monotonic() - began_s
    kept = [run_verdict(found) for found in _runs(root, step)]
    return StepResult(status, seconds, kept[-1] if kept else last_line(log.read_text(errors="replace")))


def _runs(root: Path, step: Step) -> Iterator[Path]:
    """The results folders of a step, the oldest first."""
    if step.results:
        yield from sorted((root / CHECKOUT.relative_to("/")).glob(step.results))


def run_facts(results: Path) -> dict[str, str]:
    """What a results folder says about Python, FRR and, where the lab had one of its own, the kernel."""
    said = _read(results / "run.json").get("facts", {})
    wanted = ("python", "frr", *(["kernel"] if said.get("place") == "labkernel" else []))
    return {name: str(said[name]) for name in wanted if name in said}


def run_verdict(results: Path) -> str:
    """The verdict on a run, and whether it has its figure."""
    said = _read(results / "summary.json").get("verdict", "no verdict")
    return said if (results / "figure.png").exists() else f"{said}, no figure"


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def last_line(log: str) -> str:
    """The last line of a log, without the wall time at the end of that of `./test`."""
    lines = log.strip().splitlines()
    return re.sub(r" in \d+ s$", "", lines[-1]) if lines else "nothing"


def result_table(tried: Sequence[SystemResult]) -> str:
    """One row a system: what it has, and of each step exit status, seconds and what it said."""
    columns = list(dict.fromkeys(column for one in tried for column in one.step_results))
    heads = ["system", "Python", "FRR", "lab kernel", *columns]
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for one in tried:
        if one.reason_skipped:
            cells = [one.system, f"not tried: {one.reason_skipped}", *[""] * (len(heads) - 2)]
        else:
            known = [one.facts.get(name, "") for name in ("python", "frr", "kernel")]
            cells = [one.system, *known, *(_cell(one.step_results.get(column)) for column in columns)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(done: StepResult | None) -> str:
    return "" if done is None else f"{done.status}; {done.seconds:.0f} s; {done.last_output}".replace("|", r"\|")
