"""The rooms of the house: the folder of each, and the packages that it may import.

A room may import the rooms of its list, all of which come before it here. `docs/architecture.md` has the same table
with the purpose of each room; `tests/test_architecture.py` compares both with every import statement.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Room:
    """A folder with one purpose, and the packages that its modules may import.

    Attributes:
        modules: patterns of module names. If two rooms match a name, the longer pattern decides.
        allowed: rooms, and packages that are neither ours nor in the standard library.
        forbidden: top-level modules of the standard library that the room must not import.
    """

    modules: tuple[str, ...]
    allowed: frozenset[str]
    forbidden: frozenset[str] = frozenset({"tkinter"})


def room(folder: str, allowed: str = "", forbidden: str = "tkinter", modules: str = "") -> Room:
    """A row of the table.

    Args:
        folder: the package that is the room, with all packages in it.
        allowed, forbidden: names separated by blanks, see `Room`.
        modules: the modules of a room that is not a whole package, separated by blanks.
    """
    patterns = tuple(modules.split()) or (folder, f"{folder}.*")
    return Room(patterns, frozenset(allowed.split()), frozenset(forbidden.split()))


PURE = "tkinter subprocess socket"
ROOMS = {
    "system": room("frrlib.system"),
    "debian_archive": room("frrlib.debian_archive"),
    "missing_packages": room("frrlib.missing_packages", "debian_archive"),
    "safe_text": room("frrlib.safe_text"),
    "virtual_time": room("frrlib.virtual_time"),
    "conf": room("frrlib.conf", "", PURE),
    "frrlib": room("frrlib", "", modules="frrlib frrlib.errors frrlib.places frrlib.bbr frrlib.pytest_plugin"),
    "wire": room("frrlib.wire", "safe_text msgspec", PURE),
    "expect": room("frrlib.expect", "frrlib", PURE),
    "vtysh": room("frrlib.vtysh", "frrlib pexpect"),
    "model": room("frrlib.model", "frrlib pydantic", PURE),
    "kernels": room("frrlib.kernels", "system frrlib platformdirs"),
    "network": room("frrlib.network", "frrlib model pydantic", PURE),
    "addressing": room("frrlib.addressing", "frrlib model", PURE),
    "place": room("frrlib.place", "system safe_text virtual_time frrlib kernels platformdirs"),
    "agent": room("frrlib.agent", "system virtual_time frrlib wire vtysh mininet msgspec pexpect"),
    "lab_server": room("frrlib.lab_server", "system frrlib wire place msgspec"),
    "prediction": room("frrlib.prediction", "frrlib model addressing pydantic", PURE),
    "edits": room("frrlib.edits", "frrlib model addressing pydantic", PURE),
    "init": room("frrlib.place.init", "system virtual_time place"),
    "interpretation": room("frrlib.interpretation", "conf model", PURE),
    "checks": room("frrlib.checks", "frrlib model addressing prediction edits interpretation pydantic", PURE),
    "formats": room("frrlib.formats", "frrlib model edits pydantic", PURE),
    "variation": room("frrlib.variation", "frrlib model checks pydantic", PURE),
    "render": room("frrlib.render", "conf frrlib wire model addressing prediction checks", PURE),
    "changes": room("frrlib.changes", "conf wire model prediction render msgspec", PURE),
    "lab": room(
        "frrlib.lab",
        "system conf frrlib wire expect vtysh model addressing place lab_server prediction edits checks render changes "
        "msgspec platformdirs",
    ),
    "diagnosis": room("frrlib.diagnosis", "conf frrlib wire model addressing lab"),
    "configs": room(
        "frrlib.configs",
        "system conf frrlib model addressing edits checks render platformdirs pydantic",
        PURE,
    ),
    "exchange": room(
        "frrlib.exchange",
        "system conf frrlib wire model addressing edits formats configs render pydantic yaml",
        PURE,
    ),
    "document": room("miniedit_frr.document", "frrlib model formats exchange"),
    "results": room(
        "frrlib.results",
        "system safe_text frrlib wire model formats variation dpkt msgspec numpy pydantic",
    ),
    "verify": room("frrlib.verify", "frrlib wire model addressing lab"),
    "testing": room("frrlib.testing", "frrlib wire model network exchange lab pytest"),
    "plots": room("frrlib.plots", "system frrlib model variation results matplotlib numpy"),
    "topotest": room("frrlib.topotest", "system conf frrlib wire expect model network place lab msgspec pytest"),
    "picture": room("frrlib.picture", "model addressing prediction results PIL matplotlib"),
    "replay": room(
        "frrlib.replay", "safe_text frrlib model addressing formats render results plots picture numpy", PURE
    ),
    "live": room("miniedit_frr.live", "safe_text wire model prediction results numpy", PURE),
    "run": room(
        "frrlib.run",
        "system frrlib wire model kernels addressing place prediction checks render lab configs results plots",
    ),
    "canvas": room("miniedit_frr.canvas", "picture live PIL", ""),
    "user": room("miniedit_frr.user", "frrlib model formats picture platformdirs pydantic"),
    "widgets": room("miniedit_frr.widgets", "picture ttkbootstrap", ""),
    "sweep": room(
        "frrlib.sweep", "system safe_text frrlib model formats variation results run distributed pyarrow pydantic"
    ),
    "exercises": room(
        "frrlib.exercises",
        "system safe_text conf frrlib wire expect model checks formats lab_server lab configs results run sweep "
        "distributed pydantic platformdirs xlsxwriter",
    ),
    "exercise_making": room(
        "frrlib.exercises.making",
        "conf frrlib model addressing prediction formats render lab exercises",
    ),
    "session": room("miniedit_frr.session", "conf frrlib wire model prediction render changes lab live run"),
    "files": room(
        "miniedit_frr.files", "system frrlib model exchange formats document picture user PIL ttkbootstrap", ""
    ),
    "dialogs": room(
        "miniedit_frr.dialogs",
        "frrlib model addressing prediction edits checks render document picture widgets PIL pydantic ttkbootstrap",
        "",
    ),
    "tools": room("miniedit_frr.tools", "model edits document picture canvas", ""),
    "panels": room("miniedit_frr.panels", "model checks picture canvas widgets dialogs tools PIL ttkbootstrap", ""),
    "track": room(
        "miniedit_frr.track",
        "frrlib model edits checks render document picture live widgets tools ttkbootstrap",
        "",
    ),
    "experiments": room(
        "miniedit_frr.experiments",
        "system safe_text frrlib model network addressing place prediction edits checks formats lab "
        "results plots picture run sweep PIL markdown_it matplotlib numpy pydantic",
    ),
    "window": room(
        "miniedit_frr.window",
        "system frrlib picture canvas user widgets dialogs track PIL ttkbootstrap",
        "",
    ),
    "terminal": room("miniedit_frr.terminal", "safe_text wire model place results run sweep experiments rich"),
    "edit_commands": room(
        "miniedit_frr.edit_commands",
        "frrlib model addressing edits checks formats document picture canvas user widgets dialogs tools "
        "panels window PIL pydantic ttkbootstrap",
        "",
    ),
    "editor": room(
        "miniedit_frr.editor",
        "frrlib model prediction edits exchange document configs results picture canvas user widgets files "
        "dialogs tools panels track window edit_commands PIL ttkbootstrap",
        "",
    ),
    "runs": room(
        "miniedit_frr.runs",
        "system frrlib model addressing place lab results picture run user widgets editor PIL "
        "platformdirs ttkbootstrap",
        "",
    ),
    "experiments_view": room(
        "miniedit_frr.experiments_view",
        "system frrlib model lab picture user widgets experiments editor runs PIL ttkbootstrap",
        "",
    ),
    "modules_view": room(
        "miniedit_frr.modules_view",
        "frrlib model place formats document lab picture widgets files editor ttkbootstrap",
        "",
    ),
    "running_lab": room(
        "miniedit_frr.running_lab",
        "safe_text frrlib model addressing place lab_server edits exchange render document changes lab picture run "
        "canvas user widgets session panels window editor runs ttkbootstrap",
        "",
    ),
    "live_plots": room(
        "miniedit_frr.live_plots",
        "frrlib model addressing render results picture live run canvas user widgets session panels editor "
        "runs PIL matplotlib numpy ttkbootstrap",
        "",
    ),
    "routing_view": room(
        "miniedit_frr.routing_view",
        "frrlib model addressing prediction formats lab diagnosis results picture live canvas widgets session panels "
        "editor runs running_lab PIL ttkbootstrap",
        "",
    ),
    "faults_view": room(
        "miniedit_frr.faults_view",
        "frrlib model edits render document picture widgets session editor running_lab ttkbootstrap",
    ),
    "configs_view": room(
        "miniedit_frr.configs_view",
        "conf frrlib model document lab configs picture widgets session editor running_lab ttkbootstrap",
        "",
    ),
    "sweeps": room(
        "miniedit_frr.sweeps",
        "frrlib model addressing prediction edits formats variation picture run widgets dialogs sweep editor "
        "runs running_lab ttkbootstrap",
        "",
    ),
    "now": room(
        "miniedit_frr.now",
        "model addressing render results picture live run canvas widgets session panels running_lab "
        "live_plots routing_view ttkbootstrap",
        "",
    ),
    "paths": room(
        "miniedit_frr.paths",
        "safe_text frrlib model lab picture canvas widgets session tools editor running_lab routing_view ttkbootstrap",
        "",
    ),
    "lab_control": room(
        "miniedit_frr.lab_control",
        "frrlib model lab_server edits formats document lab results picture canvas live run user widgets session "
        "dialogs tools panels editor runs running_lab live_plots routing_view faults_view configs_view sweeps "
        "now paths ttkbootstrap",
        "",
    ),
    "exercises_view": room(
        "miniedit_frr.exercises_view",
        "frrlib model exchange lab diagnosis exercises exercise_making picture user widgets dialogs editor lab_control "
        "markdown_it PIL ttkbootstrap",
        "",
    ),
    "app": room(
        "miniedit_frr.app",
        "frrlib model place edits document picture canvas user widgets files dialogs tools panels window "
        "edit_commands editor experiments_view exercises_view modules_view lab_control ttkbootstrap",
        "",
    ),
    "notebook": room(
        "miniedit_frr.notebook",
        "safe_text frrlib wire model network checks formats results plots run terminal matplotlib pandas IPython",
    ),
    "cli": room(
        "miniedit_frr.cli",
        "system missing_packages safe_text conf frrlib wire model kernels network addressing place lab_server edits "
        "checks exchange formats variation render changes lab diagnosis configs exercises exercise_making results "
        "verify plots topotest picture replay run user sweep experiments terminal app pydantic rich typer",
    ),
    "miniedit_frr": room(
        "miniedit_frr", "system missing_packages cli", modules="miniedit_frr miniedit_frr.__main__ miniedit_frr.script"
    ),
}
