"""Descriptions of flows."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.model.flow_words import CALLED, control_name, flow_label, flow_summary, flow_text
from frrlib.model.flows import Flow
from frrlib.model.traffic.kinds import KINDS, Bulk, OnOff, Ping, Voip, WebPage


def flow(name: str = "f1", **fields: Any) -> Flow:
    return Flow(id=name, source="h1", destination="h2", **fields)


@pytest.mark.parametrize(
    ("one_flow", "control", "label"),
    [
        (flow(), "cubic", "f1 · cubic · 0 s"),
        (flow(count=5, start_s=2.5), "bbr", "f1 · 5 x bbr · 2.5 s"),
        (flow("bbr", count=5), "bbr", "bbr · 5 x · 0 s"),
        (flow("cubic-2", duration_s=None, size_bytes=5_000_000), "cubic", "cubic-2 · 5 MB · 0 s"),
        (flow(streams=4, traffic=Bulk(tool="own")), "", "f1 · the kernel's own · 4 streams · 0 s"),
        (flow("ping", traffic=Ping()), "", "ping · 0 s"),
        (flow("call", traffic=Voip()), "", "call · voip · 0 s"),
        (flow("page", traffic=WebPage()), "reno", "page · web-page, reno · 0 s"),
    ],
)
def test_labels_do_not_repeat_the_name(one_flow: Flow, control: str, label: str) -> None:
    assert flow_label(one_flow, control) == label


@pytest.mark.parametrize(
    ("one_flow", "control", "sentence"),
    [
        (flow(count=5, stagger_s=2, duration_s=20), "bbr", "5 BBR flows, h1 to h2, 2 s apart, from 0 s for 20 s"),
        (flow(count=2), "", "2 flows, h1 to h2, all at once, from 0 s for 10 s"),
        (flow(duration_s=None, size_bytes=64_000, start_s=1), "reno",
         "1 Reno flow, h1 to h2, from 1 s until 64000 bytes are sent"),
        (flow(traffic=OnOff(protocol="udp", rate_mbit=1)), "cubic", "1 flow in bursts, h1 to h2, from 0 s for 10 s"),
        (flow(traffic=WebPage()), "cubic", "1 web page over CUBIC, h1 to h2, from 0 s for 10 s"),
        (flow(streams=4, count=2), "cubic", "2 CUBIC flows, h1 to h2, 4 streams each, all at once, from 0 s for 10 s"),
    ],
)  # fmt: skip
def test_a_summary_is_a_sentence(one_flow: Flow, control: str, sentence: str) -> None:
    assert flow_summary(one_flow, control) == sentence


def test_summaries_name_the_congestion_control_only_of_tcp() -> None:
    assert set(CALLED) == set(KINDS)
    for kind, model in KINDS.items():
        flow_of_kind = flow(traffic=model(), duration_s=10.0)
        assert flow_summary(flow_of_kind, "bbr").startswith("1 ")
        assert ("bbr" in flow_text(flow_of_kind, "bbr")) == (model.transport == "tcp"), kind
    assert control_name("something-new") == "something-new"
