"""Commands of the canvas: text in place, notes and shapes, colors, the grid, layouts, and pictures."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from tkinter import colorchooser, filedialog
from typing import Any, Literal

from ttkbootstrap.dialogs import Messagebox

from frrlib.addressing.resolved import resolved
from frrlib.edits import annotations as annotating
from frrlib.edits import clipboard
from frrlib.edits.autonomous_systems import free_asn
from frrlib.edits.changes import name_fault, rename, replace_node
from frrlib.edits.generator_table import offset_beside
from frrlib.edits.layouts import LAYOUTS
from frrlib.errors import LabError
from frrlib.formats.files import replace_file
from frrlib.model.annotations import PALETTE
from frrlib.model.topology import Topology
from frrlib.picture import colors
from frrlib.picture.export import FORMATS, picture_bytes
from frrlib.picture.geometry import Box
from frrlib.picture.labels import Labels
from frrlib.picture.name_positions import NAME_GAP, name_box
from frrlib.picture.scene import Key
from frrlib.picture.shapes import height_for
from frrlib.picture.text_sizes import NAME_SIZE
from miniedit_frr.canvas.text_editor import TextEditor
from miniedit_frr.edit_commands.generators import GeneratorDialog
from miniedit_frr.edit_commands.selection import EditCommands
from miniedit_frr.tools import chosen
from miniedit_frr.tools.base import Tool, ToolContext
from miniedit_frr.tools.pointer import ToolController
from miniedit_frr.user.window_state import SNAP_LABELS, SnapOptions
from miniedit_frr.widgets.popup import popup_menu


class CanvasCommands:
    """The commands for names in place, notes, shapes, colors, the grid, generated networks and pictures.

    Attributes:
        snap_options: the grid, and whether drags snap.
        writing: the text editor on the canvas; None if it is closed.
        generator: the last dialog for a generated network.
        with_timers: sets the timers of the routing of an inserted network, given the topology with it and the names of
            the new nodes.
    """

    def __init__(
        self,
        context: ToolContext,
        edits: EditCommands,
        tool_controller: ToolController,
        snap_options: SnapOptions,
        read_labels: Callable[[], Labels],
    ) -> None:
        self._document, self._view, self._tell, self._edits = context.document, context.view, context.tell, edits
        self.snap_options = snap_options
        self._labels = read_labels
        self._painter = ThreadPoolExecutor(1, "picture")
        self.writing: TextEditor | None = None
        self.generator: GeneratorDialog | None = None
        self.with_timers: Callable[[Topology, Collection[str]], Topology] = lambda merged, names: merged
        self._swatches: dict[str, tk.PhotoImage] = {}
        tool_controller.on_write = self.write
        tool_controller.on_placed = self._edit_new_note
        # A gesture that begins while a thing is renamed would look for its old name.
        tool_controller.on_press = self.finish_writing
        # The field would stay in place while the drawing moves below it.
        for sequence in ("<ButtonPress-2>", "<Button-4>", "<Button-5>", "<MouseWheel>"):
            self._view.bind(sequence, lambda event: self.finish_writing(), add=True)
        self._view.on_zoom.append(self.finish_writing)
        self._apply_snap_options()

    def commands(self) -> dict[str, Callable[[], object]]:
        """The commands of menus, by name."""
        return {
            "write": self.write_selected,
            "generate": self.ask_topology,
            **{f"hold_{name}": partial(self._toggle, name) for name in SNAP_LABELS},
        }

    def flags(self) -> dict[str, Callable[[], bool]]:
        """The states of the switches, by name."""
        return {f"hold_{name}": partial(self._is_switched_on, name) for name in SNAP_LABELS}

    # --- the grid ---

    def _is_switched_on(self, name: str) -> bool:
        return bool(getattr(self.snap_options, name))

    def _toggle(self, name: str) -> None:
        self.snap_options = replace(self.snap_options, **{name: not self._is_switched_on(name)})
        self._apply_snap_options()

    def _apply_snap_options(self) -> None:
        self._view.snap_grid.set(self.snap_options.grid, self.snap_options.snap, self.snap_options.guides)

    # --- text in place ---

    def write_selected(self) -> None:
        """Edit the text of the selected thing: the name of a node, or the text of a note or a shape."""
        if len(self._view.selection) == 1:
            (key,) = self._view.selection
            self.write(key)

    def finish_writing(self) -> None:
        """Accept the text that is being edited. An invalid text is dropped, and the reason is shown."""
        writing, self.writing = self.writing, None
        if writing is not None:
            writing.finish()

    def leave_writing(self) -> None:
        """Drop the text that is being edited."""
        writing, self.writing = self.writing, None
        if writing is not None:
            writing.cancel()

    @property
    def writing_fault(self) -> str:
        """The reason why the text that is being edited is invalid; empty if it is valid."""
        return self.writing.fault if self.writing is not None else ""

    def focus_fault(self) -> bool:
        """Give the keyboard to the field on the canvas if its text is invalid. Returns whether it is."""
        if self.writing is None or self.writing.field is None or not self.writing.fault:
            return False
        self.writing.field.focus_set()
        return True

    def write(self, key: Key) -> bool:
        """Edit a name or a text in place. Returns whether the thing has one."""
        self.finish_writing()
        if key.kind == "node":
            self._write_name(key)
        elif key.kind == "annotation":
            self._write_text(key)
        return key.kind in ("node", "annotation")

    def _write_name(self, key: Key) -> None:
        topology = self._document.topology
        node = topology.node(key.name)
        if node is None:
            return

        def label(text: str) -> None:
            changed = node.model_copy(update={"label": text})
            self._edits.apply(f"Label {key.name}", lambda: replace_node(self._document.topology, key.name, changed))

        def name(text: str) -> None:
            if self._edits.apply(f"Rename {key.name}", lambda: rename(self._document.topology, key.name, text)):
                self._view.select({Key("node", text)})

        # The user edits the visible text: a label is shown instead of the name.
        if node.label:
            self.writing = TextEditor(self._view, node.label, label)
        else:
            fault = partial(name_fault, topology, key.name)
            self.writing = TextEditor(self._view, node.name, name, fault, self._tell)
        sprite, width = self._view.scene.nodes[key], self._view.measure(node.label or node.name, NAME_SIZE)
        box = name_box(sprite.at, sprite.side, width, NAME_SIZE).grown(NAME_GAP)
        self.writing.edit_line((box.center[0], box.top), width)

    def _write_text(self, key: Key) -> None:
        annotation = self._document.topology.annotation(key.name)
        if annotation is None:
            return
        sprite = self._view.scene.shapes[key]

        def done(text: str) -> None:
            height = annotation.height
            if annotation.kind == "note":
                height = max(height, round(height_for(text, "note", sprite.box, self._view.measure)))
            fields: dict[str, Any] = {"text": text, "height": height}
            self._edits.apply(
                f"Write {annotation.kind}",
                lambda: annotating.change(self._document.topology, [annotation.id], **fields),
            )

        self.writing = TextEditor(self._view, annotation.text, done)
        box = sprite.box
        if annotation.kind != "note":
            box = Box(box.left, box.top, box.right, min(box.bottom, box.top + 46))
        self.writing.edit_text(box)
        self._tell("Click elsewhere or press Ctrl-Return to accept the text. Escape cancels.")

    def _edit_new_note(self, tool: Tool) -> None:
        if tool.icon == "note":
            self.write_selected()

    # --- generated networks and layouts ---

    def ask_topology(self) -> None:
        """Ask for a generated network, and insert it beside the present one."""
        view, first_asn = self._view, free_asn(self._document.topology)
        self.generator = GeneratorDialog(view.winfo_toplevel(), view.theme, view.ui, self._insert, first_asn)

    def _insert(self, title: str, part: Topology) -> None:
        topology = self._document.topology
        merged, names = clipboard.merge(topology, part, *offset_beside(topology, part))
        self._document.apply(f"Insert {title.lower()}", self.with_timers(merged, names.values()))
        self._view.select(Key("node", name) for name in names.values())
        self._view.fit()

    def layouts(self) -> list[tuple[str, Callable[[], object]]]:
        """The layouts for a menu."""
        return [(name, partial(self.lay_out, name)) for name in LAYOUTS]

    def lay_out(self, name: str) -> None:
        """Lay out the selected nodes, or all nodes if fewer than two are selected."""
        names = self._edits.names
        chosen_names = names if len(names) > 1 else None
        label = f"Lay out as {name.lower()}"
        is_done = self._edits.apply(label, lambda: LAYOUTS[name](self._document.topology, chosen_names))
        if is_done and chosen_names is None:
            self._view.fit()

    # --- pictures ---

    def export_picture(self) -> None:
        """Ask for a file, and write a picture of the drawing into it, with the visible texts."""
        selected_type = tk.StringVar(self._view)
        types = [(f"{name.upper()} picture", f"*.{name}") for name in FORMATS]
        path = self._document.path
        path_text = filedialog.asksaveasfilename(
            parent=self._view, title="Export a picture", filetypes=types, typevariable=selected_type,
            initialdir=str(path.parent) if path else "", initialfile=f"{path.stem if path else 'drawing'}.png",
        )  # fmt: skip
        if path_text:
            formats = {title: name for name, (title, _) in zip(FORMATS, types, strict=True)}
            target = _with_ending(Path(path_text), formats.get(selected_type.get(), FORMATS[0]))
            # The file dialog has asked whether to replace a file with the typed name.
            if str(target) == path_text or not target.exists() or self._may_replace(target):
                self.save_picture(target)

    def _may_replace(self, path: Path) -> bool:
        question = f"{path.name} already exists in this folder. Replace it?"
        buttons = ["Cancel:secondary-outline", "Replace:danger"]
        answer = Messagebox.show_question(question, "Replace a file", parent=self._view, buttons=buttons)
        return bool(answer == "Replace")

    def save_picture(self, path: Path, kind: str = FORMATS[0]) -> None:
        """Write a picture into a file. The ending of the file determines the format; without one it is `kind`."""
        path = _with_ending(path, kind)
        topology, labels = self._document.topology, self._labels()
        self._tell(f"Drawing {path.name} …")

        def paint() -> None:
            # A large drawing takes seconds. Its addresses are computed again, since the visible ones may be outdated.
            replace_file(path, picture_bytes(topology, path.suffix.lower()[1:], labels, resolved(topology)))

        self._wait_for_picture(self._painter.submit(paint), path)

    def _wait_for_picture(self, job: Future[None], path: Path) -> None:
        if not job.done():
            self._view.after(40, self._wait_for_picture, job, path)
            return
        error = job.exception()
        if error is None:
            self._edits.say(f"Exported to {path}.")
        elif isinstance(error, LabError | OSError | ValueError):
            self._edits.say(f"The picture cannot be exported: {error}")
            self._view.bell()
        else:
            raise error

    # --- colors and order ---

    def _recolor(self, part: Literal["fill", "line"], color: str) -> None:
        """Color the selection: the icons of nodes, and the fill or outline of notes and shapes."""
        names, ids = self._edits.names, chosen.annotation_ids(self._view.selection)

        def recolored() -> Topology:
            topology = self._document.topology
            if names and part == "fill":
                topology = annotating.color_nodes(topology, names, color)
            return annotating.change(topology, ids, **{part: color})

        self._edits.apply(f"Color {chosen.selection_name(self._view.selection)}", recolored)

    def _choose_color(self, part: Literal["fill", "line"]) -> None:
        _, color = colorchooser.askcolor(parent=self._view, title="Color")
        if color:
            self._recolor(part, color)

    def _restack(self, end: Literal["front", "back"]) -> None:
        ids = chosen.annotation_ids(self._view.selection)
        self._edits.apply(f"Bring to {end}", lambda: annotating.restack(self._document.topology, ids, end))

    def fill_context_menu(self, menu: tk.Menu, key: Key | None) -> None:
        """Add the commands for the selection to a context menu."""
        if key is None or key.kind not in ("node", "annotation"):
            return
        is_annotation = key.kind == "annotation"
        menu.add_separator()
        menu.add_command(
            label="Write…" if is_annotation else "Rename", command=partial(self.write, key), accelerator="F2"
        )
        self._palette(menu, "Fill" if is_annotation else "Color", "fill")
        if is_annotation:
            self._palette(menu, "Outline", "line")
            menu.add_command(label="Bring to Front", command=partial(self._restack, "front"))
            menu.add_command(label="Send to Back", command=partial(self._restack, "back"))

    def _palette(self, menu: tk.Menu, label: str, part: Literal["fill", "line"]) -> None:
        theme, is_node = self._view.theme, not chosen.annotation_ids(self._view.selection)
        shade = colors.ground if part == "fill" and not is_node else colors.strong
        palette = popup_menu(menu, theme)
        for name in PALETTE:
            swatch = self._swatch(shade(name, theme))
            palette.add_command(
                label=name.capitalize(), image=swatch, compound="left", command=partial(self._recolor, part, name)
            )
        palette.add_command(label="Default" if is_node else "None", command=partial(self._recolor, part, ""))
        palette.add_command(label="Other…", command=partial(self._choose_color, part))
        menu.add_cascade(label=label, menu=palette)

    def _swatch(self, color: str) -> tk.PhotoImage:
        if color not in self._swatches:
            edge = round(14 * self._view.ui)
            self._swatches[color] = tk.PhotoImage(master=self._view, width=edge + 6, height=edge)
            self._swatches[color].put(color, to=(0, 0, edge, edge))
        return self._swatches[color]


def _with_ending(path: Path, kind: str) -> Path:
    """The path, with the ending of this format if it has no ending of a picture."""
    return path if path.suffix.lower().removeprefix(".") in FORMATS else path.with_name(f"{path.name}.{kind}")
