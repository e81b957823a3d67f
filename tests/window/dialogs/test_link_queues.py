"""Dialogs of links: qdiscs with their parameters, impairments, presets, and the shown `tc` commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from frrlib.edits.link_presets import LINK_PRESETS
from frrlib.model.links import End, Shape
from frrlib.model.queues import Cake, Codel, FqCodel, Red
from frrlib.render import tc
from miniedit_frr.dialogs.fields import samples
from miniedit_frr.dialogs.forms.kernel_commands import KernelPage
from miniedit_frr.dialogs.forms.link_preset_menu import PresetRow
from tests.window.hands_on_dialogs import Filler, link, open_dialog
from tests.window.topologies import TWO_ROUTERS
from tests.window.widgets import texts

pytestmark = pytest.mark.gui

LAB = TWO_ROUTERS


def open_with_qdisc(lab: Any, kind: str, rate: str = "10") -> Filler:
    """The dialog of the link between the routers, with a rate and a qdisc."""
    filler = open_dialog(lab, link("l2"))
    filler.fill("a_to_b.rate_mbit", rate)
    filler.pick("a_to_b.queue", kind)
    return filler


def switch(filler: Filler) -> Any:
    """The switch on the front page that keeps both directions equal."""
    filler.user.editor.window.update()
    return next(_grids(filler)).same


def _grids(filler: Filler) -> Any:
    return (grid for grid in filler.parts("same") if grid.winfo_viewable() and grid.same is not None)


def test_a_qdisc_and_its_parameters_survive_a_round_trip(lab: Any) -> None:
    filler, edit_count = open_with_qdisc(lab, "fq_codel"), lab.edits()
    filler.fill("a_to_b.queue.target_ms", "2 ms")
    filler.fill("a_to_b.burst_frames", "2")
    filler.pick("a_to_b.queue.ecn", "off")
    filler.pick("a_to_b.shaper", "htb")
    filler.press("<Return>", filler.input("a_to_b.queue.target_ms").focus)
    shape = Shape(rate_mbit=10, queue=FqCodel(target_ms=2, ecn=False), burst_frames=2, shaper="htb")
    assert (lab.topology.links[1].a_to_b, lab.topology.links[1].b_to_a) == (shape, shape)
    assert lab.edits() == edit_count + 1
    again = open_dialog(lab, link("l2"))
    assert again.input("a_to_b.queue").box.get() == "fq_codel"
    assert again.input("b_to_a.queue.target_ms").focus.get() == "2"
    assert again.input("a_to_b.queue.ecn").box.get() == "off"
    assert "100" in texts(again.input("a_to_b.queue.interval_ms").widget)


def test_the_peak_rate_belongs_to_tbf(lab: Any) -> None:
    filler = open_with_qdisc(lab, "fq_codel")
    filler.fill("a_to_b.peak_rate_mbit", "20")
    filler.fill("a_to_b.peak_frames", "3")
    filler.press("<Return>", filler.input("a_to_b.peak_frames").focus)
    shape = Shape(rate_mbit=10, queue=FqCodel(), peak_rate_mbit=20, peak_frames=3)
    assert (lab.topology.links[1].a_to_b, lab.topology.links[1].b_to_a) == (shape, shape)
    again = open_dialog(lab, link("l2"))
    assert again.input("a_to_b.peak_rate_mbit").focus.get() == "20"
    again.pick("a_to_b.shaper", "htb")
    assert again.input("a_to_b.peak_rate_mbit").focus.instate(["disabled"])
    assert again.input("a_to_b.peak_frames").focus.instate(["disabled"])


def test_only_parameters_of_the_selected_qdiscs_are_shown(lab: Any) -> None:
    filler = open_with_qdisc(lab, "cake")
    assert filler.input("a_to_b.queue.rtt_ms").widget.winfo_viewable()
    filler.pick("a_to_b.queue", "red")
    assert filler.input("a_to_b.queue.min_bytes").widget.winfo_viewable()
    assert not filler.form.inputs["a_to_b.queue.rtt_ms"].widget.winfo_viewable()
    assert filler.input("a_to_b.burst_frames").focus.instate(["!disabled"])
    filler.pick("a_to_b.queue", "cake")
    assert filler.input("a_to_b.burst_frames").focus.instate(["disabled"])  # it holds the rate by itself
    filler.press("<Return>", filler.input("a_to_b.queue.rtt_ms").focus)
    assert lab.topology.links[1].a_to_b == Shape(rate_mbit=10, queue=Cake())


def test_each_direction_can_have_its_own_qdisc(lab: Any) -> None:
    filler = open_with_qdisc(lab, "fq_codel")
    assert any("controlled by CoDel" in text for text in texts(next(filler.parts("same"))))
    filler.press("<Key-space>", switch(filler))
    filler.pick("b_to_a.queue", "red")
    filler.input("a_to_b.shaper")
    assert not switch(filler).instate(["selected"])  # one switch for all pages
    visible = {path for path, widget in filler.form.inputs.items() if widget.widget.winfo_viewable()}
    assert {"a_to_b.queue.flows", "b_to_a.queue.max_bytes", "a_to_b.queue.ecn", "b_to_a.queue.ecn"} <= visible
    assert not {"b_to_a.queue.flows", "a_to_b.queue.max_bytes"} & visible
    tops = {path: filler.form.inputs[path].widget.winfo_rooty() for path in visible}
    left_tops = [top for path, top in tops.items() if path.startswith("a_to_b.")]
    assert tops["b_to_a.queue.max_bytes"] > max(left_tops), "fields of the right side only come last"
    filler.fill("b_to_a.queue.max_bytes", "30 kB")
    filler.fill("a_to_b.queue.flows", "16")
    filler.press("<Return>")
    changed = lab.topology.links[1]
    assert changed.a_to_b.queue == FqCodel(flows=16)
    assert changed.b_to_a.queue == Red(max_bytes=30_000)


def test_the_switch_makes_directions_equal_on_all_pages(lab: Any) -> None:
    filler = open_with_qdisc(lab, "fq_codel")
    filler.press("<Key-space>", switch(filler))
    filler.pick("b_to_a.queue", "red")
    filler.fill("b_to_a.queue.max_bytes", "30 kB")
    filler.fill("a_to_b.queue.flows", "16")
    filler.press("<Key-space>", switch(filler))
    filler.press("<Return>", filler.input("a_to_b.rate_mbit").focus)
    shape = Shape(rate_mbit=10, queue=FqCodel(flows=16))
    assert (lab.topology.links[1].a_to_b, lab.topology.links[1].b_to_a) == (shape, shape)


def test_an_invalid_parameter_is_reported_beside_its_field(lab: Any) -> None:
    filler = open_with_qdisc(lab, "codel")
    filler.fill("a_to_b.queue.target_ms", "fast")
    assert not filler.can_ok
    assert "such as 20 ms" in filler.note("a_to_b.queue.target_ms")
    assert filler.form.message.cget("text").startswith("Queue: Target:")


@pytest.mark.parametrize("action", ["undo", "another discipline"])
def test_an_invalid_parameter_can_be_reverted(lab: Any, action: str) -> None:
    filler = open_with_qdisc(lab, "codel")
    filler.fill("a_to_b.queue.target_ms", "fast")
    if action == "undo":
        filler.press("<Control-z>", filler.input("a_to_b.queue.target_ms").focus)
    else:
        filler.pick("a_to_b.queue", "pfifo")
    assert filler.can_ok


def test_problems_of_a_parameter_are_shown_beside_it(lab: Any) -> None:
    filler = open_with_qdisc(lab, "red")
    filler.fill("a_to_b.queue.min_bytes", "10 kB")
    filler.fill("a_to_b.queue.burst_packets", "2")
    lab.wait(lambda: "at least 10" in filler.note("a_to_b.queue.burst_packets"))
    filler.fill("a_to_b.rate_mbit", "")
    lab.wait(lambda: "without a rate no queue forms" in filler.note("a_to_b.queue"))


def test_the_problem_of_a_parameter_opens_its_page(lab: Any) -> None:
    red = Shape(rate_mbit=10, queue=Red(min_bytes=10_000, burst_packets=2))
    links = tuple(link.model_copy(update={"a_to_b": red}) if link.id == "l2" else link for link in LAB.links)
    lab.document.apply("Shape", LAB.model_copy(update={"links": links}))
    assert lab.editor.dialogs.focus_field("l2", "a_to_b.queue.burst_packets")
    (dialog,) = lab.editor.dialogs.open_dialogs.values()
    widget = dialog.form.inputs["a_to_b.queue.burst_packets"]
    assert dialog.form.window.focus_lastfor() is widget.focus


def test_the_impairments_of_a_link_are_filled_in(lab: Any) -> None:
    filler = open_dialog(lab, link("l2"))
    filler.fill("a_to_b.delay_ms", "20")
    filler.fill("a_to_b.jitter_ms", "2")
    filler.fill("a_to_b.loss_percent", "1")
    filler.pick("a_to_b.jitter_kind", "normal")
    filler.fill("a_to_b.impairments.reorder_percent", "3")
    filler.fill("a_to_b.impairments.reorder_gap", "5")
    filler.pick("a_to_b.loss_model", "Gilbert-Elliott")
    filler.fill("a_to_b.impairments.gilbert_elliott.to_good_percent", "49")
    shown_texts = [text for grid in filler.parts("same") if grid.winfo_viewable() for text in texts(grid)]
    assert [text.split("\n")[0] for text in shown_texts].count("average loss 2 %") == 2
    filler.press("<Return>")
    shape = lab.topology.links[1].b_to_a
    rare = shape.impairments
    assert (shape.loss_percent, rare.jitter_distribution, rare.reorder_percent, rare.reorder_gap) == (0, "normal", 3, 5)
    assert shape.mean_loss_percent == pytest.approx(2)


def test_measured_delays_from_a_file_set_delay_and_jitter(lab: Any, tmp_path: Any, monkeypatch: Any) -> None:
    messages: list[str] = []
    monkeypatch.setattr(samples.Messagebox, "show_error", lambda text, *_, **__: messages.append(text))
    (tmp_path / "rtt.txt").write_text("# ms\n10\n20\n30\n60\n")
    (tmp_path / "words.txt").write_text("1\nslow\n")
    filler = open_dialog(lab, link("l2"))
    filler.pick("a_to_b.jitter_kind", "measured")
    lab.wait(lambda: "choose a file of delays" in filler.note("a_to_b.jitter_kind"))
    widget = filler.input("a_to_b.jitter_samples")
    widget.load(tmp_path / "rtt.txt")
    lab.editor.window.update()
    assert widget.label.cget("text") == "4 delays, 10 to 60 ms"
    assert filler.input("a_to_b.jitter_kind").variable.get() == "measured"
    widget.load(tmp_path / "words.txt")
    widget.load(tmp_path / "nothing.txt")
    widget.load(Path("/dev/zero"))
    assert [text.partition(":")[0] for text in messages] == ["words.txt", "nothing.txt", "zero"]
    assert "larger than 10 MB" in messages[2]
    assert "line 2 of the delays has 'slow'" in messages[0]
    filler.fill("a_to_b.impairments.corrupt_percent", "1")
    filler.press("<Return>")
    shape = lab.topology.links[1].a_to_b
    assert shape == lab.topology.links[1].b_to_a
    # Mean and standard deviation of 10, 20, 30, 60 by hand: 30, and the root of (400 + 100 + 0 + 900) / 4.
    assert (shape.delay_ms, shape.jitter_ms, shape.impairments.jitter_samples_ms) == (30, 18.708, (10, 20, 30, 60))
    again = open_dialog(lab, link("l2"))
    again.pick("a_to_b.jitter_kind", "Pareto")
    assert again.input("a_to_b.jitter_samples").label.cget("text") == "none"
    again.fill("a_to_b.impairments.corrupt_percent", "2")
    again.press("<Return>")
    rare = lab.topology.links[1].a_to_b.impairments
    assert (rare.jitter_distribution, rare.jitter_samples_ms) == ("pareto", ())


def test_applying_a_preset_is_one_edit(lab: Any) -> None:
    filler, edit_count = open_dialog(lab, link("l1")), lab.edits()
    row = next(part for part in filler.parts("menu") if isinstance(part, PresetRow))
    names = [row.menu.entrycget(index, "label") for index in range(len(LINK_PRESETS))]
    assert names == [preset.name for preset in LINK_PRESETS]
    filler.fill("a_to_b.loss_percent", "x")
    row.menu.invoke(names.index("ADSL"))
    lab.editor.window.update()
    assert "G.992.1" in row.words.cget("text")
    assert filler.can_ok
    assert not switch(filler).instate(["selected"])
    row.swap.invoke()
    row.swap.invoke()
    filler.press("<Return>", filler.input("a_to_b.rate_mbit").focus)
    changed = lab.topology.links[0]
    assert (changed.a_to_b, changed.b_to_a) == (
        LINK_PRESETS[0].up,
        LINK_PRESETS[0].down,
    )  # the host is at the first end
    assert lab.edits() == edit_count + 1
    lab.document.undo()
    assert lab.topology.links[0] == LAB.links[0]


def test_shown_commands_follow_the_edits(lab: Any) -> None:
    lab.editor.dialogs.lacking = lambda kinds: f"no {', '.join(sorted(kinds))}"
    filler = open_with_qdisc(lab, "red")
    filler.fill("a_to_b.delay_ms", "20")
    filler.form.book.select(filler.page("In the kernel"))
    lab.editor.window.update()
    page = next(part for part in filler.parts("lacking") if isinstance(part, KernelPage))
    lines = page.text.get("1.0", "end-1c").split("\n")
    shape = Shape(rate_mbit=10, delay_ms=20, queue=Red())
    expected = [
        f"tc {qdisc.command}"
        for qdisc in (
            *tc.queue_qdiscs(End(node="r1", interface="r1-eth1"), shape, shape),
            tc.netem_qdisc("to-r2", shape),
        )
    ]
    assert [line for line in lines if line.startswith("tc ")][:3] == expected
    assert page.lacking.cget("text") == "no netem, red, tbf"
    assert "none, along the shortest paths" in " ".join(texts(page))
    page.copy.invoke()
    assert page.clipboard_get() == "\n".join(lines)


def test_a_changed_topology_splits_the_directions(lab: Any) -> None:
    filler = open_dialog(lab, link("l2"))
    changed = tuple(candidate.model_copy(update={"b_to_a": Shape(delay_ms=3)}) if candidate.id == "l2" else candidate
                    for candidate in LAB.links)  # fmt: skip
    lab.document.apply("Delay", LAB.model_copy(update={"links": changed}))
    lab.editor.window.update()
    assert not switch(filler).instate(["selected"])
    assert filler.input("b_to_a.delay_ms").focus.instate(["!disabled"])


def test_one_dialog_edits_several_links(lab: Any) -> None:
    first = open_dialog(lab, link("l1"))
    first.fill("a_to_b.rate_mbit", "5")
    first.press("<Return>")
    filler = open_dialog(lab, link("l1"), link("l2"))
    assert switch(filler).instate(["selected"])
    filler.press("<Key-space>", switch(filler))
    filler.press("<Key-space>", switch(filler))
    assert switch(filler).instate(["selected"])
    filler.pick("a_to_b.queue", "codel")
    filler.fill("a_to_b.queue.target_ms", "3")
    filler.fill("a_to_b.rate_mbit", "7")
    filler.press("<Return>")
    assert {shape for changed in lab.topology.links[:2] for shape in (changed.a_to_b, changed.b_to_a)} == {
        Shape(rate_mbit=7, queue=Codel(target_ms=3))
    }


def test_own_commands_replace_other_fields_and_run_unchanged(lab: Any) -> None:
    old_shape = lab.topology.links[1].a_to_b
    filler = open_dialog(lab, link("l2"))
    filler.fill("a_to_b.qdiscs", "root handle 1: netem delay 10ms\n\nparent 1:1 tbf rate 80mbit burst 3k limit 300k\n")
    lines = ("root handle 1: netem delay 10ms", "parent 1:1 tbf rate 80mbit burst 3k limit 300k")
    draft = filler.form.draft
    assert draft.values[0].a_to_b == draft.values[0].b_to_a == Shape(qdiscs=lines)
    for path in ("a_to_b.rate_mbit", "a_to_b.burst_frames", "a_to_b.impairments.duplicate_percent"):
        field = draft.fields[path]
        assert field.idle is not None and field.idle(draft.values[0].a_to_b), path
        assert not field.idle(old_shape), path
    assert filler.input("a_to_b.rate_mbit").focus.instate(["disabled"])
    filler.fill("a_to_b.qdiscs", "root handle 1: netem\nparent 2:1 tbf")
    assert "no earlier line creates" in draft.fault("a_to_b.qdiscs")
    filler.fill("a_to_b.qdiscs", "")
    assert draft.values[0].a_to_b == old_shape
