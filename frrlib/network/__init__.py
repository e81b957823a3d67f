"""A topology written in Python, piece by piece: the language of exported scripts."""

from frrlib.network.network import *  # noqa: F403
