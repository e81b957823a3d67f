"""Reasons for findings of the file readers."""

from __future__ import annotations

from frrlib.checks.reason import Reason

REASONS: dict[str, Reason] = {
    "unreadable": Reason(
        "The file has a value that is not valid for its key.",
        "The value stays in the file unchanged and is not used.",
        "Set the value in its dialog.",
    ),
    "unknown-keys": Reason(
        "The file has keys that this program does not use.",
        "They are kept for the program that wrote them.",
        "No action is needed.",
    ),
    "double-key": Reason(
        "An object of the file has the same key twice.",
        "The last value is used.",
        "Delete one of them.",
    ),
    "left-over": Reason(
        "The file has settings of a node or link that is no longer in it.",
        "Another program has changed the file. These settings are dropped.",
        "No action is needed, unless you want to set them again.",
    ),
    "no-prefix": Reason(
        "An address in the file has no prefix length.",
        "The prefix length of the network in the preferences is used, as in MiniEdit.",
        "Add a prefix length, such as /24.",
    ),
    "no-unit": Reason(
        "A delay or jitter in the file has no unit.",
        "`tc` reads a bare number as microseconds. Many people who write `10` mean milliseconds.",
        "Check the value in the dialog of the link, and correct it if milliseconds are meant.",
    ),
    "many-warnings": Reason(
        "The file has more warnings than are listed.",
        "Only the first ones are shown to keep the list readable.",
        "Fix the listed ones first. The others often have the same cause.",
    ),
}
