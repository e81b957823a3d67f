"""Changes of a running lab in short sentences, for one line of the window."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from frrlib.changes.comparison import SIGNS, Action, Change
from frrlib.model.topology import Topology

#: The verb of each action, with the preposition before "the running lab".
_VERBS: dict[Action, tuple[str, str]] = {
    "add": ("added", "to"), "remove": ("removed", "from"), "remake": ("made anew", "in"), "change": ("changed", "in"),
}  # fmt: skip
#: The most nodes that are named; more are counted.
_MOST_NAMES = 3
#: Words for parts that are no node and no link.
_OTHERS = {"topology": "the whole topology", "flows": "flows", "faults": "planned faults"}


def main_changes(changes: Sequence[Change], before: Topology, after: Topology) -> tuple[Change, ...]:
    """The changes without those of nodes that are drawn as before, which follow from other changes.

    A new link, for example, gives its routers settings of a new interface.

    Args:
        changes: all changes.
        before, after: the drawings.
    """
    nodes = {node.name: node.without_looks for node in before.nodes}
    same = {node.name for node in after.nodes if nodes.get(node.name) == node.without_looks}
    causes = tuple(
        change for change in changes
        if change.name not in same or change.subject not in ("node", "configuration") or change.action == "remake"
    )  # fmt: skip
    return causes or tuple(changes)


def count_changes(changes: Sequence[Change]) -> int:
    """The number of nodes, links and other parts that change."""
    return sum(len(names) for parts in _by_action(changes).values() for names in parts.values())


def changes_text(number: int) -> str:
    """A number of changes in words: "one change", "3 changes"."""
    return "one change" if number == 1 else f"{number} changes"


def applied_text(changes: Sequence[Change], link_title: Callable[[str], str]) -> str:
    """The sentence after changes were made: "Added r6 and 2 links to the running lab; changed r1."

    Args:
        changes: the changes.
        link_title: returns the words for a link: "r1 to r6".
    """
    clauses: list[str] = []
    for action, parts in _by_action(changes).items():
        verb, preposition = _VERBS[action]
        where = "" if clauses else f" {preposition} the running lab"
        clauses.append(f"{_clause(action, verb, _things(parts, link_title))}{where}")
    text = "; ".join(clauses) or "the running lab is as drawn"
    return f"{text[0].upper()}{text[1:]}."


def pending_text(changes: Sequence[Change], link_title: Callable[[str], str]) -> str:
    """The sentence about changes that the lab can follow: "2 changes are not in the running lab: added r6; ..."."""
    number = count_changes(changes)
    clauses = [
        _clause(action, _VERBS[action][0], _things(parts, link_title)) for action, parts in _by_action(changes).items()
    ]
    text = changes_text(number)
    return f"{text[0].upper()}{text[1:]} {'is' if number == 1 else 'are'} not in the running lab: {'; '.join(clauses)}."


def refused_text(refusals: Sequence[Change]) -> str:
    """The sentence about changes that the lab cannot follow, with the reason of the first one."""
    first, *others = refusals
    more = f" It cannot follow {changes_text(len(others))} more." if others else ""
    return f"The running lab cannot follow this: {first.text}. Reason: {first.refusal}.{more}"


def detail_lines(changes: Sequence[Change]) -> str:
    """All changes, one on each line after its sign, with the lines of configurations and the interrupted sessions."""
    lines = []
    for change in changes:
        lines.append(f"{SIGNS[change.action]} {change}")
        lines += [f"    {line}" for line in change.lines]
        lines += [f"    ! {text}" for text in change.interruptions]
    return "\n".join(lines)


def _clause(action: Action, verb: str, things: str) -> str:
    return f"made {things} anew" if action == "remake" else f"{verb} {things}"


def _by_action(changes: Sequence[Change]) -> Mapping[Action, Mapping[str, list[str]]]:
    """For each action, the names of nodes, links and other parts. A part has its first action only."""
    result: dict[Action, dict[str, list[str]]] = {action: {} for action in _VERBS}
    seen = set[tuple[str, str]]()
    for action in _VERBS:
        for change in changes:
            is_configuration = change.subject == "configuration"  # a daemon that starts or ends changes its router
            part = "node" if is_configuration else change.subject, change.name
            if part not in seen and action == ("change" if is_configuration else change.action):
                seen.add(part)
                result[action].setdefault(part[0], []).append(part[1])
    return {action: parts for action, parts in result.items() if parts}


def _things(parts: Mapping[str, list[str]], link_title: Callable[[str], str]) -> str:
    texts = []
    if nodes := parts.get("node"):
        texts += nodes if len(nodes) <= _MOST_NAMES else [f"{len(nodes)} nodes"]
    if links := parts.get("link"):
        texts.append(f"the link {link_title(links[0])}" if len(links) == 1 else f"{len(links)} links")
    texts += [words for subject, words in _OTHERS.items() if subject in parts]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
