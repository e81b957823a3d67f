"""The list of problems: Fix makes one edit with undo, Why? shows the reason, and a click selects the place."""

from __future__ import annotations

import json
import tkinter as tk
from pathlib import Path
from typing import Any

import pytest

from frrlib.checks.check import check
from frrlib.checks.explanations import REASONS
from frrlib.edits.changes import rename
from frrlib.formats import mn
from frrlib.model.nodes import Host
from frrlib.model.problem import Problem, error
from frrlib.model.protocols.bgp import Bgp
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from tests.checks.test_check_pitfalls import TEN, dumbbell, flow
from tests.checks.test_intended import exercise

pytestmark = pytest.mark.gui

#: A fraction of a second, a limit without a rate, a gateway that is nobody's, a short queue.
LAB: Topology = dumbbell(
    {**TEN, "queue_packets": 5}, {"queue_packets": 5}, flows=[flow(duration_s=4.5)],
    h1={"default_route": "10.99.0.1"},
)  # fmt: skip


def wait_for_problem(user: Any, kind: str) -> Problem:
    user.wait(lambda: any(problem.kind == kind for problem in user.editor.problems.listed))
    return next(problem for problem in user.editor.problems.listed if problem.kind == kind)


def press(user: Any, kind: str, column: str, button: int = 1) -> None:
    """Click a cell of a problem's line with the real pointer."""
    problem, panel = wait_for_problem(user, kind), user.editor.problems
    row = str(panel.listed.index(problem))
    panel.tree.see(row)
    user.editor.window.update()
    x, y, wide, high = panel.tree.bbox(row, column)
    panel.tree.event_generate("<Motion>", x=x + wide // 3, y=y + high // 2)
    panel.tree.event_generate(f"<Button-{button}>", x=x + wide // 3, y=y + high // 2)
    panel.tree.event_generate(f"<ButtonRelease-{button}>", x=x + wide // 3, y=y + high // 2)
    user.editor.window.update()


def kinds(user: Any) -> set[str]:
    return {problem.kind for problem in check(user.topology)}


def test_fix_is_one_edit_that_can_be_undone(lab: Any) -> None:
    old_topology = lab.topology
    press(lab, "fraction", "fix")
    lab.wait(lambda: lab.topology.flows[0].duration_s == 4)
    assert lab.document.undo_label == "Fix: set the duration of f to 4 s"
    assert not lab.editor.dialogs.open_dialogs  # a click on Fix is no click on the line
    lab.wait(lambda: all(problem.kind != "fraction" for problem in lab.editor.problems.listed))
    lab.document.undo()
    assert lab.topology == old_topology


def test_a_delay_without_a_unit_in_a_file_of_miniedit_has_a_fix(user: Any, tmp_path: Path) -> None:
    ends = [{"number": str(n), "x": "100", "y": "100", "opts": {"hostname": f"h{n}", "nodeNum": n}} for n in (1, 2)]
    link = {"src": "h1", "dest": "h2", "opts": {"bw": 10, "delay": "5"}}
    path = tmp_path / "old.mn"
    path.write_text(json.dumps({"version": "2", "hosts": ends, "switches": [], "links": [link], "controllers": []}))
    user.document.open(path)
    user.editor.files.on_open()
    assert user.topology.links[0].a_to_b.delay_ms == 0.005
    press(user, "no-unit", "fix")
    user.wait(lambda: user.topology.links[0].a_to_b.delay_ms == user.topology.links[0].b_to_a.delay_ms == 5)
    user.wait(lambda: all(problem.kind != "no-unit" for problem in user.editor.problems.listed))
    user.document.undo()
    wait_for_problem(user, "no-unit")


def test_the_remarks_of_a_converted_mininet_script_are_listed_and_lead_to_their_place(
    user: Any, tmp_path: Path
) -> None:
    path = tmp_path / "converted.mn"
    node = Host(name="h1", x=100, y=100, foreign='{"mininet_remarks":{"period_us":"is 50000; it is left out"}}')
    mn.save(Topology(nodes=(node, Host(name="h2", x=300, y=100))), path)
    user.document.open(path)
    user.editor.files.on_open()
    problem = wait_for_problem(user, "mininet-option")
    assert (problem.node, problem.field, problem.message) == ("h1", "period_us", "is 50000; it is left out")
    press(user, "mininet-option", "why")
    assert user.selected() == {"h1"}


def test_a_note_is_fixed_on_request(lab: Any) -> None:
    press(lab, "queue-below-bdp", "fix")
    lab.wait(lambda: lab.topology.links[1].a_to_b.queue_packets == 17)  # 25 kB in frames of 1514 bytes


def test_fix_all_is_one_edit_and_leaves_notes(lab: Any) -> None:
    old_topology, button = lab.topology, lab.editor.problems.fix_all
    wait_for_problem(lab, "fraction")
    assert button.cget("text") == "Fix All (3)"
    button.invoke()
    lab.wait(lambda: lab.topology != old_topology)
    assert kinds(lab) & {"fraction", "queue-without-rate", "far-gateway"} == set()
    assert lab.topology.links[1].a_to_b.queue_packets == 5
    assert lab.document.undo_label == "Fix 3 problems"
    lab.wait(lambda: str(button.cget("state")) == "disabled")
    lab.document.undo()
    assert lab.topology == old_topology


def test_a_router_without_daemons_gets_ospf_on_request(lab: Any) -> None:
    """The problem is that no router runs a daemon; Fix All does not choose a protocol."""
    names = [router.name for router in lab.topology.routers]
    press(lab, "no-routes", "fix")
    lab.wait(lambda: all(router.ospf for router in lab.topology.routers))
    assert lab.document.undo_label == f"Fix: run OSPF on {' and '.join(names)}"
    assert "no-routes" not in kinds(lab)


def test_a_problem_without_a_unique_fix_has_no_button(lab: Any) -> None:
    problem = wait_for_problem(lab, "no-routes")
    nodes = tuple(
        node.model_copy(update={"bgp": Bgp(asn=65001)}) if node.kind == "router" and node.name != problem.node else node
        for node in lab.topology.nodes
    )
    lab.document.apply("BGP", lab.topology.model_copy(update={"nodes": nodes}))
    lab.wait(lambda: not lab.editor.checker.is_busy)
    old_topology = lab.topology
    press(lab, "no-routes", "fix")
    lab.editor.window.update()
    assert lab.topology == old_topology
    tree = lab.editor.problems.tree
    cells = {lab.editor.problems.listed[int(row)].kind: tree.set(row, "fix") for row in tree.get_children()}
    assert (cells["no-routes"], bool(cells["fraction"])) == ("", True)


def test_why_shows_the_reason_and_offers_the_fix(lab: Any) -> None:
    press(lab, "no-routes", "reason")
    window = lab.editor.problem_fixer.reason
    text = window.text.get("1.0", "end")
    assert all(part in text for part in REASONS["no-routes"])
    assert "docs/checks.md#no-routes" in text and "r1" in text
    assert str(window.fix.cget("text")).startswith("Fix: run OSPF on r1")
    press(lab, "fraction", "reason")
    assert lab.editor.problem_fixer.reason is window  # the next one takes its place
    assert REASONS["fraction"].matters in window.text.get("1.0", "end")
    assert window.fix.cget("text") == "Fix: set the duration of f to 4 s"
    window.fix.invoke()
    lab.wait(lambda: lab.topology.flows[0].duration_s == 4)
    assert not window.winfo_exists()
    press(lab, "no-routes", "reason")
    lab.press_key("<Escape>", lab.editor.problem_fixer.reason)
    lab.wait(lambda: not lab.editor.problem_fixer.reason.winfo_exists())


def test_the_context_menu_of_a_problem_offers_its_fix_and_reason(lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    menus: list[tk.Menu] = []
    monkeypatch.setattr(tk.Menu, "tk_popup", lambda menu, x, y: menus.append(menu))
    press(lab, "fraction", "why", button=3)
    (menu,) = menus
    lines = {menu.entrycget(n, "label"): n for n in range(menu.index("end") + 1) if menu.type(n) == "command"}
    assert list(lines) == ["Go to f", "Fix: set the duration of f to 4 s", "Why?", "Fix All"]
    menu.invoke(lines["Fix: set the duration of f to 4 s"])
    lab.wait(lambda: lab.topology.flows[0].duration_s == 4)


def test_the_line_under_the_pointer_is_shown_in_full(lab: Any) -> None:
    problem = wait_for_problem(lab, "queue-below-bdp")
    panel = lab.editor.problems
    panel.look_at(problem)
    full_text = panel.full_text
    assert (
        problem.message in full_text
        and problem.remedy[1:] in full_text
        and "Fix: set a queue of 1 BDP of the path at r1 - r2" in full_text
    )


def test_a_topology_that_changes_meanwhile_is_not_fixed(lab: Any) -> None:
    problem = wait_for_problem(lab, "fraction")
    lab.editor.problem_fixer.fix(problem)
    flows = lab.topology.flows
    changed = lab.topology.model_copy(update={"flows": (flows[0].model_copy(update={"duration_s": 9.0}),)})
    lab.document.apply("Draw", changed)
    lab.wait(lambda: "has changed in the meantime" in lab.editor.log.text.get("1.0", "end"))
    assert lab.topology == changed


def test_a_locked_topology_is_not_fixed(lab: Any) -> None:
    problem, old_topology = wait_for_problem(lab, "fraction"), lab.topology
    lab.document.restrict(lambda old, new: "a lab runs")
    lab.editor.problem_fixer.fix(problem)
    lab.wait(lambda: not lab.editor.problem_fixer.is_busy)
    assert lab.topology == old_topology
    assert "set the duration of f to 4 s." not in lab.editor.log.text.get("1.0", "end")


@pytest.mark.parametrize("size", ["700x600", "1200x700"])
def test_fix_and_why_are_visible_at_any_width(lab: Any, size: str) -> None:
    wait_for_problem(lab, "fraction")
    tree = lab.editor.problems.tree
    lab.editor.window.geometry(size)
    lab.wait(lambda: lab.editor.window.winfo_width() == int(size.partition("x")[0]))
    row = tree.get_children()[0]
    for column in ("fix", "reason"):
        x, _, wide, _ = tree.bbox(row, column)
        assert x + wide <= tree.winfo_width()


def test_a_cut_text_in_the_list_has_an_ellipsis(lab: Any) -> None:
    panel = lab.editor.problems
    lab.wait(lambda: panel.listed)
    long = error("x", "h1", "default_route", "is wrong in so many ways that " * 20, "another")
    panel.show([long])
    lab.editor.window.update()
    assert str(panel.tree.set("0", "why")).endswith("…")
    assert panel.tree.set("0", "right") == "another"
    panel.look_at(long)
    assert long.message in panel.full_text


def test_an_error_can_be_intended_for_an_exercise(lab: Any) -> None:
    lab.document.apply("Mistake", exercise())
    press(lab, "ospf-mismatch", "reason")
    window = lab.editor.problem_fixer.reason
    assert window.intend.cget("text") == "Run All the Same"
    window.intend.invoke()
    assert lab.topology.intended_problems == ("ospf-mismatch",)
    assert not window.winfo_exists()
    lab.wait(lambda: lab.editor.problems.errors == 0)
    press(lab, "ospf-mismatch", "reason")
    window = lab.editor.problem_fixer.reason
    assert window.intend.cget("text") == "No Longer Intended"
    window.intend.invoke()
    assert lab.topology == exercise()


def test_a_click_selects_the_link_that_has_the_name_of_a_router(lab: Any) -> None:
    problem = wait_for_problem(lab, "queue-without-rate")
    assert (problem.about, problem.node) == ("link", "l2")
    lab.document.apply("Rename r1", rename(lab.topology, "r1", "l2"))
    lab.wait(lambda: "r2 → l2" in _places(lab))
    lab.editor.problems.on_pick(wait_for_problem(lab, "queue-without-rate"))
    lab.wait(lambda: set(lab.view.selection) == {Key("link", "l2")})
    (dialog,) = lab.editor.dialogs.open_dialogs.values()
    assert dialog.form.window.title() == "Link l2 - r2"
    node_problem = wait_for_problem(lab, "no-routes")
    assert (node_problem.about, node_problem.node) == ("node", "l2")
    lab.editor.problems.on_pick(node_problem)
    lab.wait(lambda: set(lab.view.selection) == {Key("node", "l2")})


def _places(user: Any) -> str:
    """The texts of the column Where."""
    tree = user.editor.problems.tree
    return " ".join(tree.set(row, "where") for row in tree.get_children())
