"""The end of a lab as a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from frrlib.place.module_compiler import crash
from frrlib.place.supervisor.messages import reason_of_end, split_at_kill


def end_sentence(last_words: str, place: str, own_modules: Mapping[str, Path]) -> str:
    """The reason why a lab has ended.

    Args:
        last_words: the last output of its kernel and of its init.
        place: the name of its place.
        own_modules: file of each of the user's kernel modules.
    """
    if reason := crash.explain(last_words, own_modules):
        return reason
    text = f"the lab in {place} has ended"
    if reason := reason_of_end(last_words):
        return f"{text}: {reason}"
    printed, signal_name = split_at_kill(last_words)
    if signal_name:
        text += f": it was killed by {signal_name}"
    if signal_name == "SIGKILL":
        return f"{text}, sent by a program, or by the kernel when memory ran out"
    printed = " ".join(printed.split())[-300:]
    return text + (f"; its last output: {printed}" if printed else "")
