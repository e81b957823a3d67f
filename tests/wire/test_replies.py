"""Answers of an agent are looked at before anybody relies on them."""

from __future__ import annotations

import typing
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frrlib import wire
from frrlib.wire.replies import convert_reply
from frrlib.wire.requests import REPLIES, TypedCommand, parse_reply

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=3), below, max_size=3),
    max_leaves=6,
)


def test_every_command_has_an_answer() -> None:
    assert set(REPLIES) == set(typing.get_args(wire.Command))


@pytest.mark.parametrize(
    ("command", "answer", "words"),
    [
        (wire.Vtysh("r1", ("show ip route",)), {"text": "K>* 0.0.0.0/0"}, ""),
        (wire.Vtysh("r1", ("show ip route",)), {"text": 7}, "`$.text`"),
        (wire.Vtysh("r1", ("show ip route",)), {}, "missing required field `text`"),
        (wire.Execute("h1", ("true",)), {"status": 0, "stdout": "", "stderr": "", "more": 1}, ""),
        (wire.Execute("h1", ("true",)), {"status": "0", "stdout": "", "stderr": ""}, "`$.status`"),
        (
            wire.Ping("h1", "10.0.0.2"),
            {"sent": 3, "received": 3, "duplicates": 0, "ttl": [64], "rtt_ms": [None]},
            "`$.rtt_ms[",
        ),
        (wire.Stop(configurations=True), {}, ""),
        (wire.Stop(configurations=True), {"routers": {"r1": {"now": {"ospfd": ["text"]}}}}, "`$.routers["),
        (wire.FollowPath("h1", "10.0.0.2"), {"stops": [], "from": ""}, ""),
        (wire.FollowPath("h1", "10.0.0.2"), {"stops": [7], "from": ""}, "`$.stops["),
    ],
)
def test_what_is_wrong_is_named(command: TypedCommand[object], answer: dict[str, object], words: str) -> None:
    if words:
        with pytest.raises(msgspec.ValidationError) as wrong:
            parse_reply(command, answer)
        assert words in str(wrong.value)
    else:
        parse_reply(command, answer)


@given(st.sampled_from(sorted(REPLIES, key=lambda kind: kind.__name__)), st.data())
def test_no_answer_is_a_defect_of_ours(kind: type, data: st.DataObject) -> None:
    """Names are those of the answer, the values anything."""
    names = sorted(typing.get_type_hints(REPLIES[kind])) if hasattr(REPLIES[kind], "__annotations__") else ["any"]
    answer = data.draw(st.dictionaries(st.sampled_from(names), _JSON, max_size=len(names)))
    with suppress(msgspec.ValidationError):
        convert_reply(REPLIES[kind], answer)


def test_what_comes_is_what_was_asked_for() -> None:
    """Values have their types, whatever `tc` tells of a qdisc is kept, and what nobody asked for is left out."""
    stop = {"node": "h1", "vrf": "", "prefix": "", "protocol": "", "hops": [], "is_end": True, "reason": ""}
    followed = parse_reply(wire.FollowPath("h1", "10.0.0.2"), {"stops": [stop], "from": "10.0.0.1", "more": 1})
    assert followed == {"stops": [wire.PathStop("h1", is_end=True)], "from": "10.0.0.1"}
    qdisc = {"kind": "tbf", "handle": "1:", "dev": "h1-eth0", "options": {"rate": 125}, "bytes": 7}
    changed = parse_reply(wire.MakeFault(None), {"qdiscs": {"h1": [qdisc]}})  # type: ignore[arg-type]
    assert changed["qdiscs"] == {"h1": [qdisc]}
    with pytest.raises(msgspec.ValidationError, match=r"`handle` of a qdisc is no text.*`\$\.qdiscs\["):
        parse_reply(wire.MakeFault(None), {"qdiscs": {"h1": [{**qdisc, "handle": []}]}})  # type: ignore[arg-type]
