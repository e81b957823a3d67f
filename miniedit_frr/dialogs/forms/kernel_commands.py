"""The page "In the kernel" of a link: its `tc` commands, the resulting figures, and the flows that cross it."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import ttkbootstrap as ttk

from frrlib.model.flows import Flow
from frrlib.model.interface_names import with_names
from frrlib.model.links import End, Link, Shape, bdp_bytes, queue_limit_bytes
from frrlib.model.quantities import size_words
from frrlib.model.queue_defaults import LIMITS_PACKETS
from frrlib.model.topology import Topology
from frrlib.prediction.flow_paths import Hop, base_rtt_ms, path
from frrlib.render import tc
from miniedit_frr.dialogs.fields.slots import LABELS, SMALL_FONT, Input, field_colors, severity_color
from miniedit_frr.dialogs.forms.queue import drain_time, format_number, target_delay

if TYPE_CHECKING:
    from miniedit_frr.dialogs.form import Form

#: The maximum number of listed flows. Further flows are counted.
_LISTED = 5
#: Minimum and maximum height of the text with commands, in lines.
_LEAST_LINES, _MOST_LINES = 13, 22
_PLAIN = "This direction is not shaped: no commands."


def direction_commands(
    sender: End, receiver: End, shape: Shape, reverse: Shape
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The `tc` commands of a direction, in groups with a description of the place where they run.

    Args:
        sender, receiver: the ends, with the names of their interfaces.
        shape: the direction.
        reverse: the direction back.
    """
    if own_lines := tc.own_commands(sender.interface, shape):
        yield f"at {sender.node}: commands of your own, unchanged", tuple(f"tc {command}" for command in own_lines)
    queue = tc.queue_qdiscs(sender, shape, reverse)
    if queue:
        yield f"at {sender.node}: rate and queue", tuple(f"tc {command.command}" for command in queue)
    cable = tc.link_qdisc(f"to-{receiver.node}", shape)
    if cable is not None:
        yield (
            f"in the link's namespace between both ends, on the interface to {receiver.node}",
            (f"tc {cable.command}",),
        )


def commands(link: Link) -> str:
    """All commands of a link with named interfaces, with comment lines above each group."""
    blocks = []
    for sender, shape, reverse in link.directions_with_reverse:
        receiver = link.other(sender.node)
        sections = list(direction_commands(sender, receiver, shape, reverse))
        lines = [line for place, section in sections for line in (f"# {place}", *section)]
        blocks.append("\n".join((f"# {sender.node} → {receiver.node}", *(lines or [f"# {_PLAIN}"]))))
    return "\n\n".join(blocks)


def direction_figures(sender: End, shape: Shape, reverse: Shape) -> tuple[str, str, str]:
    """The figures of a direction: bandwidth-delay product, queue limit, and the delay of a full queue."""
    frame_bytes = sender.frame_bytes
    rate, limit = shape.rate_mbit, queue_limit_bytes(shape, reverse, frame_bytes)
    if rate is None or limit is None:
        return "-", "-", "-"
    product = bdp_bytes(rate, shape.delay_ms + reverse.delay_ms)
    product_text = size_words(product) if product else "none: no delay"
    queue = shape.discipline
    aims = f"; the target of {queue.kind} is {target_delay(queue)}" if target_delay(queue) else ""
    if shape.stated_limit_bytes(reverse, frame_bytes) is not None:
        about = "less than " if queue.limit_in == "memory" else ""
        return product_text, size_words(limit), f"{about}{drain_time(limit, rate)}{aims}"
    packets = LIMITS_PACKETS[queue.kind]
    if packets is None:
        return product_text, f"{queue.kind}'s default", aims.removeprefix("; ")
    drains = drain_time(packets * frame_bytes, rate)
    return product_text, f"{queue.kind}'s default: {format_number(packets)} packets", f"at most {drains}{aims}"


def kinds_of(link: Link) -> frozenset[str]:
    """The kinds of qdiscs that a link needs."""
    return frozenset(kind for _, shape, _ in link.directions_with_reverse for kind in shape.qdisc_kinds)


class KernelPage(ttk.Frame):
    """The commands, and below them their results. Both are updated with the edits on the other pages.

    Attributes:
        text: the widget with the commands.
        lacking: the label about missing qdiscs.
    """

    def __init__(self, parent: Any, form: Form) -> None:
        super().__init__(parent)
        self.inputs: dict[str, Input] = {}
        self._form, self._gap = form, round(4 * form.ui)
        gap = self._gap
        self.columnconfigure(0, minsize=round(LABELS * form.ui))
        self.columnconfigure((1, 2), weight=1, uniform="side")
        self.rowconfigure(1, weight=1)
        ttk.Label(self, text="Commands", font="TkHeadingFont").grid(row=0, column=0, sticky="w", pady=(0, gap))
        self.copy = ttk.Button(self, text="Copy", command=self._copy, bootstyle="link")
        self.copy.grid(row=0, column=2, sticky="e")
        frame = ttk.Frame(self)
        frame.grid(row=1, column=0, columnspan=3, sticky="nsew", pady=(0, 2 * gap))
        self.text = tk.Text(frame, height=_LEAST_LINES, width=40, font="TkFixedFont", wrap="word", borderwidth=0,
                            highlightthickness=1, padx=2 * gap, pady=gap, state="disabled")  # fmt: skip
        self._bar = ttk.Scrollbar(frame, command=self.text.yview)
        self.text.configure(yscrollcommand=self._on_scroll)
        frame.columnconfigure(0, weight=1)
        frame.rowconfigure(0, weight=1)
        self.text.grid(row=0, column=0, sticky="nsew")
        self.text.bind("<Configure>", lambda event: self._fit(), add=True)
        self._heads, self._cells = self._table(2)
        self._flows = ttk.Label(self, justify="left", wraplength=round(700 * form.ui))
        ttk.Label(self, text="Flows on this link").grid(row=6, column=0, sticky="nw", pady=gap)
        self._flows.grid(row=6, column=1, columnspan=2, sticky="w", pady=gap)
        self.lacking = ttk.Label(self, font=SMALL_FONT, justify="left", wraplength=round(700 * form.ui))
        self.bind("<Map>", lambda event: self.refresh())
        self.bind("<<ThemeChanged>>", lambda event: self._paint(), add=True)
        self._paint()

    def _table(self, row: int) -> tuple[list[ttk.Label], list[list[ttk.Label]]]:
        gap = self._gap
        heads = [ttk.Label(self, font="TkHeadingFont") for _ in range(2)]
        for column, head in enumerate(heads, start=1):
            head.grid(row=row, column=column, sticky="w", pady=gap)
        cells: list[list[ttk.Label]] = [[], []]
        for number, label in enumerate(("BDP of the link", "Queue limit", "Delay of a full queue"), start=row + 1):
            ttk.Label(self, text=label).grid(row=number, column=0, sticky="w", pady=gap // 2)
            for column in (0, 1):
                cell = ttk.Label(self)
                cell.grid(row=number, column=column + 1, sticky="w", pady=gap // 2)
                cells[column].append(cell)
        return heads, cells

    def _paint(self) -> None:
        ground, text, faint = field_colors()
        edge = str(ttk.Style().lookup("TEntry", "bordercolor") or faint)
        self.text.configure(background=ground, foreground=text, highlightbackground=edge, highlightcolor=text)
        self.text.tag_configure("words", foreground=faint)
        self.text.tag_configure("command", lmargin2=round(24 * self._form.ui))

    def _on_scroll(self, first: float, last: float) -> None:
        self._bar.set(first, last)
        if float(first) <= 0 and float(last) >= 1:
            self._bar.grid_remove()
        else:
            self._bar.grid(row=0, column=1, sticky="ns")

    def _copy(self) -> None:
        self.clipboard_clear()
        self.clipboard_append(self.text.get("1.0", "end-1c"))

    def refresh(self) -> None:
        """Show the commands and figures for the current edits."""
        if not self.winfo_ismapped():
            return
        draft = self._form.draft
        topology = _with_link(draft.context.topology, draft.original.id, draft.values[0])
        link = next(candidate for candidate in with_names(topology).links if candidate.id == draft.values[0].id)
        self._show(commands(link))
        for head, cells, (sender, shape, reverse) in zip(
            self._heads, self._cells, link.directions_with_reverse, strict=True
        ):
            head.configure(text=f"{sender.node} → {link.other(sender.node).node}")
            for cell, words in zip(cells, direction_figures(sender, shape, reverse), strict=True):
                cell.configure(text=words)
        self._flows.configure(text=flow_words(topology, link.id))
        self._show_lacking(draft.context.lacking(kinds_of(link)) if draft.context.lacking is not None else "")

    def _show(self, text: str) -> None:
        if self.text.get("1.0", "end-1c") == text:
            return
        top = self.text.yview()[0]
        self.text.configure(state="normal")
        self.text.delete("1.0", "end")
        for number, line in enumerate(text.split("\n")):
            self.text.insert("end", f"\n{line}" if number else line, "words" if line.startswith("#") else "command")
        self.text.configure(state="disabled")
        self.text.yview_moveto(top)
        self._fit()

    def _fit(self) -> None:
        """Fit the height of the text to its lines, within limits. Wrapping is known once the text is visible."""
        lines = self.text.count("1.0", "end", "displaylines") if self.text.winfo_viewable() else None
        if lines:
            self.text.configure(height=min(_MOST_LINES, max(_LEAST_LINES, lines[0])))

    def _show_lacking(self, words: str) -> None:
        self.lacking.configure(text=words, bootstyle="warning", foreground=severity_color("warning"))
        if words:
            self.lacking.grid(row=7, column=0, columnspan=3, sticky="w", pady=(self._gap, 0))
        else:
            self.lacking.grid_remove()


def _with_link(topology: Topology, link_id: str, link: Link) -> Topology:
    """The topology with one link replaced."""
    links = tuple(link if existing.id == link_id else existing for existing in topology.links)
    return topology.model_copy(update={"links": links})


def flows_over(topology: Topology, link_id: str) -> Iterator[tuple[Flow, tuple[Hop, ...]]]:
    """Each flow whose path crosses a link, with its path."""
    paths: dict[tuple[str, str], tuple[Hop, ...] | None] = {}
    for flow in topology.flows:
        ends = flow.source, flow.destination
        if ends not in paths:
            paths[ends] = path(topology, *ends)
        flow_path = paths[ends]
        if flow_path is not None and any(link.id == link_id for link, _, _ in flow_path):
            yield flow, flow_path


def _own_command_remark(flow_path: tuple[Hop, ...]) -> str:
    """The remark on a path with own commands, which may delay packets."""
    has_own = any(forward.qdiscs or reverse.qdiscs for _, forward, reverse in flow_path)
    return ", plus the delay of your own commands" if has_own else ""


def flow_words(topology: Topology, link_id: str) -> str:
    """The base RTT of each flow that crosses a link, one line per flow."""
    crossing = [
        f"{flow.id}: {flow.source} → {flow.destination}, base RTT {base_rtt_ms(flow_path):.6g} ms over "
        f"{len(flow_path)} link{'s' if len(flow_path) > 1 else ''}{_own_command_remark(flow_path)}"
        for flow, flow_path in flows_over(topology, link_id)
    ]
    rest_count = len(crossing) - _LISTED
    lines = [*crossing[:_LISTED], *([f"and {rest_count} more"] if rest_count > 0 else [])]
    return "\n".join(lines) if lines else "none, along the shortest paths of the drawing"
