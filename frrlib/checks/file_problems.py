"""Problems of files. The readers of files report them, not the rules of this room."""

from __future__ import annotations

from frrlib.checks.kinds import CheckSubject

SUBJECT = CheckSubject()
UNREADABLE = SUBJECT.kind(
    "unreadable",
    "The file has a value that is not valid for its key.",
    "The value stays in the file unchanged and is not used.",
    "Set the value in its dialog.",
)
UNKNOWN_KEYS = SUBJECT.kind(
    "unknown-keys",
    "The file has keys that this program does not use.",
    "They are kept for the program that wrote them.",
    "No action is needed.",
)
DOUBLE_KEY = SUBJECT.kind(
    "double-key",
    "An object of the file has the same key twice.",
    "The last value is used.",
    "Delete one of them.",
)
LEFT_OVER = SUBJECT.kind(
    "left-over",
    "The file has settings of a node or link that is no longer in it.",
    "Another program has changed the file. These settings are dropped.",
    "No action is needed, unless you want to set them again.",
)
NO_PREFIX = SUBJECT.kind(
    "no-prefix",
    "An address in the file has no prefix length.",
    "The prefix length of the network in the preferences is used, as in MiniEdit.",
    "Add a prefix length, such as /24.",
)
NO_UNIT = SUBJECT.kind(
    "no-unit",
    "A delay or jitter in the file has no unit.",
    "`tc` reads a bare number as microseconds. Many people who write `10` mean milliseconds.",
    "Check the value in the dialog of the link, and correct it if milliseconds are meant.",
)
MANY_WARNINGS = SUBJECT.kind(
    "many-warnings",
    "The file has more warnings than are listed.",
    "Only the first ones are shown to keep the list readable.",
    "Fix the listed ones first. The others often have the same cause.",
)
