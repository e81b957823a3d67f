"""Problems of the traffic of flows are reported at their place, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.checks.check import Severity, check
from frrlib.model.topology import Topology
from tests.checks.problems import E, N, W, titles
from tests.checks.test_check_pitfalls import TEN, dumbbell, flow


def sending(kind: str, forward: dict[str, Any] | None = None, **fields: Any) -> Topology:
    """A flow of a kind through 10 Mbit/s and 20 ms; fields of the traffic are prefixed with "t_"."""
    traffic = {name.removeprefix("t_"): fields.pop(name) for name in list(fields) if name.startswith("t_")}
    return dumbbell(forward or TEN, flows=[flow(traffic={"kind": kind, **traffic}, **fields)])


BACK = {"id": "g", "source": "h2", "destination": "h1", "duration_s": 30}
CASES: list[tuple[str, Severity, str, str, Topology]] = [
    *(("tool-cannot", E, "f", "traffic.tool", sending("bulk", t_tool="iperf3", **fields))
      for fields in ({"streams": 2}, {"dscp": 46}, {"ecn": True}, {"opened_by": "destination"}, {"t_rate_mbit": 5})),
    ("no-command", E, "f", "traffic.command", sending("command")),
    ("command", N, "f", "traffic.command", sending("command", t_command="true")),
    ("command", N, "f", "traffic.server", sending("command", t_command="true", t_server="nc -l {port}")),
    # 9.7 Mbit/s in packets of 1200 bytes are 10.04 with 42 bytes of headers each.
    ("above-rate", W, "f", "traffic", sending("constant-rate", t_rate_mbit=9.7)),
    ("above-rate", W, "f", "traffic", sending("constant-rate", t_rate_mbit=3.3, count=3)),
    ("above-rate", W, "f", "traffic", sending("on-off", t_protocol="udp", t_rate_mbit=20)),
    # 64 kbit/s every 20 ms: 160 bytes, 12 of RTP and 42 of headers: 85.6 kbit/s.
    ("above-rate", W, "f", "traffic", sending("voip", {"rate_mbit": 0.085, "delay_ms": 20})),
    ("one-way-bottleneck", N, "f", "", dumbbell(TEN, flows=[flow(), BACK])),
    # 100 Mbit/s and 200 ms: 2.5 MB, eight round trips of slow start.
    ("brief-bursts", N, "f", "traffic.on_s", sending("on-off", {"rate_mbit": 100, "delay_ms": 200})),
    ("dscp-unheeded", N, "f", "dscp", sending("bulk", dscp=46)),
    ("fragments", N, "f", "traffic.payload_bytes", sending("constant-rate", t_payload_bytes=1473)),
    ("no-effect", N, "f", "streams", sending("ping", streams=2)),
    ("no-effect", N, "f", "opened_by", sending("constant-rate", opened_by="destination")),
    ("no-effect", N, "f", "ecn", sending("web-page", ecn=True)),
    ("no-effect", N, "f", "dscp", sending("command", t_command="true", dscp=8)),
    ("no-effect", N, "f", "stagger_s", sending("bulk", stagger_s=2)),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "severity", "name", "field", "topology"), CASES, ids=lambda value: str(value)[:20])
def test_problem_is_found_with_severity_and_place(
    kind: str, severity: Severity, name: str, field: str, topology: Topology
) -> None:
    assert (kind, severity, name, field) in titles(check(topology))


#: Valid topologies. Rules on greedy flows do not apply to other flows.
GOOD = [
    sending("constant-rate", t_rate_mbit=9.6),
    sending("bulk", duration_s=2.5, streams=4),
    sending("bulk", duration_s=2.5, t_tool="own"),
    sending("voip", {"rate_mbit": 0.086, "delay_ms": 20, "queue_packets": 100}),
    sending("bulk", {**TEN, "queue": {"kind": "cake", "diffserv": "diffserv4"}}, dscp=46),
    dumbbell(TEN, TEN, flows=[flow(), BACK]),
    sending("request-response", opened_by="destination"),
    sending("ping", duration_s=0.5),
    sending("bulk", count=3, stagger_s=2),
]


@pytest.mark.parametrize("topology", GOOD)
def test_valid_topologies_have_no_problems(topology: Topology) -> None:
    of_traffic = {kind for kind, *_ in CASES} | {"fraction", "short-flow", "sender-is-bottleneck"}
    assert not {problem.kind for problem in check(topology)} & of_traffic
