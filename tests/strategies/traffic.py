"""Strategies for the traffic of flows."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from frrlib.model.traffic.kinds import KINDS, Bulk, Command, ConstantRate, OnOff, RequestResponse, Video, Voip, WebPage
from tests.strategies.basics import flags, floats

_lines = st.sampled_from(["", "ping -c 3 {address}", "é \"x\" 'y' \\d"])
#: Every kind with its default settings, and some with others.
traffics: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from([kind() for kind in KINDS.values()]),
    st.builds(Bulk, tool=st.sampled_from(["auto", "iperf3", "own"]), rate_mbit=st.none() | floats(1, 100)),
    st.builds(RequestResponse, request_bytes=st.integers(1, 10**6), connection=st.sampled_from(["kept", "new"])),
    st.builds(
        OnOff,
        protocol=st.sampled_from(["tcp", "udp"]),
        rate_mbit=floats(1, 50),
        on_s=floats(1, 9),
        paced_by=st.sampled_from(["socket", "application"]),
    ),
    st.builds(ConstantRate, rate_mbit=floats(1, 50), payload_bytes=st.integers(24, 2000)),
    st.builds(Voip, codec=st.sampled_from(["G.711", "Opus"]), packet_ms=st.sampled_from([20, 40]), spurts=flags),
    st.builds(WebPage, sizes_bytes=st.lists(st.integers(1, 10**6), max_size=3).map(tuple), keep_alive=flags),
    st.builds(Video, ladder_mbit=st.sampled_from([(1.0,), (0.5, 2.5)]), choice=st.sampled_from(["buffer"])),
    st.builds(Command, command=_lines, reads=st.sampled_from(["nothing", "json"])),
    st.builds(Command, reads=st.just("pattern"), pattern=st.just(r"time=(?P<duration_ms>[0-9.]+) \"é\"")),
)
