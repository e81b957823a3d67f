"""Insert Topology: typed values are checked, shown, and inserted in one step."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.checks.check import check
from frrlib.edits.generator_table import RECIPES
from frrlib.prediction.routes import expected_routes
from tests.window.widgets import of_class

pytestmark = pytest.mark.gui


def open_dialog(user: Any, kind: str = "ring") -> Any:
    user.press_key("<Control-Key-t>")
    dialog = user.editor.canvas_commands.generator
    next(button for button in of_class(dialog.window, "TRadiobutton") if button.cget("value") == kind).invoke()
    user.editor.window.update()
    return dialog


def preview(dialog: Any) -> str:
    """The name of the picture of the network."""
    (picture,) = (label for label in of_class(dialog.window, "Label") if label.cget("image"))
    return str(picture.cget("image"))


def test_typed_values_update_the_count_and_the_preview(user: Any) -> None:
    dialog = open_dialog(user)
    old_preview = preview(dialog)
    dialog.texts["n"].set("9")
    user.editor.window.update()
    assert dialog.count.cget("text") == "18 nodes, 18 links"
    assert preview(dialog) != old_preview
    dialog.close()


def test_an_invalid_value_is_reported_and_nothing_is_inserted(user: Any) -> None:
    dialog = open_dialog(user)
    dialog.texts["n"].set("2")
    assert "at least 3" in dialog.faults["n"].cget("text")
    assert str(dialog.button.cget("state")) == "disabled"
    dialog.ok()
    assert user.topology.nodes == ()
    dialog.texts["n"].set("3")
    assert dialog.faults["n"].cget("text") == ""
    dialog.close()


@pytest.mark.parametrize("kind", RECIPES)
def test_each_kind_is_inserted_in_one_step(user: Any, kind: str) -> None:
    user.tool("h")
    user.click((200, 200))
    dialog = open_dialog(user, kind)
    generated = dialog.topology
    user.press_key("<Return>", dialog.window)
    assert len(user.topology.nodes) == len(generated.nodes) + 1
    assert len(user.topology.links) == len(generated.links)
    assert len({node.name for node in user.topology.nodes}) == len(user.topology.nodes)
    assert user.selected() == {node.name for node in user.topology.nodes} - {"h1"}
    assert not [problem for problem in check(user.topology) if problem.severity == "error" and problem.node != "h1"]
    user.press_key("<Control-Key-z>")
    assert [node.name for node in user.topology.nodes] == ["h1"]


def test_a_large_network_is_drawn_after_a_pause_and_escape_cancels(user: Any) -> None:
    dialog = open_dialog(user, "grid")
    old_preview = preview(dialog)
    dialog.texts["rows"].set("20")
    dialog.texts["columns"].set("20")
    assert preview(dialog) == old_preview
    user.wait(lambda: preview(dialog) != old_preview)
    dialog.texts["columns"].set("21")
    user.press_key("<Escape>", dialog.window)
    assert user.topology.nodes == ()


def test_inserted_routers_with_an_as_each_learn_all_networks(user: Any) -> None:
    """Twice: the second ones have numbers of their own."""
    for count in (3, 6):
        dialog = open_dialog(user, "line")
        dialog.texts["n"].set("3")
        (device,) = of_class(dialog.window, "TCombobox")
        device.set("FRR routers with BGP, an AS each")
        device.event_generate("<<ComboboxSelected>>")
        dialog.ok()
        user.editor.window.update()
        assert sorted(router.bgp.asn for router in user.topology.routers) == list(range(65_001, 65_001 + count))
    assert not [str(problem) for problem in check(user.topology) if problem.severity != "note"]
    full = addressed(user.topology)
    expected = expected_routes(full)
    hosts = {
        address.network for name in ("h1", "h2", "h3") for _, end in full.ends_at(name) for address in end.addresses
    }
    assert len(hosts) == 3
    connected = {address.network for _, end in full.ends_at("r1") for address in end.addresses}
    assert hosts <= connected | set(expected["r1"])
