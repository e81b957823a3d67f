"""The rooms of the house: which modules each has, and what it may import.

`docs/architecture.md` tells the same in words; `tests/test_architecture.py` holds both against every import statement.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Room:
    """Some modules with one purpose, and what they may know.

    Attributes:
        floor: imports go to the same floor or down.
        title: the purpose, in one sentence.
        modules: patterns of module names; of two rooms that match, the longer pattern has it.
        allowed: rooms, and packages that are neither ours nor the standard library's.
        forbidden: top-level modules that stay out even though they are in the standard library.
    """

    floor: int
    title: str
    modules: tuple[str, ...]
    allowed: frozenset[str]
    forbidden: frozenset[str] = frozenset({"tkinter"})


def room(floor: int, title: str, modules: str, allowed: str = "", forbidden: str = "tkinter") -> Room:
    """A row of the table; the lists are separated by blanks."""
    return Room(floor, title, tuple(modules.split()), frozenset(allowed.split()), frozenset(forbidden.split()))


ROOMS = {
    "frrlib": room(0, "The doors: they hold nothing, so that opening them costs nothing.", "frrlib miniedit_frr"),
    "errors": room(0, "Whose fault it is: the drawing's, the machine's or a command's.", "frrlib.errors"),
    "processor": room(0, "How much the processors have done, in the kernel's words.", "frrlib.processor"),
    "gate": room(
        0, "The wire of a lab in virtual time: files, and what holds the lab's clock.", "frrlib.gate", "", "tkinter",
    ),
    "signals": room(0, "What whoever is started hears: every signal, as after a login.", "frrlib.signals"),
    "writing": room(0, "Files that are written in one piece.", "frrlib.writing"),
    "places": room(0, "What places are called, and what each is in a few words.", "frrlib.places"),
    "removal": room(0, "Removes what programs of a lab left, whatever they did to hinder it.", "frrlib.removal"),
    "reading": room(0, "Files that somebody else wrote: opened without waiting, read within limits.", "frrlib.reading"),
    "plain": room(0, "Text from a lab or a drawing, made harmless for whoever shows it.", "frrlib.plain"),
    "spreadsheet": room(0, "Tables as CSV in which a spreadsheet finds no formula.", "frrlib.spreadsheet"),
    "bbr": room(0, "In which phase BBR is, by its gains.", "frrlib.bbr"),
    "model": room(
        1, "Says what a lab is, as frozen values and pure functions.", "frrlib.model frrlib.model.*",
        "errors pydantic", "tkinter subprocess socket",
    ),
    "wire": room(
        1, "The typed messages, and the plan, between a lab outside and the agent inside.",
        "frrlib.wire frrlib.wire_*",
        "plain msgspec", "tkinter subprocess socket",
    ),
    "expect": room(
        1, "Compares answers with what was wanted of them, and asks until they are so.", "frrlib.compare frrlib.expect",
        "errors", "tkinter subprocess socket",
    ),
    "conf": room(
        1, "FRR's configuration as text: sections, differences, merging.", "frrlib.conf frrlib.conf.*",
        "", "tkinter subprocess socket",
    ),
    "vtysh": room(1, "What vtysh says, and a conversation with it.", "frrlib.vtysh", "errors pexpect"),
    "network": room(
        2, "Says a topology in Python, piece by piece: the tongue of exported scripts.", "frrlib.network",
        "errors model pydantic", "tkinter subprocess socket",
    ),
    "render": room(
        2, "Says it in other tongues: values to configuration, commands and plans.", "frrlib.render frrlib.render.*",
        "errors model wire conf", "tkinter subprocess socket",
    ),
    "kernels": room(
        1, "Builds lab kernels, keeps them, and knows the one that was chosen.", "frrlib.kernels frrlib.kernels.*",
        "errors writing platformdirs",
    ),
    "place": room(
        2, "Where a lab runs: a way to run a command, open a terminal and move files.", "frrlib.place frrlib.place.*",
        "errors reading writing places gate kernels plain removal signals platformdirs",
    ),
    "stage": room(
        2, "What of a place runs inside the lab first; it and all that it loads are standard library only.",
        "frrlib.place.stage*", "gate place",
    ),
    "hold": room(
        3, "Keeps a lab apart from the program that started it, so that it can be left, rejoined and reached by SSH.",
        "frrlib.hold frrlib.hold.*", "errors writing removal signals wire place msgspec platformdirs",
    ),
    "configs": room(
        3, "Configurations beside the drawing: what was typed goes into it, folders in and out, old ones are kept.",
        "frrlib.configs frrlib.configs.*", "errors reading conf model render platformdirs pydantic",
        "tkinter subprocess socket",
    ),
    "needs": room(
        3, "What a topology asks of a place: the only part of the places that knows a topology.",
        "frrlib.place.needs", "places model place",
    ),
    "results": room(
        2, "Keeps what was measured, one versioned folder a run.", "frrlib.results frrlib.results.*",
        "errors reading writing plain spreadsheet bbr processor removal model wire formats dpkt msgspec numpy pydantic",
    ),
    "plots": room(
        3, "Draws what was kept; the only matplotlib of the library.",
        "frrlib.results.plots frrlib.results.plots_* frrlib.results.figures",
        "writing model results matplotlib numpy",
    ),
    "formats": room(
        2, "Keeps a drawing: files in and out; reading never executes anything.", "frrlib.formats frrlib.formats.*",
        "errors model pydantic", "tkinter subprocess socket",
    ),
    "inside": room(
        3, "Does it, in the lab: carries out a plan that was rendered outside; the only room with Mininet.",
        "frrlib.inside frrlib.inside.*", "errors bbr gate processor signals wire vtysh mininet msgspec pexpect",
    ),
    "lab": room(
        4, "Joins a topology, a place and the agent.", "frrlib.lab frrlib.lab_* frrlib.held",
        "errors model conf wire expect vtysh render place needs hold msgspec platformdirs",
    ),
    "testing": room(
        5, "Labs for pytest: a fixture, what a failure shows, what a lab leaves behind.",
        "frrlib.pytest_plugin frrlib.pytest_report",
        "errors places model wire network formats lab pytest",
    ),
    "topotest": room(
        5, "Runs FRR's own topotests in labs: the names that they import, a plugin, and who starts it.",
        "frrlib.topotest frrlib.topotest.*",
        "errors removal model wire conf network expect place lab msgspec pytest",
    ),
    "verify": room(
        5, "Measures whether a running lab's links do what is drawn.", "frrlib.verify", "errors model wire lab",
    ),
    "run": room(
        5, "One whole run, from the check to the kept measurements.", "frrlib.run frrlib.run_*",
        "errors processor configs kernels model wire render place results plots lab",
    ),
    "sweep": room(
        6, "Many runs of one drawing whose values vary, on this machine or on many.", "frrlib.sweep frrlib.sweep.*",
        "errors writing removal spreadsheet model formats results run distributed pyarrow",
    ),
    "experiments": room(
        7, "Published experiments as declarations.", "experiments experiments.*",
        "errors writing spreadsheet model network formats place needs results plots run sweep picture matplotlib numpy"
        " markdown_it PIL",
    ),
    "document": room(
        8, "The one gate for edits; undo swaps values.", "miniedit_frr.document", "errors model formats",
    ),
    "session": room(
        8, "A lab in a worker thread, its events in a queue.", "miniedit_frr.session miniedit_frr.session.*",
        "errors conf model wire render lab run live",
    ),
    "live": room(
        2, "What is known of a running lab's routing and flows, as pure values and models.",
        "miniedit_frr.live miniedit_frr.live.*", "spreadsheet model wire results numpy", "tkinter subprocess socket",
    ),
    "picture": room(
        2, "What a drawing looks like, as values, and pictures of it that need no window.",
        " ".join(f"miniedit_frr.canvas.{name}" for name in
                 ("exporting", "flows", "geometry", "icons", "labels", "naming", "picture", "placing", "scene",
                  "shapes", "texts"))
        + " miniedit_frr.style miniedit_frr.style.*",
        "model results matplotlib PIL",
    ),
    "user": room(
        8, "What is kept of this user in small files, such as whose drawings may run; and what comes with the package.",
        "miniedit_frr.user miniedit_frr.user.*", "errors places model formats picture platformdirs pydantic",
    ),
    "files": room(
        8, "The File menu, drafts of unsaved work, and marks of open files.", "miniedit_frr.files miniedit_frr.files.*",
        "errors model formats user document picture PIL ttkbootstrap", "",
    ),
    "widgets": room(
        8, "What windows are made of, whatever they show: tables, menus, tips, windows beside the drawing.",
        "miniedit_frr.widgets miniedit_frr.widgets.*", "picture ttkbootstrap", "",
    ),
    "canvas": room(
        8, "The drawing area as a widget: what of a scene is on it, and signs of a running lab above it.",
        "miniedit_frr.canvas miniedit_frr.canvas.*", "live picture PIL", "",
    ),
    "tools": room(
        8, "What the pointer does on the canvas: a gesture, which ends in one edit.",
        "miniedit_frr.tools miniedit_frr.tools.*", "model document picture canvas", "",
    ),
    "dialogs": room(
        8, "Forms made from tables of fields, for everything that a drawing says.",
        "miniedit_frr.dialogs miniedit_frr.dialogs.*",
        "errors model render document picture widgets PIL pydantic ttkbootstrap", "",
    ),
    "panels": room(
        8, "What is around the canvas and beside the drawing: lists, tables, windows; they are told what to show.",
        "miniedit_frr.panels miniedit_frr.panels.*",
        "errors reading spreadsheet conf model formats user live picture widgets canvas tools dialogs PIL"
        " ttkbootstrap",
        "",
    ),
    "track": room(
        8, "The scenario track: the plan of a run, seen and edited on a time axis.",
        "miniedit_frr.track miniedit_frr.track.*",
        "errors model render document live picture widgets tools ttkbootstrap", "",
    ),
    "edits": room(
        8, "Edits from the menus: each asks what it must, and makes one edit of the drawing.",
        "miniedit_frr.edits miniedit_frr.edits.*",
        "errors model formats user document picture widgets canvas tools dialogs panels window"
        " PIL pydantic ttkbootstrap", "",
    ),
    "window": room(
        8, "The window itself: menus, panes, help, its icon, and the desktop that it is on.",
        "miniedit_frr.window miniedit_frr.window.*",
        "errors places signals user picture widgets canvas dialogs track PIL ttkbootstrap", "",
    ),
    "plotting": room(
        8, "Plots of what flows do, while they do it and afterwards: the window's only matplotlib.",
        "miniedit_frr.plotting miniedit_frr.plotting.*",
        "results live picture widgets matplotlib numpy PIL ttkbootstrap", "",
    ),
    "terminal": room(
        8, "Shows in a terminal how far a lab has come, and what came out.",
        "miniedit_frr.terminal miniedit_frr.terminal.*",
        "plain model wire place results run sweep experiments rich",
    ),
    "editor": room(
        8, "The parts of the window as one value, and what joins one thing each with them.",
        "miniedit_frr.editor miniedit_frr.editor.*",
        "errors configs model results experiments user files document picture widgets canvas tools dialogs panels track"
        " edits window PIL ttkbootstrap", "",
    ),
    "running": room(
        9, "A lab behind the window: what it is known to be, who asks it, and who shows it.",
        "miniedit_frr.running miniedit_frr.running.*",
        "errors places plain reading conf configs model render formats place hold results lab run sweep user document"
        " session"
        " live picture widgets canvas tools panels window plotting editor PIL platformdirs ttkbootstrap", "",
    ),
    "app": room(
        9, "Makes the window, and joins it with document and lab.", "miniedit_frr.app miniedit_frr.commands",
        "errors model place user files document picture widgets canvas tools dialogs panels edits window editor running"
        " platformdirs ttkbootstrap", "",
    ),
    "cli": room(
        10, "The same things without a window.",
        "miniedit_frr.cli miniedit_frr.cli.* miniedit_frr.__main__ miniedit_frr.script",
        "errors places plain processor conf configs kernels model wire network render formats place hold results plots"
        " lab verify run topotest sweep experiments user picture terminal app pydantic typer rich",
    ),
}  # fmt: skip
