"""Insert Topology: a generated network with a preview."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable

import ttkbootstrap as ttk
from PIL import ImageTk

from frrlib.edits.autonomous_systems import FIRST_ASN
from frrlib.edits.generator_table import DEVICES, RECIPES, RecipeInput, generate
from frrlib.errors import TopologyError
from frrlib.model.labels import with_remedy
from frrlib.model.topology import Topology
from frrlib.picture.theme import Theme
from frrlib.picture.thumbnail import picture
from miniedit_frr.widgets.traces import on_write

_SMALL, _LARGE = (64, 40), (440, 270)
#: Height of the window without the preview.
_OTHER_HEIGHT = 300
#: A preview with up to this many nodes is drawn after every key; a larger one after a pause.
_QUICK, _PAUSE_MS = 60, 200


class GeneratorDialog:
    """A dialog that asks for the kind and size of a network, and shows a preview.

    Args:
        parent: the window over which it opens.
        theme, ui: colors and scaling.
        insert: called with the title and the network.
        first_asn: number of the first AS, if routers are ASes.

    Attributes:
        window: the Tk window, which is destroyed at the end.
        topology: the network to insert; None if the parameters are invalid.
    """

    def __init__(
        self,
        parent: tk.Tk | tk.Toplevel,
        theme: Theme,
        ui: float,
        insert: Callable[[str, Topology], None],
        first_asn: int = FIRST_ASN,
    ) -> None:
        self._theme, self._ui, self._insert, self._first_asn = theme, ui, insert, first_asn
        # On a low screen the preview is smaller.
        preview_px = parent.winfo_screenheight() * 0.9 - _OTHER_HEIGHT * ui
        self._large = round(_LARGE[0] * ui), round(min(_LARGE[1] * ui, max(preview_px, 110 * ui)))
        self.topology: Topology | None = None
        self.texts: dict[str, tk.StringVar] = {}
        self.faults: dict[str, ttk.Label] = {}
        self._thumbnails: list[ImageTk.PhotoImage] = []
        self._image: ImageTk.PhotoImage | None = None
        self._pending = ""
        self.window = ttk.Toplevel(master=parent, title="Insert Topology")
        self.window.withdraw()
        self.kind = tk.StringVar(self.window, "line")
        self.device = tk.StringVar(self.window, DEVICES["router"])
        self._build()
        self._choose()
        self.window.transient(parent)
        self.window.resizable(False, False)
        self.window.update_idletasks()
        x = parent.winfo_rootx() + (parent.winfo_width() - self.window.winfo_reqwidth()) // 2
        y = parent.winfo_rooty() + (parent.winfo_height() - self.window.winfo_reqheight()) // 3
        self.window.geometry(f"+{max(0, x)}+{max(0, y)}")
        self.window.deiconify()
        self.window.bind("<Escape>", lambda event: self.close())
        self.window.bind("<Return>", lambda event: self.ok())
        self.window.protocol("WM_DELETE_WINDOW", self.close)

    # --- widgets ---

    def _build(self) -> None:
        ui = self._ui
        frame = ttk.Frame(self.window, padding=round(14 * ui))
        frame.pack(fill="both", expand=True)
        kinds = ttk.Frame(frame)
        kinds.grid(row=0, column=0, rowspan=4, sticky="n", padx=(0, round(16 * ui)))
        style = ttk.Style()
        style.configure("Kind.Toolbutton", anchor="w", padding=round(3 * ui))
        style.map("Kind.Toolbutton", foreground=[("", self._theme.text)])
        for name, recipe in RECIPES.items():
            small = generate(recipe, {})
            width, height = (round(size * ui) for size in _SMALL)
            thumbnail = ImageTk.PhotoImage(picture(small, width, height, self._theme), master=self.window)
            self._thumbnails.append(thumbnail)
            ttk.Radiobutton(
                kinds, text=f"  {recipe.title}", image=thumbnail, compound="left", variable=self.kind, value=name,
                command=self._choose, style="Kind.Toolbutton", width=12,
            ).pack(fill="x", pady=1)  # fmt: skip
        self._about = ttk.Label(frame, wraplength=round(_LARGE[0] * ui), justify="left")
        self._about.grid(row=0, column=1, sticky="w")
        self._form = ttk.Frame(frame)
        self._form.grid(row=1, column=1, sticky="new", pady=round(10 * ui))
        width, height = self._large
        self._preview = tk.Label(
            frame, background=self._theme.card, highlightthickness=1, highlightbackground=self._theme.edge,
            width=width, height=height, borderwidth=0,
        )  # fmt: skip
        self._preview.grid(row=2, column=1, sticky="s")
        self.count = ttk.Label(frame)
        self.count.grid(row=3, column=1, sticky="w", pady=(round(6 * ui), 0))
        frame.rowconfigure(1, minsize=round(148 * ui))
        row = ttk.Frame(frame)
        row.grid(row=4, column=0, columnspan=2, sticky="e", pady=(round(14 * ui), 0))
        ttk.Button(row, text="Cancel", command=self.close, bootstyle="secondary-outline").pack(side="left", padx=8)
        self.button = ttk.Button(row, text="Insert", command=self.ok, bootstyle="primary")
        self.button.pack(side="left")

    def _choose(self) -> None:
        """Show fields for the parameters of the selected kind."""
        for child in self._form.winfo_children():
            child.destroy()
        recipe = RECIPES[self.kind.get()]
        self._about.configure(text=recipe.about)
        self.texts, self.faults = {}, {}
        for row, parameter in enumerate(recipe.parameters):
            self._add_field(row, parameter)
        row = len(recipe.parameters)
        ttk.Label(self._form, text="Nodes are").grid(row=row, column=0, sticky="w", padx=(0, 12))
        box = ttk.Combobox(
            self._form, textvariable=self.device, values=list(DEVICES.values()), state="readonly",
            width=max(map(len, DEVICES.values())),
        )  # fmt: skip
        box.grid(row=row, column=1, columnspan=2, sticky="w", pady=2)
        box.bind("<<ComboboxSelected>>", lambda event: self._changed())
        self._changed()

    def _add_field(self, row: int, parameter: RecipeInput) -> None:
        text = self.texts[parameter.name] = tk.StringVar(self.window, str(parameter.usual))
        ttk.Label(self._form, text=parameter.label).grid(row=row, column=0, sticky="w", padx=(0, 12))
        field = ttk.Spinbox(
            self._form, textvariable=text, from_=parameter.least, to=2000, increment=parameter.step, width=6
        )
        field.grid(row=row, column=1, sticky="w", pady=2)
        fault = ttk.Label(self._form, bootstyle="danger", wraplength=round(140 * self._ui), justify="left")
        self.faults[parameter.name] = fault
        fault.grid(row=row, column=2, sticky="w", padx=8)
        on_write(text, field, self._changed)
        if row == 0:
            field.focus_set()
            field.selection_range(0, "end")

    # --- the network ---

    def _changed(self) -> None:
        texts = {name: text.get() for name, text in self.texts.items()}
        device = next(name for name, title in DEVICES.items() if title == self.device.get())
        for label in self.faults.values():
            label.configure(text="")
        try:
            self.topology = generate(RECIPES[self.kind.get()], texts, device, self._first_asn)
        except TopologyError as error:
            self.topology = None
            reason = with_remedy(error.message, error.remedy)
            if error.field in self.faults:
                self.faults[error.field].configure(text=reason)
                self.count.configure(text="")
            else:
                self.count.configure(text=reason, bootstyle="danger")
            self.button.configure(state="disabled")
            return
        self.button.configure(state="normal")
        nodes, links = len(self.topology.nodes), len(self.topology.links)
        flows = f", {len(self.topology.flows)} flows" if self.topology.flows else ""
        self.count.configure(text=f"{nodes} nodes, {links} links{flows}", bootstyle="default")
        if self._pending:
            self.window.after_cancel(self._pending)
            self._pending = ""
        if nodes <= _QUICK:
            self._draw()
        else:
            self._pending = self.window.after(_PAUSE_MS, self._draw)

    def _draw(self) -> None:
        self._pending = ""
        if self.topology is not None:
            image = ImageTk.PhotoImage(picture(self.topology, *self._large, self._theme), master=self.window)
            self._preview.configure(image=image)
            self._image = image

    # --- the end ---

    def ok(self) -> None:
        """Insert the network, if the parameters are valid."""
        if self.topology is not None:
            topology, title = self.topology, RECIPES[self.kind.get()].title
            self.close()
            self._insert(title, topology)

    def close(self) -> None:
        """Close the dialog without inserting a network."""
        if self._pending:
            self.window.after_cancel(self._pending)
            self._pending = ""
        self.window.destroy()
