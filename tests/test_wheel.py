"""The installed package is complete: a wheel has the examples, and the installed editor finds them."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from frrlib.debian_archive.keys import KEYS
from tests.wheels import wheel_of_checkout

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = {path.name for path in (ROOT / "examples").glob("*.mn")}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this checkout."""
    return wheel_of_checkout(tmp_path_factory.mktemp("checkout"))


def test_the_wheel_has_the_examples_and_every_module(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        examples = {name: archive.read(f"miniedit_frr/examples/{name}") for name in EXAMPLES}
    assert examples == {name: (ROOT / "examples" / name).read_bytes() for name in EXAMPLES}
    exercises = {str(path.relative_to(ROOT)) for path in (ROOT / "examples" / "exercises").rglob("*.*")}
    assert {f"miniedit_frr/{name}" for name in exercises} <= names
    for package in ("frrlib", "miniedit_frr"):
        modules = {str(path.relative_to(ROOT)) for path in (ROOT / package).rglob("*.py")}
        assert modules <= names
    assert {f"frrlib/debian_archive/{key.file}" for key in KEYS} <= names
    shared = {name.partition("/data/share/")[2] for name in names if "/data/share/" in name}
    assert shared == {
        "applications/miniedit-frr.desktop", "mime/packages/miniedit-frr.xml",
        "icons/hicolor/scalable/apps/miniedit-frr.svg",
    }  # fmt: skip
    config = (ROOT / "kernel" / "lab.config").read_bytes()
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read("frrlib/kernels/kernel/lab.config") == config
    assert not [name for name in names if name.startswith(("tests", "kernel", "docs", "benchmarks"))]


def test_the_installed_editor_finds_the_examples(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    script = (
        "import miniedit_frr.editor.examples as those\n"
        "from miniedit_frr.user.package_files import examples_folder\n"
        "assert those.__file__.startswith(__import__('sys').argv[1]), those.__file__\n"
        "print(*(each.path.name for rows in those.examples(examples_folder()).values() for each in rows))"
    )
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    argv = [sys.executable, "-P", "-c", script, str(tmp_path)]
    done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == EXAMPLES


def test_the_desktop_knows_the_editor_and_its_files() -> None:
    folder = ROOT / "miniedit_frr" / "desktop"
    entry = configparser.RawConfigParser(strict=True)
    entry.read(folder / "miniedit-frr.desktop")
    words = entry["Desktop Entry"]
    (mime,) = ElementTree.parse(folder / "miniedit-frr.xml").getroot()
    kind = mime.attrib["type"]
    assert words["exec"].split() == ["miniedit-frr", "edit", "%f"]
    assert words["mimetype"] == f"{kind};"
    assert [element.attrib["pattern"] for element in mime if element.tag.endswith("glob")] == ["*.mn"]
    assert ElementTree.parse(folder / f"{words['icon']}.svg").getroot().tag.endswith("svg")
    if shutil.which("desktop-file-validate"):
        done = subprocess.run(
            ["desktop-file-validate", folder / "miniedit-frr.desktop"], capture_output=True, text=True
        )
        assert (done.returncode, done.stdout) == (0, "")
