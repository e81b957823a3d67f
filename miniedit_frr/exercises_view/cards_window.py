"""A window with exercises as cards: the picture, the aims, the time and the points of each, and the progress in it."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import ttkbootstrap as ttk
from PIL import ImageTk
from ttkbootstrap.widgets import ScrolledFrame

from frrlib.exercises.exercise import Exercise
from frrlib.model.topology import Topology
from frrlib.picture.theme import Theme
from frrlib.picture.thumbnail import picture
from miniedit_frr.exercises_view.views import points_text
from miniedit_frr.widgets.aside import put_aside
from miniedit_frr.widgets.deferred import DeferredCall

#: Sizes of a picture, of a text beside it, and of the list, in units.
_PICTURE, _TEXT, _LIST = (190, 110), 430, (720, 400)
#: Time after a letter of the id until the progress is searched for.
_PAUSE_MS = 250


@dataclass(frozen=True)
class Card:
    """An exercise in the list.

    Attributes:
        exercise: the exercise.
        topology: its topology at the start.
    """

    exercise: Exercise
    topology: Topology


@dataclass(frozen=True)
class Progress:
    """The progress of a student: the points so far, those that are possible, and whether all chapters are over."""

    points: int
    possible: int
    is_over: bool


@dataclass(frozen=True)
class CardActions:
    """The actions of the list.

    Attributes:
        progress: returns the progress of a student on an exercise, given the id; None if the student has not begun.
        start: starts or continues an exercise, given it, the id and the name; returns why not, or "" if it is open.
        choose_folder, choose_file: ask for another folder, or a packed exercise, and show its exercises.
    """

    progress: Callable[[Exercise, str], Progress | None]
    start: Callable[[Exercise, str, str], str]
    choose_folder: Callable[[], object]
    choose_file: Callable[[], object]


class CardsWindow(ttk.Toplevel):
    """The list of exercises. It does not read files.

    Attributes:
        name, student: the variables with the typed name and id.
        buttons: the Start or Continue button of each exercise, by name.
        fault: the variable with the reason why an exercise was not started.
    """

    def __init__(self, parent: tk.Misc, actions: CardActions, ui: float, theme: Theme) -> None:
        super().__init__(title="Exercises", master=parent)
        put_aside(self, parent)
        self._actions, self._ui, self._theme = actions, ui, theme
        self.name, self.student, self.fault = tk.StringVar(self), tk.StringVar(self), tk.StringVar(self)
        self.buttons: dict[str, ttk.Button] = {}
        self._bars: dict[str, tuple[ttk.Progressbar, ttk.Label]] = {}
        self._cards: tuple[Card, ...] = ()
        self._images: list[ImageTk.PhotoImage] = []
        self._look = DeferredCall(self, self._show_progress)
        self._build_head()
        self._build_foot()
        width, height = (round(size * ui) for size in _LIST)
        self._list = ScrolledFrame(self, auto_hide=False, width=width, height=height, padding=12)
        self._list.pack(fill="both", expand=True)
        self.bind("<Escape>", lambda event: self.destroy())
        self.student.trace_add("write", lambda *_: self._look.soon(_PAUSE_MS))
        self.name_entry.focus_set()

    def _build_head(self) -> None:
        head = ttk.Frame(self, padding=(12, 12, 12, 4))
        head.pack(fill="x")
        ttk.Label(head, text="Name").pack(side="left")
        self.name_entry = ttk.Entry(head, textvariable=self.name, width=26)
        self.name_entry.pack(side="left", padx=(6, 16))
        ttk.Label(head, text="Student id").pack(side="left")
        self.student_entry = ttk.Entry(head, textvariable=self.student, width=18)
        self.student_entry.pack(side="left", padx=(6, 10))
        ttk.Label(head, text="Your addresses follow from it.", bootstyle="secondary").pack(side="left")
        ttk.Label(self, textvariable=self.fault, bootstyle="danger", wraplength=round(680 * self._ui)).pack(
            fill="x", padx=12
        )

    def _build_foot(self) -> None:
        foot = ttk.Frame(self, padding=12)
        foot.pack(side="bottom", fill="x")
        ttk.Button(foot, text="Close", command=self.destroy, bootstyle="secondary-outline").pack(side="right")
        self.folder_button, self.file_button = (
            ttk.Button(foot, text=text, command=command, bootstyle="secondary-outline")
            for text, command in (("Folder…", self._actions.choose_folder), ("File…", self._actions.choose_file))
        )
        self.folder_button.pack(side="left")
        self.file_button.pack(side="left", padx=(6, 0))
        self._message = ttk.Label(foot, bootstyle="secondary")
        self._message.pack(side="left", padx=10)

    def show(self, cards: Sequence[Card], folder: Path | None) -> None:
        """List these exercises.

        Args:
            folder: the folder or file that contains them; None for those that come with the program.
        """
        self._cards = tuple(cards)
        for child in self._list.winfo_children():
            child.destroy()
        self.buttons, self._bars, self._images = {}, {}, []
        for card in cards:
            self._build_card(card)
        where = "come with the program" if folder is None else f"in {folder}"
        self._message.configure(text=f"{len(cards)} {'exercise' if len(cards) == 1 else 'exercises'} {where}")
        self._show_progress()

    def color(self, theme: Theme) -> None:
        """Show the pictures in a theme's colors."""
        self._theme = theme
        shown, message = self._cards, str(self._message.cget("text"))
        self.show(shown, None)
        self._message.configure(text=message)

    def _build_card(self, card: Card) -> None:
        content, ui = card.exercise.content, self._ui
        frame = ttk.Frame(self._list, padding=(0, 10))
        frame.pack(fill="x")
        wide, high = (round(size * ui) for size in _PICTURE)
        self._images.append(ImageTk.PhotoImage(picture(card.topology, wide, high, self._theme), master=self))
        ttk.Label(frame, image=self._images[-1]).pack(side="left", padx=(0, 14))
        side = ttk.Frame(frame)
        side.pack(side="left", fill="both", expand=True)
        ttk.Label(side, text=content.title, font="TkHeadingFont").pack(anchor="w")
        chapters = len(content.chapters)
        facts = f"{content.minutes} minutes  ·  {points_text(card.exercise.points)}  ·  {chapters} " + (
            "chapter" if chapters == 1 else "chapters"
        )
        ttk.Label(side, text=facts, bootstyle="secondary").pack(anchor="w", pady=(0, 4))
        for aim in content.aims:
            ttk.Label(side, text=aim, wraplength=round(_TEXT * ui), justify="left").pack(anchor="w")
        foot = ttk.Frame(side)
        foot.pack(fill="x", pady=(6, 0))
        button = ttk.Button(foot, text="Start", bootstyle="primary", command=partial(self._begin, card.exercise))
        button.pack(side="right", padx=(10, 16))
        bar = ttk.Progressbar(foot, bootstyle="success", length=round(200 * ui))
        bar.pack(side="left")
        label = ttk.Label(foot, bootstyle="secondary")
        label.pack(side="left", padx=8)
        self.buttons[card.exercise.name], self._bars[card.exercise.name] = button, (bar, label)

    def _show_progress(self) -> None:
        """Show what the student of the typed id has done."""
        for card in self._cards:
            name = card.exercise.name
            progress = self._actions.progress(card.exercise, self.student.get())
            bar, label = self._bars[name]
            self.buttons[name].configure(text="Continue" if progress else "Start")
            if progress is None:
                bar.configure(value=0)
                label.configure(text="not started")
                continue
            bar.configure(maximum=max(1, progress.possible), value=progress.points)
            word = ", done" if progress.is_over else ""
            label.configure(text=f"{progress.points} of {points_text(progress.possible)}{word}")

    def _begin(self, exercise: Exercise) -> None:
        if not self.student.get().strip():
            self.fault.set("Type your student id: your own addresses and numbers follow from it.")
            self.student_entry.focus_set()
            return
        reason = self._actions.start(exercise, self.student.get().strip(), self.name.get().strip())
        if reason:
            self.fault.set(reason)
        elif self.winfo_exists():
            self.destroy()
