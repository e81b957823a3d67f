"""Exported scripts build the same topology, with any names and texts, and are readable."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from frrlib.addressing.addressing import addressed
from frrlib.formats import mn, script
from frrlib.formats.pytext import text, width
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host, PrivateDirectory, Router
from frrlib.model.topology import OpenFlowVersions, Preferences, Topology
from frrlib.network.network import Network
from frrlib.render.frr import frr_conf
from tests.example_counts import examples
from tests.strategies.topologies import topologies

ROOT = Path(__file__).resolve().parents[2]
_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
EXAMPLES = sorted((ROOT / "examples").glob("*.mn"))


def topology_of(source: str) -> Topology:
    """The topology of a script, which is executed without its last line; that would start a lab."""
    names: dict[str, Any] = {"__name__": "exported"}
    exec(compile(source, "lab.py", "exec"), names)
    assert isinstance(names["net"], Network)
    return names["net"].topology


def formatted(source: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Whether ruff would leave the source as it is: status 0."""
    argv = [sys.executable, "-m", "ruff", "format", "--check", "--diff", *options, "--stdin-filename", "lab.py", "-"]
    return subprocess.run(argv, input=source, capture_output=True, text=True, check=False, cwd=ROOT)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_builds_the_same_topology(path: Path) -> None:
    topology = mn.load(path).topology
    source = script.dumps(topology)
    assert topology_of(source) == topology
    assert len(source.splitlines()) < 60 + 15 * (len(topology.nodes) + len(topology.links))
    assert max(map(len, source.splitlines())) <= 100
    for options in ([], ["--isolated"]):  # the project's width, and the usual one
        done = formatted(source, *options)
        assert done.returncode == 0, done.stdout
    argv = [sys.executable, "-m", "ruff", "check", "--select", "E,F,I,W", "--ignore", "E501", "-"]
    assert subprocess.run(argv, input=source, text=True, check=False, cwd=ROOT).returncode == 0


@settings(max_examples=examples(80), suppress_health_check=_SLOW)
@given(topologies(unique_names=False))
def test_a_script_builds_the_topology_from_which_it_was_made(topology: Topology) -> None:
    assert topology_of(script.dumps(topology)) == topology


HOSTILE = [
    '"""',
    "'''",
    '")\nimport os; os.abort()\nnet.host("',
    "\\",
    'a\nb\nc"',
    'a\n"""\nb\n',
    "a\n\\\nb\n",
    "{sys.exit()}",
    "\u202e\u2066\ufeff\0\x85\u2028",
    "\r\n\f\v",
    "#!\n# -*- coding: utf-7 -*-\n",
    "frr\n  with\ttab\n",
    "ends\nwith blanks \n\n",
]
_pieces = st.lists(
    st.sampled_from(['"', "'", "\\", "\n", "\t", " ", "x", "é", "木", '"""', "\0", "{", "#"]), max_size=12
)
hostile = st.one_of(st.sampled_from(HOSTILE), _pieces.map("".join), st.text(max_size=20))


def statements(source: str) -> list[str]:
    """The kinds of a script's statements; calls of methods of `net` by their name."""
    kinds = []
    for statement in ast.parse(source).body:
        called = getattr(getattr(statement, "value", None), "func", None)
        kinds.append(ast.unparse(called) if called else type(statement).__name__)
    return kinds


@settings(max_examples=examples(150))
@given(hostile, hostile, hostile)
@example('"""', '"""', '\\"""\n\n\n')
def test_no_text_breaks_out_of_its_literal(title: str, name: str, config: str) -> None:
    topology = Topology(
        title=title,
        nodes=(
            Host(name=name or "h", start_command=config, private_directories=(PrivateDirectory(path=config or "/x"),)),
            Router(name=f"r{name}"[:64], frr_conf=config),
        ),
        links=(
            Link(
                id=re.sub(r"[\x00-\x1f\x7f/]", "", name) or "l",
                a=End(node=name or "h", interface=title),
                b=End(node="r", interface=title),
            ),
        ),
    )
    source = script.dumps(topology, name=f"{name}.py", python=config, project=title)
    source.encode("utf-8")
    assert topology_of(source) == topology
    assert statements(source) == [
        *("Expr", "Import", "Import", "Try"), "Network", "net.host", "net.router", "net.link", "If",
    ]  # fmt: skip
    leaves = {type(node) for statement in ast.parse(source).body[5:-1] for node in ast.walk(statement)}
    assert leaves <= {ast.Expr, ast.Call, ast.Attribute, ast.Name, ast.Load, ast.Constant, ast.keyword, ast.List}


@settings(max_examples=examples(20), suppress_health_check=_SLOW)
@given(topologies(unique_names=False), hostile)
def test_the_layout_equals_that_of_ruff(topology: Topology, command: str) -> None:
    host = Host(name="h", start_command=command, stop_command=command * 5)
    done = formatted(script.dumps(topology.model_copy(update={"nodes": (*topology.nodes, host)})))
    assert done.returncode == 0, done.stdout


@given(hostile | st.text(st.characters(), max_size=5))
@example("\ud800")
def test_a_literal_evaluates_to_its_text(value: str) -> None:
    assert ast.literal_eval(text(value)) == value


def test_several_lines_keep_their_layout() -> None:
    config = "ip prefix-list A seq 5 permit any\nroute-map B permit 10\n match ip address prefix-list A\n"
    source = script.dumps(Topology(nodes=(Router(name="r1", frr_conf=config),)))
    assert f'    frr_conf="""\\\n{config}""",\n' in source


def test_settings_that_miniedits_scripts_lack_are_exported() -> None:
    topology = Topology(
        nodes=(Host(name="h1", private_directories=(PrivateDirectory(path="/var/run"),)),),
        preferences=Preferences(openflow=OpenFlowVersions(of13=True)),
    )
    source = script.dumps(topology)
    assert 'private_directories=[PrivateDirectory(path="/var/run")]' in source
    assert "openflow=OpenFlowVersions(of13=True)" in source


def test_each_direction_may_have_its_own_shape() -> None:
    both = Shape(rate_mbit=2.5, delay_ms=20)
    link = Link(id="l1", a=End(node="a"), b=End(node="b"), a_to_b=both, b_to_a=both)
    assert 'net.link("a", "b", both=Shape(rate_mbit=2.5, delay_ms=20))' in script.dumps(Topology(links=(link,)))
    one_way = link.model_copy(update={"b_to_a": Shape()})
    assert 'net.link("a", "b", a_to_b=Shape(rate_mbit=2.5, delay_ms=20))' in script.dumps(Topology(links=(one_way,)))


def test_a_wide_letter_counts_twice() -> None:
    assert (width("aé木"), width("e\u0301")) == (4, 1)


# --- in another interpreter -------------------------------------------------------------------------------------------


def run_bare(source: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script, asking for the routers' configuration, in a Python that knows no packages."""
    (folder / "lab.py").write_text(source)
    argv = [sys.executable, "-I", "-S", "lab.py", "--frr"]
    return subprocess.run(argv, capture_output=True, text=True, check=False, cwd=folder)


def test_another_python_starts_the_projects_own(tmp_path: Path) -> None:
    topology = mn.load(ROOT / "examples" / "two-as-bgp.mn").topology
    python = tmp_path / "python"  # not the one that starts the script
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    done = run_bare(script.dumps(topology, python=str(python)), tmp_path)
    assert done.returncode == 0, done.stderr
    filled = addressed(topology)
    for router in filled.routers:
        assert frr_conf(filled, router) in done.stdout


@pytest.mark.parametrize("python", ["/nowhere/python", sys.executable], ids=["gone", "itself"])
def test_without_the_project_a_script_prints_how_to_install_it(tmp_path: Path, python: str) -> None:
    done = run_bare(script.dumps(Topology(), python=python, project="/nowhere"), tmp_path)
    assert done.returncode == 1
    assert "No module named 'frrlib'. In a clone of MiniEdit-FRR: ./run script lab.py" in done.stderr
