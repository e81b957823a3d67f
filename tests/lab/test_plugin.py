"""The pytest plugin as a stranger uses it: the example of its page, and tests that fail, in a pytest of theirs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytestmark = [pytest.mark.lab, pytest.mark.timeout(300)]

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "testing-with-frrlib.md"

FAILING = '''
"""Every way in which a test or its lab can fail."""
import pytest
from frrlib.expect import expect
from frrlib.network import Network, Ospf, Wait

two_as = pytest.mark.topology("two-as-no-delay.mn")


@two_as
def test_wrong_address(lab):
    expect(lambda: lab["r1"].vtysh("show bgp ipv4 unicast summary", json=True),
           {"peers": {"10.9.0.2": {"remoteAs": 201}}}, timeout_s=0)


@two_as
def test_shares_the_lab_and_leaves_a_process(lab):
    lab["h1"].run("sh", "-c", "sleep 1234 >/dev/null 2>&1 &")
    assert lab.marked_by_test is True


@two_as
def test_crash(lab):
    lab["r2"].kill("bgpd", 11)
    expect(lambda: lab["r1"].vtysh("show bgp ipv4 unicast summary", json=True),
           {"peers": {"10.9.0.2": {"state": lambda state: state != "Established"}}})


def apart():
    net = Network("Never", wait=Wait(timeout_s=3, stable_s=0.1))
    net.router("r1", ospf=Ospf(hello_s=1, dead_s=4))
    net.router("r2", ospf=Ospf(hello_s=1, dead_s=4), frr_conf="interface r2-eth0\\n ip ospf hello-interval 2")
    net.link("r1", "r2")
    return net


@pytest.mark.topology(drawing=apart)
def test_never_converges(lab):
    pass


@pytest.mark.topology("nowhere.mn")
def test_no_such_file(lab):
    pass


def test_no_drawing(lab):
    pass


def test_without_a_lab():
    pass
'''

MADE = '''
"""Drawings said in Python."""
import pytest
from frrlib.network import Network


def pair():
    net = Network("A pair")
    net.host("h1")
    net.host("h2")
    net.link("h1", "h2")
    return net


@pytest.mark.topology(drawing=pair)
def test_a_function(lab):
    assert lab.ping("h1", "h2")["received"] == 3


@pytest.mark.topology(pair().topology, wait=False)
def test_a_value(lab):
    assert lab["h2"].run("hostname") == "h2\\n"
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A stranger's folder: a drawing, and this library as installed, by the entry point that `pyproject.toml` names."""
    shutil.copy(ROOT / "examples" / "two-as-no-delay.mn", tmp_path)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    ((name, module),) = project["entry-points"]["pytest11"].items()
    info = tmp_path / "site" / "stranger-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[pytest11]\n{name} = {module}\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    return tmp_path


def run(
    folder: Path, place: str = "namespace", *argv: str
) -> tuple[subprocess.CompletedProcess[str], dict[str, list[tuple[str, str]]]]:
    """pytest in that folder: what it printed, and by test what went wrong: (kind, message)."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    env["PYTHONPATH"] = os.pathsep.join([str(folder / "site"), str(ROOT)])
    words = [sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider", "--junitxml=out.xml", *argv]
    words += ["--lab-place", place, "--basetemp", str(folder / "temp")]
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=240, check=False)
    cases: dict[str, list[tuple[str, str]]] = {}
    if (folder / "out.xml").exists():
        for case in ElementTree.parse(folder / "out.xml").iter("testcase"):
            wrong = [(each.tag, each.get("message", "")) for each in case if each.tag in ("failure", "error")]
            cases.setdefault(case.get("name", ""), []).extend(wrong)
    return done, cases


@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_the_example_of_the_page(place: str, folder: Path) -> None:
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    for number, example in enumerate(examples):
        (folder / f"test_{number}.py").write_text(example)
    done, cases = run(folder, place=place)
    assert done.returncode == 0, done.stdout + done.stderr
    assert set(cases) == set(re.findall(r"def (test_\w+)", "".join(examples)))
    assert "warning" not in done.stdout


def test_drawings_said_in_python(folder: Path) -> None:
    (folder / "test_made.py").write_text(MADE)
    done, cases = run(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(cases) == 2


def test_failures_are_told(folder: Path) -> None:
    marked = FAILING.replace("expect(lambda", "lab.marked_by_test = True\n    expect(lambda", 1)
    (folder / "test_failing.py").write_text(marked)
    done, cases = run(folder)
    said = done.stdout
    assert done.returncode == 1, said + done.stderr
    kinds = {name: [kind for kind, _ in wrong] for name, wrong in cases.items()}
    assert kinds == {
        "test_wrong_address": ["failure"],
        "test_shares_the_lab_and_leaves_a_process": [],
        "test_crash": ["error"],  # of its end: the test itself went well
        "test_never_converges": ["error"],
        "test_no_such_file": ["error"],
        "test_no_drawing": ["error"],
        "test_without_a_lab": [],
    }
    assert 'peers["10.9.0.2"].remoteAs: expected 201, found 200' in said
    for router, number in (("r1", 100), ("r2", 200)):
        assert f"lab: {router}, running configuration" in said
        assert f"router bgp {number}" in said
        assert f"lab: {router}, logs" in said
    crash = next(message for _, message in cases["test_crash"])
    assert "r2: crash: bgpd ended with signal 11" in crash
    assert "Received signal 11" in crash
    assert "left running in the lab: h1: sleep 1234" in said
    assert "nowhere.mn: the file does not exist" in said
    assert "needs a topology" in said
    assert "Traceback" not in said
    assert "During handling" not in said
    assert "frrlib/" not in said.replace("frrlib/testing/plugin", "")  # no frame of the library
    assert "hello interval 1 s here, 2 s at r2" in said
    assert "HelloInterval mismatch" in said  # the logs of a lab that did not come to be
    kept = re.findall(r"whole configurations and logs -+\n(\S+)", said)
    assert [Path(each).name for each in kept] == ["failed", "test_wrong_address"]
    for each in kept:
        assert {path.name for path in Path(each).iterdir()} >= {"r1.conf", "r1.log", "r2.conf", "r2.log"}


LIMITS = """
def pytest_collection_finish(session):
    for item in session.items:
        print("limit", item.name, [mark.args[0] for mark in item.iter_markers("timeout")])
"""


@pytest.mark.parametrize(
    ("argv", "limits"),
    [
        pytest.param([], {"a": "[300.0]", "b": "[7]", "c": "[]"}, id="default"),
        pytest.param(["--lab-timeout", "20"], {"a": "[20.0]", "b": "[7]", "c": "[]"}, id="given"),
        pytest.param(["--timeout", "30"], {"a": "[]", "b": "[7]", "c": "[]"}, id="pytest-timeouts-own"),
    ],
)
def test_limits(argv: list[str], limits: dict[str, str], folder: Path) -> None:
    mark = 'import pytest\npytestmark = pytest.mark.topology("two-as-no-delay.mn")\n'
    tests = "def test_a(lab): pass\n@pytest.mark.timeout(7)\ndef test_b(lab): pass\ndef test_c(): pass\n"
    (folder / "test_limited.py").write_text(mark + tests)
    (folder / "conftest.py").write_text(LIMITS)
    done, _ = run(folder, "namespace", "--collect-only", *argv)
    assert dict(re.findall(r"^limit test_(\w+) (.*)$", done.stdout, re.MULTILINE)) == limits


def test_the_plugin_is_light() -> None:
    """Whoever has it installed pays for it in every pytest, also where there is no lab."""
    script = "import sys, pytest, frrlib.pytest_plugin, frrlib.testing.plugin\n"
    script += "print(*sorted(name for name in sys.modules if 'frrlib' in name))"
    argv = [sys.executable, "-P", "-c", script]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=60, check=True)
    plugin = ["frrlib.pytest_plugin", "frrlib.testing", "frrlib.testing.plugin"]
    assert done.stdout.split() == ["frrlib", "frrlib.places", *plugin]
