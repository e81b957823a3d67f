"""Signals where one program becomes or starts another: what starts in a lab hears them as after a login.

A program that a script started in its background has SIGINT and SIGQUIT ignored, below `nohup` it has SIGHUP ignored.
What is ignored or blocked stays so in all that it starts: Ctrl-C in a shell of a lab would do nothing.
"""

from __future__ import annotations

import signal

#: Python itself ignores these, and so must a program in Python that goes on.
PYTHONS = frozenset({signal.SIGPIPE, signal.SIGXFSZ})


def reset() -> None:
    """Give every signal its default and block none, just before becoming another program."""
    _default(signal.valid_signals())


def begin(*deaf: signal.Signals) -> None:
    """Hear signals as after a login from here on, and so whatever this program starts.

    Args:
        deaf: what this program itself takes no notice of. It is not ignored, since that would go on in what it starts.
    """
    _default(signal.valid_signals() - PYTHONS)
    for number in deaf:
        signal.signal(number, _take_no_notice)


def _default(numbers: set[signal.Signals] | frozenset[signal.Signals]) -> None:
    for number in numbers:
        # None is a handler from outside Python; SIGKILL and SIGSTOP have their default always
        if signal.getsignal(number) not in (signal.SIG_DFL, None):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _take_no_notice(*_: object) -> None:
    pass
