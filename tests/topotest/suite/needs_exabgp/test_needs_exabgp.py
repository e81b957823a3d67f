"""A test that needs ExaBGP."""

import os

from lib.topogen import Topogen

CWD = os.path.dirname(os.path.realpath(__file__))


def setup_module(mod):
    def build(tgen):
        tgen.add_router("r1")
        tgen.add_exabgp_peer("peer1", ip="10.0.0.2/24", defaultRoute="via 10.0.0.1")

    for peer in Topogen(build, mod.__name__).exabgp_peers().values():
        peer.start(CWD)


def test_never_reached():
    raise RuntimeError("not reached")
