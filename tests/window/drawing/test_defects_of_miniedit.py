"""Seven defects that MiniEdit 2.3 is known for, and that this editor must not have: the numbers are those of the docs.

Each is shown absent where a person would meet it: in the window, with MiniEdit's own files.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.edits.changes import rename
from frrlib.formats import mn
from frrlib.model.nodes import Host, Router, Switch
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from frrlib.render.plan import plan
from miniedit_frr.files import file_menu

pytestmark = pytest.mark.gui


def node(name: str, number: int, x: float, **opts: Any) -> dict[str, Any]:
    """A node as MiniEdit writes it."""
    return {"number": str(number), "x": str(x), "y": "150.0", "opts": {"hostname": name, "nodeNum": number, **opts}}


#: A file as MiniEdit writes it; names and numbers have gaps, as after deleting.
MINIEDIT = {
    "version": "2",
    "application": {
        "dpctl": "6634", "ipBase": "10.9.0.0/16", "startCLI": "1", "switchType": "user", "terminalType": "gterm",
        "netflow": {"nflowAddId": "1", "nflowTarget": "10.0.0.9:9996", "nflowTimeout": "60"},
        "openFlowVersions": {"ovsOf10": "1", "ovsOf11": "0", "ovsOf12": "0", "ovsOf13": "1"},
        "sflow": {"sflowHeader": "64", "sflowPolling": "10", "sflowSampling": "100", "sflowTarget": "10.0.0.9"},
    },
    "controllers": [],
    "hosts": [
        node("h1", 1, 100, sched="host", startCommand="echo up", stopCommand="echo down",
             vlanInterfaces=[["10.7.0.1/24", "7"]]),
        node("h4", 4, 700, sched="host"),
    ],
    "switches": [
        node("s2", 2, 250, switchType="legacySwitch", controllers=[]),
        node("r5", 5, 400, switchType="legacyRouter", controllers=[]),
        node("s7", 7, 550, switchType="default", controllers=[], stopCommand="echo bye"),
    ],
    "links": [
        {"src": "h1", "dest": "s2", "opts": {}}, {"src": "s2", "dest": "r5", "opts": {"bw": 10, "delay": "5ms"}},
        {"src": "r5", "dest": "s7", "opts": {}}, {"src": "s7", "dest": "h4", "opts": {}},
    ],
}  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """MiniEdit's file."""
    path = tmp_path / "miniedit.mn"
    path.write_text(json.dumps(MINIEDIT, sort_keys=True, indent=4))
    return path


@pytest.fixture
def user_with_file(user: Any, path: Path) -> Any:
    """A user who has opened the file."""
    user.editor.files.open(path)
    user.view.zoom_to(1)
    return user


def test_defect_1_miniedit_files_open(user_with_file: Any) -> None:
    assert [node.name for node in user_with_file.topology.nodes] == ["h1", "h4", "s2", "r5", "s7"]
    assert len(user_with_file.topology.links) == 4
    assert user_with_file.topology.link("l2").a_to_b.rate_mbit == 10


def test_defect_1_opening_a_broken_file_keeps_the_current_topology(
    user_with_file: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages: list[str] = []
    monkeypatch.setattr(file_menu.Messagebox, "show_error", lambda text, *_, **__: messages.append(text))
    topology, items = user_with_file.topology, user_with_file.view.drawn_keys
    (tmp_path / "bad.mn").write_text('{"version": "2", "hosts": [')
    user_with_file.editor.files.open(tmp_path / "bad.mn")
    assert "cannot be opened" in messages[0]
    assert user_with_file.topology == topology
    assert user_with_file.view.drawn_keys == items


def test_defect_2_stop_commands_are_exported_to_the_script(
    user_with_file: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "lab.py"
    monkeypatch.setattr(file_menu.filedialog, "asksaveasfilename", lambda **_: str(out))
    user_with_file.editor.files.export_script()
    text = out.read_text()
    ast.parse(text)
    assert "echo down" in text
    assert "__main__" in text


def test_defect_2_a_failed_export_keeps_the_old_file(
    user_with_file: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from frrlib.errors import PlaceError
    from frrlib.formats import script

    out = tmp_path / "lab.py"
    out.write_text("# the old one")

    def full(*_: object) -> None:
        raise PlaceError("the disk is full")

    messages: list[str] = []
    monkeypatch.setattr(script, "replace_file", full)
    monkeypatch.setattr(file_menu.filedialog, "asksaveasfilename", lambda **_: str(out))
    monkeypatch.setattr(file_menu.Messagebox, "show_question", lambda *_, **__: "Replace")
    monkeypatch.setattr(file_menu.Messagebox, "show_error", lambda text, *_, **__: messages.append(text))
    user_with_file.editor.files.export_script()
    assert "the disk is full" in messages[0]
    assert out.read_text() == "# the old one"


def test_defect_3_nodes_drawn_after_opening_get_unique_names(user_with_file: Any) -> None:
    old_topology = user_with_file.topology
    for index, key in enumerate("hsbgr"):
        user_with_file.tool(key)
        user_with_file.click((100 + 110 * index, 320))
    names = [node.name for node in user_with_file.topology.nodes]
    assert len(names) == len(set(names)) == 10
    assert user_with_file.topology.nodes[:5] == old_topology.nodes
    numbers = [node.number for node in user_with_file.topology.hosts]  # addresses of hosts without one come from these
    assert len(numbers) == len(set(numbers))


def test_defect_4_vlan_interfaces_are_in_the_plan_of_the_lab(user_with_file: Any) -> None:
    built = plan(addressed(user_with_file.topology))
    (h1,) = [node_plan for node_plan in built.nodes if node_plan.name == "h1"]
    assert [(vlan.interface, vlan.vlan_id, vlan.addresses) for vlan in h1.vlans] == [("h1-eth0", 7, ("10.7.0.1/24",))]


@pytest.mark.parametrize("name", ["r5", "s2"])
def test_defect_5_legacy_routers_and_switches_have_properties(user_with_file: Any, name: str) -> None:
    user_with_file.editor.dialogs.open_key(Key("node", name))
    (dialog,) = user_with_file.editor.dialogs.open_dialogs.values()
    dialog.form.draft.set("node.label", "the middle")
    dialog.form.ok_button.invoke()
    assert user_with_file.topology.node(name).label == "the middle"


def test_defect_5_interfaces_of_legacy_routers_accept_addresses(user_with_file: Any, tmp_path: Path) -> None:
    user_with_file.editor.dialogs.open_key(Key("node", "r5"))
    (dialog,) = user_with_file.editor.dialogs.open_dialogs.values()
    draft = dialog.form.draft
    (columns,) = [draft.kind("interfaces").columns]
    place = [column.label for column in columns].index("Addresses")
    rows = [list(row) for row in draft.content("interfaces")]
    rows[-1][place] = "192.0.2.1/24"
    draft.set("interfaces", tuple(tuple(row) for row in rows))
    dialog.form.ok_button.invoke()
    saved_file = tmp_path / "kept.mn"
    mn.save(user_with_file.topology, saved_file)
    end = mn.load(saved_file).topology.link("l3").a
    assert (end.node, [str(address) for address in end.addresses]) == ("r5", ["192.0.2.1/24"])


def test_defect_6_the_preferences_dialog_changes_only_the_edited_field(user_with_file: Any) -> None:
    old_topology = user_with_file.topology
    user_with_file.editor.dialogs.preferences()
    (dialog,) = user_with_file.editor.dialogs.open_dialogs.values()
    dialog.form.draft.set("preferences.ip_base", "10.8.0.0/16")
    dialog.form.ok_button.invoke()
    preferences = old_topology.preferences.model_copy(update={"ip_base": "10.8.0.0/16"})
    assert user_with_file.topology == old_topology.model_copy(update={"preferences": preferences})


def test_defect_6_a_new_topology_has_default_preferences(user_with_file: Any) -> None:
    assert user_with_file.topology.preferences != Topology().preferences
    user_with_file.editor.files.new()
    assert user_with_file.topology == Topology()


def test_defect_7_a_saved_file_has_no_traces_of_a_nodes_old_name(user_with_file: Any, tmp_path: Path) -> None:
    user_with_file.click(user_with_file.at("h1"))
    user_with_file.document.apply("Rename h1", rename(user_with_file.topology, "h1", "alice"))
    user_with_file.document.path = tmp_path / "renamed.mn"
    user_with_file.press_key("<Control-Key-s>")
    text = (tmp_path / "renamed.mn").read_text()
    # The automatic addresses derive from the original name. Nothing else has it.
    assert '"alice"' in text and '"h1' not in text.replace('"original_name": "h1"', "")
    saved = mn.load(tmp_path / "renamed.mn").topology
    assert isinstance(saved.node("alice"), Host)
    assert saved.node("alice").start_command == "echo up"  # type: ignore[union-attr]
    assert saved.link("l1").a.node == "alice"  # type: ignore[union-attr]


def test_defect_7_the_dialog_rejects_the_name_of_another_node(user_with_file: Any) -> None:
    old_topology = user_with_file.topology
    user_with_file.editor.dialogs.open_key(Key("node", "h4"))
    (dialog,) = user_with_file.editor.dialogs.open_dialogs.values()
    dialog.form.draft.set("node.name", "r5")
    assert not dialog.form.is_valid
    dialog.form.ok()
    assert user_with_file.topology == old_topology
    dialog.form.cancel()
    assert isinstance(user_with_file.topology.node("r5"), Router)
    assert isinstance(user_with_file.topology.node("s7"), Switch)
