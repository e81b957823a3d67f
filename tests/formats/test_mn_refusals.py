"""Invalid files give one error, with the line of the JSON parser; unusual ones are read as far as possible."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from frrlib.checks.check import check
from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.model.nodes import Host, Switch
from frrlib.model.topology import Topology
from tests.example_counts import examples

PLAIN: dict[str, Any] = {
    "version": "2",
    "hosts": [{"number": "1", "x": "1.0", "y": "2.0", "opts": {"hostname": "h1", "nodeNum": 1, "sched": "host"}}],
    "switches": [{"number": "1", "x": "1.0", "y": "2.0", "opts": {"hostname": "s1", "nodeNum": 1, "controllers": []}}],
    "controllers": [],
    "links": [{"src": "h1", "dest": "s1", "opts": {}}],
}


def changed(path: str, value: Any, indent: int | None = 1) -> str:
    """A small file with one changed value. `path` has steps separated by slashes."""
    document = json.loads(json.dumps(PLAIN))
    steps: list[Any] = [int(step) if step.isdigit() else step for step in path.split("/")]
    container = document
    for step in steps[:-1]:
        container = container.setdefault(step, {}) if isinstance(container, dict) else container[step]
    container[steps[-1]] = value
    return json.dumps(document, indent=indent)


REFUSED = [
    ("", 0, "empty file"),
    (" \r\n\n", 0, "empty file"),
    (b"\0" * 4096, 0, "zero bytes"),
    (b"\xff\xd8\xff\xe0 photo", 1, "not text in UTF-8"),
    (b'{\n"hosts": [],\n"x": "\xe9"}', 3, "not text in UTF-8"),
    ("var x = 1;\n", 1, r"not a topology in JSON: it begins with 'var', not with {"),
    ("# a script\nprint(1)\n", 1, r"not a topology in JSON: it begins with '#', not with {"),
    ('{"hosts": [],\n "links": []\n "x": 1}', 3, "not a topology in JSON"),
    ('{"hosts": [], "links": []', 1, "not a topology in JSON"),
    ('{"hosts": []}\n{"hosts": []}', 2, "Extra data"),
    ('{"hosts": [],\n "x": NaN}', 2, "NaN"),
    ('{"hosts": [],\n "x": -Infinity}', 2, "Infinity"),
    ('{"hosts": [],\n\n "x": 1e999}', 3, "1e999"),
    ('{"hosts": [],\n "x": ' + "9" * 5000 + "}", 2, "not a number"),
    ("[" * 200_000, 0, "nested too deeply"),
    ('{"hosts": [], "x": ' + "[" * 70 + "]" * 70 + "}", 0, "deep"),
    ("[]", 0, "contains no object"),
    ("17", 0, "contains no object"),
    ('{"name": "package", "version": "2"}', 0, "neither hosts nor switches nor links"),
    (changed("version", "3"), 2, "versions 1 and 2"),
    (changed("version", [2]), 2, "versions 1 and 2"),
    (changed("hosts", {}), 3, r"hosts is an object, not a list"),
    (changed("links", None), 0, r"links is null, not a list"),
    (changed("hosts/0", "h1"), 4, r"hosts\[0\] is text, not an object"),
    (changed("hosts/0/opts", []), 8, r"hosts\[0\].opts is a list, not an object"),
    (changed("hosts/0/opts/hostname", {"a": 1}), 9, r"opts.hostname is an object, not text"),
    (changed("links/0/src", ["h1"]), 0, r"links\[0\].src is a list"),
    ('{"hosts": [],\n "links": [\n {"src": "h1"}]}', 3, r"links\[0\] has no dest"),
    (changed("application", "x"), 0, "application is text"),
    (changed("application/sflow", 3), 0, "application.sflow is a number"),
    (changed("miniedit_frr", []), 0, "miniedit_frr is a list, not an object"),
    (changed("miniedit_frr", {}), 0, "miniedit_frr is not a schema number"),
    (changed("miniedit_frr", {"schema": "1"}), 0, "not a schema number"),
    (changed("miniedit_frr", {"schema": 2}), 0, "a newer version of this program"),
    (changed("miniedit_frr", {"schema": 1, "ndoes": {}}), 0, "miniedit_frr.ndoes is not a known key"),
    (changed("miniedit_frr", {"schema": 1, "title": 5}), 0, "miniedit_frr.title 5: input should be a valid string"),
    (
        changed("miniedit_frr", {"schema": 1, "nodes": {"h1": {"name": "h2"}}}),
        0,
        "h1.name is already set by a key of MiniEdit",
    ),
    (changed("miniedit_frr", {"schema": 1, "nodes": {"h1": {"ospf": {}}}}), 0, "h1.ospf is not a known key"),
    (changed("miniedit_frr", {"schema": 1, "nodes": {"h1": 3}}), 0, "h1 is a number, not an object"),
    (changed("miniedit_frr", {"schema": 1, "links": [{"link": ["h1"]}]}), 0, r"links\[0\] does not name its link"),
    (
        changed("miniedit_frr", {"schema": 1, "links": [{"link": ["h1", "s1"], "a": {"node": "x"}}]}),
        0,
        "a.node is already set",
    ),
    (
        changed("miniedit_frr", {"schema": 1, "links": [{"link": ["h1", "s1"], "a_to_b": {"rate_mbit": -1}}]}),
        0,
        r"links\[0\].a_to_b.rate_mbit -1: input should be greater than 0",
    ),
    (changed("miniedit_frr", {"schema": 1, "flows": [{"id": "f"}]}), 0, r"flows\[0\] has no source"),
    (changed("miniedit_frr", {"schema": 1, "loose_links": [{"at": -1, "link": {}}]}), 0, "has no position"),
    (changed("miniedit_frr", {"schema": 1, "wait": {"timeout_s": 1e9}}), 0, "wait.timeout_s"),
]


@pytest.mark.parametrize(("content", "line", "message"), REFUSED)
def test_invalid_files_give_one_clear_error(content: str | bytes, line: int, message: str) -> None:
    with pytest.raises(TopologyError, match=message) as caught:
        mn.loads(content, "drawing.mn")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250
    assert "drawing.mn" in str(caught.value)
    if line:
        assert caught.value.line == line


def test_the_error_has_the_line_of_the_value() -> None:
    text = mn.dumps(Topology(title="here", nodes=(Host(name="h1"),))).replace('"here"', "[7]")
    with pytest.raises(TopologyError) as caught:
        mn.loads(text)
    expected = next(number for number, line in enumerate(text.splitlines(), 1) if '"title"' in line)
    assert caught.value.line == expected


ODD = [
    ("hosts/0/opts/ip", "10.0.0.3", "no-prefix"),
    ("hosts/0/opts/ip", "ten", "unreadable"),
    ("hosts/0/opts/cpu", 7, "unreadable"),
    ("hosts/0/opts/vlanInterfaces", [["10.0.0.1/24", "5000"]], "unreadable"),
    ("hosts/0/opts/vlanInterfaces", [["10.0.0.1/24"]], "unreadable"),
    ("hosts/0/opts/privateDirectory", [["a", "b", "c"]], "unreadable"),
    ("hosts/0/opts/sched", "fair", "unreadable"),
    ("hosts/0/opts/startCommand", {"run": "x"}, "unreadable"),
    ("hosts/0/x", "left", "unreadable"),
    ("hosts/0/opts/nodeNum", 1.5, "unreadable"),
    ("hosts/0/opts/hostname", "h1 (vendas)", "illegal-name"),
    ("hosts/0/opts/hostname", "s1", "duplicate-name"),
    ("switches/0/opts/switchType", "bmv2", "unreadable"),
    ("switches/0/opts/controllers", "c0", "unreadable"),
    ("switches/0/opts/netflow", "maybe", "unreadable"),
    ("links/0/dest", "s7", "loose-link"),
    ("links/0/opts/delay", "5", "no-unit"),
    ("links/0/opts/delay", "soon", "unreadable"),
    ("links/0/opts/delay", "-5ms", "unreadable"),
    ("links/0/opts/bw", "fast", "unreadable"),
    ("links/0/opts/bw", -1, "unreadable"),
    ("links/0/opts/loss", 101, "unreadable"),
    ("links/0/opts/max_queue_size", 10, "unreadable"),
    ("application/switchType", "p4", "unreadable"),
]


@pytest.mark.parametrize(("path", "value", "kind"), ODD)
def test_odd_values_are_reported_and_kept(path: str, value: Any, kind: str) -> None:
    loaded = mn.loads(changed(path, value))
    assert kind in [problem.kind for problem in loaded.warnings]
    again = mn.loads(mn.dumps(loaded.topology))
    assert again.topology == loaded.topology
    # With these MiniEdit opens no file: it gets values that it can take, and the original stays under our key.
    tripping = ("/x", "/nodeNum", "/controllers", "/privateDirectory")
    if kind == "unreadable" and not path.endswith(tripping):
        document = json.loads(mn.dumps(loaded.topology))
        for step in path.split("/"):
            document = document[int(step) if step.isdigit() else step]
        assert document == value


def test_a_value_that_the_user_sets_replaces_an_unreadable_one() -> None:
    topology = mn.loads(changed("switches/0/opts/switchType", "bmv2")).topology
    nodes = tuple(
        node.model_copy(update={"switch_type": "user"}) if isinstance(node, Switch) else node for node in topology.nodes
    )
    edited = topology.model_copy(update={"nodes": nodes})
    text = mn.dumps(edited)
    assert json.loads(text)["switches"][0]["opts"]["switchType"] == "user"
    assert mn.loads(text).topology == edited


def test_repeated_keys_are_reported() -> None:
    loaded = mn.loads('{"hosts": [], "links": [], "hosts": [{"x": 1, "x": 2}]}')
    assert [(p.kind, p.field) for p in loaded.warnings] == [("double-key", "x"), ("double-key", "hosts")]
    assert loaded.topology.nodes[0].x == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks_and_line_ends(encoding: str) -> None:
    text = json.dumps(PLAIN, indent=1).replace("\n", "\r\n")
    assert mn.loads(text.encode(encoding)).topology == mn.loads(json.dumps(PLAIN)).topology


def test_too_many_nodes_are_refused() -> None:
    with pytest.raises(TopologyError, match="more than the limit of 10000"):
        mn.loads(json.dumps({"hosts": [{"x": 1}] * 10_001}))


def test_irregular_files_are_rejected_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.mn")
    (tmp_path / "folder.mn").mkdir()
    huge = tmp_path / "huge.mn"
    with huge.open("wb") as file:
        file.truncate(65 * 2**20)
    expected = {
        "fifo.mn": "ordinary",
        "folder.mn": "folder",
        "none.mn": "No such file",
        "huge.mn": "64 MiB",
        "a\0b": "null",
    }
    for name, message in expected.items():
        errors: list[str] = []
        thread = threading.Thread(target=_load_into, args=(tmp_path / name, errors), daemon=True)
        thread.start()
        thread.join(30)
        assert errors, f"{name} hangs"
        assert message in errors[0]
    with pytest.raises(TopologyError, match="ordinary"):
        mn.load("/dev/zero")


def _load_into(path: Path, errors: list[str]) -> None:
    try:
        mn.load(path)
    except TopologyError as problem:
        errors.append(str(problem))


def loaded_or_refused(content: str | bytes) -> Topology | None:
    """The topology, or None for a file that is rejected in one line. Other errors are raised."""
    try:
        return mn.loads(content).topology
    except TopologyError as problem:
        if "\n" in str(problem):
            raise AssertionError(f"more than one line: {problem!r}") from problem
        return None


_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 10**30)
    | st.text(max_size=5)
    | st.sampled_from(["h1", "10.0.0.1", "5ms"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)
_paths = st.sampled_from(
    ["version", "hosts", "hosts/0", "hosts/0/number", "hosts/0/x", "hosts/0/opts", "switches/0/opts/controllers"]
    + [
        f"hosts/0/opts/{key}"
        for key in ("hostname", "nodeNum", "ip", "cpu", "cores", "privateDirectory", "defaultRoute")
    ]
    + [f"links/0/opts/{key}" for key in ("bw", "delay", "loss", "jitter", "speedup", "max_queue_size")]
    + [f"switches/0/opts/{key}" for key in ("hostname", "dpid", "switchType", "sflow", "externalInterfaces")]
    + ["links/0/src", "links/0", "links", "controllers", "application", "application/sflow/sflowTarget"]
    + ["miniedit_frr/schema", "miniedit_frr/nodes/h1", "miniedit_frr/links", "miniedit_frr/order", "miniedit_frr/wait"]
)


@settings(max_examples=examples(300))
@given(_paths, _json)
def test_anything_anywhere_loads_or_is_refused(path: str, value: Any) -> None:
    topology = loaded_or_refused(changed(path, value))
    if topology is None:
        return
    assert isinstance(check(topology), list)
    assert mn.loads(mn.dumps(topology)).topology == topology


@settings(max_examples=examples(200))
@given(st.binary(max_size=60) | st.text(max_size=60))
@example("\x1f")
def test_any_bytes_are_refused_or_read(content: bytes | str) -> None:
    loaded_or_refused(content)
