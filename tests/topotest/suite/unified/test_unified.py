"""Two routers with one file each, and a network that is written as a dictionary."""

import functools

import pytest
from lib.topogen import Topogen, get_topogen
from lib.topotest import router_json_cmp, run_and_expect


@pytest.fixture(scope="module")
def network(request):
    tgen = Topogen({"s1": ("r1", "r2"), "s2": "r1:r1-stub"}, request.module.__name__)
    tgen.start_topology()
    for router in tgen.routers().values():
        router.load_frr_config("frr.conf")
    tgen.start_router()
    yield tgen
    tgen.stop_topology()


def test_session(network):
    assert get_topogen() is network
    assert network.net["r1"].daemons["bgpd"] == 1 and network.net["r1"].daemons["ospfd"] == 0
    expected_routes = {"10.1.0.0/24": [{"protocol": "bgp", "nexthops": [{"ip": "10.9.0.1"}]}]}
    check = functools.partial(router_json_cmp, network.gears["r2"], "show ip route json", expected_routes)
    assert run_and_expect(check, None, count=60, wait=0.5) == (True, None)


def test_fails(network):
    assert "it is meant to fail" == ""


def test_after_a_failure(network):
    if network.routers_have_failure():
        pytest.skip(network.errors)
    raise RuntimeError("not reached")
