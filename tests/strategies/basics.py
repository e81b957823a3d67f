"""Basic parts of a drawing, for property tests: names, numbers, addresses, and content that is not ours."""

from __future__ import annotations

import json
from ipaddress import IPv4Interface, IPv6Interface, ip_network
from typing import Any

from hypothesis import strategies as st

short_text = st.text(max_size=8)
#: Characters of a link's id: no part of a path, and nothing that a terminal obeys.
no_paths = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="/"), min_size=1, max_size=10)
usual_names = st.builds("{}{}".format, st.sampled_from("hrsc"), st.integers(0, 30))
odd_names = st.one_of(
    st.text(min_size=1, max_size=64),
    st.sampled_from(["h 1", "lo", "cable", "-x", "averyveryverylongname", "averyveryverylongname2", "é", "s01", "."]),
)
names = st.one_of(usual_names, usual_names, odd_names)
flags = st.booleans()


def floats(low: float, high: float, open_low: bool = False) -> st.SearchStrategy[float]:
    """Numbers of a range; ints among them, since MiniEdit can write those."""
    return st.one_of(
        st.integers(int(low) + open_low, int(high)).map(float),
        st.floats(low, high, exclude_min=open_low, allow_nan=False),
    )


addresses4 = st.one_of(
    st.builds(lambda last, prefix: IPv4Interface(f"10.0.{last // 256}.{last % 256}/{prefix}"),
              st.integers(0, 600), st.sampled_from([8, 16, 24, 24, 24, 30, 31, 32, 0])),
    st.builds(lambda number, prefix: IPv4Interface((number, prefix)), st.integers(0, 2**32 - 1), st.integers(0, 32)),
)  # fmt: skip
addresses6 = st.builds(
    lambda number, prefix: IPv6Interface((number, prefix)),
    st.one_of(st.integers(0, 2**128 - 1), st.integers((0xFD00 << 112), (0xFD00 << 112) + 999)),
    st.integers(0, 128),
)
addresses = st.one_of(addresses4, addresses4, addresses6)
networks = addresses.map(lambda address: ip_network(address.network))
plain_addresses = addresses.map(lambda address: address.ip)
nowhere = st.sampled_from(["blackhole", "reject"])

_json = st.recursive(
    st.one_of(
        st.none(), flags, st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False), short_text
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(short_text, inner, max_size=3),
    max_leaves=5,
)
#: Unknown keys, known ones where they do not belong, and known ones with values of any kind.
_keys = st.one_of(
    short_text,
    st.sampled_from(
        ["opts", "ip", "bw", "delay", "x", "switchType", "src", "pod", "version", "sflow", "controllers",
         "privateDirectory"]
    ),
)  # fmt: skip


def _foreign_text(value: dict[str, Any]) -> str:
    return json.dumps(value) if value else ""


foreign = st.one_of(
    st.just(""),
    st.just(""),
    st.dictionaries(_keys, _json, max_size=3).map(_foreign_text),
    st.dictionaries(_keys, _json, max_size=3).map(lambda inner: _foreign_text({"opts": inner})),
)
