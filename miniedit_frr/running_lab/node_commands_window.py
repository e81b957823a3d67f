"""A window that runs one command on several nodes and shows the output of each below its name."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import ttkbootstrap as ttk

from frrlib.picture.theme import Theme
from miniedit_frr.widgets.aside import add_heading, put_aside
from miniedit_frr.widgets.list_parts import AutoScrollbar

SHELL, VTYSH = "Shell", "vtysh"
_WAITS = "waiting …"
_NO_FRR = "no FRR here: for a router, choose Start FRR in its menu, or set a routing protocol and press F5"
_EMPTY = "(no output)"


class CommandReply(NamedTuple):
    """The result of a command on a node: its exit status and its output. If the command did not run to its end, the
    status is None and the text is the reason."""

    status: int | None
    text: str

    @property
    def title(self) -> str:
        """The status in words."""
        return "no reply" if self.status is None else f"exit status {self.status}"


class NodeCommandsWindow(ttk.Toplevel):
    """Asks for a command and shows the replies as they arrive, in the order of the nodes.

    Args:
        nodes: names of the nodes.
        routers: the nodes that run FRR and so have vtysh.
        run: runs a command (its words) on a node, and calls back with the reply; returns at once.

    Attributes:
        shell: SHELL or VTYSH, the program that runs the command.
        entry: the field with the command.
        text: the replies.
        said: the label with the number of replies.
    """

    def __init__(
        self, parent: tk.Misc, nodes: Sequence[str], routers: Collection[str],
        run: Callable[[str, tuple[str, ...], Callable[[CommandReply], object]], object], theme: Theme,
    ) -> None:  # fmt: skip
        title = f"Command on {nodes[0]}" if len(nodes) == 1 else f"Command on {len(nodes)} nodes"
        super().__init__(title=title, master=parent)
        put_aside(self, parent)
        add_heading(self, f"{title}: {', '.join(nodes)}" if len(nodes) > 1 else title)
        self._nodes, self._routers, self._run, self._turn = nodes, routers, run, 0
        self._answers: dict[str, CommandReply | None] = {}
        self.shell = tk.StringVar(self, SHELL)
        self._make_foot()
        self._make_bar()
        self._make_text(theme)
        self.bind("<Escape>", lambda event: self.destroy())
        self.entry.focus_set()

    def _make_bar(self) -> None:
        bar = ttk.Frame(self, padding=(10, 8))
        bar.pack(fill="x")
        for shell in (SHELL, VTYSH):
            can = shell == SHELL or bool(self._routers)
            state = "normal" if can else "disabled"
            choice = ttk.Radiobutton(bar, text=shell, value=shell, variable=self.shell, state=state)
            choice.pack(side="left", padx=(0, 10))
        self.entry = ttk.Entry(bar, font="TkFixedFont", width=56)
        self.entry.pack(side="left", fill="x", expand=True)
        for key in ("<Return>", "<KP_Enter>"):
            self.entry.bind(key, lambda event: self.submit())
        ttk.Button(bar, text="Run", command=self.submit, bootstyle="primary").pack(side="left", padx=(8, 0))

    def _make_foot(self) -> None:
        bar = ttk.Frame(self, padding=(10, 6))
        bar.pack(side="bottom", fill="x")
        self.said = ttk.Label(bar, text="The command is stopped after 30 s on each node.", bootstyle="secondary")
        self.said.pack(side="left", fill="x", expand=True)
        ttk.Button(bar, text="Close", command=self.destroy, bootstyle="secondary-outline").pack(side="right")

    def _make_text(self, theme: Theme) -> None:
        frame = ttk.Frame(self, padding=(10, 0))
        frame.pack(fill="both", expand=True)
        self.text = tk.Text(
            frame, font="TkFixedFont", wrap="char", width=92, height=24, borderwidth=0, state="disabled",
            background=theme.card, foreground=theme.text, padx=8, pady=6,
        )  # fmt: skip
        self.text.tag_configure("node", font="TkHeadingFont", spacing1=6, spacing3=2)
        self.text.tag_configure("failed", foreground=theme.error)
        self.text.tag_configure("faint", foreground=theme.faint)
        self.text.pack(side="left", fill="both", expand=True)
        AutoScrollbar(frame, self.text)

    def submit(self) -> None:
        """Run the command on all nodes. Pending replies to an earlier command are ignored."""
        line = self.entry.get().strip()
        if not line:
            return
        self._turn += 1
        turn, is_vtysh = self._turn, self.shell.get() == VTYSH
        self._answers = dict.fromkeys(self._nodes)
        self._show()
        for node in self._nodes:
            if is_vtysh and node not in self._routers:
                self._take(turn, node, CommandReply(None, _NO_FRR))
                continue
            words = ("vtysh", "-c", line) if is_vtysh else ("sh", "-c", line)
            self._run(node, words, lambda answer, node=node: self._take(turn, node, answer))  # type: ignore[misc]

    def _take(self, turn: int, node: str, answer: CommandReply) -> None:
        if turn == self._turn and self.winfo_exists():
            self._answers[node] = answer
            self._show()

    def _show(self) -> None:
        text, top = self.text, self.text.yview()[0]
        text.configure(state="normal")
        text.delete("1.0", "end")
        for node, answer in self._answers.items():
            text.insert("end", node, ("node",))
            text.insert("end", f"  {answer.title if answer else _WAITS}\n", self._tags(answer))
            if answer:
                words = answer.text.rstrip("\n")
                text.insert("end", f"{words or _EMPTY}\n", () if words else ("faint",))
        text.configure(state="disabled")
        text.yview_moveto(top)
        count = sum(answer is not None for answer in self._answers.values())
        self.said.configure(text=f"{count} of {len(self._nodes)} nodes replied.")

    @staticmethod
    def _tags(answer: CommandReply | None) -> tuple[str, ...]:
        return ("node", "faint" if answer is None or answer.status == 0 else "failed")
