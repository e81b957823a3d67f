"""Plausible faults, one for each of some rooms, with the tests that must detect them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A change of one place in the code that makes it wrong.

    Attributes:
        name: the consequence of the change.
        room: the changed room of docs/architecture.md.
        file: the changed file of the checkout.
        right, wrong: the text in the file, which occurs once, and its replacement.
        tests: files or folders below tests/, some of whose tests must detect the fault.
    """

    name: str
    room: str
    file: str
    right: str
    wrong: str
    tests: tuple[str, ...]


FAULTS = (
    Fault(
        "bytes for bits in a bandwidth-delay product", "model", "frrlib/model/links.py",
        "return rate_mbit * 1e6 / 8 * rtt_ms / 1e3", "return rate_mbit * 1e6 * rtt_ms / 1e3",
        ("checks", "edits", "model", "prediction"),
    ),
    Fault(
        "own lines in a new section are lost", "conf", "frrlib/conf/merge.py",
        "            self.entries.append(replace(section, below=merged_entries((), section.below, outside=False)))\n",
        "",
        ("conf",),
    ),
    Fault(
        "a group's filters are no filters of its neighbors", "diagnosis", "frrlib/diagnosis/bgp.py",
        "for subject in (name, *groups))", "for subject in (name,))", ("diagnosis",),
    ),
    Fault(
        "a wrong unit in tc's rate", "render", "frrlib/render/queues.py",
        '("mbit", 10**6), ("kbit", 10**3)', '("mbit", 10**6), ("kibit", 10**3)',
        ("render", "lab/traffic/test_disciplines.py"),
    ),
    Fault(
        "a node made anew keeps its links", "changes", "frrlib/changes/plan_difference.py",
        "        if name in (link.a.node, link.b.node) and link.id", "        if not name and link.id", ("changes",),
    ),
    Fault(
        "links lose what MiniEdit does not know", "formats", "frrlib/formats/own.py",
        "        if changes:\n            nth", "        if changes and counts[ends] > 1:\n            nth",
        ("formats",),
    ),
    Fault(
        "a file outside of the folder is read", "exchange", "frrlib/exchange/configurations/folder_reader.py",
        " or not target.is_relative_to(self._folder)", "",
        ("exchange",),
    ),
    Fault(
        "the first route of a node is left out", "agent", "frrlib/agent/network/nodes.py",
        "for route in self.plan.routes:", "for route in self.plan.routes[1:]:",
        ("agent/test_namespace_lab.py", "lab/test_examples.py"),
    ),
    Fault(
        "a sampler drops a column", "agent", "frrlib/agent/sampling/kernel_statistics.py",
        "        info[26],\n        None if info[25] >= _NO_THRESHOLD", "        None if info[25] >= _NO_THRESHOLD",
        ("agent/test_tcp_info.py", "lab/traffic/test_tcp.py"),
    ),
    Fault(
        "a supervisor that ends leaves processes running", "place", "frrlib/place/supervisor/supervisor.py",
        "                lent_interfaces.give_back()\n        _kill_descendants()\n",
        "                lent_interfaces.give_back()\n",
        ("place/test_ending.py",),
    ),
    Fault(
        "a lab that ends takes the entry of the next one of its name along",
        "lab_server", "frrlib/lab_server/register.py",
        "if os.path.samestat(lock_status, (folder / LOCK).lstat()):", "if (folder / LOCK).exists():",
        ("lab_server",),
    ),
    Fault(
        "an error of the lab's is swallowed", "lab", "frrlib/lab/replies.py",
        "            _fail(answer, _error(message))\n", "            answer.set_result({})\n",
        ("lab/traffic/test_own_commands.py", "lab/test_terminal.py"),
    ),
    Fault(
        "the settled goodput has the first second in it", "results", "frrlib/results/statistics/summary.py",
        "rate_mbit(data, begin_s + SETTLING_S, end_s)", "rate_mbit(data, begin_s, end_s)",
        ("results",),
    ),
    Fault(
        "names from a run are HTML in its replay", "replay", "frrlib/replay/markup.py",
        "return part if isinstance(part, Markup) else _escaped(part)", "return part", ("replay",),
    ),
    Fault(
        "a second edit of one kind is no step of its own", "document", "miniedit_frr/document/document.py",
        "        self._undo_steps.append(Edit(label, self._topology, topology))\n        self._redo_steps",
        "        if label != self.undo_label:\n"
        "            self._undo_steps.append(Edit(label, self._topology, topology))\n        self._redo_steps",
        ("document/test_document.py", "window/drawing/test_undo_by_hand.py"),
    ),
    Fault(
        "Escape takes a dialog's values", "window", "miniedit_frr/dialogs/dialog.py",
        'window.bind("<Escape>", lambda event: self.cancel())', 'window.bind("<Escape>", lambda event: self.ok())',
        ("window/dialogs/test_nodes.py", "window/dialogs/test_concurrent_edits.py"),
    ),
    Fault(
        "one number in its band is enough for a verdict", "experiments", "experiments/verdict.py",
        "holds = all(statement.holds(value)", "holds = any(statement.holds(value)",
        ("experiments/test_verdict.py",),
    ),
    Fault(
        "a check is made although one that it needs fails", "exercises", "frrlib/exercises/evaluation.py",
        "if need in outcomes and not outcomes[need].holds]", "if need in outcomes and outcomes[need].state == need]",
        ("exercises/test_evaluation.py",),
    ),
    Fault(
        "a check that holds at the start already gets into a new exercise", "exercise_making",
        "frrlib/exercises/making/verification.py",
        "return self.in_solution.holds and not self.at_start.holds", "return self.in_solution.holds",
        ("exercises/test_making.py",),
    ),
    Fault(
        "a topology whose flow cannot arrive runs in a notebook", "notebook", "miniedit_frr/notebook/running.py",
        "if problem.kind in kinds and not is_expected", "if problem.kind in kinds and is_expected", ("notebook",),
    ),
    Fault(
        "a file that another program changed is overwritten without a question", "modules_view",
        "miniedit_frr/modules_view/controller.py",
        "if current is None or current == window.stored:", "if current is None or window.stored is not None:",
        ("window/panels/test_modules_view.py",),
    ),
    Fault(
        "a package with another content is unpacked", "missing_packages", "frrlib/missing_packages/packages.py",
        "if not package.sha256 or found.hexdigest() != package.sha256:", "if not package.sha256:",
        ("missing_packages",),
    ),
    Fault(
        "a list of packages that no key has signed is used", "debian_archive", "frrlib/debian_archive/signatures.py",
        "if not _is_good(verifier, done):", "if not done.args:", ("debian_archive",),
    ),
    Fault(
        "nodes that an exercise locks can be changed", "exercises_view", "miniedit_frr/exercises_view/locks.py",
        "refused_change(self._start, old, new, self._locked)", "refused_change(self._start, old, new, ())",
        ("window/editor/test_exercises.py",),
    ),
)  # fmt: skip
