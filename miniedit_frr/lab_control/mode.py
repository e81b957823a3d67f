"""The window while a lab runs: its tools, double click and right click differ then."""

from __future__ import annotations

from collections.abc import Callable

from frrlib.picture.scene import Key
from miniedit_frr.dialogs.opener import Dialogs
from miniedit_frr.document.document import Document
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.editor.tool_set import ToolSet
from miniedit_frr.lab_control.context_menus import LabMenus
from miniedit_frr.lab_control.run_buttons import RunButtons
from miniedit_frr.panels.properties import Properties
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.session.events import VIRTUAL_TIME_REFUSAL, LabState
from miniedit_frr.tools.base import Tool
from miniedit_frr.tools.pointer import TOOLS
from miniedit_frr.tools.two_nodes import TwoNodesTool


class LabMode:
    """Sets which tools, buttons and clicks of the window concern the running lab.

    Attributes:
        two_nodes: the tool for the path between two nodes.
        buttons: Run, Run Flows and Stop, in the tool column.
        can_apply: whether there are changes for the running lab.
    """

    def __init__(
        self,
        main: MainWindow,
        document: Document,
        tools: ToolSet,
        dialogs: Dialogs,
        properties: Properties,
        lab: LiveLab,
        menus: LabMenus,
        two_nodes: TwoNodesTool,
        buttons: RunButtons,
    ) -> None:
        self._main, self._document, self._tools, self._dialogs = main, document, tools, dialogs
        self._properties, self._lab, self._menus = properties, lab, menus
        self.two_nodes, self._was_alive = two_nodes, False
        self.can_apply: Callable[[], bool] = lambda: False
        tools.controller.refuses = self._refuses
        self.buttons = buttons
        document.listen(lambda old, new: self.show_buttons())
        document.restrict(lambda old, new: "", on_refuse=self.refuse)  # exercises restrict edits further
        dialogs.is_running = properties.is_running = lambda: lab.is_open
        # Clicks on nodes and links of the lab are handled here, before the handlers that edit them.
        tools.controller.on_open.insert(0, self._open)
        tools.controller.on_context.insert(0, self._context)
        self.show()

    def show(self) -> None:
        """Show which tools are usable now. Put the current tool away if it is not, and when a lab starts."""
        self.show_buttons()
        self._dialogs.refresh()
        self._properties.refresh()
        self._tools.toolbox.switch_off([tool for tool in (*TOOLS, self.two_nodes) if self._refuses(tool)])
        is_starting, self._was_alive = self._lab.is_alive and not self._was_alive, self._lab.is_alive
        if is_starting or self._refuses(self._tools.controller.tool):
            self._tools.controller.put_away()

    def show_buttons(self) -> None:
        """Show which buttons are usable now."""
        lab, flows = self._lab, bool(self._document.topology.flows)
        can_send = flows and (lab.can_run or lab.can_send)
        self.buttons.show(can_run=lab.can_run or self.can_apply(), can_send=can_send, is_running=lab.is_alive)

    def refuse(self, reason: str) -> None:
        """Report why an action is refused."""
        self._main.say(reason)
        self._main.root.bell()

    def _refuses(self, tool: Tool) -> str:
        if tool is self.two_nodes:
            if self._lab.is_virtual:
                return f"{tool.title}: {VIRTUAL_TIME_REFUSAL}."
            return "" if self._lab.state is LabState.RUNNING else f"{tool.title}: start the lab first (F5)."
        return ""

    def _is_in_lab(self, key: Key) -> bool:
        return self._lab.state is LabState.RUNNING and bool(self._menus.lines(key))

    def _open(self, key: Key) -> bool:
        """Handle a double click on a node of the lab: open its shell. Returns whether it was such a click."""
        if key.kind != "node" or not self._is_in_lab(key):
            return False
        if self._lab.is_virtual:
            self.refuse(f"{key.name} cannot be entered: {VIRTUAL_TIME_REFUSAL}.")
        else:
            self._menus.windows.open(key.name)
        return True

    def _context(self, key: Key | None, x: int, y: int) -> bool:
        """Handle a right click on a node or link of the lab: show its menu. Returns whether it was such a click."""
        if key is None or not self._is_in_lab(key):
            return False
        self._menus.make(self._main, self._dialogs, key).tk_popup(x, y)
        return True
