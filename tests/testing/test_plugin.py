"""The pytest plugin from a user's point of view: the example of its page, and failing tests, in a separate pytest."""

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

IN_PYTHON = '''
"""Topologies written in Python."""
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
    """A user's folder: a topology file, and this library as installed, with the entry point of `pyproject.toml`."""
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
    """pytest in that folder. Returns its process, and the failures of each test as (kind, message)."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    env["PYTHONPATH"] = os.pathsep.join([str(folder / "site"), str(ROOT)])
    words = [sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider", "--junitxml=out.xml", *argv]
    words += ["--lab-place", place, "--basetemp", str(folder / "temp")]
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=240, check=False)
    cases: dict[str, list[tuple[str, str]]] = {}
    if (folder / "out.xml").exists():
        for case in ElementTree.parse(folder / "out.xml").iter("testcase"):
            wrong = [(child.tag, child.get("message", "")) for child in case if child.tag in ("failure", "error")]
            cases.setdefault(case.get("name", ""), []).extend(wrong)
    return done, cases


def test_the_example_of_the_page_passes(folder: Path) -> None:
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    for number, example in enumerate(examples):
        (folder / f"test_{number}.py").write_text(example)
    done, cases = run(folder, place="namespace")
    assert done.returncode == 0, done.stdout + done.stderr
    assert set(cases) == set(re.findall(r"def (test_\w+)", "".join(examples)))
    assert "warning" not in done.stdout


def test_topologies_can_be_written_in_python(folder: Path) -> None:
    (folder / "test_made.py").write_text(IN_PYTHON)
    done, cases = run(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(cases) == 2


def test_reports_of_failures(folder: Path) -> None:
    marked = FAILING.replace("expect(lambda", "lab.marked_by_test = True\n    expect(lambda", 1)
    (folder / "test_failing.py").write_text(marked)
    done, cases = run(folder)
    output = done.stdout
    assert done.returncode == 1, output + done.stderr
    kinds = {name: [kind for kind, _ in failures] for name, failures in cases.items()}
    assert kinds == {
        "test_wrong_address": ["failure"],
        "test_shares_the_lab_and_leaves_a_process": [],
        "test_crash": ["error"],  # at its end: the test itself passed
        "test_never_converges": ["error"],
        "test_no_such_file": ["error"],
        "test_no_drawing": ["error"],
        "test_without_a_lab": [],
    }
    assert 'peers["10.9.0.2"].remoteAs: expected 201, found 200' in output
    for router, number in (("r1", 100), ("r2", 200)):
        assert f"lab: {router}, running configuration" in output
        assert f"router bgp {number}" in output
        assert f"lab: {router}, logs" in output
    crash = next(message for _, message in cases["test_crash"])
    assert "r2: crash: bgpd ended with signal 11" in crash
    assert "Received signal 11" in crash
    assert "left running in the lab: h1: sleep 1234" in output
    assert "nowhere.mn: the file does not exist" in output
    assert "needs a topology" in output
    assert "Traceback" not in output
    assert "During handling" not in output
    assert "frrlib/" not in output.replace("frrlib/testing/plugin", "")  # no frame of the library
    assert "hello interval 1 s here, 2 s at r2" in output
    assert "HelloInterval mismatch" in output  # the logs of a lab that did not start completely
    kept = re.findall(r"whole configurations and logs -+\n(\S+)", output)
    assert [Path(name).name for name in kept] == ["failed", "test_wrong_address"]
    for name in kept:
        assert {path.name for path in Path(name).iterdir()} >= {"r1.conf", "r1.log", "r2.conf", "r2.log"}


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
def test_time_limits(argv: list[str], limits: dict[str, str], folder: Path) -> None:
    mark = 'import pytest\npytestmark = pytest.mark.topology("two-as-no-delay.mn")\n'
    tests = "def test_a(lab): pass\n@pytest.mark.timeout(7)\ndef test_b(lab): pass\ndef test_c(): pass\n"
    (folder / "test_limited.py").write_text(mark + tests)
    (folder / "conftest.py").write_text(LIMITS)
    done, _ = run(folder, "namespace", "--collect-only", *argv)
    assert dict(re.findall(r"^limit test_(\w+) (.*)$", done.stdout, re.MULTILINE)) == limits


def test_the_plugin_is_light() -> None:
    """Every pytest of its users loads the plugin, even without a lab."""
    script = "import sys, pytest, frrlib.pytest_plugin, frrlib.testing.plugin\n"
    script += "print(*sorted(name for name in sys.modules if 'frrlib' in name))"
    argv = [sys.executable, "-P", "-c", script]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=60, check=True)
    plugin = ["frrlib.pytest_plugin", "frrlib.testing", "frrlib.testing.plugin"]
    assert done.stdout.split() == ["frrlib", "frrlib.places", *plugin]
