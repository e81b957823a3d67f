"""Windows that explain why a router of the running lab lacks a route or a neighbor."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from functools import partial
from ipaddress import ip_network

from frrlib.diagnosis.explanation import Explanation
from frrlib.diagnosis.neighbors import PROTOCOLS, explain_missing_neighbor
from frrlib.diagnosis.packets import explain_unreachable
from frrlib.lab.lab import Lab
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.live.messages import AdjacencyState
from miniedit_frr.routing_view.controller import RoutingController
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.widgets.popup import PopupLine
from miniedit_frr.widgets.text_window import TextWindow
from miniedit_frr.widgets.words_dialog import WordsDialog

#: Longest line of an explanation, in characters. The window is a little wider.
_LINE_LENGTH = 88
#: Height of the window in lines, which most explanations fit into.
_LINES = 12


class Explanations:
    """Opens a window for each question. *Refresh* asks it again, for instance after a change in vtysh.

    Attributes:
        windows: the last window of each question, by its title.
        dialog: the last dialog for a prefix; None before the first.
    """

    def __init__(self, main: MainWindow, lab: LiveLab, routing: RoutingController) -> None:
        self._main, self._lab, self._routing = main, lab, routing
        self.windows: dict[str, TextWindow] = {}
        self.dialog: WordsDialog | None = None

    def lines(self, router: str) -> list[PopupLine | None]:
        """The lines of a router's menu: one for each neighbor that is not up, and one for a route."""
        lines: list[PopupLine | None] = [
            (
                f"{PROTOCOLS[protocol]} Neighbor {neighbor}",
                partial(self.explain_neighbor, router, neighbor, protocol),
                True,
            )
            for neighbor, protocol in self._missing_neighbors(router)
        ]
        return [*lines, ("Route…", partial(self.ask_for_prefix, router), True)]

    def _missing_neighbors(self, router: str) -> list[tuple[str, str]]:
        """The neighbors of a router that are not up, each with its protocol."""
        adjacencies = self._routing.adjacencies.of_router(router)
        missing = [(state.neighbor, state.protocol) for state in adjacencies if self.can_explain(state)]
        return list(dict.fromkeys(missing))

    def can_explain(self, adjacency: AdjacencyState) -> bool:
        """Whether a neighbor is not up, and there is an explanation of that."""
        routers = {router.name for router in self._routing.topology.routers if router.runs_frr}
        return not adjacency.up and adjacency.protocol in PROTOCOLS and adjacency.neighbor in routers

    def explain_neighbor(self, router: str, neighbor: str, protocol: str) -> None:
        """Explain why two routers are not neighbors by a protocol."""
        title = f"Why {router} Lacks the {PROTOCOLS[protocol]} Neighbor {neighbor}"
        self._open(title, lambda lab: explain_missing_neighbor(lab, router, neighbor, protocol))

    def explain_route(self, router: str, prefix: str) -> None:
        """Explain why a router lacks a route in its main table, or why its pings to an address are lost."""
        self._open(f"Why {router} Lacks {prefix}", lambda lab: explain_unreachable(lab, router, prefix))

    def ask_for_prefix(self, router: str) -> None:
        """Ask for a prefix, then explain why the router lacks a route to it."""

        def accept(words: str) -> str:
            try:
                ip_network(words.strip(), strict=False)
            except ValueError:
                return f"{words.strip() or 'nothing'} is no prefix; enter one such as 10.1.0.0/16"
            self.explain_route(router, words.strip())
            return ""

        usage = "10.1.0.0/16    a network\n10.1.0.10      an address, also by pings"
        self.dialog = WordsDialog(self._main.root, f"Explain a Missing Route of {router}", "", usage, accept, "primary")

    def _open(self, title: str, question: Callable[[Lab], Explanation]) -> None:
        def ask(window: TextWindow) -> None:
            self._lab.session.ask(question).then(lambda answer: window.fill(text_of(answer)), window.fail)

        old = self.windows.get(title)
        if old is not None and old.winfo_exists():
            old.lift()
            old.reload()
            return
        name = f"{title.lower().replace(' ', '-').replace('/', '-')}.txt"
        self.windows[title] = TextWindow(self._main.root, title, name, ask, self._main.ui, self._main.theme, _LINES)


def text_of(explanation: Explanation) -> str:
    """An explanation as lines: what works, then what fails, each with its remedy below it."""
    lines: list[str] = []
    for step in explanation.steps:
        mark = "✗" if step.is_cause else "✓" if explanation.is_there else "·"
        lines += textwrap.wrap(f"{mark} {step.sentence}", _LINE_LENGTH, subsequent_indent="  ")
        if step.is_cause and step.remedy:
            lines += textwrap.wrap(step.remedy, _LINE_LENGTH, initial_indent="  → ", subsequent_indent="    ")
    return "\n".join(lines)
