"""Remarks on values in files of other programs that a topology cannot keep.

A topology's file stores them, so that they are shown whenever it is read. It has them in the entry of the node or link:
{"mininet_remarks": {"period_us": "is 50000; ..."}}.
"""

from __future__ import annotations

import json
from typing import Any

from frrlib.formats.entry import FileObject, Notices, brief
from frrlib.model.base import LONGEST_LABEL, SHORT
from frrlib.model.problem import About, Problem, note, warning

#: The key of the remarks in a file's entry.
KEY, CONTAINERLAB_KEY = "mininet_remarks", "containerlab_remarks"
CORE_KEY, GNS3_KEY = "core_remarks", "gns3_remarks"
KATHARA_KEY, GRAPHML_KEY = "kathara_remarks", "graphml_remarks"
#: The key of a file's entry with the values of a node of containerlab that have no field here.
CONTAINERLAB = "containerlab"
#: The kind of problem of each key.
_KINDS = {
    KEY: "mininet-option",
    CONTAINERLAB_KEY: "containerlab-option",
    CORE_KEY: "core-option",
    GNS3_KEY: "gns3-option",
    KATHARA_KEY: "kathara-option",
    GRAPHML_KEY: "graphml-value",
}


class Remarks:
    """The remarks on one node or link.

    Args:
        owner: name of the node or ID of the link.
        about: "node" or "link", whichever `owner` names.
        notices: receives the remarks.
        key: their key in the file's entry.
    """

    def __init__(self, owner: str, about: About, notices: Notices, key: str = KEY) -> None:
        self.owner, self._about, self._notices, self._key = owner, about, notices, key
        self._texts: dict[str, str] = {}

    def add(self, option: str, reason: str) -> None:
        """Remark on an option, once for each option."""
        self._add(option, note(_KINDS[self._key], self.owner, option, reason, about=self._about))

    def add_further(self, option: str, reason: str) -> None:
        """Remark on an option that may have several remarks. Further ones have a number behind the option."""
        number = 2
        name = option
        while name in self._texts:
            name, number = f"{option} ({number})", number + 1
        self.add(name, reason)

    def warn_without_unit(self, option: str, value: object, milliseconds: float) -> None:
        """Warn about a time without a unit."""
        reason = f"{value!r} has no unit: tc counts microseconds, so {milliseconds:g} ms is taken"
        remedy = f'"{value}ms" if milliseconds were meant'
        self._add(option, warning("no-unit", self.owner, option, reason, remedy, about=self._about))

    def warn_without_prefix(self, option: str, address: object) -> None:
        """Warn about an address without a prefix length."""
        reason = f"has no prefix length: {address} is taken"
        remedy = "state one, such as /24"
        self._add(option, warning("no-prefix", self.owner, option, reason, remedy, about=self._about))

    def warn_unconnected(self, address: object) -> None:
        """Warn about the address of a host without a link. A file's reader repeats that by itself."""
        reason = f"{address} waits: the host has no link"
        self._notices.add(warning("unconnected", self.owner, "ip", reason, "link the host", about=self._about))

    def _add(self, option: str, problem: Problem) -> None:
        if option not in self._texts:
            text = f"{problem.message}; {problem.remedy}" if problem.remedy else problem.message
            self._texts[_one_line(option)[:SHORT]] = _one_line(text)[:LONGEST_LABEL]
            self._notices.add(problem)

    def foreign(self, **keys: Any) -> str:
        """The remarks and further keys as text for a `foreign` field; empty for none."""
        content = {**keys, **({self._key: self._texts} if self._texts else {})}
        return json.dumps(content, sort_keys=True, separators=(",", ":")) if content else ""


def _one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _is_line(text: object, longest: int) -> bool:
    return isinstance(text, str) and len(text) <= longest and text.isprintable()


def report(entry: FileObject) -> None:
    """Report the remarks in a file's entry of a node or link, and keep them. An invalid value is an unknown key."""
    if isinstance(entry.rest.get(CONTAINERLAB), dict):
        entry.keep(CONTAINERLAB)
    for key, kind in _KINDS.items():
        texts = entry.rest.get(key)
        if not isinstance(texts, dict) or not texts:
            continue
        if all(_is_line(option, SHORT) and _is_line(text, LONGEST_LABEL) for option, text in texts.items()):
            entry.keep(key)
            for option, text in texts.items():
                entry.notices.add(note(kind, entry.owner, option, text, about=entry.about))


def state(value: object, reason: str) -> str:
    """The message of a remark: the value of the option, and the reason why it is not kept."""
    name = getattr(value, "__name__", None)
    return f"is {name if isinstance(name, str) else brief(value)}; {reason}"
