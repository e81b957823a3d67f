"""Signals of a program that starts or becomes another: programs in a lab handle them as after a login.

A program that a script started in its background ignores SIGINT and SIGQUIT; below `nohup` it ignores SIGHUP. Ignored
and blocked signals are inherited by all programs that it starts: Ctrl-C in a shell of a lab would do nothing.
"""

from __future__ import annotations

import signal
import sys

#: Python itself ignores these, and so must a Python program that continues.
PYTHONS = frozenset({signal.SIGPIPE, signal.SIGXFSZ})


def reset() -> None:
    """Set every signal to its default and block none, just before becoming another program."""
    _default(signal.valid_signals())


def begin(*deaf: signal.Signals) -> None:
    """Handle signals as after a login from here on, also in all programs that this one starts.

    Args:
        deaf: signals without effect on this program. They get an empty handler, since started programs would inherit
            an ignored signal.
    """
    _default(signal.valid_signals() - PYTHONS)
    for number in deaf:
        signal.signal(number, _take_no_notice)


def exit_on_sigterm() -> None:
    """Let SIGTERM end the program as Ctrl-C does, so that the lab is stopped and cleaned up."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))


def _default(numbers: set[signal.Signals] | frozenset[signal.Signals]) -> None:
    for number in numbers:
        # None is a handler from outside Python. SIGKILL and SIGSTOP always have their default.
        if signal.getsignal(number) not in (signal.SIG_DFL, None):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _take_no_notice(*_: object) -> None:
    pass
