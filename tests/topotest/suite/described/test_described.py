"""A network that is described in JSON, configured, changed by helpers, and reset."""

import os

import pytest
from lib.bgp import create_router_bgp, verify_bgp_convergence, verify_bgp_rib, verify_no_such_thing
from lib.common_config import (
    create_prefix_lists,
    create_route_maps,
    create_static_routes,
    kill_router_daemons,
    reset_config_on_routers,
    start_router_daemons,
    start_topology,
    topo_daemons,
    verify_rib,
    write_test_header,
)
from lib.topogen import Topogen, get_topogen
from lib.topojson import build_config_from_json

ROUTES = {"ipv4": "192.0.2.0/28", "ipv6": "2001:db8:1::/64"}
HOPS = {"ipv4": "10.0.0.1", "ipv6": "fd00::1"}


def setup_module(mod):
    tgen = Topogen(os.path.join(os.path.dirname(__file__), "described.json"), mod.__name__)
    start_topology(tgen, topo_daemons(tgen))
    build_config_from_json(tgen)


def teardown_module(mod):
    get_topogen().stop_topology()


def static(delete=False):
    routes = [{"network": network, "no_of_ip": 2, "next_hop": "Null0", "delete": delete} for network in ROUTES.values()]
    return {"r1": {"static_routes": routes}}


def test_sessions():
    assert verify_bgp_convergence(get_topogen()) is True


def test_routes_come_and_go():
    tgen = get_topogen()
    write_test_header("routes")
    assert create_static_routes(tgen, static()) is True
    for family in ROUTES:
        expected_routes = {"r1": {"static_routes": [{"network": ROUTES[family], "no_of_ip": 2}]}}
        assert verify_bgp_rib(tgen, family, "r2", expected_routes) is True
        assert verify_rib(tgen, family, "r2", expected_routes, protocol="bgp") is True
    assert verify_rib(tgen, "ipv4", "r2", expected_v4(), next_hop=HOPS["ipv4"], protocol="bgp", fib=True) is True
    assert reset_config_on_routers(tgen) is True
    assert "192.0.2.0" not in tgen.gears["r1"].vtysh_cmd("show running-config")
    outcome = verify_rib(tgen, "ipv4", "r2", expected_v4(), protocol="bgp", expected=False)
    assert outcome is not True


def expected_v4():
    return {"r1": {"static_routes": [{"network": ROUTES["ipv4"]}]}}


def test_policies():
    tgen = get_topogen()
    lists = {"ipv4": {"mine": [{"action": "permit", "network": "192.0.2.16/28"}]}}
    assert create_prefix_lists(tgen, {"r2": {"prefix_lists": lists}}) is True
    entry = {"action": "permit", "match": {"ipv4": {"prefix_lists": "mine"}}, "set": {"locPrf": 150}}
    assert create_route_maps(tgen, {"r2": {"route_maps": {"only": [entry]}}}) is True
    peer = {"route_maps": [{"name": "only", "direction": "in"}], "keepalivetimer": 1, "holddowntimer": 3}
    family = {"ipv4": {"unicast": {"neighbor": {"r1": {"dest_link": {"r2": peer}}}}}}
    bgp_config = {"r2": {"bgp": {"local_as": "200", "address_family": family}}}
    assert create_router_bgp(tgen, tgen.json_topo, bgp_config) is True
    assert create_static_routes(tgen, static()) is True
    permitted_routes = {"r1": {"static_routes": [{"network": "192.0.2.16/28"}]}}
    assert verify_bgp_rib(tgen, "ipv4", "r2", permitted_routes) is True
    assert verify_bgp_rib(tgen, "ipv4", "r2", expected_v4(), expected=False) is not True
    assert "refused" not in str(create_static_routes(tgen, static(delete=True)))
    assert reset_config_on_routers(tgen) is True
    assert "route-map" not in tgen.gears["r2"].vtysh_cmd("show running-config")


def test_a_refused_line_is_a_sentence():
    message = create_static_routes(
        get_topogen(),
        {"r1": {"static_routes": [{"network": "10.0.0.0/8", "next_hop": "Null0", "admin_distance": 999}]}},
    )
    assert "r1" in message


def test_a_daemon_comes_back_with_its_configuration():
    tgen = get_topogen()
    kill_router_daemons(tgen, "r2", ["bgpd"])
    start_router_daemons(tgen, "r2", ["bgpd"])
    assert verify_bgp_convergence(tgen, dut="r2") is True


def test_missing_names_are_reported():
    verify_no_such_thing()
    pytest.fail("not reached")
