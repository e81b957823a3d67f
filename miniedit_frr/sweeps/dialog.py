"""The options of a sweep, and its progress: axes, repetitions, real or virtual time, folder."""

from __future__ import annotations

import re
import tkinter as tk
from collections.abc import Callable, Sequence
from pathlib import Path
from tkinter import filedialog, font
from typing import NamedTuple

import ttkbootstrap as ttk

from frrlib.errors import TopologyError
from frrlib.model.topology import Topology
from frrlib.picture.theme import Theme
from frrlib.variation.axes import Axis
from miniedit_frr.sweeps.texts import MOST_LINES, axes_of, axis_line, describe_axes
from miniedit_frr.widgets.aside import put_in_middle
from miniedit_frr.widgets.deferred import DeferredCall
from miniedit_frr.widgets.ellipsis import keep_end_of
from miniedit_frr.widgets.own_events import bind_own_event

_HELP = (
    "One field per line: link:r1-r2.rate=10,20,50   flow:*.cc=cubic,bbr   link:r1-r2.delay=5:25:5\nFields that vary "
    "together share a line: link:r1-r2.rate=10,20; link:r1-r2.delay=40,20"
)
_REAL = "In real time, one run at a time by default, because parallel runs disturb each other."
_VIRTUAL = "In virtual time, one run per processor by default."
_SEEDS = "Each repetition uses the next seed."
_THERE = "The workers of this Dask cluster carry out the runs, one run per thread."
_SCHEDULER = "Address of a Dask scheduler (tcp://host:8786). Empty: runs on this machine only."
_SEARCHING = "Searching for a lab kernel with virtual time …"
#: The padding above, below and within the message, in pixels at 100 %.
_AROUND_MESSAGE = 14
_WRAP, _LOOK_MS, _MOST = 600, 250, 10_000
_MOST_JOBS, _MOST_SEED = 256, 2**31 - 1
_ADDRESS = re.compile(r"([a-z]+://)?[^\s/:]+:[0-9]{1,5}|[a-z]+://\[[0-9a-fA-F:]+\]:[0-9]{1,5}")


class SweepChoice(NamedTuple):
    """The options of a sweep.

    Attributes:
        axes: the fields that vary, with their values.
        repeat: number of runs of each combination.
        seed: the seed of the first repetition.
        virtual_time: whether the runs are in virtual time.
        folder: the folder for the results.
        jobs: number of parallel runs on this machine; None for the default.
        scheduler: address of a Dask scheduler; empty for this machine.
    """

    axes: tuple[Axis, ...]
    repeat: int
    seed: int
    virtual_time: bool
    folder: Path
    jobs: int | None = None
    scheduler: str = ""


class SweepDialog(ttk.Toplevel):
    """Asks for the options, and shows the progress of the sweep. It does not block the window behind it.

    Args:
        topology: the topology that varies.
        paths: the suggested fields.
        folder: the proposed folder.
        start: called with the chosen options.
        stop: called to stop the sweep, and when this window is closed.
        ui: pixels per unit, 1 by default.
    """

    def __init__(
        self, parent: tk.Misc, topology: Topology, paths: Sequence[str], folder: Path,
        start: Callable[[SweepChoice], object], stop: Callable[[], object], theme: Theme, ui: float = 1.0,
    ) -> None:  # fmt: skip
        super().__init__(title="Sweep", master=parent)
        put_in_middle(self, parent)
        self._topology, self._start, self._stop, self._obstacle = topology, start, stop, ""
        self._is_going, self._wrap = False, round(_WRAP * ui)
        #: Whether the sweep starts by itself as soon as virtual time has been found or ruled out.
        self._starts_itself = False
        #: The input of the sweep that ended last.
        self._finished_input: tuple[object, ...] = ()
        self.path, self.repeat = tk.StringVar(self), tk.StringVar(self, "1")
        self.virtual, self.folder = tk.BooleanVar(self, False), tk.StringVar(self, str(folder))
        self.seed, self.jobs, self.scheduler = tk.StringVar(self, "1"), tk.StringVar(self), tk.StringVar(self)
        self._form = ttk.Frame(self, padding=12)
        self._form.pack(fill="both", expand=True)
        self._form.columnconfigure(1, weight=1)
        self._make_fields(paths)
        self._make_options()
        self._make_bar()
        self._later = DeferredCall(self, self._check)
        for variable in (self.repeat, self.seed, self.virtual, self.jobs, self.scheduler, self.folder):
            variable.trace_add("write", lambda *_: self._later.soon(_LOOK_MS))
        self.text.bind("<KeyRelease>", lambda event: self._later.soon(_LOOK_MS))
        self.bind("<Escape>", lambda event: self.destroy())
        bind_own_event(self, "<Destroy>", self._stop)
        self.colour(theme)
        self._check()
        self.picker.focus_set()

    # --- parts ---

    def _make_fields(self, paths: Sequence[str]) -> None:
        self._title(0, "Field")
        self.picker = ttk.Combobox(self._form, textvariable=self.path, values=list(paths), width=50)
        self.picker.grid(row=0, column=1, sticky="ew")
        # Typed text narrows the suggestions.
        self.picker.configure(postcommand=lambda: self.picker.configure(
            values=[path for path in paths if self.path.get() in path] or list(paths)))  # fmt: skip
        self.picker.bind("<<ComboboxSelected>>", lambda event: self.add())
        self.picker.bind("<Return>", lambda event: self.add())
        self.add_button = ttk.Button(self._form, text="Add", bootstyle="secondary-outline", command=self.add)
        self.add_button.grid(row=0, column=2, padx=(6, 0), sticky="ew")
        self._title(1, "Values")
        self.text = tk.Text(self._form, height=4, width=64, undo=True, wrap="none", borderwidth=0, padx=6, pady=4)
        self.text.grid(row=1, column=1, columnspan=2, sticky="ew", pady=(8, 0))
        self._note(2).configure(text=_HELP)

    def _make_options(self) -> None:
        self._title(3, "Repetitions")
        line = ttk.Frame(self._form)
        line.grid(row=3, column=1, columnspan=2, sticky="w")
        self.repeat_entry = _number(line, "", self.repeat)
        self.seed_entry = _number(line, "First seed", self.seed)
        self.jobs_entry = _number(line, "Parallel runs", self.jobs)
        self.virtual_switch = ttk.Checkbutton(line, text="Virtual time", variable=self.virtual)
        self.virtual_switch.pack(side="left", padx=18)
        self.time_note = self._note(4)
        self._title(5, "Scheduler")
        self.scheduler_entry = ttk.Entry(self._form, textvariable=self.scheduler)
        self.scheduler_entry.grid(row=5, column=1, columnspan=2, sticky="ew")
        self._note(6).configure(text=_SCHEDULER)
        self._title(7, "Folder")
        self.folder_entry = ttk.Entry(self._form, textvariable=self.folder)
        self.folder_entry.grid(row=7, column=1, sticky="ew")
        keep_end_of(self.folder_entry, self.folder)
        self.browse = ttk.Button(self._form, text="Browse…", bootstyle="secondary-outline", command=self._browse)
        self.browse.grid(row=7, column=2, padx=(6, 0), sticky="ew")
        self._note(8).configure(text="A new folder, or the folder of the same sweep to continue it.")
        self.message = self._note(9)
        # The longest description has room from the beginning, so that the buttons below stay where they are.
        line_px = int(font.nametofont("TkDefaultFont").metrics("linespace"))
        self._form.rowconfigure(9, minsize=MOST_LINES * line_px + round(_AROUND_MESSAGE * self._wrap / _WRAP))

    def _make_bar(self) -> None:
        bar = ttk.Frame(self, padding=(12, 0, 12, 12))
        bar.pack(fill="x")
        self.ok = ttk.Button(bar, text="Start", bootstyle="success", command=self.accept)
        self.ok.pack(side="right")
        self.cancel = ttk.Button(bar, text="Close", bootstyle="secondary-outline", command=self._cancel)
        self.cancel.pack(side="right", padx=6)
        self.bar = ttk.Progressbar(bar, maximum=1.0)

    def _title(self, row: int, text: str) -> None:
        ttk.Label(self._form, text=text).grid(row=row, column=0, sticky="w", padx=(0, 10))

    def _note(self, row: int) -> ttk.Label:
        label = ttk.Label(self._form, wraplength=self._wrap, justify="left")
        label.grid(row=row, column=1, columnspan=2, sticky="nw", pady=(2, 8))
        return label

    # --- actions ---

    def colour(self, theme: Theme) -> None:
        """Show the dialog in a theme's colors."""
        self.text.configure(
            background=theme.card, foreground=theme.text, insertbackground=theme.text,
            highlightthickness=1, highlightbackground=theme.edge, highlightcolor=theme.accent,
        )  # fmt: skip

    def allow_virtual(self, obstacle: str | None) -> None:
        """As `RunDialog.allow_virtual`."""
        self._obstacle = _SEARCHING if obstacle is None else obstacle
        self._check()
        if self._starts_itself and obstacle is not None:
            self._starts_itself = False
            self.virtual.set(not obstacle)
            self.accept()

    def start_with(self, axis: str) -> None:
        """Start a sweep over these values as soon as virtual time has been found or ruled out.

        Args:
            axis: the field and its values, as typed.
        """
        self.text.insert("1.0", axis)
        self._starts_itself = True
        self.allow_virtual(self._obstacle if self._obstacle != _SEARCHING else None)

    def add(self) -> None:
        """Add the selected field to the fields that vary, with the values typed after it or its current value."""
        if path := self.path.get().strip():
            lines = self.text.get("1.0", "end").rstrip("\n")
            self.text.delete("1.0", "end")
            self.text.insert("1.0", "\n".join(filter(None, (lines, axis_line(self._topology, path)))))
            self.path.set("")
            self.text.focus_set()
            self.text.mark_set("insert", "end-1c")
            self._check()

    def accept(self) -> None:
        """Start the sweep, if all input is valid."""
        if self._is_going or (choice := self._check()) is None:
            return
        self._set_running(True)
        self.say("Computing the combinations …")
        self._start(choice)

    def progress(self, share: float, words: str) -> None:
        """The share of runs that have ended, from 0 to 1, and words about it."""
        self.bar.configure(value=share)
        self.say(words)

    def over(self, words: str, is_wrong: bool = False) -> None:
        """The sweep has ended in some way. The same sweep can be started again."""
        self._set_running(False)
        self._finished_input = self._input()
        self.say(words, is_wrong)

    def say(self, words: str, is_wrong: bool = False) -> None:
        """Show a message below the fields."""
        self.message.configure(text=words, bootstyle="danger" if is_wrong else "default")

    def _set_running(self, is_going: bool) -> None:
        self._is_going = is_going
        for widget in (self.picker, self.add_button, self.text, self.repeat_entry, self.seed_entry, self.jobs_entry,
                       self.virtual_switch, self.scheduler_entry, self.folder_entry, self.browse, self.ok):  # fmt: skip
            widget.configure(state="disabled" if is_going else "normal")
        self.cancel.configure(text="Cancel" if is_going else "Close")
        if is_going:
            self.bar.configure(value=0.0)
            self.bar.pack(side="left", fill="x", expand=True, padx=(0, 12))
        else:
            self.bar.pack_forget()

    def _check(self) -> SweepChoice | None:
        """Show the combinations or the error; returns the options if they are valid.

        The outcome of a sweep stays visible until the input changes, even if a timer or a search calls this method.
        """
        if self._is_going:
            return None
        if self._input() != self._finished_input:
            self._finished_input = ()
        say = _say_nothing if self._finished_input else self.say
        is_virtual = bool(self.virtual.get()) and not self._obstacle
        self.virtual_switch.configure(state="disabled" if self._obstacle else "normal")
        scheduler = self.scheduler.get().strip()
        self.jobs_entry.configure(state="disabled" if scheduler else "normal")
        where = _THERE if scheduler else _VIRTUAL if is_virtual else _REAL
        self.time_note.configure(text=self._obstacle or f"{where} {_SEEDS}")
        choice = None
        try:
            axes = axes_of(self._topology, self.text.get("1.0", "end"))
            repeat = _parse_whole("Repetitions", self.repeat.get(), 1, _MOST)
            seed = _parse_whole("The first seed", self.seed.get(), 0, _MOST_SEED)
            jobs = (
                _parse_whole("Parallel runs", self.jobs.get(), 1, _MOST_JOBS)
                if self.jobs.get().strip() and not scheduler
                else None
            )
            if scheduler and not _ADDRESS.fullmatch(scheduler):
                say(f"{scheduler} is not an address of a scheduler, such as tcp://host:8786.", is_wrong=True)
            elif not self.folder.get().strip():
                say("Choose a folder.", is_wrong=True)
            elif not axes:
                say("No fields vary. Choose a field and type its values.")
            else:
                say(describe_axes(axes, repeat))
                folder = Path(self.folder.get().strip()).expanduser()
                choice = SweepChoice(axes, repeat, seed, is_virtual, folder, jobs, scheduler)
        except (TopologyError, ValueError) as error:
            say(str(error), is_wrong=True)
        except RuntimeError as error:  # ~nobody
            say(f"This folder cannot be created: {error}.", is_wrong=True)
        self.ok.configure(state="normal" if choice is not None else "disabled")
        return choice

    def _input(self) -> tuple[object, ...]:
        fields = (self.repeat, self.seed, self.virtual, self.jobs, self.scheduler, self.folder)
        return (self.text.get("1.0", "end"), *(field.get() for field in fields))

    def _cancel(self) -> None:
        if self._is_going:
            self.say("Stopping the current runs. Results of finished runs are kept …")
            self._stop()
        else:
            self.destroy()

    def _browse(self) -> None:
        folder = filedialog.askdirectory(
            parent=self, initialdir=Path(self.folder.get()).parent, title="Folder of the sweep"
        )
        if folder:
            self.folder.set(folder)


def _say_nothing(words: str, is_wrong: bool = False) -> None:
    """A replacement of `SweepDialog.say` without effect."""


def _number(line: ttk.Frame, title: str, variable: tk.StringVar) -> ttk.Entry:
    """A short entry after its title."""
    if title:
        ttk.Label(line, text=title).pack(side="left", padx=(18, 6))
    entry = ttk.Entry(line, textvariable=variable, width=8)
    entry.pack(side="left")
    return entry


def _parse_whole(title: str, text: str, least: int, most: int) -> int:
    """The typed whole number. Raises ValueError with a message if it is invalid."""
    word = text.strip()
    if not (word.isascii() and word.isdigit() and least <= int(word) <= most):
        raise ValueError(f"{title} must be a whole number from {least} to {most}.")
    return int(word)
