"""File > Exercises: an exercise from its card to the file that is handed in, with keys and the mouse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tkinter import filedialog

import pytest
from ttkbootstrap.dialogs import Messagebox

from frrlib.edits.topology_edits import remove_nodes
from frrlib.exercises.running import advice_about
from frrlib.exercises.submissions import read_submission
from frrlib.exercises.work import read_work
from tests import keyboard
from tests.exercises.samples import SHIPPED, PretendedLab
from tests.window.hands_on_window import User

pytestmark = [pytest.mark.gui]
