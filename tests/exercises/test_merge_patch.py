"""Wrong answers that are written as differences from a reference state."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.exercise import StudentExercise, load
from frrlib.exercises.merge_patch import merged, patched
from frrlib.formats import mn
from frrlib.model.links import End, Link
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from tests.exercises.samples import SHIPPED

#: The table of test cases in appendix A of RFC 7396: the original, the patch and the result.
RFC_7396 = """
{"a":"b"}               {"a":"c"}               {"a":"c"}
{"a":"b"}               {"b":"c"}               {"a":"b","b":"c"}
{"a":"b"}               {"a":null}              {}
{"a":"b","b":"c"}       {"a":null}              {"b":"c"}
{"a":["b"]}             {"a":"c"}               {"a":"c"}
{"a":"c"}               {"a":["b"]}             {"a":["b"]}
{"a":{"b":"c"}}         {"a":{"b":"d","c":null}} {"a":{"b":"d"}}
{"a":[{"b":"c"}]}       {"a":[1]}               {"a":[1]}
["a","b"]               ["c","d"]               ["c","d"]
{"a":"b"}               ["c"]                   ["c"]
{"a":"foo"}             null                    null
{"a":"foo"}             "bar"                   "bar"
{"e":null}              {"a":1}                 {"e":null,"a":1}
[1,2]                   {"a":"b","c":null}      {"a":"b"}
{}                      {"a":{"bb":{"ccc":null}}} {"a":{"bb":{}}}
"""


@pytest.mark.parametrize("row", RFC_7396.strip().splitlines())
def test_merging_gives_the_results_of_the_rfc(row: str) -> None:
    original, patch, result = map(json.loads, row.split())
    assert merged(original, patch) == result


def with_wrong_answer(tmp_path: Path, patch: Any) -> StudentExercise:
    """The exercise `ospf-costs` with one wrong answer, which is a difference from the chapter `areas`."""
    folder = Path(shutil.copytree(SHIPPED / "ospf-costs", tmp_path / "ospf-costs"))
    file = folder / "exercise.toml"
    head = file.read_text().partition("[[wrong]]")[0]
    file.write_text(f'{head}[[wrong]]\nfile = "patch.json"\nchapter = "areas"\nloses = ["area-r5"]\n')
    (folder / "wrong" / "patch.json").write_text(json.dumps(patch))
    return load(folder).of_student("7")


def test_a_difference_gives_the_topology_of_the_edited_file(tmp_path: Path) -> None:
    patch = {
        "nodes": {
            "r1": {"ospf": {"hello_s": 5, "dead_s": None}},
            "r5": {"ospf": {"areas": []}},
            "h1": {"default_route": "{lan1.20}"},
        },
        "links": {"r1-r2": {"a": {"ospf_cost": "{metric}"}}, "l7": {"b": {"addresses": ["{w35.2}/29"]}}},
    }
    student = with_wrong_answer(tmp_path, patch)
    path = SHIPPED / "ospf-costs" / "solution" / "areas.mn"
    file = json.loads(path.read_text())
    settings = file["miniedit_frr"]
    settings["nodes"]["r1"]["ospf"]["hello_s"] = 5
    del settings["nodes"]["r1"]["ospf"]["dead_s"]
    del settings["nodes"]["r5"]["ospf"]["areas"]
    file["hosts"][0]["opts"]["defaultRoute"] = "{lan1.20}"
    named = {tuple(record["link"]): record for record in settings["links"]}
    named["r1", "r2"]["a"]["ospf_cost"] = "{metric}"
    named["r3", "r5"]["b"]["addresses"] = ["{w35.2}/29"]
    edited = mn.loads(json.dumps(student.variables.json_value(file, "")), path.name).topology
    (answer,) = student.exercise.content.wrong
    assert student.wrong(answer) == edited != student.reference(student.exercise.chapter("areas"))


def test_the_name_of_a_parallel_link_is_its_id() -> None:
    def parallel(name: str) -> Link:
        return Link(id=name, a=End(node="r1"), b=End(node="r2"))

    routers = tuple(Router(name=name, x=0, y=0, number=number) for number, name in enumerate(("r1", "r2"), 1))
    topology = Topology(nodes=routers, links=(parallel("l1"), parallel("l2")))
    changed = patched(topology, {"links": {"l2": {"b": {"ospf_cost": 9}}}}, "x.json")
    assert [link.b.ospf_cost for link in changed.links] == [None, 9]
    with pytest.raises(ExerciseError, match=r"x\.json, link r1-r2: 2 links have this name; use an ID: l1 or l2"):
        patched(topology, {"links": {"r1-r2": {"up": False}}}, "x.json")


MISTAKES = [
    ({"nods": {}}, "patch.json: nods is not a known key"),
    ([], "patch.json: is not an object"),
    ({"nodes": []}, "patch.json, nodes: is not an object"),
    ({"nodes": {"r9": {}}}, "patch.json, node r9: the node does not exist; the names are h1, h2, h3, r1"),
    ({"nodes": {"r1": 3}}, "patch.json, node r1: is not an object"),
    ({"nodes": {"r1": {"ospf": {"helo_s": 1}}}}, "patch.json, node r1, ospf.helo_s: is not a known key"),
    ({"nodes": {"r1": {"ospf": {"hello_s": "{hig}"}}}}, "patch.json: {hig} is no variable"),
    (
        {"links": {"r2-r1": {"up": False}}},
        "patch.json, link r2-r1: the link does not exist; the names are h1-r1, r1-r2",
    ),
    ({"links": {"r1-r2": {"a": {"ospf_cost": 0}}}}, "patch.json, link r1-r2, a.ospf_cost: 0: "),
    ({"flows": {"f1": {}}}, "patch.json, flow f1: the flow does not exist; the topology has no flows"),
]


@pytest.mark.parametrize(("patch", "message"), MISTAKES)
def test_a_mistake_in_a_difference_is_described(tmp_path: Path, patch: Any, message: str) -> None:
    student = with_wrong_answer(tmp_path, patch)
    with pytest.raises(ExerciseError) as caught:
        student.wrong(student.exercise.content.wrong[0])
    assert message in str(caught.value)
