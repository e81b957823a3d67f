"""The tools of the canvas, for features that add a tool of their own."""

from __future__ import annotations

from dataclasses import dataclass

from miniedit_frr.panels.toolbox import Toolbox
from miniedit_frr.tools.base import ToolContext
from miniedit_frr.tools.pointer import ToolController


@dataclass(frozen=True)
class ToolSet:
    """The tools, and the objects that select them.

    Attributes:
        context: the objects that tools work on.
        controller: passes the pointer's events to the current tool.
        toolbox: the column of buttons that select a tool.
    """

    context: ToolContext
    controller: ToolController
    toolbox: Toolbox
