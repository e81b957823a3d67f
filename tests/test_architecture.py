"""The walls between the rooms: allowed imports, held against every import statement of the project.

Every import counts: those inside functions, those under TYPE_CHECKING and those by `import_module("name")`. An import
that runs late or never still says that one room knows another. `docs/architecture.md` tells the same in words.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest

from tests.rooms import ROOMS, Room, room

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("frrlib", "miniedit_frr")
#: Each folder of modules, and the package that it is. `miniedit_frr/experiments` is a symbolic link.
FOLDERS = {"frrlib": "frrlib", "miniedit_frr": "miniedit_frr", "experiments": "miniedit_frr.experiments"}


def place_of(module: str, rooms: Mapping[str, Room] = ROOMS) -> tuple[str, str] | None:
    """The room that a module is in, and the pattern by which it is there; None for none."""
    hits = [(len(p), name, p) for name, rules in rooms.items() for p in rules.modules if fnmatchcase(module, p)]
    return max(hits)[1:] if hits else None


def room_of(module: str, rooms: Mapping[str, Room] = ROOMS) -> str | None:
    """The room that a module is in, None for none."""
    place = place_of(module, rooms)
    return place[0] if place else None


def modules_below(root: Path) -> dict[str, Path]:
    """Every module of the packages, by its dotted name."""
    modules = {}
    for folder, package in FOLDERS.items():
        for path in sorted((root / folder).rglob("*.py")):
            if path.is_relative_to(root / "miniedit_frr" / "experiments"):
                continue  # some versions of Python follow the link
            parts = (*package.split("."), *path.relative_to(root / folder).with_suffix("").parts)
            modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return modules


def imports_of(module: str, path: Path, modules: dict[str, Path]) -> Iterator[tuple[int, str]]:
    """Every import of a file as (line, dotted name); `from a import b` is a.b where that is a module, a otherwise."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield node.lineno, full if full in modules else base
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            first = node.args[0] if node.args else None
            if name in {"import_module", "__import__"} and isinstance(first, ast.Constant):
                yield node.lineno, str(first.value)


def objection(own_room: str, target: str) -> str | None:
    """Why a module of room `own` must not import `target`; None if it may."""
    top = target.partition(".")[0]
    if top in ROOMS[own_room].forbidden:
        return f"{top} is forbidden"
    if top in PACKAGES:
        other_room = room_of(target)
        if target in PACKAGES or other_room == own_room or other_room in ROOMS[own_room].allowed:
            return None
        return f"{target} is in {other_room or 'no room'}"
    if top in sys.stdlib_module_names or top in ROOMS[own_room].allowed:
        return None
    return f"{top} is not on its list"


def violations(root: Path) -> list[str]:
    """One line for every import that crosses a wall, and for every module that is in no room."""
    modules, violations_found = modules_below(root), []
    for module, path in modules.items():
        own_room = room_of(module)
        if own_room is None:
            violations_found.append(f"{path.relative_to(root)}: in no room")
            continue
        for line, target in imports_of(module, path, modules):
            reason = objection(own_room, target)
            if reason:
                violations_found.append(
                    f"{path.relative_to(root)}:{line}: {own_room} must not import {target}: {reason}"
                )
    return violations_found


def idle_rows(root: Path, rooms: Mapping[str, Room]) -> list[str]:
    """One line for all in a table that nothing needs: rooms and patterns without modules, permissions without imports.

    An idle row is an open door: it lets through whatever comes next, and nobody has decided that.
    """
    modules = modules_below(root)
    places = {module: place for module in modules if (place := place_of(module, rooms)) is not None}
    used: dict[str, set[str | None]] = {name: set() for name in rooms}
    for module, (user, _) in places.items():
        for _, target in imports_of(module, modules[module], modules):
            top = target.partition(".")[0]
            used[user].add(room_of(target, rooms) if top in PACKAGES else top)
    idle = [f"{name}: has no module" for name in rooms if name not in {user for user, _ in places.values()}]
    for name, rules in rooms.items():
        idle += [f"{name}: no module is {p}" for p in rules.modules if (name, p) not in places.values()]
        allowed = rules.allowed | ({"tkinter"} - rules.forbidden)
        idle += [f"{name}: nobody imports {permission}" for permission in sorted(allowed - used[name])]
    return idle


def wide_patterns(rooms: Mapping[str, Room]) -> list[str]:
    """The patterns that take every new module of a package that has several rooms, as "room: pattern"."""
    wide_of_packages = []
    for package in PACKAGES:
        patterns = [(name, p) for name, rules in rooms.items() for p in rules.modules]
        wide = [(name, p) for name, p in patterns if fnmatchcase(f"{package}.some_new_module", p)]
        inside = [name for name, p in patterns if p.partition(".")[0] == package]
        if len({*inside, *(name for name, _ in wide)}) > 1:
            wide_of_packages += [f"{name}: {p}" for name, p in wide]
    return wide_of_packages


@cache
def project_violations() -> list[str]:
    """The violations of this project, read once."""
    return violations(ROOT)


def init_violations(root: Path) -> list[str]:
    """The imports of a lab's first program, direct and indirect, that are not the standard library."""
    modules, violations_found = modules_below(root), []
    queue = [module for module in modules if room_of(module) == "init"]
    queued = set(queue)
    while queue:
        module = queue.pop()
        for line, target in imports_of(module, modules[module], modules):
            if target.partition(".")[0] in sys.stdlib_module_names or target == "frrlib":
                continue
            if target in modules and room_of(target) in {"virtual_time", "place", "system", "init"}:
                if target not in queued:
                    queued.add(target)
                    queue.append(target)
            else:
                violations_found.append(
                    f"{modules[module].relative_to(root)}:{line}: the first program must not load {target}"
                )
    return violations_found


def test_the_first_program_loads_the_standard_library_only() -> None:
    assert init_violations(ROOT) == []


@pytest.mark.parametrize("name", ROOMS)
def test_room_keeps_to_its_list(name: str) -> None:
    violations_of_room = [line for line in project_violations() if f": {name} must not" in line]
    assert violations_of_room == []


def test_every_module_is_in_a_room() -> None:
    assert not [line for line in project_violations() if line.endswith("in no room")]


def test_nothing_in_the_table_is_idle() -> None:
    assert idle_rows(ROOT, ROOMS) == []


def test_no_pattern_takes_a_whole_package() -> None:
    assert wide_patterns(ROOMS) == []


def test_rooms_import_only_rooms_before_them() -> None:
    graph = {name: {a for a in rules.allowed if a in ROOMS} for name, rules in ROOMS.items()}
    order = list(ROOMS)
    assert [
        (name, allowed) for name in order for allowed in graph[name] if order.index(allowed) >= order.index(name)
    ] == []


#: Packages that provide names themselves, and the modules that they import for it: names for users' scripts, and the
#: messages of the wire.
PUBLIC_NAMES = {
    "frrlib/expect": ["frrlib.expect.expectation"],
    "frrlib/lab": ["typing"],
    "frrlib/network": ["frrlib.network.network"],
    "frrlib/wire": [f"frrlib.wire.{name}" for name in ("changes", "events", "messages", "replies", "requests")],
}


@pytest.mark.parametrize("path", sorted((ROOT / "frrlib").rglob("__init__.py")), ids=lambda p: p.parent.name)
def test_opening_a_package_imports_nothing(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = [n.module for n in tree.body if isinstance(n, ast.ImportFrom)]
    imported += [name.name for n in tree.body if isinstance(n, ast.Import) for name in n.names]
    assert imported == PUBLIC_NAMES.get(str(path.parent.relative_to(ROOT)), [])


def test_pure_rooms_load_neither_window_nor_mininet() -> None:
    pure = {
        "frrlib", "model", "addressing", "prediction", "edits", "checks", "variation", "wire", "render", "formats",
        "document", "session", "picture", "live", "user",
    }  # fmt: skip
    names = [module for module in modules_below(ROOT) if room_of(module) in pure]
    script = (
        "import importlib, sys\n"
        "for name in sys.argv[1:]: importlib.import_module(name)\n"
        "print(*({'tkinter', '_tkinter', 'mininet'} & set(sys.modules)))"
    )
    argv = [sys.executable, "-P", "-c", script, *names]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(argv, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def rows_of_the_document() -> dict[str, set[str]]:
    """The imports that each room may make according to `docs/architecture.md`."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| **")]
    return {name.strip("*"): set(re.findall(r"\w+", allowed)) for name, _, _, allowed in rows}


def test_the_document_has_the_same_table() -> None:
    names = {"PIL": "Pillow"}
    table = {
        name: {names.get(package, package) for package in rules.allowed | ({"tkinter"} - rules.forbidden)}
        for name, rules in ROOMS.items()
    }
    assert rows_of_the_document() == table


def test_the_document_has_the_rooms_in_their_order() -> None:
    assert list(rows_of_the_document()) == list(ROOMS)


def test_the_document_states_the_purpose_of_each_package() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ")[1:3] for line in text.splitlines() if line.startswith("| **")]
    stated = {folder.strip("`/"): purpose for folder, purpose in rows if "*" not in folder}
    written = {}
    for folder in stated:
        docstring = ast.get_docstring(ast.parse((ROOT / folder / "__init__.py").read_text(encoding="utf-8"))) or ""
        written[folder] = " ".join(docstring.split()).rstrip(".")
    assert stated == written


# --- the test can fail --------------------------------------------------------------------------------------------

FORBIDDEN_IMPORTS = [
    pytest.param("frrlib/model/a.py", "import mininet.net", "mininet", id="third-party"),
    pytest.param("frrlib/model/a.py", "import tkinter as tk", "tkinter", id="forbidden-stdlib"),
    pytest.param("frrlib/render/a.py", "from subprocess import run", "subprocess", id="render-runs-nothing"),
    pytest.param("frrlib/render/a.py", "def f():\n    from frrlib.lab import Lab", "frrlib.lab", id="in-a-function"),
    pytest.param(
        "frrlib/place/a.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from frrlib.model.b import T",
        "frrlib.model.b",
        id="under-TYPE_CHECKING",
    ),
    pytest.param("frrlib/agent/a.py", "from frrlib import model", "frrlib.model", id="module-by-from"),
    pytest.param("frrlib/agent/a.py", "from ..render import b", "frrlib.render.b", id="relative"),
    pytest.param("frrlib/agent/__init__.py", "from .. import lab", "frrlib.lab", id="relative-in-a-package"),
    pytest.param("frrlib/agent/a.py", "import pydantic", "pydantic", id="agent-stays-light"),
    pytest.param("frrlib/place/init/a.py", "import frrlib.errors", "frrlib.errors", id="first-program-is-stdlib-only"),
    pytest.param("frrlib/results/store.py", "import matplotlib.pyplot", "matplotlib", id="matplotlib-outside-plots"),
    pytest.param("frrlib/wire/messages.py", "import frrlib.model.b", "frrlib.model.b", id="wire-knows-no-model"),
    pytest.param("frrlib/errors.py", "import msgspec", "msgspec", id="errors-are-stdlib-only"),
    pytest.param("miniedit_frr/canvas/a.py", "import frrlib.lab", "frrlib.lab", id="canvas-knows-no-lab"),
    pytest.param("miniedit_frr/document/document.py", "import tkinter", "tkinter", id="document-knows-no-window"),
    pytest.param("experiments/a.py", "import miniedit_frr.app", "miniedit_frr.app", id="upwards"),
    pytest.param("frrlib/model/a.py", "import importlib\nimportlib.import_module('mininet')", "mininet", id="by-name"),
]

ALLOWED_IMPORTS = [
    pytest.param(
        "frrlib/agent/a.py",
        "import mininet.net\nfrom frrlib import errors\nfrom frrlib.wire import messages",
        id="inside",
    ),
    pytest.param("frrlib/render/a.py", "from ..model import b\nfrom . import c", id="relative"),
    pytest.param("frrlib/plots/run.py", "import matplotlib", id="plots"),
    pytest.param("miniedit_frr/tools/a.py", "import tkinter\nfrom miniedit_frr import document", id="tools"),
]


def small_tree(root: Path, path: str, text: str) -> Path:
    """A tree with a few empty modules, and one file with `text`."""
    empty = [
        "experiments/__init__.py", "frrlib/__init__.py", "frrlib/errors.py", "frrlib/lab/__init__.py",
        "frrlib/lab/lab.py", "frrlib/model/__init__.py", "frrlib/model/b.py", "frrlib/render/b.py",
        "frrlib/wire/__init__.py", "frrlib/wire/messages.py", "miniedit_frr/document/__init__.py",
        "miniedit_frr/document/document.py",
    ]  # fmt: skip
    for name, content in [*((e, "") for e in empty), (path, text)]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, encoding="utf-8")
    return root


@pytest.mark.parametrize(("path", "text", "target"), FORBIDDEN_IMPORTS)
def test_a_wrong_import_is_found(tmp_path: Path, path: str, text: str, target: str) -> None:
    violations_found = violations(small_tree(tmp_path, path, text))
    assert len(violations_found) == 1
    assert violations_found[0].startswith(f"{path}:")
    assert f"must not import {target}" in violations_found[0]


@pytest.mark.parametrize(("path", "text"), ALLOWED_IMPORTS)
def test_a_right_import_is_accepted(tmp_path: Path, path: str, text: str) -> None:
    assert violations(small_tree(tmp_path, path, text)) == []


def test_what_the_stage_loads_by_way_of_another_is_found(tmp_path: Path) -> None:
    small_tree(tmp_path, "frrlib/place/confinement/file_tree.py", "def f():\n    from frrlib.errors import PlaceError")
    small_tree(tmp_path, "frrlib/place/init/init.py", "import os\nfrom frrlib.place.confinement import file_tree")
    assert violations(tmp_path) == []  # every single wall is respected
    assert init_violations(tmp_path) == [
        "frrlib/place/confinement/file_tree.py:2: the first program must not load frrlib.errors"
    ]


def test_a_module_in_no_room_is_found(tmp_path: Path) -> None:
    assert violations(small_tree(tmp_path, "frrlib/new.py", "")) == ["frrlib/new.py: in no room"]


#: Rooms for the small tree that fit it: everything in them is used by `frrlib/render/a.py`, whose text is below.
FITTING = {
    "errors": room("frrlib", modules="frrlib frrlib.errors"),
    "model": room("frrlib.model"),
    "render": room("frrlib.render", "errors model msgspec", "", modules="frrlib.render.*"),
    "rest": room("experiments", modules="miniedit_frr.experiments frrlib.lab* frrlib.wire* miniedit_frr.document*"),
}


def model(allowed: str = "", forbidden: str = "tkinter", modules: str = "frrlib.model*") -> Room:
    """The room `model` with some differences."""
    return room("frrlib.model", allowed, forbidden, modules)


IDLE = [
    pytest.param({}, [], id="fitting"),
    pytest.param(
        {"ghosts": room("", modules="frrlib.ghosts")}, ["ghosts: has no module", "ghosts: no module is frrlib.ghosts"],
        id="room-without-files",
    ),
    pytest.param(
        {"model": model(modules="frrlib.model frrlib.model.* frrlib.models")},
        ["model: no module is frrlib.models"],
        id="pattern-without-modules",
    ),
    pytest.param(
        {"model": model(modules="frrlib.model frrlib.model.* frrlib.mod*")}, ["model: no module is frrlib.mod*"],
        id="pattern-that-others-outdo",
    ),
    pytest.param({"model": model("errors")}, ["model: nobody imports errors"], id="room"),
    pytest.param({"model": model("numpy")}, ["model: nobody imports numpy"], id="package"),
    pytest.param({"model": model("model")}, ["model: nobody imports model"], id="itself"),
    pytest.param({"model": model("", "")}, ["model: nobody imports tkinter"], id="tkinter"),
]  # fmt: skip


@pytest.mark.parametrize(("changed", "expected"), IDLE)
def test_an_idle_row_is_found(tmp_path: Path, changed: dict[str, Room], expected: list[str]) -> None:
    text = "import tkinter, msgspec\ndef f():\n    from frrlib import errors, model"
    assert idle_rows(small_tree(tmp_path, "frrlib/render/a.py", text), FITTING | changed) == expected


@pytest.mark.parametrize("pattern", ["frrlib.*", "frrlib*", "*"])
def test_a_pattern_for_all_of_a_package_is_found(pattern: str) -> None:
    assert (
        wide_patterns({"model": room("frrlib.model"), "rest": room("frrlib", modules=pattern)})[0] == f"rest: {pattern}"
    )


def test_a_package_that_is_one_room_may_have_one_pattern() -> None:
    assert wide_patterns({"model": room("frrlib.model"), "window": room("miniedit_frr")}) == []
