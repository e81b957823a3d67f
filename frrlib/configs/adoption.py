"""Takes what was typed on a router into the drawing: into its settings where it is one of their lines, else as text.

Whether a line is one of the settings' is not believed but tried: the setting is made, the configuration is written
again, and only if that brings the line, and nothing that was not typed, the setting stays. So after taking over, the
drawing makes the configuration that was running, and the dialog shows what can be shown there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from ipaddress import IPv4Network, ip_address, ip_network
from typing import Any

from frrlib.addressing.addressing import addressed
from frrlib.checks.check import Problem, Severity, check
from frrlib.conf.changes import ConfigChange, applied, as_own_lines, difference
from frrlib.conf.grammar import key_of
from frrlib.conf.merge import merged
from frrlib.conf.text import joined
from frrlib.edits.parts import with_nodes
from frrlib.model.nodes import Router
from frrlib.model.protocols.bgp import BgpNeighbor
from frrlib.model.protocols.common import StaticRoute
from frrlib.model.topology import Topology
from frrlib.render.frr import frr_conf

#: So many lines are settings at most.
_MOST_SETTINGS = 500
#: A topology after a line became a setting; None where it cannot be one.
Setting = Callable[[Topology, Router, ConfigChange, list[str]], Topology | None]


def take_over(
    topology: Topology, typed: Mapping[str, Iterable[ConfigChange]], built: Topology | None = None
) -> Topology:
    """The drawing with the typed lines.

    Args:
        topology: the drawing.
        typed: router to changes of its configuration, all or some of `RunningConfig.typed()`. Routers that the drawing
            no longer has are passed over.
        built: what the lab was built from, where that is known. A line that is gone and that the drawing never had in
            these words, since FRR tells some otherwise than it was told, is then undone by a line of one's own.
    """
    every = {name: tuple(changes) for name, changes in typed.items()}
    taken = _taken(topology, every, False)
    # What was typed on both ends of a link may be wrong as a setting of one of them only.
    taken = _taken(topology, every, True) if _errors(taken) - _errors(topology) else taken
    return _undone(taken, every, built) if built is not None else taken


def _taken(topology: Topology, typed: Mapping[str, tuple[ConfigChange, ...]], careful: bool) -> Topology:
    for name, changes in typed.items():
        router = topology.node(name)
        if isinstance(router, Router):
            topology = _take_one(topology, router, changes, careful)
    return topology


def _undone(topology: Topology, typed: Mapping[str, tuple[ConfigChange, ...]], built: Topology) -> Topology:
    """The drawing with a `no` for each line that is gone and that the lab was not told in these words."""
    for name, changes in typed.items():
        router, there = topology.node(name), built.node(name)
        if isinstance(router, Router) and isinstance(there, Router) and there.runs_frr:
            told = full_text(built, name)
            other = [each for each in changes if each.kind == "removed" and not difference(told, applied(told, [each]))]
            own = joined([router.frr_conf, as_own_lines(other)]) if other else router.frr_conf
            topology = with_router(topology, router.model_copy(update={"frr_conf": own}))
    return topology


def as_settings(
    topology: Topology, router: str, changes: Iterable[ConfigChange], *, careful: bool = True
) -> tuple[Topology, tuple[ConfigChange, ...]]:
    """The drawing with those changes that settings can say, and the other changes.

    Args:
        careful: whether a setting with which a lab would refuse to start is left to the text, which only FRR judges.

    More than a dialog could show stay text, all of them: to try so many would take minutes.
    """
    left = tuple(changes)
    wanted = [change for change in left if _setting_of(change)]
    if len(wanted) > _MOST_SETTINGS:
        return topology, left
    work = _Settling(topology, router, left, careful)
    work.settle(wanted)
    return work.topology, work.left


class _Settling:
    """Makes settings of changes, as many at a time as can be, since a configuration is written for each attempt.

    Attributes:
        topology: the drawing with what is settled by now.
        left: what is not.
    """

    def __init__(self, topology: Topology, router: str, left: tuple[ConfigChange, ...], careful: bool) -> None:
        self.topology, self.left, self._router = topology, left, router
        self._base = base_text(topology, router)
        self._errors = _errors(topology) if careful else None

    def settle(self, changes: list[ConfigChange]) -> None:
        """Make settings of these changes, else of their halves."""
        changes = [change for change in changes if change in self.left]
        if changes and not self._settled(changes) and len(changes) > 1:
            middle = len(changes) // 2
            self.settle(changes[:middle])
            self.settle(changes[middle:])

    def _settled(self, changes: list[ConfigChange]) -> bool:
        topology = self.topology
        for change in changes:
            tried = _tried(topology, self._router, change)
            if tried is None:
                return False
            topology = tried
        base = base_text(topology, self._router)
        made = difference(self._base, base)
        wanted = all(each in self.left or _comes_along(each, changes) for each in made)
        if not wanted or not set(changes) <= set(made):
            return False
        if self._errors is not None and _errors(topology) - self._errors:
            return False
        self.topology, self._base = topology, base
        self.left = tuple(change for change in self.left if change not in made)
        return True


def _errors(topology: Topology) -> set[Problem]:
    return {problem for problem in check(topology) if problem.severity == Severity.ERROR}


def base_text(topology: Topology, router: str) -> str:
    """A router's configuration from the settings alone, without its own lines."""
    node = topology.node(router)
    assert isinstance(node, Router)
    return full_text(with_router(topology, node.model_copy(update={"frr_conf": ""})), router)


def full_text(topology: Topology, router: str) -> str:
    """The configuration that a router of the drawing gets."""
    whole = addressed(topology)
    node = whole.node(router)
    assert isinstance(node, Router)
    return frr_conf(whole, node)


def with_router(topology: Topology, router: Router) -> Topology:
    """The topology with this router in the place of that of the same name."""
    return with_nodes(topology, {router.name: router})


def _take_one(topology: Topology, router: Router, typed: tuple[ConfigChange, ...], careful: bool) -> Topology:
    before = full_text(topology, router.name)
    wanted = applied(before, typed)
    changes = difference(before, wanted)  # all but what the drawing says already
    if not changes:
        return topology
    topology, left = as_settings(topology, router.name, changes, careful=careful)
    # What a setting brings along of itself is wanted, too, but for what was typed about the same.
    taken = [change for change in changes if change not in left]
    base = base_text(topology, router.name)
    said = {(change.section, key_of(change.line) or change.line) for change in changes}
    along = [
        each
        for each in difference(wanted, base)
        if each.kind == "added" and _comes_along(each, taken)
        if (each.section, key_of(each.line) or each.line) not in said
    ]
    wanted = applied(wanted, along)
    node = topology.node(router.name)
    assert isinstance(node, Router)
    return with_router(topology, node.model_copy(update={"frr_conf": _own(base, node.frr_conf, left, wanted)}))


def _own(base: str, own: str, changes: Iterable[ConfigChange], wanted: str) -> str:
    """One's own lines that make `base` say what is wanted: those of before with the changes; new ones if need be."""
    own = merged(own, as_own_lines(changes)) if own.strip() else as_own_lines(changes)
    for _ in range(2):
        missing = difference(merged(base, own), wanted)
        if not missing:
            return own
        own = joined([own, as_own_lines(missing)])
    return as_own_lines(difference(base, wanted))


# --- lines that are settings ------------------------------------------------------------------------------------------


def _tried(topology: Topology, router: str, change: ConfigChange) -> Topology | None:
    node, setting = topology.node(router), _setting_of(change)
    if setting is None or not isinstance(node, Router):
        return None
    try:
        return setting(topology, node, change, change.line.split())
    except ValueError:  # an address, a number or a value that the settings do not take
        return None


def _network(topology: Topology, router: Router, change: ConfigChange, words: list[str]) -> Topology | None:
    bgp = router.bgp
    if bgp is None or len(words) != 2:
        return None
    network = ip_network(words[1])
    rest = tuple(each for each in bgp.networks if each != network)
    networks = (*rest, network) if change.kind == "added" else rest
    return _with(topology, router, bgp=_updated(bgp, networks=networks))


def _neighbor(topology: Topology, router: Router, change: ConfigChange, words: list[str]) -> Topology | None:
    bgp = router.bgp
    if bgp is None or len(words) < 4:
        return None
    address = ip_address(words[1])
    old = next((each for each in bgp.neighbors if each.address == address), None)
    rest = tuple(each for each in bgp.neighbors if each.address != address)
    if words[2] == "remote-as" and change.kind == "added":
        new = _updated(old, remote_as=int(words[3])) if old else BgpNeighbor(address=address, remote_as=int(words[3]))
    elif words[2] == "description" and old is not None:
        new = _updated(old, description=" ".join(words[3:]) if change.kind == "added" else "")
    elif words[2] == "remote-as":
        return _with(topology, router, bgp=_updated(bgp, neighbors=rest))
    else:
        return None
    at = bgp.neighbors.index(old) if old else len(rest)
    return _with(topology, router, bgp=_updated(bgp, neighbors=(*rest[:at], new, *rest[at:])))


def _static(topology: Topology, router: Router, change: ConfigChange, words: list[str]) -> Topology | None:
    if len(words) not in (4, 5):
        return None
    distance = int(words[4]) if len(words) == 5 else None
    route = StaticRoute.model_validate({"prefix": words[2], "via": words[3], "distance": distance})
    if (words[0] == "ip") != isinstance(route.prefix, IPv4Network):
        return None
    rest = tuple(each for each in router.static_routes if each != route)
    return _with(topology, router, static_routes=(*rest, route) if change.kind == "added" else rest)


def _cost(topology: Topology, router: Router, change: ConfigChange, words: list[str]) -> Topology | None:
    if len(words) != 4 or router.ospf is None or router.ospf6 is not None:
        return None  # the setting is of both versions of OSPF
    interface = change.section[0].split()[1]
    cost = int(words[3]) if change.kind == "added" else None
    return with_end(topology, addressed(topology), (router.name, interface), {"ospf_cost": cost})


def _ospf_field(field: str, convert: Callable[[str], Any], empty: Any) -> Setting:
    """A line `ip ospf WORD VALUE` that a row of the interface has as `field`."""

    def setting(topology: Topology, router: Router, change: ConfigChange, words: list[str]) -> Topology | None:
        ospf = router.ospf
        if len(words) != 4 or ospf is None:
            return None
        row = ospf.at(change.section[0].split()[1])
        new = _updated(row, **{field: convert(words[3]) if change.kind == "added" else empty})
        at = ospf.interfaces.index(row) if row in ospf.interfaces else len(ospf.interfaces)
        rows = (*ospf.interfaces[:at], new, *ospf.interfaces[at + 1 :])
        return _with(topology, router, ospf=_updated(ospf, interfaces=rows))

    return setting


def _router_id(protocol: str) -> Setting:
    def setting(topology: Topology, router: Router, change: ConfigChange, words: list[str]) -> Topology | None:
        value = getattr(router, protocol)
        if value is None or change.kind != "added":
            return None
        return _with(topology, router, **{protocol: _updated(value, router_id=words[-1])})

    return setting


#: Where a line stands (the kinds of the sections above it, and how their headings begin), its first words, and the
#: setting that it may be.
_SETTINGS: tuple[tuple[tuple[str, ...], str, str, Setting], ...] = (
    (("bgp", "address-family"), "address-family ipv", "network ", _network),
    (("bgp",), "router bgp ", "neighbor ", _neighbor),
    (("bgp",), "router bgp ", "bgp router-id ", _router_id("bgp")),
    (("router",), "router ospf", "ospf router-id ", _router_id("ospf")),
    ((), "", "ip route ", _static),
    ((), "", "ipv6 route ", _static),
    (("interface",), "interface ", "ip ospf cost ", _cost),
    (("interface",), "interface ", "ip ospf area ", _ospf_field("area", str, "")),
    (("interface",), "interface ", "ip ospf priority ", _ospf_field("priority", int, None)),
    (("interface",), "interface ", "ip ospf hello-interval ", _ospf_field("hello_s", int, None)),
    (("interface",), "interface ", "ip ospf dead-interval ", _ospf_field("dead_s", int, None)),
)


def _setting_of(change: ConfigChange) -> Setting | None:
    if any(" vrf " in heading or " view " in heading for heading in change.section):
        return None
    innermost = change.section[-1] if change.section else ""
    for within, heading, start, setting in _SETTINGS:
        if change.within == within and innermost.startswith(heading) and change.line.startswith(start):
            return setting
    return None


def _comes_along(made: ConfigChange, changes: Iterable[ConfigChange]) -> bool:
    """Whether a setting brings a line of itself, by one of the changes: how soon a neighbour is called again."""
    said = made.line.removeprefix("no ").split()
    asked = [["neighbor", said[1], "remote-as"]] if said[0] == "neighbor" and len(said) > 2 else []
    timed = said[2:3] in (["timers"], ["advertisement-interval"])
    return timed and any(change.line.split()[:3] in asked for change in changes)


def _updated(value: Any, **fields: Any) -> Any:
    """The value with other fields, checked. Raises ValueError (pydantic's is one)."""
    return type(value).model_validate({**{name: getattr(value, name) for name in type(value).model_fields}, **fields})


def _with(topology: Topology, router: Router, **fields: Any) -> Topology:
    return with_router(topology, _updated(router, **fields))


def with_end(topology: Topology, named: Topology, place: tuple[str, str], fields: Mapping[str, Any]) -> Topology | None:
    """The topology with other fields of a link's end; None where it is not there.

    Args:
        named: the same links with names for all interfaces.
        place: node and interface.
        fields: what becomes of the end.
    """
    for number, link in enumerate(named.links):
        for side, end in zip("ab", link.ends, strict=True):
            if (end.node, end.interface) == place:
                drawn = topology.links[number]
                new = drawn.model_copy(update={side: _updated(getattr(drawn, side), **fields)})
                return topology.model_copy(
                    update={"links": (*topology.links[:number], new, *topology.links[number + 1 :])}
                )
    return None
