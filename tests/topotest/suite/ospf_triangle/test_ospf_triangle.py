"""Three routers in a triangle speak OSPF: a test in the style of FRR's own, with the names that those import."""

import functools
import os
import sys

import pytest

CWD = os.path.dirname(os.path.realpath(__file__))
sys.path.append(os.path.join(CWD, "../"))

from lib import topotest  # noqa: E402
from lib.topogen import Topogen, TopoRouter, get_topogen  # noqa: E402
from lib.topolog import logger  # noqa: E402

pytestmark = [pytest.mark.ospfd]


def build_topo(tgen):
    for number in range(1, 4):
        tgen.add_router(f"r{number}")
    tgen.gears["r1"].add_link(tgen.gears["r2"])
    tgen.gears["r1"].add_link(tgen.gears["r3"])
    lan = tgen.add_switch("s1")
    lan.add_link(tgen.gears["r2"], nodeif="r2-lan")
    lan.add_link(tgen.gears["r3"], nodeif="r3-lan")
    host = tgen.add_host("h1", "10.0.23.9/24", "via 10.0.23.2")
    lan.add_link(host)


def setup_module(mod):
    tgen = Topogen(build_topo, mod.__name__)
    tgen.start_topology()
    for name, router in tgen.routers().items():
        router.load_config(TopoRouter.RD_ZEBRA, os.path.join(CWD, f"{name}/zebra.conf"))
        router.load_config(TopoRouter.RD_OSPF, "ospfd.conf")
    tgen.start_router()


def teardown_module(mod):
    get_topogen().stop_topology()


def wait_for(router, command, expected, count=60):
    check = functools.partial(topotest.router_json_cmp, get_topogen().gears[router], command, expected)
    _, result = topotest.run_and_expect(check, None, count=count, wait=0.5)
    assert result is None, f"{router}: {result}"


def test_nothing_has_an_address_that_no_file_gives():
    tgen = get_topogen()
    address_lines = tgen.net["r1"].cmd("ip -4 -o address show scope global").splitlines()
    assert sorted(line.split()[3] for line in address_lines) == ["10.0.12.1/24", "10.0.13.1/24", "10.255.0.1/32"]
    assert "10." not in tgen.net["s1"].cmd("ip -4 -o address")


def test_links_are_named_as_they_were_made():
    tgen = get_topogen()
    assert list(tgen.gears["r1"].links) == ["r1-eth0", "r1-eth1"]
    assert list(tgen.gears["r2"].links) == ["r2-eth0", "r2-lan"]
    assert tgen.gears["r3"].links["r3-lan"][0] is tgen.gears["s1"]


def test_neighbors():
    if get_topogen().routers_have_failure():
        pytest.skip(get_topogen().errors)
    full = {"neighbors": {"10.255.0.2": [{"converged": "Full"}], "10.255.0.3": [{"converged": "Full"}]}}
    wait_for("r1", "show ip ospf neighbor json", full)


def test_routes():
    tgen = get_topogen()
    hops = [{"ip": "10.0.12.2"}, {"ip": "10.0.13.3"}]
    expected_routes = {"10.0.23.0/24": [{"protocol": "ospf", "selected": True, "nexthops": hops}]}
    wait_for("r1", "show ip route json", expected_routes)
    assert topotest.json_cmp(topotest.ip4_route(tgen.gears["r1"]), {"10.255.0.2": {"proto": "188"}}) is None
    wait_for("r2", "show ip route json", {"10.255.0.3/32": [{"protocol": "ospf", "selected": True}]})
    assert "10.255.0.3" in tgen.gears["r2"].vtysh_cmd("show ip route")
    wait_for("r2", "show ip route json", {"10.255.0.1/32": [{"protocol": "ospf", "selected": True}]})
    assert "1 received" in tgen.gears["h1"].run("ping -c 1 -W 5 10.255.0.1")


def test_static_routes_are_in_zebras_file():
    wait_for("r1", "show ip route static json", {"192.0.2.0/24": [{"protocol": "static"}]})


def test_a_link_goes_down():
    tgen = get_topogen()
    tgen.gears["r1"].peer_link_enable("r1-eth0", False)
    wait_for("r1", "show ip route json", {"10.255.0.2/32": [{"nexthops": [{"ip": "10.0.13.3"}]}]})
    tgen.gears["r1"].peer_link_enable("r1-eth0", True)
    wait_for("r1", "show ip ospf neighbor json", {"neighbors": {"10.255.0.2": [{"converged": "Full"}]}})


def test_lines_are_typed_and_refused():
    router = get_topogen().gears["r3"]
    router.vtysh_cmd("configure terminal\nip route 198.51.100.0/24 blackhole\n")
    assert "198.51.100.0/24" in router.vtysh_cmd("show running-config")
    assert "Unknown command" in router.vtysh_multicmd(["configure terminal", "no such thing"])
    assert router.vtysh_cmd("show nothing", isjson=True) == {}
    with pytest.raises(Exception, match="status 3"):
        router.cmd_raises("exit 3")
    logger.info("said")


def test_a_daemon_dies_and_is_started_again():
    tgen = get_topogen()
    router = tgen.gears["r3"]
    assert router.check_router_running() == ""
    router.killDaemons(["ospfd"])
    assert "ospfd" in router.check_router_running()
    assert router.startDaemons(["ospfd"]) == ""
    assert router.check_router_running() == ""
    assert tgen.routers_have_failure() is False


def test_versions():
    router = get_topogen().gears["r1"]
    assert router.has_version(">", "3.0") and not router.has_version("<", "3.0")
