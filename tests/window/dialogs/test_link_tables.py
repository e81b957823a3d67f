"""The tables of qdiscs and impairments compared with the model, and drafts of links, without a window."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frrlib.model.impairments import FourStates, GilbertElliott, Impairments
from frrlib.model.links import End, Shape
from frrlib.model.queues import DISCIPLINES, Codel, FqCodel, Pie, Red
from frrlib.place.base import Abilities
from frrlib.render import tc
from miniedit_frr.dialogs.draft import FormDraft
from miniedit_frr.dialogs.forms.kernel_commands import commands, direction_figures, flow_words
from miniedit_frr.dialogs.forms.link import LINK
from miniedit_frr.dialogs.forms.queue import equivalents
from miniedit_frr.dialogs.forms.queue_parameters import PARAMETERS, SENTENCES
from miniedit_frr.dialogs.forms.side_panel import LINK_PANEL
from miniedit_frr.dialogs.parts import fields_of
from miniedit_frr.dialogs.sheets import form_context
from miniedit_frr.running_lab.places import Places
from tests.example_counts import examples
from tests.window.topologies import EVERY_KIND

AROUND = form_context(EVERY_KIND)
PLAIN = EVERY_KIND.links[1]


def shaped(**values: Any) -> Any:
    """The link between the routers with the same shape in both directions."""
    shape = Shape(**values)
    return PLAIN.model_copy(update={"a_to_b": shape, "b_to_a": shape})


def draft_on(link: Any) -> FormDraft:
    return FormDraft((link,), [field for tab in LINK for field in fields_of(tab.parts)], AROUND)


@pytest.mark.parametrize("kind", DISCIPLINES)
def test_every_parameter_of_a_qdisc_is_on_the_page(kind: str) -> None:
    draft = draft_on(shaped(rate_mbit=10, queue=DISCIPLINES[kind]()))
    is_in = {path.rpartition(".")[2] for path, field in draft.fields.items()
             if path.startswith("a_to_b.queue.") and field.is_in(draft.values[0])}  # fmt: skip
    assert is_in == set(DISCIPLINES[kind].model_fields) - {"kind"}
    assert {parameter.name for parameter in PARAMETERS if parameter.is_of(kind)} == is_in


def test_every_qdisc_has_a_description() -> None:
    assert set(SENTENCES) == {None, *DISCIPLINES}
    assert all(len(words) > 20 for words in SENTENCES.values())
    assert len({parameter.name for parameter in PARAMETERS}) == len(PARAMETERS)


@pytest.mark.parametrize("kind", DISCIPLINES)
def test_retyping_parameters_of_a_qdisc_changes_nothing(kind: str) -> None:
    link = shaped(rate_mbit=10, queue_packets=50, delay_ms=1, queue=DISCIPLINES[kind]())
    draft = draft_on(link)
    for path, field in draft.fields.items():
        if field.is_in(link):
            content = draft.content(path)
            assert content is not None
            draft.put_all({path: content})
            assert not draft.fault(path), (path, content)
            assert field.hint_for(AROUND, link, path.partition(".")[0]) is not None
            assert field.explains is None or field.explains(link)
    assert draft.values == (link,)


def test_a_new_qdisc_starts_with_the_kernels_defaults() -> None:
    draft = draft_on(shaped(rate_mbit=10, queue=Codel(target_ms=7)))
    draft.set("a_to_b.queue.interval_ms", "50")
    assert draft.values[0].a_to_b.queue == Codel(target_ms=7, interval_ms=50)
    draft.set("a_to_b.queue", "pie")
    assert draft.values[0].a_to_b.queue == Pie()
    assert draft.values[0].b_to_a.queue == Codel(target_ms=7)
    assert "a_to_b.queue.interval_ms" not in draft.edits
    draft.set("a_to_b.queue", "plain fifo")
    assert draft.values[0].a_to_b.queue is None
    draft.set("a_to_b.queue", "codel")
    assert not draft.is_dirty


def test_dependent_fields_are_accepted_in_any_order() -> None:
    draft = draft_on(shaped(rate_mbit=10, queue=FqCodel()))
    draft.set("a_to_b.queue.target_ms", "200")
    assert draft.fault("a_to_b.queue.target_ms") == "target is 200; it must be below interval, 100"
    draft.set("a_to_b.queue.interval_ms", "400")
    assert draft.is_valid
    assert draft.values[0].a_to_b.queue == FqCodel(target_ms=200, interval_ms=400)


@pytest.mark.parametrize(
    ("kind", "name", "text", "words"),
    [("pie", "alpha", "33", "at most 32"), ("pie", "alpha", "1.5", "whole number"), ("red", "probability", "1", "less"),
     ("cake", "overhead_bytes", "-65", "at least -64"), ("fq", "maxrate_mbit", "fast", "10mbit"),
     ("sfb", "increment", "0", "more than 0"), ("dualpi2", "classic_protection_percent", "101", "at most 100")],
)  # fmt: skip
def test_an_invalid_parameter_is_reported(kind: str, name: str, text: str, words: str) -> None:
    draft = draft_on(shaped(rate_mbit=10, queue=DISCIPLINES[kind]()))
    draft.set(f"a_to_b.queue.{name}", text)
    assert words in draft.fault(f"a_to_b.queue.{name}")
    assert draft.values == draft.originals


_ODD = st.one_of(
    st.text(max_size=12),
    st.text(alphabet="0123456789./:,- eE%xkmgbits", max_size=14),
    st.sampled_from(["1e999999999", "-1", "nan", "inf", "1e-400", "on", "four states", "red", "fq_codel", "3 BDP"]),
)


@settings(max_examples=examples(60), deadline=None)
@given(odd=_ODD)
def test_any_text_is_accepted_or_reported(odd: str) -> None:
    bursts = Impairments(gilbert_elliott=GilbertElliott(to_bad_percent=1, to_good_percent=10))
    for forward, reverse in ((FqCodel(), Red()), (DISCIPLINES["cake"](), DISCIPLINES["fq"]())):
        link = PLAIN.model_copy(update={
            "a_to_b": Shape(rate_mbit=10, queue=forward, impairments=bursts),
            "b_to_a": Shape(rate_mbit=10, queue=reverse),
        })  # fmt: skip
        draft = draft_on(link)
        for path in draft.fields:
            draft.put_all({path: odd})
            if draft.fault(path):
                assert len(draft.fault(path)) > 5
            draft.clear()
        assert draft.values == (link,)


@pytest.mark.parametrize(("text", "held"), [("on", True), ("off", False), ("default", None)])
def test_a_flag_with_a_default_is_read_as_on_off_or_none(text: str, held: bool | None) -> None:
    for old_ecn in (True, None, False):
        draft = draft_on(shaped(rate_mbit=10, queue=FqCodel(ecn=old_ecn)))
        draft.set("a_to_b.queue.ecn", text)
        queue = draft.values[0].a_to_b.queue
        assert isinstance(queue, FqCodel)
        assert queue.ecn is held


def test_a_loss_model_replaces_random_loss() -> None:
    draft = draft_on(shaped(loss_percent=2))
    draft.set("a_to_b.loss_model", "Gilbert-Elliott")
    draft.set("a_to_b.impairments.gilbert_elliott.to_bad_percent", "2")
    shape = draft.values[0].a_to_b
    assert (shape.loss_percent, shape.impairments.loss_correlation_percent) == (0, 0)
    assert shape.impairments.gilbert_elliott == GilbertElliott(to_bad_percent=2, to_good_percent=25)
    draft.set("a_to_b.loss_model", "four states")
    assert draft.values[0].a_to_b.impairments.four_states == FourStates(p13_percent=1, p31_percent=25)
    assert draft.values[0].a_to_b.impairments.gilbert_elliott is None
    draft.set("a_to_b.loss_model", "random")
    assert draft.values[0].a_to_b.impairments == Impairments()


@pytest.mark.parametrize(
    ("shape", "words"),
    [(Shape(), "no rate"),
     (Shape(rate_mbit=8, queue=FqCodel()), "default limit:\n= 10,240 packets\n= 15,503 ms"),
     (Shape(rate_mbit=8, queue=DISCIPLINES["cake"]()), "default limit,"),
     (Shape(rate_mbit=8, queue_ms=10, queue=FqCodel()), "counts packets: 7"),
     (Shape(rate_mbit=8, queue_ms=10, queue=DISCIPLINES["cake"]()), "counts memory"),
     (Shape(rate_mbit=8, delay_ms=5, queue_ms=10), "= 1 BDP"), (Shape(rate_mbit=8, queue_ms=10, queue=Red()), "10 ms")],
)  # fmt: skip
def test_a_queue_limit_is_described_in_all_units(shape: Shape, words: str) -> None:
    assert words in equivalents(shape, shape, 1514)


def test_the_shown_commands_equal_the_commands_of_the_lab() -> None:
    link = shaped(rate_mbit=10, delay_ms=20, queue_bdp=1, queue=Red(), shaper="htb")
    a, b = (end.model_copy(update={"interface": f"{end.node}-eth0"}) for end in link.ends)
    link = link.model_copy(update={"a": a, "b": b})
    expected = []
    for end, far, shape, reverse in (
        (link.a, "r2", link.a_to_b, link.b_to_a),
        (link.b, "r1", link.b_to_a, link.a_to_b),
    ):
        expected += [f"tc {qdisc.command}" for qdisc in tc.queue_qdiscs(end, shape, reverse)]
        expected += [f"tc {tc.netem_qdisc(f'to-{far}', shape).command}"]
    assert [line for line in commands(link).split("\n") if line and not line.startswith("#")] == expected
    assert len(expected) == 8
    assert "no command" in commands(PLAIN.model_copy(update={"a_to_b": Shape()}))
    assert direction_figures(link.a, link.a_to_b, link.b_to_a) == ("50 kB", "50 kB", "40 ms")


@pytest.mark.parametrize(
    ("shape", "queue", "full"),
    [(Shape(), "-", "-"),
     (Shape(rate_mbit=1), "15.14 kB", "121.1 ms"),
     (Shape(rate_mbit=1, queue=Codel()), "codel's default: 1,000 packets",
      "at most 12,112 ms; the target of codel is 5 ms"),
     (Shape(rate_mbit=1, queue_ms=50, queue=Pie(target_ms=3)), "6.25 kB", "50 ms; the target of pie is 3 ms"),
     (Shape(rate_mbit=1, queue=DISCIPLINES["cake"]()), "cake's default", "the target of cake is 5 ms"),
     (Shape(rate_mbit=1, queue=DISCIPLINES["fq"]()), "fq's default: 10,000 packets", "at most 121,120 ms")],
)  # fmt: skip
def test_the_size_and_the_delay_of_a_full_queue_are_described(shape: Shape, queue: str, full: str) -> None:
    assert direction_figures(End(node="r1"), shape, Shape())[1:] == (queue, full)


def test_flows_over_a_link_are_listed_with_their_base_rtt() -> None:
    links = (EVERY_KIND.links[0], shaped(delay_ms=20), *EVERY_KIND.links[2:])
    topology = EVERY_KIND.model_copy(update={"links": links})
    assert flow_words(topology, "l2") == "f1: h1 → r2, base RTT 40 ms over 2 links"
    assert "none" in flow_words(topology, "l3")


@pytest.mark.parametrize(
    ("place", "message"),
    [("auto", ""), ("labkernel", ""), ("namespace", "namespace (Linux 6.1) lacks cake, netem"), ("root", "")],
)
def test_missing_qdiscs_of_the_place_are_reported(place: str, message: str) -> None:
    places = Places(None, None, None)  # type: ignore[arg-type]
    places._chosen = place
    assert places.lacking(frozenset({"cake"})) == ""
    places.known = {
        "namespace": Abilities("namespace", True, kernel="6.1", qdiscs=frozenset({"tbf"})),
        "labkernel": Abilities("labkernel", True, kernel="6.12", qdiscs=frozenset({"tbf", "cake", "netem"})),
        "root": Abilities("root", False, "needs root"),
    }
    assert places.lacking(frozenset({"cake", "netem", "tbf"})) == message


def test_the_side_panel_shows_the_qdisc_without_its_parameters() -> None:
    paths = {field.path for field in fields_of(LINK_PANEL)}
    assert {"a_to_b.queue", "b_to_a.queue", "a_to_b.queue_limit"} <= paths
    assert not any(path.startswith(("a_to_b.queue.", "a_to_b.impairments")) for path in paths)
