"""Makes pictures of the dialogs in a folder, dialog-*.png: every page of every one, light and dark.

python docs/tools/make_dialog_pictures.py [--scaling PERCENT] [--only NAME] FOLDER

Needs Xvfb. Every picture is an unedited dialog of one of the examples.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_editor_pictures import display, screenshot, write_png  # noqa: E402

from frrlib.edits.changes import add_node, replace_node  # noqa: E402
from frrlib.model.nodes import Router  # noqa: E402
from frrlib.model.routing import (  # noqa: E402
    Bgp,
    Ospf,
    PrefixList,
    PrefixRule,
    RouteMap,
    RouteMapEntry,
    Vrf,
)
from frrlib.model.topology import Topology  # noqa: E402
from frrlib.picture.scene import Key  # noqa: E402
from miniedit_frr.app.app import Editor  # noqa: E402
from miniedit_frr.dialogs.fields.rows import RowsInput  # noqa: E402
from miniedit_frr.dialogs.form import Form  # noqa: E402
from miniedit_frr.dialogs.subjects import Links, Nodes, Subject, TopologySettings  # noqa: E402
from miniedit_frr.document.document import Document  # noqa: E402
from miniedit_frr.user.preferences import Preferences, PreferenceStore  # noqa: E402


@dataclass(frozen=True)
class DialogPicture:
    """A dialog, and its pages that get pictures.

    Attributes:
        name: of the pictures.
        subject: the nodes, links or settings of the dialog.
        typed: fields with the texts that are typed into them.
        pages: titles of the pages. Empty: all pages, or the first one if texts are typed.
    """

    name: str
    subject: Callable[[], Subject]
    typed: tuple[tuple[str, str], ...] = ()
    pages: tuple[str, ...] = ()


def _l2() -> Subject:
    return Links(["l2"])


def _both(**texts: str) -> tuple[tuple[str, str], ...]:
    """The same texts for both directions of a link."""
    return tuple((f"{side}.{name}", text) for name, text in texts.items() for side in ("a_to_b", "b_to_a"))


#: Measured delays of two paths through a network.
_DELAYS = " ".join(f"{18 + (number * 7 % 50) / 10 + (30 if number % 5 == 0 else 0):g}" for number in range(200))

#: Commands of a published experiment.
_COMMANDS = "root handle 1: netem delay 10ms\nparent 1:1 handle 10: tbf rate 80mbit buffer 1mbit limit 1000mbit"

DIALOGS = (
    DialogPicture("host", lambda: Nodes("host", ["h1"])),
    DialogPicture("router", lambda: Nodes("router", ["r1"])),
    DialogPicture("switch", lambda: Nodes("switch", ["s1"])),
    DialogPicture("bridge", lambda: Nodes("bridge", ["s2"])),
    DialogPicture("controller", lambda: Nodes("controller", ["c0"])),
    DialogPicture("link", _l2),
    DialogPicture(
        "link-pfifo", _l2, _both(queue="pfifo", queue_limit="100 packets"), ("Directions", "Queue", "In the kernel")
    ),
    DialogPicture("link-fq-codel", _l2, _both(queue="fq_codel", shaper="htb"), ("Queue", "In the kernel")),
    DialogPicture("link-cake", _l2, _both(queue="cake"), ("Queue",)),
    DialogPicture(
        "link-red",
        _l2,
        (("a_to_b.queue", "red"), ("a_to_b.queue_limit", "1 BDP"), ("b_to_a.queue", "fq_codel")),
        ("Directions", "Queue", "In the kernel"),
    ),
    DialogPicture("link-bursts", _l2, _both(jitter_ms="2", loss_model="Gilbert-Elliott"), ("Cable", "In the kernel")),
    DialogPicture("link-measured", _l2, _both(jitter_samples=_DELAYS), ("Cable",)),
    DialogPicture("link-own", _l2, (("a_to_b.qdiscs", _COMMANDS),), ("Directions", "Own commands", "In the kernel")),
    DialogPicture("links", lambda: Links(["l1", "l2", "l3"])),
    DialogPicture("flows", lambda: TopologySettings("flows")),
    DialogPicture("preferences", lambda: TopologySettings("preferences")),
    DialogPicture(
        "link-wrong",
        _l2,
        _both(delay_ms="20 mbit", queue_limit="0 ms"),
    ),
)


def topology_of_all_kinds() -> Topology:
    """The two autonomous systems, with one node of every other kind."""
    document = Document()
    document.open(ROOT / "examples" / "two-as-bgp.mn")
    topology = document.topology
    r1 = topology.node("r1")
    assert isinstance(r1, Router)
    topology = replace_node(topology, "r1", with_routing(r1))
    for tool, x in (("switch", 100.0), ("bridge", 250.0), ("controller", 400.0)):
        topology, _ = add_node(topology, tool, x, 400.0)
    return topology


def with_routing(router: Router) -> Router:
    """The router with settings on most of its pages: a policy, a VRF, and own lines with a mistake."""
    assert router.bgp is not None
    theirs = PrefixList(name="theirs", rules=(PrefixRule(prefix=ip_network("10.1.0.0/16"), at_most=24),))
    entry = RouteMapEntry(sequence=10, match_prefix_list="theirs", set_local_preference=200)
    (session,) = router.bgp.neighbors
    lines = "ip prefix-list own permit 10.0.0.0/16\nip routee 192.0.2.0/24 blackhole\n"
    return router.model_copy(
        update={
            "bgp": router.bgp.model_copy(update={"neighbors": (session.model_copy(update={"route_map_in": "in"}),)}),
            "ospf": Ospf(hello_s=1, dead_s=4),
            "prefix_lists": (theirs,),
            "route_maps": (RouteMap(name="in", entries=(entry, RouteMapEntry(sequence=20, action="deny"))),),
            "vrfs": (Vrf(name="red", bgp=Bgp(asn=100)),),
            "frr_conf": lines,
        }
    )


def open_rows(form: Form) -> None:
    """Open the first row of each list whose rows have forms."""
    for path in ("node.bgp.neighbors", "node.vrfs", "node.route_maps"):
        rows = form.inputs.get(path)
        if isinstance(rows, RowsInput):
            rows.open(0)
            entries = rows.details.inputs.get("entries") if rows.details is not None else None
            if isinstance(entries, RowsInput):
                entries.open(0)


def take(editor: Editor, picture: DialogPicture, folder: Path, ending: str) -> None:
    """Open a dialog, and take a picture of each of its pages."""
    dialog = editor.dialogs.open(picture.subject()).form
    dialog.draft.put_all(dict(picture.typed))
    titles = picture.pages or [tab.title for tab in (dialog.tabs[:1] if picture.typed else dialog.tabs)]
    for index, tab in enumerate(dialog.tabs):
        if tab.title not in titles:
            continue
        if dialog.book is not None:
            dialog.book.select(index)
        open_rows(dialog._forms[index])
        for _ in range(4 if tab.title == "frr.conf" else 1):  # FRR checks the lines meanwhile
            _settle(editor)
        is_alone = len(dialog.tabs) == 1 or (len(titles) == 1 and bool(picture.typed))
        page = "" if is_alone else f"-{tab.title.lower().replace(' ', '-')}"
        write_png(screenshot(dialog.window), folder / f"dialog-{picture.name}{page}{ending}.png")
    dialog.cancel()


def take_groups(editor: Editor, folder: Path, ending: str) -> None:
    """The dialog that makes autonomous systems of groups."""
    editor.view.select({Key("node", "r1")})
    editor.routing.ask_groups()
    _settle(editor)
    dialog = editor.routing.dialog
    assert dialog is not None
    write_png(screenshot(dialog.window), folder / f"dialog-groups{ending}.png")
    dialog.cancel()


def _settle(editor: Editor) -> None:
    end = time.monotonic() + 0.4
    while time.monotonic() < end:
        editor.window.update()
        time.sleep(0.01)


def main() -> None:
    """Take every picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scaling", type=int, default=0, help="percent; 0 for the screen's own")
    parser.add_argument("--only", default="", help="first letters of the names of the dialogs to take")
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with display(2880, 1800) as display_name, tempfile.TemporaryDirectory() as below:
        os.environ["DISPLAY"] = display_name
        for theme in ("light", "dark"):
            memory = Path(below) / theme / "window.json"
            preferences = Preferences(theme=theme, scaling_percent=arguments.scaling)  # type: ignore[arg-type]
            PreferenceStore(memory.with_name("preferences.json")).change(preferences)
            editor = Editor(Document(topology_of_all_kinds()), memory)
            editor.window.geometry("1280x800+0+0")
            _settle(editor)
            ending = "-dark" if theme == "dark" else ""
            for picture in DIALOGS:
                if picture.name.startswith(arguments.only):
                    take(editor, picture, arguments.folder, ending)
            if "groups".startswith(arguments.only):
                take_groups(editor, arguments.folder, ending)
            editor.close()


if __name__ == "__main__":
    main()
