"""Files with arbitrary changes either open as valid topologies or are rejected in one line."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from frrlib.addressing.addressing import addressed
from frrlib.checks.check import check
from frrlib.errors import LabError, TopologyError
from frrlib.formats import mn, script
from frrlib.model.topology import Topology
from frrlib.render import plan as planning
from tests.example_counts import examples
from tests.examples.data import EXAMPLES
from tests.rounds import ROOT
from tests.strategies import hostile

FILES = sorted([*EXAMPLES.glob("*.mn"), *(ROOT / "tests/data/golden").glob("*.mn")])
#: As MiniEdit itself writes them; all that it knows is in it.
MINIEDITS: dict[str, Any] = {
    "application": {
        "dpctl": "", "ipBase": "10.0.0.0/8", "netflow": {"nflowAddId": "0", "nflowTarget": "", "nflowTimeout": "600"},
        "openFlowVersions": {"ovsOf10": "1", "ovsOf11": "0", "ovsOf12": "0", "ovsOf13": "0"}, "sflow": {
            "sflowHeader": "128", "sflowPolling": "30", "sflowSampling": "400", "sflowTarget": ""}, "startCLI": "0",
        "switchType": "ovs", "terminalType": "xterm"},
    "controllers": [{"opts": {"controllerProtocol": "tcp", "controllerType": "ref", "hostname": "c0",
                              "remoteIP": "127.0.0.1", "remotePort": 6633}, "x": "10.0", "y": "10.0"}],
    "hosts": [{"number": "1", "opts": {"hostname": "h1", "nodeNum": 1, "sched": "host", "ip": "10.0.0.1/8", "cpu": ".5",
               "cores": "0,1", "defaultRoute": "10.0.0.2", "privateDirectory": [["/a", "/b"], "/c"],
               "startCommand": "x", "stopCommand": "y", "externalInterfaces": ["eth9"],
                "vlanInterfaces": [["10.0.1.1/24", "5"]]},
               "x": "100.0", "y": "100.0"}],
    "links": [{"dest": "s1", "opts": {"bw": 10, "delay": "5ms", "jitter": "1ms", "loss": 1, "max_queue_size": 100,
               "speedup": 2}, "src": "h1"}, {"dest": "r1", "opts": {}, "src": "s1"}],
    "switches": [
        {"number": "1", "opts": {"controllers": ["c0"], "dpctl": "", "dpid": "1", "hostname": "s1", "netflow": "0",
         "nodeNum": 1, "sflow": "0", "switchIP": "10.0.0.9/8", "switchType": "default", "externalInterfaces": ["eth8"],
         "startCommand": "x", "stopCommand": "y"}, "x": "200.0", "y": "100.0"},
        {"number": "1", "opts": {"controllers": [], "hostname": "r1", "nodeNum": 1, "switchType": "legacyRouter"},
         "x": "300.0", "y": "100.0"}],
    "version": "2",
}  # fmt: skip


@cache
def document(name: str) -> Any:
    file = next((path for path in FILES if path.name == name), None)
    return json.loads(file.read_bytes()) if file else MINIEDITS


NAMES = st.sampled_from(["", "", "", *(path.name for path in FILES)])


def opened(content: str | bytes) -> Topology | None:
    """The topology in a file; None for a file that is rejected with one line."""
    try:
        return mn.loads(content, "drawing.mn").topology
    except TopologyError as error:
        if "\n" in str(error) or "drawing.mn" not in str(error):
            raise AssertionError(f"no line that names the file: {error!r}") from error
        return None


def used(topology: Topology) -> None:
    """The steps that a topology goes through before a lab starts."""
    problems = check(topology)
    assert mn.loads(mn.dumps(topology)).topology == topology
    compile(script.dumps(topology), "lab.py", "exec")
    if not any(problem.severity == "error" for problem in problems):
        try:
            planning.plan(addressed(topology))
            planning.flow_plans(addressed(topology))
        except LabError:
            pass


def test_the_unchanged_files_open() -> None:
    for path in FILES:
        used(mn.loads(path.read_bytes()).topology)
    used(mn.loads(json.dumps(MINIEDITS)).topology)


@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.too_slow])
@given(NAMES.flatmap(lambda name: hostile.mutations(document(name))))
def test_a_file_with_arbitrary_keys_opens_or_is_rejected(value: Any) -> None:
    if (topology := opened(hostile.text_of(value))) is not None:
        used(topology)


@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.too_slow])
@given(NAMES.flatmap(lambda name: hostile.mutations(document(name), hostile.alike, most=2)))
@example({**MINIEDITS, "hosts": [{"x": 1, "y": 1, "opts": {"hostname": "h1", "nodeNum": 1e300}}], "links": []})
def test_a_file_with_other_values_opens_or_is_rejected(value: Any) -> None:
    if (topology := opened(hostile.text_of(value))) is not None:
        used(topology)


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow])
@given(NAMES.flatmap(lambda name: hostile.torn(json.dumps(document(name)).encode())))
def test_a_damaged_file_opens_or_is_rejected(data: bytes) -> None:
    if (topology := opened(data)) is not None:
        check(topology)
