"""Lines typed on routers: read, shown, and added to the topology. They are stored when a lab ends, so none is lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from tkinter import filedialog

from frrlib.conf.changes import ConfigChange, difference
from frrlib.conf.running import RunningConfig
from frrlib.configs import history as kept
from frrlib.configs.adoption import take_over
from frrlib.errors import LabFailed
from frrlib.lab.lab import Lab
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from miniedit_frr.configs_view.changes_window import ChangesWindow, ConfigComparison
from miniedit_frr.configs_view.history_window import HistoryWindow
from miniedit_frr.document.document import Document
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.running_lab.windows import NodeWindows
from miniedit_frr.session.events import FinalConfigs, LabState
from miniedit_frr.session.pending import ignore

_TYPED = "These lines were typed on the routers. Ticked lines are added to the drawing and used by later runs."
#: Time between two readings of the configurations while a terminal is open, in case the lab fails.
_EVERY_MS = 20_000
_UNDECIDED = "The drawing was not changed. You are asked again when the lab stops or the drawing is saved."
_KEPT = "The drawing was not changed. Run > Configuration History shows the typed lines."


class ConfigController:
    """Adds configuration lines that were typed in a lab to the topology.

    Attributes:
        window: the last window of changes; None before the first.
        history: the folder with the configurations of earlier runs.
    """

    def __init__(
        self,
        main: MainWindow,
        document: Document,
        save: Callable[[], object],
        lab: LiveLab,
        windows: NodeWindows,
        history: Path,
    ) -> None:
        self._main, self._document, self._save = main, document, save
        self._lab, self._windows, self.history = lab, windows, history
        self.window: ChangesWindow | None = None
        self.history_window: HistoryWindow | None = None
        #: The last configuration of each router that was accepted or dropped. Later lines are new.
        self._decided: dict[str, str] = {}
        #: The configurations that were read last while the lab ran.
        self._last_configs: Mapping[str, RunningConfig] = {}
        self._timer = ""
        #: The runs in the history window.
        self._runs: list[kept.KeptRun] = []
        self._is_asking = False

    # --- start and end of the lab ---

    def begin(self) -> None:
        """A lab begins without typed lines."""
        self._decided, self._last_configs = {}, {}
        self._close()
        if self._timer:
            self._main.root.after_cancel(self._timer)
        self._timer = self._main.root.after(_EVERY_MS, self._read_periodically)

    def stop_reading(self) -> None:
        """The lab has ended: stop reading its configurations."""
        if self._timer:
            self._main.root.after_cancel(self._timer)
            self._timer = ""

    def _read_periodically(self) -> None:
        """Read the configurations, so that they are known if the lab fails; not while flows are measured."""
        self._timer = ""
        lab = self._lab
        if lab.is_alive:
            self._timer = self._main.root.after(_EVERY_MS, self._read_periodically)
        if lab.state is LabState.RUNNING and len(self._windows.terminals) and not lab.sends_flows:
            self.remember()

    def remember(self) -> None:
        """Read the configurations without showing them."""
        lab = self._lab
        lab.session.ask(lambda lab: lab.running_configs()).then(self._store, ignore)

    def _store(self, configs: Mapping[str, RunningConfig]) -> None:
        self._last_configs = configs

    def store_last(self) -> None:
        """The lab has ended. If its configurations could not be read at the end, use the ones that were read last."""
        configs = self._last_configs
        if any(config.typed() for config in configs.values()):
            self._main.say("The configurations could not be read at the end. The last ones that were read are kept.")
            self.store_final(FinalConfigs(configs))

    def store_final(self, event: FinalConfigs) -> None:
        """A lab ends: store the typed lines in the history, and show them."""
        self._last_configs = {}
        document = self._document
        title = document.topology.title or (document.path.stem if document.path else "untitled")
        try:
            kept.keep(self.history, title, event.configs, str(document.path or ""))
        except OSError as error:
            self._main.say(f"The configurations could not be stored: {error}")
        if self._main.root.state() != "withdrawn":  # else it is the window's end, too
            self._show(event.configs, "")

    @property
    def is_waiting(self) -> bool:
        """Whether a window with undecided changes is open."""
        return self.window is not None and bool(self.window.winfo_exists())

    # --- while it runs ---

    def ask(self) -> None:
        """Show the lines that were typed until now."""
        self._ask("The running configurations contain no changes that are missing in the drawing.")

    def show_after_save(self) -> None:
        """The topology was saved: show the typed lines, which the file does not contain yet."""
        if self._lab.state is LabState.RUNNING and not self.is_waiting:
            self._ask("", self._save)

    @property
    def is_asking(self) -> bool:
        """Whether the configurations are being read."""
        return self._is_asking

    def _ask(self, nothing: str, then: Callable[[], object] = lambda: None) -> None:
        if self._is_asking:
            return
        self._is_asking = True

        def answered(configs: Mapping[str, RunningConfig]) -> None:
            self._is_asking = False
            self._last_configs = configs
            self._show(configs, nothing, then)

        def failed(error: str) -> None:
            self._is_asking = False
            self._main.say(f"The configurations cannot be read: {error}")

        self._lab.session.ask(lambda lab: lab.running_configs()).then(answered, failed)

    # --- the window ---

    def _show(
        self, configs: Mapping[str, RunningConfig], nothing: str, then: Callable[[], object] = lambda: None
    ) -> None:
        """Show the lines typed since the last decision; `then` is called when some were accepted."""
        silent = [text for name, config in configs.items() for text in map(f"{name}: {{}}".format, config.silent)]
        if silent:
            self._main.say(f"Daemons that do not reply; only their saved configuration is shown: {'; '.join(silent)}.")
        comparisons = {
            name: ConfigComparison(self._decided.get(name, config.start), config.now, _remark(config))
            for name, config in configs.items()
            if difference(self._decided.get(name, config.start), config.now)
        }
        if not comparisons:
            if nothing:
                self._main.say(nothing)
            return
        self._close()
        titles = ("Drawing", "Running" if self._lab.state is LabState.RUNNING else "At the end")
        self.window = window = ChangesWindow(
            self._main.root, comparisons, self._main.theme, titles=titles, introduction=_TYPED
        )
        settle = {name: comparison.new for name, comparison in comparisons.items()}

        def take(ticked: dict[str, list[ConfigChange]]) -> None:
            self._decided |= settle
            self.take(ticked, self._lab.topology)
            then()

        window.on_take = take
        window.on_drop = lambda: self._decided.update(settle)
        window.on_save = lambda: self._save_as(configs)
        window.on_leave = lambda: self._main.say(_UNDECIDED if self._lab.state is LabState.RUNNING else _KEPT)

    def take(self, ticked: Mapping[str, list[ConfigChange]], built: Topology | None = None) -> None:
        """Add changes to the topology as one edit. This is allowed while the lab runs, since it has these lines
        already.

        Args:
            built: the topology that the lab was built from, if known.
        """
        document = self._document
        missing = [name for name in ticked if not isinstance(document.topology.node(name), Router)]
        if missing:
            self._main.say(
                f"Changes on {', '.join(missing)} are not taken over: these routers are no longer in the drawing."
            )
        names = ", ".join(name for name in ticked if name not in missing)
        topology = take_over(document.topology, ticked, built)
        if topology == document.topology:
            self._main.say(
                f"The drawing already contains all changes: {names}." if names else "The drawing was not changed."
            )
            return
        if built is not None and self._lab.is_open:  # this lab has the lines already
            lab = self._lab
            lab.drawing = take_over(lab.drawing, ticked, built)
            lab.session.ask(partial(Lab.adopt, topology=lab.drawing)).then(ignore, ignore)
        document.apply_from_lab(f"Take Over Configuration of {names}", topology)
        count = sum(len(changes) for name, changes in ticked.items() if name not in missing)
        self._main.say(f"{count} {'line' if count == 1 else 'lines'} added to the drawing: {names}.")

    def _save_as(self, configs: Mapping[str, RunningConfig]) -> None:
        parent = self.window or self._main.root
        folder = filedialog.askdirectory(parent=parent, title="Save the configurations to a folder")
        if folder:
            self.save_into(configs, Path(folder))

    def save_into(self, configs: Mapping[str, RunningConfig], folder: Path) -> None:
        """Write the current configurations, one folder per router, in the layout of FRR."""
        try:
            for name, config in configs.items():
                (folder / name).mkdir(parents=True, exist_ok=True)
                (folder / name / "frr.conf").write_text(config.now, encoding="utf-8")
        except OSError as error:
            self._main.say(f"The configurations cannot be saved: {error}")
        else:
            self._main.say(f"The configurations of {len(configs)} routers were saved to {folder}.")

    def _close(self) -> None:
        if self.window is not None and self.window.winfo_exists():
            self.window.destroy()
        self.window = None

    # --- earlier runs ---

    def show_history(self) -> None:
        """Show the configurations of earlier runs."""
        if self.history_window is not None and self.history_window.winfo_exists():
            self.history_window.destroy()
        window = self.history_window = HistoryWindow(self._main.root, self._main.ui)
        window.on_open, window.on_forget = self._open_stored, self._forget
        self._fill_history()

    def _fill_history(self) -> None:
        if self.history_window is not None:
            self._runs = kept.kept_runs(self.history)
            self.history_window.fill(
                [(run.time, run.title, run.file or "not saved", ", ".join(run.changed)) for run in self._runs]
            )

    def _forget(self, row: int) -> None:
        kept.forget(self._runs[row])
        self._fill_history()

    def _open_stored(self, row: int) -> None:
        """Show the lines that were typed in an earlier run. They can be added to the open topology."""
        run = self._runs[row]
        try:
            configs = kept.read_configs(run.folder)
        except LabFailed as error:
            self._main.say(str(error))
            return
        comparisons = {
            name: ConfigComparison(config.start, config.now) for name, config in configs.items() if config.typed()
        }
        if not comparisons:
            self._main.say(f"No lines were typed on the routers in the run of {run.time}.")
            return
        self._close()
        self.window = window = ChangesWindow(
            self._main.root, comparisons, self._main.theme, title=f"{run.title}, {run.time}",
            titles=("At the start", "At the end"), may_drop=False,
            introduction="Ticked changes are added to the open drawing, on routers with the same names.",
        )  # fmt: skip
        window.on_take = self.take
        window.on_save = lambda: self._save_as(configs)


def _remark(config: RunningConfig) -> str:
    silent = "; ".join(config.silent)
    return f"{silent}: only its saved configuration is known." if silent else ""
