"""Topologies for property tests: every field of the model takes every kind of value somewhere."""

from __future__ import annotations

import json
from ipaddress import IPv4Interface, IPv6Interface, ip_network
from typing import Any

from hypothesis import strategies as st

from frrlib.model.annotations import PALETTE, Annotation
from frrlib.model.flows import Flow, Wait
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Bridge, Controller, Host, Node, PrivateDirectory, Router, Switch, VlanInterface
from frrlib.model.routing import Bgp, BgpNeighbor, Ospf, StaticRoute
from frrlib.model.topology import Netflow, OpenFlowVersions, Preferences, Sflow, Topology

short_text = st.text(max_size=8)
usual_names = st.builds("{}{}".format, st.sampled_from("hrsc"), st.integers(0, 30))
odd_names = st.one_of(
    st.text(min_size=1, max_size=64),
    st.sampled_from(["h 1", "lo", "cable", "-x", "averyveryverylongname", "averyveryverylongname2", "é", "s01", "."]),
)
names = st.one_of(usual_names, usual_names, odd_names)
flags = st.booleans()


def _floats(low: float, high: float, open_low: bool = False) -> st.SearchStrategy[float]:
    # ints among them, for those are what MiniEdit can say
    return st.one_of(
        st.integers(int(low) + open_low, int(high)).map(float),
        st.floats(low, high, exclude_min=open_low, allow_nan=False),
    )


addresses4 = st.one_of(
    st.builds(lambda last, prefix: IPv4Interface(f"10.0.{last // 256}.{last % 256}/{prefix}"),
              st.integers(0, 600), st.sampled_from([8, 16, 24, 24, 24, 30, 31, 32, 0])),
    st.builds(lambda number, prefix: IPv4Interface((number, prefix)), st.integers(0, 2**32 - 1), st.integers(0, 32)),
)  # fmt: skip
addresses6 = st.builds(
    lambda number, prefix: IPv6Interface((number, prefix)),
    st.one_of(st.integers(0, 2**128 - 1), st.integers((0xFD00 << 112), (0xFD00 << 112) + 999)),
    st.integers(0, 128),
)
addresses = st.one_of(addresses4, addresses4, addresses6)
networks = addresses.map(lambda address: ip_network(address.network))
plain_addresses = addresses.map(lambda address: address.ip)

_json = st.recursive(
    st.one_of(
        st.none(), flags, st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False), short_text
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(short_text, inner, max_size=3),
    max_leaves=5,
)
#: Unknown keys, known ones where they do not belong, and known ones with values of any kind.
_keys = st.one_of(
    short_text,
    st.sampled_from(
        [
            "opts",
            "ip",
            "bw",
            "delay",
            "x",
            "switchType",
            "src",
            "pod",
            "version",
            "sflow",
            "controllers",
            "privateDirectory",
        ]
    ),
)


def _foreign_text(value: dict[str, Any]) -> str:
    return json.dumps(value) if value else ""


foreign = st.one_of(
    st.just(""),
    st.just(""),
    st.dictionaries(_keys, _json, max_size=3).map(_foreign_text),
    st.dictionaries(_keys, _json, max_size=3).map(lambda inner: _foreign_text({"opts": inner})),
)

shapes = st.one_of(
    st.just(Shape()),
    st.builds(
        lambda queue, **fields: Shape(**fields, **queue),
        rate_mbit=st.none() | _floats(0, 1_000_000, open_low=True),
        delay_ms=_floats(0, 60_000),
        jitter_ms=_floats(0, 60_000),
        loss_percent=_floats(0, 100),
        queue=st.one_of(
            st.just({}),
            st.integers(1, 10_000_000).map(lambda n: {"queue_packets": n}),
            st.integers(1, 4_000_000_000).map(lambda n: {"queue_bytes": n}),
            _floats(0, 60_000, open_low=True).map(lambda n: {"queue_ms": n}),
            _floats(0, 10_000, open_low=True).map(lambda n: {"queue_bdp": n}),
        ),
    ),
)

colours = st.sampled_from(["", "", *PALETTE, "#3366cc", "#ABCDEF"])
_common: dict[str, st.SearchStrategy[Any]] = {
    "x": st.floats(allow_nan=False, allow_infinity=False),
    "y": st.floats(-1000, 1000),
    "number": st.none() | st.integers(-3, 300),
    "label": short_text,
    "colour": colours,
    "start_command": short_text,
    "stop_command": short_text,
    "foreign": foreign,
}
ospf = st.builds(
    Ospf,
    router_id=st.none() | addresses4.map(lambda a: a.ip),
    area=st.sampled_from(["0", "1", "0.0.0.0", "x", ""]),
    areas=st.lists(st.tuples(short_text, short_text), max_size=2).map(tuple),
    passive=st.lists(short_text, max_size=2).map(tuple),
    point_to_point=flags,
    hello_s=st.integers(1, 65_535),
    dead_s=st.integers(1, 65_535),
    lab_timers=flags,
)
bgp = st.builds(
    Bgp,
    asn=st.integers(1, 2**32 - 1),
    router_id=st.none() | addresses4.map(lambda a: a.ip),
    networks=st.lists(networks, max_size=2).map(tuple),
    neighbors=st.lists(
        st.builds(BgpNeighbor, address=plain_addresses, remote_as=st.integers(1, 2**32 - 1), description=short_text),
        max_size=2,
    ).map(tuple),
    requires_policy=flags,
    connect_retry_s=st.integers(1, 65_535),
    coalesce_ms=st.integers(0, 600_000),
)


def _tuples(each: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(each, max_size=2).map(tuple)


def nodes(name: st.SearchStrategy[str] = names) -> st.SearchStrategy[Node]:
    """Nodes of all kinds."""
    hosts = st.builds(
        Host,
        name=name,
        default_route=st.none() | plain_addresses,
        vlan_interfaces=_tuples(st.builds(VlanInterface, address=addresses, vlan_id=st.integers(1, 4094))),
        external_interfaces=_tuples(short_text),
        private_directories=_tuples(
            st.builds(PrivateDirectory, path=st.text(min_size=1, max_size=8), persistent=short_text)
        ),
        scheduler=st.sampled_from(["host", "cfs", "rt"]),
        cpu_percent=st.none() | _floats(0, 100),
        cores=short_text,
        congestion_control=short_text,
        **_common,
    )
    routers = st.builds(
        Router,
        name=name,
        loopbacks=_tuples(addresses),
        daemons=st.lists(st.sampled_from(["zebra", "isisd", "bfdd"]), max_size=2).map(tuple),
        ospf=st.none() | ospf,
        bgp=st.none() | bgp,
        static_routes=_tuples(st.builds(StaticRoute, prefix=networks, via=plain_addresses)),
        frr_conf=short_text,
        controllers=st.none() | _tuples(usual_names),
        **_common,
    )
    switches = st.builds(
        Switch,
        name=name,
        switch_type=st.sampled_from(["default", "ovs", "ivs", "user", "userns"]),
        dpid=short_text,
        controllers=_tuples(usual_names),
        management_address=short_text,
        dpctl_port=short_text,
        netflow=flags,
        sflow=flags,
        external_interfaces=_tuples(short_text),
        **_common,
    )
    bridges = st.builds(Bridge, name=name, controllers=_tuples(usual_names), stp=flags, **_common)
    controllers = st.builds(
        Controller,
        name=name,
        controller_type=st.sampled_from(["ref", "ovsc", "remote", "inband"]),
        protocol=st.sampled_from(["tcp", "ssl"]),
        address=short_text,
        port=st.integers(1, 65_535),
        **_common,
    )
    return st.one_of(hosts, routers, switches, bridges, controllers)


def ends(node: st.SearchStrategy[str]) -> st.SearchStrategy[End]:
    """Link ends at some nodes."""
    return st.builds(
        End,
        node=node,
        interface=st.one_of(st.just(""), st.just(""), st.sampled_from(["h1-eth0", "h1-eth1", "eth0"]), short_text),
        addresses=st.one_of(st.just(()), st.just(()), _tuples(addresses)),
        mac=st.sampled_from(["", "02:00:00:00:00:01", "ff:ff:ff:FF:ff:ff"]),
        mtu_bytes=st.none() | st.integers(576, 65_535),
        ospf_cost=st.none() | st.integers(1, 65_535),
    )


def links(node: st.SearchStrategy[str]) -> st.SearchStrategy[Link]:
    """Links between some nodes."""
    return st.builds(
        Link,
        id=st.builds("l{}".format, st.integers(0, 40)) | st.text(min_size=1, max_size=10),
        a=ends(node),
        b=ends(node),
        a_to_b=shapes,
        b_to_a=shapes,
        up=flags,
        speedup=st.none() | st.integers(-5, 100),
        foreign=foreign,
    )


def flows(node: st.SearchStrategy[str]) -> st.SearchStrategy[Flow]:
    """Flows between some nodes."""
    return st.builds(
        lambda end, **fields: Flow(**fields, **end),
        id=st.sampled_from(["f1", "f2", "f.1", "é"]),
        source=node,
        destination=node,
        congestion_control=st.sampled_from(["cubic", "bbr"]),
        start_s=_floats(0, 100),
        end=st.one_of(
            _floats(0, 100, open_low=True).map(lambda s: {"duration_s": s}),
            st.integers(1, 10**9).map(lambda n: {"duration_s": None, "size_bytes": n}),
        ),
        count=st.integers(1, 3),
    )


preferences = st.one_of(
    st.just(Preferences()),
    st.builds(
        Preferences,
        ip_base=st.sampled_from(["10.0.0.0/8", "192.168.0.0/16", "10.0.0.0/24", "nonsense", ""]),
        terminal_type=st.sampled_from(["xterm", "gterm", ""]),
        start_cli=flags,
        switch_type=st.sampled_from(["ovs", "ivs", "user", "userns"]),
        dpctl=short_text,
        openflow=st.builds(OpenFlowVersions, of10=flags, of11=flags, of12=flags, of13=flags),
        sflow=st.builds(Sflow, target=short_text, sampling=short_text, header=short_text, polling=short_text),
        netflow=st.builds(Netflow, target=short_text, active_timeout=short_text, add_id_to_interface=flags),
        foreign=foreign,
    ),
)
annotations = st.builds(
    Annotation,
    id=st.builds("a{}".format, st.integers(0, 40)) | st.text(min_size=1, max_size=10),
    kind=st.sampled_from(["note", "rectangle", "ellipse"]),
    x=st.floats(allow_nan=False, allow_infinity=False),
    y=st.floats(-1000, 1000),
    width=_floats(0, 1_000_000, open_low=True),
    height=_floats(0, 1_000_000, open_low=True),
    text=st.text(max_size=40),
    fill=colours,
    line=colours,
)
waits = st.just(Wait()) | st.builds(
    Wait, routes=flags, timeout_s=_floats(0, 3600, open_low=True), ping_count=st.integers(0, 1000)
)


@st.composite
def topologies(draw: st.DrawFn, unique_names: bool = True) -> Topology:
    """Topologies of up to eight nodes, most of whose links and flows lead somewhere."""
    key = (lambda node: node.name) if unique_names else None
    drawn = draw(st.lists(nodes(), max_size=8, unique_by=key))
    known = st.sampled_from([node.name for node in drawn]) if drawn else names
    anywhere = st.one_of(known, known, known, names)
    return Topology(
        title=draw(st.text(max_size=20)),
        nodes=tuple(drawn),
        links=tuple(draw(st.lists(links(anywhere), max_size=8))),
        flows=tuple(draw(st.lists(flows(anywhere), max_size=3))),
        wait=draw(waits),
        preferences=draw(preferences),
        annotations=tuple(draw(st.lists(annotations, max_size=3))),
        foreign=draw(foreign),
    )
