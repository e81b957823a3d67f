"""The commands that a user types in a fresh system, and their results."""

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
        command: the command, for a shell.
        results: the pattern of its results folders below the checkout; empty if it runs no lab.
        limit_s: the time limit, which is longer than the command ever takes.
    """

    command: str
    results: str = ""
    limit_s: float = 900


def _run(example: str, place: str) -> Step:
    return Step(f"./run run examples/{example}.mn --place {place} --out results/{place}", f"results/{place}")


#: Student 42 begins the first exercise and answers its question. The other tasks are still to be done.
_EXERCISE = (
    "./run exercise start first-network --student 42 --name Ada && cd first-network && "
    "../run exercise check --answer lan1-size=254 | tee checks && grep -q '(lan1-size): 1 of 1 point' checks"
)
#: The columns of the table. The first command installs everything that is missing, and runs the example of `./run`.
STEPS = {
    "`./run`, the first time": Step("./run", "results/two-as-bgp-*", 2400),
    "`--version`": Step("./run --version"),
    "in a namespace": _run("two-as-no-delay", "namespace"),
    "in a lab kernel": _run("ospf-multihop", "labkernel"),
    "the first exercise": Step(_EXERCISE),
}
WHOLE_SUITE = {"`./test`": Step("./test", limit_s=5400)}
#: The first step in a system without a package of a lab kernel.
BUILD = {"`kernel build`": Step("./run kernel build", limit_s=5400)}
_TIMED_OUT = 124


@dataclass(frozen=True)
class StepResult:
    """The result of a step.

    Attributes:
        status: its exit status; 124 if it was ended at its time limit.
        seconds: its wall time.
        last_output: the verdict on its run, or the last line of its log.
    """

    status: int
    seconds: float
    last_output: str


@dataclass
class SystemResult:
    """A system and the results of all steps in it.

    Attributes:
        system: its common name.
        reason_skipped: the reason why it was not tested; empty if it was tested.
        facts: the versions of `python`, `frr` and the lab's `kernel` that its runs recorded.
        step_results: the results of steps, by column.
        changed_files: the files outside of the user's home that changed.
    """

    system: str
    reason_skipped: str = ""
    facts: dict[str, str] = field(default_factory=dict)
    step_results: dict[str, StepResult] = field(default_factory=dict)
    changed_files: list[str] = field(default_factory=list)

    def succeeded(self) -> bool:
        """Whether all steps succeeded and changed nothing of others. A system that was not tested has not failed."""
        return not self.changed_files and not any(result.status for result in self.step_results.values())


def try_system(system: roots.System, folder: Path, steps: Mapping[str, Step], keep: bool = False) -> SystemResult:
    """Make a system and run all steps in it. Logs stay in `folder`; the root stays only with `keep`.

    Raises:
        CalledProcessError: the system could not be made, or the project not cloned.
    """
    system_result = SystemResult(system.title)
    try:
        root = roots.make_root(system, folder / "roots")
    except roots.ArchiveUnreachable:
        system_result.reason_skipped = "its archive does not reply"
        return system_result
    try:
        _clone(root)
        before = roots.files_of_others(root)
        for number, (column, step) in enumerate({**({} if system.has_kernel else BUILD), **steps}.items(), 1):
            system_result.step_results[column] = _do(step, root, folder / f"{system.suite}-{number}.log")
            for results_folder in _runs(root, step):
                system_result.facts.update(run_facts(results_folder))
        after = roots.files_of_others(root)
        system_result.changed_files = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    finally:
        if not keep:
            roots.remove_root(root)
    return system_result


def _clone(root: Path) -> None:
    """Clone HEAD for the user. Files are copied, because hard links would change their owner here, too."""
    target = root / CHECKOUT.relative_to("/")
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", ROOT, target], check=True)
    command = ["chown", "-R", f"{roots.USER}:{roots.USER}", str(CHECKOUT)]
    subprocess.run(roots.command_in_root(root, Path("/"), command), check=True)


def _do(step: Step, root: Path, log: Path) -> StepResult:
    argv = roots.command_in_root(root, CHECKOUT, ["bash", "-c", step.command], roots.USER)
    start_s = time.monotonic()
    with log.open("wb") as file:
        try:
            status = subprocess.run(
                argv, stdin=subprocess.DEVNULL, stdout=file, stderr=file, timeout=step.limit_s,
                env=roots.environment(roots.USER),
            ).returncode  # fmt: skip
        except subprocess.TimeoutExpired:
            status = _TIMED_OUT
    seconds = time.monotonic() - start_s
    verdicts = [run_verdict(results_folder) for results_folder in _runs(root, step)]
    return StepResult(status, seconds, verdicts[-1] if verdicts else last_line(log.read_text(errors="replace")))


def _runs(root: Path, step: Step) -> Iterator[Path]:
    """The results folders of a step, the oldest first."""
    if step.results:
        yield from sorted((root / CHECKOUT.relative_to("/")).glob(step.results))


def run_facts(results: Path) -> dict[str, str]:
    """The versions of Python, FRR and, if the lab had a lab kernel, the kernel, from a results folder."""
    recorded = _read(results / "run.json").get("facts", {})
    names = ("python", "frr", *(["kernel"] if recorded.get("place") == "labkernel" else []))
    return {name: str(recorded[name]) for name in names if name in recorded}


def run_verdict(results: Path) -> str:
    """The verdict on a run, and whether it has its figure."""
    text = _read(results / "summary.json").get("verdict", "no verdict")
    return text if (results / "figure.png").exists() else f"{text}, no figure"


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def last_line(log: str) -> str:
    """The last line of a log, without the wall time at the end of that of `./test`."""
    lines = log.strip().splitlines()
    return re.sub(r" in \d+ s$", "", lines[-1]) if lines else "nothing"


def result_table(results: Sequence[SystemResult]) -> str:
    """A table with a row for each system: its versions, and the exit status, seconds and last output of each step."""
    columns = list(dict.fromkeys(column for result in results for column in result.step_results))
    headings = ["system", "Python", "FRR", "lab kernel", *columns, "changed outside of the home"]
    lines = [f"| {' | '.join(headings)} |", "|" + "---|" * len(headings)]
    for result in results:
        if result.reason_skipped:
            cells = [result.system, f"not tried: {result.reason_skipped}", *[""] * (len(headings) - 2)]
        else:
            facts = [result.facts.get(name, "") for name in ("python", "frr", "kernel")]
            changed = ", ".join(result.changed_files[:5]) or "nothing"
            cells = [result.system, *facts, *(_cell(result.step_results.get(column)) for column in columns), changed]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(result: StepResult | None) -> str:
    return (
        "" if result is None else f"{result.status}; {result.seconds:.0f} s; {result.last_output}".replace("|", r"\|")
    )
