"""Conditions that hold in the window after every step, whatever the user did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from frrlib.formats import mn
from frrlib.picture.scene import scene_of
from tests.random_user.widget_texts import cut_texts


def violations(editor: Any) -> Iterator[str]:
    """The violated conditions, one sentence each. Must be called in the window's thread."""
    yield from _of_the_drawing(editor)
    yield from _of_the_selection(editor)
    yield from cut_texts(editor.window)


def _of_the_drawing(editor: Any) -> Iterator[str]:
    document, view = editor.document, editor.view
    topology = document.topology
    expected = scene_of(topology, editor.settings.labels, editor.resolved)
    shown, expected_keys = view.scene.keys(), expected.keys()
    if shown != expected_keys:
        yield f"the drawing shows {sorted(map(str, shown ^ expected_keys))[:4]} or lacks them"
    missing = [key for key in expected_keys if not view.items_of(key)]
    if missing:
        yield f"the canvas has no item for {missing[:4]}"
    for name, sprite in view.scene.places.items():
        node = topology.node(name)
        if node is not None and sprite != (node.x, node.y):
            yield f"{name} is shown at {sprite}, not at {(node.x, node.y)}"
    text = mn.dumps(topology)
    if mn.loads(text).topology != topology:
        yield "the saved drawing is another one"
    title = editor.window.title()
    if title.startswith("*") == document.is_saved:
        yield f"the title is {title!r}, but the document is {'saved' if document.is_saved else 'changed'}"


def _of_the_selection(editor: Any) -> Iterator[str]:
    view = editor.view
    unknown = view.selection - view.scene.keys()
    if unknown:
        yield f"selected, but not in the drawing: {sorted(map(str, unknown))[:4]}"
    text, count = editor.status.fact("selection"), len(view.selection)
    names = [key.name[:8] for key in view.selection if key.kind == "node"]
    if count == 1:
        is_right = bool(text) and all(name in text for name in names)
    else:
        is_right = text == (f"{count} selected" if count else "")
    if not is_right:
        yield f"the status bar says {text!r} of {count} selected things"
    unknown = view.highlighted_keys - view.scene.keys()
    if unknown:
        yield f"highlighted, but not in the drawing: {sorted(map(str, unknown))[:4]}"
