"""Waits until a reply is as expected, and describes the differences."""

from frrlib.expect.expectation import *  # noqa: F403
