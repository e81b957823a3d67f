"""One-line texts have a maximum length, and IDs are no paths: values reject them, readers keep them aside."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from frrlib.checks.check import check
from frrlib.formats import mn
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link
from frrlib.model.nodes import Controller, Host, Switch
from frrlib.model.topology import Topology

LONG = "x" * 100_000


@pytest.mark.parametrize("bad", ["../x", "/etc", "a\0b", "\x1b]0;title\x07", "a\nb"])
def test_an_id_is_no_path_and_has_no_control_characters(bad: str) -> None:
    with pytest.raises(ValidationError):
        Flow(id=bad, source="h1", destination="h2")
    with pytest.raises(ValidationError):
        Link(id=bad, a=End(node="h1"), b=End(node="h2"))


@pytest.mark.parametrize(
    "name",
    ["-oProxyCommand=id", "-e", "*", "!h", "%h", "a b", "a\nProxyCommand id", "a;id", "$(id)",
     "{{ lookup('pipe', 'id') }}", "../x", "github.com", "h'1", 'h"1', "[exec id]", "h\0"],
)  # fmt: skip
def test_names_that_are_special_to_ssh_shells_or_ansible_are_errors(name: str) -> None:
    problems = check(Topology(nodes=(Host(name=name),)))
    assert any(problem.severity == "error" and problem.field == "name" for problem in problems)


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        (Host, "cores", LONG), (Host, "congestion_control", LONG), (Host, "external_interfaces", (LONG,)),
        (Host, "label", LONG), (Switch, "dpid", LONG), (Switch, "controllers", (LONG,)), (Controller, "address", LONG),
    ],
)  # fmt: skip
def test_one_line_texts_have_a_maximum_length(kind: Any, field: str, value: Any) -> None:
    with pytest.raises(ValidationError):
        kind(name="n1", **{field: value})


def test_a_file_with_such_lines_is_read_with_a_warning_and_keeps_them() -> None:
    opts = {"hostname": "s1", "nodeNum": 1, "switchType": "default", "dpid": LONG, "controllers": [LONG]}
    names = {"hostname": LONG, "nodeNum": 1, "cores": LONG}
    place = {"number": "1", "x": "1", "y": "2"}
    file = {"hosts": [{**place, "opts": names}], "switches": [{**place, "opts": opts}], "version": "2"}
    loaded = mn.loads(json.dumps({**file, "links": [], "controllers": [], "application": {}}))
    switch, host = loaded.topology.switches[0], loaded.topology.hosts[0]
    assert (switch.dpid, switch.controllers, host.cores) == ("", (), "")
    assert len(host.label) == 1000
    assert all(len(problem.message) < 300 for problem in loaded.warnings)
    again = json.loads(mn.dumps(loaded.topology))
    assert again["switches"][0]["opts"]["dpid"] == LONG
    assert again["hosts"][0]["opts"]["cores"] == LONG
