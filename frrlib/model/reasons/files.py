"""Findings of the readers of files."""

from __future__ import annotations

from frrlib.model.reasons.reason import Reason

REASONS: dict[str, Reason] = {
    "unreadable": Reason(
        "A value in the file is not what its key stands for.",
        "It is kept in the file as it is, and not used.",
        "Set the value in its dialog.",
    ),
    "unknown-keys": Reason(
        "The file has keys that mean nothing here.",
        "They are kept, so that the program that wrote them finds them again.",
        "Nothing.",
    ),
    "double-key": Reason(
        "A key stands twice in one object of the file.",
        "The last one counts.",
        "Delete one of them.",
    ),
    "left-over": Reason(
        "The file has settings of something that is no longer in it.",
        "Another program has changed it. They are left out.",
        "Nothing, or set them anew.",
    ),
    "no-prefix": Reason(
        "An address in the file has no prefix length.",
        "MiniEdit takes the whole of the preferences' network then, and so does this.",
        "State one, such as /24.",
    ),
    "no-unit": Reason(
        "A delay or jitter in the file has no unit.",
        "`tc` reads a bare number as microseconds; many who write `10` mean milliseconds.",
        "Look at the value in the link's dialog, and correct it where milliseconds were meant.",
    ),
    "many-warnings": Reason(
        "The file has more oddities than are listed.",
        "A list of hundreds helps nobody.",
        "Put the first ones right; the others often go with them.",
    ),
}
