"""Answers of a lab that lies: whoever asked gets what it can use, or an error that says which answer is none."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frrlib import wire
from frrlib.addressing.addressing import addressed
from frrlib.errors import LabError, LabFailed
from frrlib.lab.lab import Lab
from frrlib.lab.node import NodeHandle
from frrlib.lab.steps import StepTimer
from frrlib.network.network import Network, Ospf, Shape, TcpTuning
from frrlib.render import plan as planning
from frrlib.render import tc
from frrlib.render.faults import shapes_text
from frrlib.render.hosts import host_differences
from frrlib.results.read import open_results
from frrlib.results.statistics.summary import summarize
from frrlib.results.writer import Writer
from frrlib.run.requested_values import flows as drawn_flows
from frrlib.run.run import RunOutcome, RunSettings, _flows
from frrlib.verify.links import check_links
from miniedit_frr.session import routing as session_routing
from tests.example_counts import examples
from tests.strategies import hostile


def _topology() -> Any:
    net = Network("h1 - r1 - r2 - h2")
    net.host("h1", tcp=TcpTuning(initial_window_packets=10))
    for name in ("r1", "r2"):
        net.router(name, ospf=Ospf(hello_s=1, dead_s=4))
    net.host("h2")
    shape = Shape(rate_mbit=10, delay_ms=5, queue_packets=50)
    net.link("h1", "r1")
    net.link("r1", "r2", both=shape)
    net.link("r2", "h2", both=Shape(rate_mbit=10, queue_packets=50))
    net.flow("f", "h1", "h2", duration_s=3)
    net.fault(1.0, "link-values", "l2", values={"rate_mbit": 5.0})
    return addressed(net.topology)


TOPOLOGY = _topology()
ADDRESS = next(str(end.addresses[0].ip) for link in TOPOLOGY.links for end in link.ends if end.node == "h2")


def _entry(qdisc: Any) -> dict[str, Any]:
    """The kernel's entry of a qdisc that has the expected values."""
    options: dict[str, Any] = {}
    for dotted, value in qdisc.expected.items():
        here = options
        *above, last = dotted.split(".")
        for key in above:
            here = here.setdefault(key, {})
        here[last] = value[0] if isinstance(value, tuple) else value
    return {"kind": qdisc.kind, "handle": qdisc.handle, "dev": qdisc.dev, "root": True, "options": options}


_HOP = {"interface": "r1-eth1", "gateway": "10.0.1.2", "node": "r2", "vrf": "", "links": ["l2"], "switches": [],
        "labels": "", "reason": ""}  # fmt: skip


def _stop(node: str, beyond: str) -> dict[str, Any]:
    hops = [{**_HOP, "node": beyond}] if beyond else []
    return {"node": node, "vrf": "", "prefix": "10.0.2.0/24", "protocol": "ospf", "hops": hops, "is_end": not beyond,
            "reason": ""}  # fmt: skip


_QDISCS = {node: list(map(_entry, asked)) for node, asked in planning.requested_qdiscs(TOPOLOGY).items()}
_IN_CABLES = [_entry(tc.on_device(qdisc, "c0")) for _, qdisc in planning.requested_link_qdiscs(TOPOLOGY)][:1]
_QDISCS[""] = _IN_CABLES
_CABLES = {f"{link.id}:{a.node}-{b.node}": "c0" for link in TOPOLOGY.links for a, b in (link.ends, link.ends[::-1])}
_REPORT = {"end": {"sum_received": {"bytes": 1000}}}
#: A valid answer to each command.
ANSWERS: dict[type, dict[str, Any]] = {
    wire.Build: {
        "qdiscs": _QDISCS, "cables": _CABLES, "versions": {"frr": "10.2"}, "warnings": ["r1: words"],
        "failed_commands": {"h1": "it failed"},
        "kernels": {"h1": {"sysctls": {"net.ipv4.ip_forward": "0"}, "routes": [
            {"prefix": "0.0.0.0/0", "via": "10.0.0.2", "interface": "h1-eth0", "initial_window_packets": 10}]}},
    },
    wire.WaitRoutes: {"seconds": {"r1": 1.5}},
    wire.WaitConverged: {"converged_s": 1.5, "adjacencies": {"r1": 1.0}, "routes": {"r1": 1.2}},
    wire.WatchAdjacencies: {},
    wire.Adjacencies: {"adjacencies": [msgspec.to_builtins(
        wire.AdjacencyEvent("r1", "ospf", "r2", "Full", True, 1.0, "r1-eth1", "10.0.1.2", "dead in 3 s"))]},
    wire.Ping: {"sent": 3, "received": 3, "duplicates": 0, "ttl": [62, 62], "rtt_ms": [10.5, 10.2]},
    wire.FollowPath: {"stops": [_stop("h1", "r1"), _stop("r1", "r2"), _stop("r2", "h2"), _stop("h2", "")],
                      "from": "10.0.0.1"},
    wire.Trace: {"hops": [{"ttl": 1, "address": "10.0.0.2", "nodes": ["r1"], "rtt_ms": 1.0, "said": ""},
                          {"ttl": 2, "address": "", "nodes": [], "rtt_ms": None, "said": "reached"}]},
    wire.TryDirection: {"sent": 3000, "received": 2900, "rate_mbit": 9.9, "backlog_bytes": 70000, "twice": 0,
                        "overtaken": 0},
    wire.RunFlows: {
        "flows": {"f": _REPORT}, "failures": {"f": "it failed"}, "zero_time_s": 5.0, "zero_unix_s": 1.7e9,
        "captures": {"h1:h1-eth0": {"file": "captures/h1.pcap", "captured": 10, "dropped": None}},
        "samplers": {"h1": {"cpu_s": 0.1, "busy_s": 0.2, "seconds": 3.0, "taken": 30, "left_out": 0}},
        "faults": [{"qdiscs": _QDISCS, "cables": {"a": "c0", "b": "c0"}}],
        "ways_out": {"f": {"interface": "h1-eth0", "qdiscs": ["fq"]}}, "counters": {"h1": {"TCPTimeouts": 1}},
        "queue_drops": {"l1:h1-h2": [3, 3]},
    },
    wire.Execute: {"status": 0, "stdout": "[{}]", "stderr": ""},
    wire.Vtysh: {"text": '{"routes": []}'},
    wire.ReadConfigurations: {"routers": {
        name: {"start": {"zebra": "hostname r1\n"}, "now": {"zebra": "hostname r1\n"}, "silent": {"bgpd": "it is dead"},
               "written": {"frr.conf": "!\n"}} for name in ("r1", "r2")}},
    wire.MakeFault: {"qdiscs": _QDISCS, "cables": {"a": "c0", "b": "c0"}},
    wire.AskFaults: {
        "links_down": ["l1"], "interfaces_down": ["r1:r1-eth0"], "frozen": ["h1"], "stopped": ["r1:ospfd"],
        "dead": ["r1:zebra"], "lossy": ["l2"],
        "values": {"l2": shapes_text((TOPOLOGY.links[1].a_to_b, TOPOLOGY.links[1].b_to_a))},
    },
}  # fmt: skip


class _Lying(Lab):
    """A lab that answers as `ANSWERS` has it, to commands of one type otherwise, over the wire's own checks."""

    def __init__(self, kind: type, answer: Any) -> None:
        self.topology, self._kind, self._answer = TOPOLOGY, kind, answer
        self.warnings: list[str] = []

    def ask(self, command: wire.TypedCommand[wire.Reply], timeout_s: float = 60.0) -> wire.Reply:
        answer = self._answer if type(command) is self._kind else ANSWERS.get(type(command), {})
        line = f'{{"type":"done","id":1,"result":{hostile.text_of(answer)}}}'.encode()
        try:
            message = wire.decode_message(line)
        except (msgspec.MsgspecError, wire.InvalidMessage):
            raise LabFailed("it said something else") from None
        assert isinstance(message, wire.Done)
        try:
            return wire.parse_reply(command, message.result)
        except msgspec.ValidationError as error:
            raise LabFailed(str(error)) from None

    def step(self, name: str) -> StepTimer:
        return StepTimer(name, [], lambda _: None, lambda: 0.0)

    def now_s(self) -> float:
        return 1.0

    def terminal_argv(self, argv: Any, node: str = "") -> list[str]:
        raise LabFailed("there is none")

    def __getitem__(self, node: str) -> NodeHandle:
        return NodeHandle(self, node)


def _build(lab: Any) -> None:
    plan = planning.plan(TOPOLOGY)
    result = lab.ask(wire.Build(plan))
    planning.custom_qdiscs(TOPOLOGY, result)
    planning.qdisc_differences(TOPOLOGY, result)
    host_differences(plan, result)


def _paths(lab: Any) -> None:
    path = lab.path("h1", "h2")
    path.as_value()
    str(path)
    lab.path_back(path, trace=False)


def _run_flows(lab: Any) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        with Writer.create(folder, "{}", {}) as writer:
            writer.set_flows(planning.flow_plans(TOPOLOGY))
            facts = drawn_flows(lab)
            writer.add_to_flows(facts)
            paths = {flow: known["path"] for flow, known in facts.items()}
            _flows(lab, writer, RunOutcome(folder), RunSettings(virtual_time=True), (), paths)
        results = open_results(folder)
        assert not [each for each in results.warnings if "run.json" in each]
        summarize(results)


def _faults(lab: Any) -> None:
    lab.set_values("l2", rate_mbit=10.0)
    lab.clear_faults()


#: What is done with the answers to each command.
USES: dict[type, list[Callable[[Any], object]]] = {
    wire.Build: [_build],
    wire.WaitRoutes: [lambda lab: lab.wait_routes()],
    wire.WaitConverged: [lambda lab: lab.wait_converged().routers],
    wire.Adjacencies: [lambda lab: lab.adjacencies(), lambda lab: session_routing.neighbors(lab)],
    wire.Ping: [lambda lab: lab.ping("h1", "h2"), lambda lab: list(check_links(lab)), _run_flows],
    wire.FollowPath: [_paths, _run_flows],
    wire.Trace: [_paths],
    wire.TryDirection: [lambda lab: list(check_links(lab))],
    wire.RunFlows: [_run_flows],
    wire.Execute: [lambda lab: lab["r1"].run("true"), lambda lab: lab["r1"].configure("hostname r1")],
    wire.Vtysh: [lambda lab: lab["r1"].vtysh("show ip route", json=True)],
    wire.ReadConfigurations: [lambda lab: [each.typed() for each in lab.running_configs().values()],
                              lambda lab: lab["r1"].running_config()],
    wire.MakeFault: [_faults],
    wire.AskFaults: [_faults, lambda lab: lab.wait_converged()],
}  # fmt: skip


def _used(kind: type, answer: Any) -> None:
    for use in USES[kind]:
        with suppress(LabError):
            use(_Lying(kind, answer))


@pytest.mark.parametrize("kind", USES, ids=lambda kind: kind.__name__)
def test_correct_replies_are_used(kind: type) -> None:
    for use in USES[kind]:
        use(_Lying(kind, ANSWERS[kind]))


def _lies(kind: type) -> st.SearchStrategy[tuple[type, Any]]:
    ways = hostile.mutations(ANSWERS[kind]) | hostile.mutations(ANSWERS[kind], hostile.alike)
    return st.tuples(st.just(kind), ways)


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(list(USES)).flatmap(_lies))
def test_false_replies_are_used_or_reported(lie: tuple[type, Any]) -> None:
    _used(*lie)


@pytest.mark.parametrize("sent", [0, -1, 10**15])
def test_impossible_counts_are_reported(sent: int) -> None:
    with pytest.raises(LabError):
        list(check_links(_Lying(wire.TryDirection, {**ANSWERS[wire.TryDirection], "sent": sent})))  # type: ignore[arg-type]
