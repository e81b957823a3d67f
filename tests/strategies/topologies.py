"""Topologies for property tests: every field of the model takes every kind of value somewhere."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from frrlib.model.annotations import PALETTE, Annotation
from frrlib.model.courses import Course
from frrlib.model.faults import Fault, LinkValues
from frrlib.model.flows import Flow, Wait
from frrlib.model.impairments import Impairments
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Bridge, Controller, Host, Node, PrivateDirectory, Router, Switch, VlanInterface
from frrlib.model.routing import (
    AsPathList,
    Bfd,
    Bgp,
    BgpNeighbor,
    CommunityList,
    Isis,
    Ldp,
    Ospf,
    Ospf6,
    OspfInterface,
    Pim,
    PrefixList,
    Rip,
    Ripng,
    RouteMap,
    StaticRoute,
    Vrf,
)
from frrlib.model.tcp import TcpTuning
from frrlib.model.topology import Netflow, OpenFlowVersions, Preferences, Sflow, Topology
from tests.disciplines import CABLES, OWN_COMMANDS, QUEUES
from tests.strategies.basics import (
    addresses,
    addresses4,
    flags,
    floats,
    foreign,
    names,
    networks,
    no_paths,
    nowhere,
    plain_addresses,
    short_text,
    usual_names,
)  # fmt: skip
from tests.strategies.routing import values
from tests.strategies.traffic import traffics

_percents = st.sampled_from([0.0, 0.1, 25.0, 100.0])
_disciplines = st.sampled_from([None, *QUEUES.values()])
_impairments = st.one_of(
    st.just(Impairments()),
    st.sampled_from([rare for _, rare in CABLES.values()]),
    st.builds(Impairments, duplicate_percent=_percents, corrupt_percent=_percents, reorder_percent=_percents),
)

shapes = st.one_of(
    st.just(Shape()),
    st.sampled_from(OWN_COMMANDS).map(lambda lines: Shape(qdiscs=lines)),
    st.builds(
        lambda limit, **fields: Shape(**fields, **limit),
        rate_mbit=st.none() | floats(0, 1_000_000, open_low=True),
        delay_ms=floats(0, 60_000),
        jitter_ms=floats(0, 60_000),
        loss_percent=floats(0, 100),
        queue=_disciplines,
        shaper=st.sampled_from(["tbf", "htb"]),
        burst_frames=st.none() | st.integers(1, 10_000),
        peak_rate_mbit=st.none() | floats(0, 1_000_000, open_low=True),
        peak_frames=st.none() | st.integers(1, 10_000),
        impairments=_impairments,
        limit=st.one_of(
            st.just({}),
            st.integers(1, 10_000_000).map(lambda n: {"queue_packets": n}),
            st.integers(1, 4_000_000_000).map(lambda n: {"queue_bytes": n}),
            floats(0, 60_000, open_low=True).map(lambda n: {"queue_ms": n}),
            floats(0, 10_000, open_low=True).map(lambda n: {"queue_bdp": n}),
        ),
    ),
)

colours = st.sampled_from(["", "", *PALETTE, "#3366cc", "#ABCDEF"])
_common: dict[str, st.SearchStrategy[Any]] = {
    "x": st.floats(-1e6, 1e6),
    "y": st.floats(-1000, 1000),
    "number": st.none() | st.integers(-3, 300),
    "original_name": st.just("") | names,
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
    interfaces=st.lists(
        st.builds(OspfInterface, interface=st.text(min_size=1, max_size=8), area=short_text, passive=flags), max_size=2
    ).map(tuple),
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


SETTINGS = {
    "ospf": Ospf, "ospf6": Ospf6, "isis": Isis, "rip": Rip, "ripng": Ripng, "bgp": Bgp, "bfd": Bfd, "pim": Pim,
    "ldp": Ldp,
}  # fmt: skip
LISTS = {
    "vrfs": Vrf, "prefix_lists": PrefixList, "community_lists": CommunityList, "as_path_lists": AsPathList,
    "route_maps": RouteMap,
}  # fmt: skip
_one_setting = {name: st.fixed_dictionaries({name: values(kind)}) for name, kind in SETTINGS.items()}
_one_list = {
    name: st.fixed_dictionaries({name: values(kind).map(lambda item: (item,))}) for name, kind in LISTS.items()
}
#: Most routers have none of these, the others one, with all that it can say: that is a lot.
_routing = st.one_of(
    *[st.just({})] * 8,
    st.sampled_from(sorted(SETTINGS)).flatmap(_one_setting.__getitem__),
    st.sampled_from(sorted(LISTS)).flatmap(_one_list.__getitem__),
)


tcp_tunings = st.one_of(
    st.just(TcpTuning()),
    st.builds(
        lambda buffer, **fields: TcpTuning(**fields, **buffer),
        pacing=flags,
        initial_window_packets=st.none() | st.integers(1, 65_535),
        initial_receive_window_packets=st.none() | st.integers(1, 65_535),
        ecn=st.sampled_from([None, "off", "on", "answer"]),
        sack=st.none() | flags,
        slow_start_after_idle=st.none() | flags,
        notsent_lowat_bytes=st.none() | st.integers(1, 10**6),
        buffer=st.one_of(
            st.just({}),
            st.integers(4096, 10**9).map(lambda n: {"buffer_bytes": n}),
            floats(0, 10_000, open_low=True).map(lambda n: {"buffer_bdp": n}),
        ),
        saves_metrics=flags,
    ),
)


def _tuples(items: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(items, max_size=2).map(tuple)


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
        cpu_percent=st.none() | floats(0, 100),
        cores=short_text,
        congestion_control=short_text,
        tcp=tcp_tunings,
        **_common,
    )
    routers = st.builds(
        lambda routing, **fields: Router(**{**fields, **routing}),
        routing=_routing,
        name=name,
        loopbacks=_tuples(addresses),
        daemons=st.lists(st.sampled_from(["zebra", "isisd", "bfdd"]), max_size=2).map(tuple),
        ospf=st.none() | ospf,
        bgp=st.none() | bgp,
        static_routes=_tuples(st.builds(StaticRoute, prefix=networks, via=plain_addresses | nowhere)),
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
        congestion_control=st.sampled_from(["", "", "bbr", "é"]),
        offloads=st.none() | flags,
    )


def links(node: st.SearchStrategy[str]) -> st.SearchStrategy[Link]:
    """Links between some nodes."""
    return st.builds(
        Link,
        id=st.builds("l{}".format, st.integers(0, 40)) | no_paths,
        a=ends(node),
        b=ends(node),
        a_to_b=shapes,
        b_to_a=shapes,
        up=flags,
        speedup_mbit=st.none() | st.integers(-5, 100),
        foreign=foreign,
    )


def flows(node: st.SearchStrategy[str]) -> st.SearchStrategy[Flow]:
    """Flows between some nodes."""
    return st.builds(
        lambda end, traffic, **fields: Flow(**fields, **end, **({"traffic": traffic} if end.get("duration_s") else {})),
        id=st.sampled_from(["f1", "f2", "f.1", "é"]),
        source=node,
        destination=node,
        congestion_control=st.sampled_from(["cubic", "bbr", ""]),
        start_s=floats(0, 100),
        end=st.one_of(
            floats(0, 100, open_low=True).map(lambda s: {"duration_s": s}),
            st.integers(1, 10**9).map(lambda n: {"duration_s": None, "size_bytes": n}),
        ),
        count=st.integers(1, 3),
        stagger_s=st.just(0.0) | floats(0, 100),
        streams=st.integers(1, 3),
        opened_by=st.sampled_from(["source", "destination"]),
        dscp=st.none() | st.integers(0, 63),
        ecn=st.none() | flags,
        colour=st.sampled_from(["", "#3366cc"]),
        traffic=traffics,
    )


def faults(node: st.SearchStrategy[str]) -> st.SearchStrategy[Fault]:
    """Faults of some nodes, and of links that may be there."""
    link = st.builds("l{}".format, st.integers(0, 5))
    part = st.builds("{}:{}".format, node, st.sampled_from(["bgpd", "h1-eth0", "é", ""]))
    lasting = st.none() | floats(0, 100, open_low=True)
    courses = st.one_of(
        st.builds(Course, value=st.sampled_from(["delay_ms", "loss_percent"]),
                  pattern=st.sampled_from(["square", "sine"]), low=floats(0, 50), high=floats(0, 100),
                  period_s=floats(1, 100), step_s=floats(1, 10)),
        st.builds(Course, pattern=st.just("trace"), points=st.just(((0.0, 1.0), (2.5, 0.3)))),
    )  # fmt: skip
    values = st.one_of(
        st.builds(LinkValues, rate_mbit=floats(0, 100), delay_ms=st.none() | floats(0, 100)),
        st.builds(LinkValues, loss_percent=floats(0, 100), queue_packets=st.none() | st.integers(1, 100)),
        st.builds(LinkValues, queue=st.just("fifo") | st.sampled_from(list(QUEUES.values()))),
    )
    common: dict[str, Any] = {"time_s": floats(0, 100)}
    return st.one_of(
        st.builds(Fault, kind=st.just("loss"), target=link, loss_percent=floats(0, 100), duration_s=lasting, **common),
        st.builds(Fault, kind=st.just("link-values"), target=link, values=values, towards=st.just("") | node, **common),
        st.builds(
            Fault,
            kind=st.just("varied"),
            target=link,
            course=courses,
            towards=st.just("") | node,
            duration_s=floats(1, 50),
            **common,
        ),
        st.builds(Fault, kind=st.sampled_from(["link-up", "link-down"]), target=link, **common),
        st.builds(Fault, kind=st.sampled_from(["daemon-killed", "daemon-stopped"]), target=part, **common),
        st.builds(Fault, kind=st.just("flap"), target=part, times=st.integers(1, 9), period_s=floats(1, 9), **common),
        st.builds(Fault, kind=st.sampled_from(["frozen", "power-cycled"]), target=node, duration_s=lasting, **common),
        st.builds(Fault, kind=st.just("partition"), target=st.builds("{},{}".format, node, node), **common),
        st.builds(Fault, kind=st.just("healed"), **common),
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
    x=st.floats(-1e6, 1e6),
    y=st.floats(-1000, 1000),
    width=floats(0, 1_000_000, open_low=True),
    height=floats(0, 1_000_000, open_low=True),
    text=st.text(max_size=40),
    fill=colours,
    line=colours,
)
waits = st.just(Wait()) | st.builds(
    Wait,
    routes=flags,
    stable_s=floats(0, 60),
    timeout_s=floats(0, 3600, open_low=True),
    ping_count=st.integers(0, 1000),
)


#: The names of the nodes of the topology that is being drawn.
_drawn_names: list[str] = []


def _drawn_name(position: int) -> str:
    return _drawn_names[position % len(_drawn_names)] if _drawn_names else f"h{position}"


_MOST_NODES = 8
_drawn = st.integers(0, _MOST_NODES - 1).map(_drawn_name)
_anywhere = st.one_of(_drawn, _drawn, _drawn, names)
# Hypothesis examines a strategy once. Strategies that each topology made anew took most of the time of the tests.
_nodes = nodes()
_nodes_with_unique_names = st.lists(_nodes, max_size=_MOST_NODES, unique_by=lambda node: node.name)
_nodes_with_any_names = st.lists(_nodes, max_size=_MOST_NODES)
_titles = st.text(max_size=20)
_links = st.lists(links(_anywhere), max_size=8)
_flows = st.lists(flows(_anywhere), max_size=3)
_faults = st.lists(faults(_anywhere), max_size=3)
_annotations = st.lists(annotations, max_size=3)


@st.composite
def topologies(draw: st.DrawFn, unique_names: bool = True) -> Topology:
    """Topologies of up to eight nodes, most of whose links and flows lead somewhere."""
    drawn_nodes = draw(_nodes_with_unique_names if unique_names else _nodes_with_any_names)
    _drawn_names[:] = [node.name for node in drawn_nodes]
    return Topology(
        title=draw(_titles),
        nodes=tuple(drawn_nodes),
        links=tuple(draw(_links)),
        flows=tuple(draw(_flows)),
        faults=tuple(draw(_faults)),
        wait=draw(waits),
        preferences=draw(preferences),
        annotations=tuple(draw(_annotations)),
        foreign=draw(foreign),
    )
