"""What is installed is what is here: a wheel has the examples, and the installed editor finds them."""

from __future__ import annotations

import configparser
import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = {"two-as-bgp.mn", "ospf-multihop.mn", "two-as-no-delay.mn"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this checkout, built from a copy and without a network."""
    if importlib.util.find_spec("wheel") is None or importlib.util.find_spec("setuptools") is None:
        pytest.skip("needs setuptools and wheel")
    copy = tmp_path_factory.mktemp("checkout")
    for name in ("frrlib", "miniedit_frr", "examples"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "build", "*.o"))
    for name in ("setup.py", "LICENSE-GPLv2"):
        shutil.copy(ROOT / name, copy / name)
    argv = [sys.executable, "setup.py", "-q", "bdist_wheel", "--dist-dir", "dist"]
    done = subprocess.run(argv, cwd=copy, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    (built,) = (copy / "dist").glob("*.whl")
    return built


def test_the_wheel_has_the_examples_and_every_module(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        examples = {name: archive.read(f"miniedit_frr/examples/{name}") for name in EXAMPLES}
    assert examples == {name: (ROOT / "examples" / name).read_bytes() for name in EXAMPLES}
    for package in ("frrlib", "miniedit_frr"):
        here = {str(path.relative_to(ROOT)) for path in (ROOT / package).rglob("*.py")}
        assert here <= names
    shared = {name.partition("/data/share/")[2] for name in names if "/data/share/" in name}
    assert shared == {
        "applications/miniedit-frr.desktop", "mime/packages/miniedit-frr.xml",
        "icons/hicolor/scalable/apps/miniedit-frr.svg",
    }  # fmt: skip
    assert not [name for name in names if name.startswith(("tests", "kernel", "docs", "benchmarks"))]


def test_the_installed_editor_finds_the_examples(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    script = (
        "import miniedit_frr.panels.start as start\n"
        "assert start.__file__.startswith(__import__('sys').argv[1]), start.__file__\n"
        "print(*(each.path.name for each in start.examples(start.examples_folder())))"
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
    assert [each.attrib["pattern"] for each in mime if each.tag.endswith("glob")] == ["*.mn"]
    assert ElementTree.parse(folder / f"{words['icon']}.svg").getroot().tag.endswith("svg")
    if shutil.which("desktop-file-validate"):
        done = subprocess.run(
            ["desktop-file-validate", folder / "miniedit-frr.desktop"], capture_output=True, text=True
        )
        assert (done.returncode, done.stdout) == (0, "")
