"""File > Exercises, and the panel of the exercise whose drawing is open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tkinter import filedialog

from ttkbootstrap.dialogs import Messagebox

from frrlib.errors import LabError
from frrlib.exercises.checking import Adopt, ChapterResults, current_chapter, selected_checks
from frrlib.exercises.evaluation import Outcome
from frrlib.exercises.exercise import START, exercises_below
from frrlib.exercises.packed import SUFFIX
from frrlib.exercises.running import advice_about, is_work, with_typed_lines
from frrlib.exercises.submissions import hand_in
from frrlib.exercises.work import Work, read_work
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology
from miniedit_frr.editor.parts import Parts
from miniedit_frr.exercises_view.background_check import BackgroundCheck, CheckCanceled
from miniedit_frr.exercises_view.cards_window import CardsWindow
from miniedit_frr.exercises_view.exercise_list import ExerciseList
from miniedit_frr.exercises_view.lab_needs import lab_needs
from miniedit_frr.exercises_view.locks import ExerciseLocks
from miniedit_frr.exercises_view.making import ExerciseMaker
from miniedit_frr.exercises_view.panel import ExercisePanel, PanelActions
from miniedit_frr.exercises_view.views import TaskView, panel_view
from miniedit_frr.lab_control.controller import LabController
from miniedit_frr.user.package_files import examples_folder
from miniedit_frr.widgets.deferred import DeferredCall
from miniedit_frr.widgets.worker import Worker

#: Suffix of packed exercises, which the window opens in its list.
PACKED = SUFFIX
#: Time from an edit until it is saved.
_SAVE_MS = 700
#: Name of the edit that adds lines typed on routers to the drawing.
_COPY = "Copy Typed Lines"


class ExercisesController:
    """Lists exercises, and shows the panel while the drawing of a work is open. Edits of such a drawing are saved.

    Attributes:
        list: opens the list of exercises.
        panel: the panel; None unless the drawing belongs to a work.
        work: the work, as it was read last; None without a panel.
        checks: makes checks in the background.
        maker: makes exercises of two topologies.

    Args:
        works: the folder with the works of all students of this user.
    """

    def __init__(self, parts: Parts, lab: LabController, works: Path) -> None:
        self._main, self._document, self._view = parts.main, parts.document, parts.view
        self._files, self._panes = parts.files, parts.panes
        self._lab, self._shipped = lab_needs(lab), examples_folder() / "exercises"
        self.list = ExerciseList(parts.main, self._shipped, works, self._open_work)
        self.panel: ExercisePanel | None = None
        self.work: Work | None = None
        self.checks = BackgroundCheck(parts.main.root)
        self.maker = ExerciseMaker(parts, self._lab)
        self._path: Path | None = None
        self._index, self._outcomes = 0, dict[str, Outcome]()
        self._done, self._total = 0, 0
        self._save = DeferredCall(parts.main.root, self.save)
        self._fit = DeferredCall(parts.main.root, lambda: self._view.fit())
        self._locks = ExerciseLocks(parts, self._say)
        self._document.listen(self._changed)
        self._files.on_saved.append(self.follow)
        self._files.advice_about = advice_about
        self._files.openers[SUFFIX] = self.list.open
        root = parts.main.root
        root.bind("<Escape>", lambda event: self.cancel(), add=True)
        root.bind("<FocusIn>", lambda event: self.reread() if event.widget is root else None, add=True)
        self.follow()

    # --- the list ---

    @property
    def window(self) -> CardsWindow | None:
        """The list of exercises; None before it was opened."""
        return self.list.window

    def open(self) -> None:
        """Show the list of exercises."""
        self.list.open()

    def set_theme(self) -> None:
        """Show the list and the panel in the new theme."""
        self.list.set_theme()
        if self.panel is not None:
            self.panel.color(self._main.theme)

    def _open_work(self, work: Work) -> bool:
        self._files.open(work.topology_file)
        return self._document.path == work.topology_file

    # --- the drawing ---

    def follow(self) -> None:
        """Show the panel if the drawing belongs to a work, and remove it otherwise."""
        if self._document.path == self._path:
            return
        self._path = path = self._document.path
        self._close()
        if path is None or not is_work(path):
            return
        try:
            shipped = {each.name: each for each in exercises_below(self._shipped)}
            self.work = read_work(path.parent, {**shipped, **self.list.started})
            self._locks.begin(self.work)
            self._index, self._outcomes = _index_of_current(self.work), {}
            self._open_panel()
        except (LabError, OSError) as error:
            self._close()
            self._main.say(f"The exercise of this drawing cannot be shown: {error}")

    def _open_panel(self) -> None:
        actions = PanelActions(
            self.check, self.cancel, self._answer, self._pick, self._why, self._turn, self._take_hint, self._restore,
            self._hand_in,
        )  # fmt: skip
        self.panel = ExercisePanel(self._panes.outer, actions, self._main.ui, self._main.theme)
        self._show()
        self._panes.show_first(self.panel)
        self._fit.soon()

    def _close(self) -> None:
        self.cancel()
        if self.panel is not None:
            self._panes.outer.forget(self.panel)
            self.panel.destroy()
        self.panel, self.work = None, None
        self._locks.end()

    def _changed(self, old: Topology, new: Topology) -> None:
        self.follow()
        if self.work is not None and not self._document.is_saved:
            self._save.soon(_SAVE_MS)

    def save(self) -> None:
        """Save the drawing into the work. A file that another program has changed is not replaced."""
        document = self._document
        if self.work is None or document.path != self.work.topology_file:
            return
        if document.is_saved or document.compare_file() != "same":
            return
        try:
            document.save_present()
        except (LabError, OSError) as error:
            self._main.say(f"The drawing cannot be saved: {error}")

    def close(self) -> None:
        """Save the work, since the window closes, and end the checks."""
        self.cancel()
        self.maker.close()
        self.save()

    # --- the panel ---

    def _read(self) -> Work:
        """The work as it is on the disk, where the command line may have changed it."""
        assert self.work is not None
        return read_work(self.work.folder, {self.work.exercise.exercise.name: self.work.exercise.exercise})

    def reread(self) -> None:
        """Show changes that the command line has made."""
        if self.work is None or self.checks.is_running:
            return
        try:
            work = self._read()
        except LabError:
            return
        if work.state != self.work.state:
            self._take(work)

    def _take(self, work: Work) -> None:
        """Show another state of the work; a chapter that became the current one is shown."""
        assert self.work is not None
        if work.current != self.work.current:
            self._index = _index_of_current(work)
        self.work = work
        self._show()

    def _show(self) -> None:
        if self.panel is not None and self.work is not None:
            routers = [router.name for router in self._document.topology.routers if router.runs_frr]
            self.panel.show(panel_view(self.work, self._index, self._outcomes, routers))

    def _say(self, text: str) -> None:
        if self.panel is not None:
            self.panel.say(text)

    def _change(self, change: Callable[[Work], Work]) -> bool:
        """Change the work on the disk, and show it. Returns whether that succeeded."""
        try:
            self._take(change(self._read()))
        except (LabError, OSError) as error:
            self._say(_sentence(error))
            return False
        return True

    def _turn(self, step: int) -> None:
        self._index += step
        self._show()

    def _answer(self, check_id: str, text: str) -> None:
        if self.work is not None and not self.checks.is_running:
            self._change(lambda work: work.answered({check_id: text}))

    def _pick(self, task: TaskView) -> None:
        """Select the nodes of a task, and the link between two of them."""
        scene = self._view.scene
        keys = [scene.key_of(name, "node") for name in task.nodes]
        for link in self._document.topology.links:
            if len(task.nodes) == 2 and {link.a.node, link.b.node} == set(task.nodes):
                keys = [scene.key_of(link.id, "link")]
        known = [key for key in keys if key is not None]
        if known:
            self._view.select(known)
            self._view.reveal(known[0])

    def _why(self, task: TaskView) -> None:
        """Explain the missing neighbor or route of a task, as the running lab has it now."""
        missing = task.missing
        if missing is None:
            return
        if not self._lab.is_open():
            self._say("Why? looks at the routers of the running lab. Press Run, then check the task again.")
        elif missing.protocol:
            self._lab.explain_neighbor(missing.router, missing.other, missing.protocol)
        else:
            self._lab.explain_route(missing.router, missing.other)

    def _take_hint(self) -> None:
        if self._change(lambda work: work.next_hint()[0]):
            self._say("The hint is below the text.")

    def _restore(self) -> None:
        question = (
            "Restore puts the reference state of this chapter in place and opens the next chapter.\n\n"
            'The points of this chapter will be lost. Your own drawing stays in the folder "kept".'
        )
        buttons = ["Cancel:secondary-outline", "Restore:danger"]
        if Messagebox.show_question(question, "Restore", parent=self._main.root, buttons=buttons) != "Restore":
            return
        self._flush()
        kept: list[Path] = []

        def restore(work: Work) -> Work:
            restored, _, own = work.restore()
            kept.append(own)
            return restored

        if self._change(restore):
            self._load_file("Restore")
            ending = " Apply the changes to the running lab (F5)." if self._lab.is_alive() else ""
            self._say(f"The chapter is restored. Your own drawing is kept in {kept[0]}.{ending}")

    def _hand_in(self) -> None:
        if self.work is None:
            return
        state = self.work.state
        answer = filedialog.asksaveasfilename(
            parent=self._main.root, title="Hand in", filetypes=(("Submissions", "*.zip"),), defaultextension=".zip",
            initialdir=str(self.work.folder), initialfile=f"{state.exercise}-{state.student}.zip",
        )  # fmt: skip
        if not answer:
            return
        self._flush()
        work, path, adopt = self._read(), Path(answer), self._adopt()
        self._say("Writing the file …")

        def done(work: Work) -> None:
            self._take(work)
            self._load_file(_COPY)
            self._say(f"{path} was written. Give this file to your teacher.")

        Worker(self._main.root).do(
            "hand in",
            lambda: hand_in(with_typed_lines(work, adopt), path),
            done,
            lambda error: self._say(_sentence(error)),
        )

    # --- checks ---

    def check(self, check_id: str = "") -> None:
        """Make one check with those that it needs, or all checks of the chapter, in the background."""
        if self.panel is None or self.work is None or self.checks.is_running:
            return
        self._flush()
        only = (check_id,) if check_id else ()
        try:
            self.work = work = self._read()
            checks = selected_checks(work, current_chapter(work), only)
            start, folder = work.exercise.start(), work.exercise.exercise.folder
        except (LabError, OSError) as error:
            self._say(_sentence(error))
            return
        if any(check.needs_lab for check in checks) and not self._lab.may_run(start, folder / START):
            self._say("The checks were not made.")
            return
        for check in checks:
            self._outcomes.pop(check.id, None)
        self._done, self._total = 0, len(checks)
        self.checks.start(
            work, self._lab.place(), only, self._outcome, self._checked, self._check_failed, self._adopt()
        )
        self.panel.show_checking(0, self._total)
        self._say("Checking. Escape cancels.")

    def cancel(self) -> None:
        """End the checks."""
        if self.checks.is_running and not self.checks.is_canceled:
            self.checks.cancel()
            self._say("Canceling …")

    def _outcome(self, outcome: Outcome) -> None:
        self._outcomes[outcome.check.id] = outcome
        self._done += 1
        self._show()
        if self.panel is not None:
            self.panel.show_checking(self._done, self._total)

    def _checked(self, results: ChapterResults) -> None:
        if self.panel is None or self.work is None or results.work.folder != self.work.folder:
            return
        self.panel.show_checking(None, 0)
        self._outcomes.update({outcome.check.id: outcome for outcome in results.outcomes})
        self._take(results.work)
        self._load_file(_COPY)
        failed = sum(not outcome.holds for outcome in results.outcomes)
        if results.is_passed:
            following = results.work.current
            self._say(f"All tasks are done. The next chapter is {following.title}." if following
                      else "All chapters are done. Hand in your work.")  # fmt: skip
        elif failed:
            self._say(f"{failed} of {len(results.outcomes)} not done yet. Click a task to see its nodes.")
        else:
            self._say("Done. Check All passes the chapter.")

    def _check_failed(self, error: Exception) -> None:
        if self.panel is None:
            return
        self.panel.show_checking(None, 0)
        self._say("Canceled." if isinstance(error, CheckCanceled) else _sentence(error))

    def _flush(self) -> None:
        """Bring everything that was typed into the work."""
        if self.panel is not None:
            self.panel.tasks.take_answers()
        if fault := self._document.commit_typed_text():
            self._say(f"{fault}.")
        self.save()

    def _adopt(self) -> Adopt:
        """How a lab gets the lines that are copied from it. The window's own lab gets them with the drawing."""
        return _leave_alone if self._lab.is_open() else Lab.adopt

    def _load_file(self, label: str) -> None:
        """Show the work's topology if it differs from the drawing."""
        document = self._document
        if self.work is None or document.path != self.work.topology_file or document.compare_file() != "changed":
            return
        try:
            if label == _COPY:
                self._lab.adopt(document.topology, self.work.topology())
            document.apply_from_lab(label, self.work.topology())
            document.save_present()
        except (LabError, OSError) as error:
            self._main.say(f"The drawing cannot be read again: {error}")


def _leave_alone(lab: Lab, topology: Topology) -> None:
    """Do nothing."""


def _index_of_current(work: Work) -> int:
    current = work.current
    return work.chapters.index(current) if current is not None else len(work.chapters) - 1


def _sentence(error: Exception) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."
