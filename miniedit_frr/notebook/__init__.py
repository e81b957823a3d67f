"""Labs in notebooks: progress and curves in the cell, tables for pandas, figures of one run or several."""

from miniedit_frr.notebook.recording import Recording, SampleTable, compare, open_recording
from miniedit_frr.notebook.running import run

__all__ = ["Recording", "SampleTable", "compare", "open_recording", "run"]
