"""Adopts lines typed on a running router into the topology: as settings if possible, else as custom lines.

A line becomes a setting only after a test: the setting is changed, and the configuration is rendered again. The setting
is kept only if this gives the typed line and no other change. So after adoption, the topology renders the configuration
that was running, and dialogs show as much of it as possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from ipaddress import IPv4Network, ip_address, ip_network
from typing import Any

from frrlib.addressing.addressing import addressed
from frrlib.checks.check import Problem, Severity, check
from frrlib.conf.changes import ConfigChange, apply_changes, as_own_lines, difference
from frrlib.conf.grammar import key_of
from frrlib.conf.merge import merged
from frrlib.conf.text import joined
from frrlib.edits.parts import with_nodes
from frrlib.model.nodes import Router
from frrlib.model.protocols.bgp import BgpNeighbor
from frrlib.model.protocols.common import StaticRoute
from frrlib.model.topology import Topology
from frrlib.render.frr import frr_conf

#: Maximum number of lines that are tried as settings.
_MOST_SETTINGS = 500
#: A function that returns the topology with a line as a setting; None if no setting corresponds to the line.
Setting = Callable[[Topology, Router, ConfigChange, list[str]], Topology | None]


def take_over(
    topology: Topology, typed_changes: Mapping[str, Iterable[ConfigChange]], built: Topology | None = None
) -> Topology:
    """The topology with typed lines adopted.

    Args:
        topology: the topology.
        typed_changes: changes by router, all or some of `RunningConfig.typed()`. Routers missing in the topology are
            skipped.
        built: the topology that the lab was built from, if known. FRR prints some lines in a different form than they
            were configured in. The removal of such a line is then adopted as a custom `no` line.
    """
    changes_by_router = {name: tuple(changes) for name, changes in typed_changes.items()}
    adopted = _adopted(topology, changes_by_router, False)
    # Lines typed at both ends of a link may be invalid as a setting of one end only.
    adopted = _adopted(topology, changes_by_router, True) if errors_of(adopted) - errors_of(topology) else adopted
    return _with_removals(adopted, changes_by_router, built) if built is not None else adopted


def _adopted(topology: Topology, changes_by_router: Mapping[str, tuple[ConfigChange, ...]], careful: bool) -> Topology:
    for name, changes in changes_by_router.items():
        router = topology.node(name)
        if isinstance(router, Router):
            topology = _adopt_router(topology, router, changes, careful)
    return topology


def _with_removals(
    topology: Topology, changes_by_router: Mapping[str, tuple[ConfigChange, ...]], built: Topology
) -> Topology:
    """The topology with a `no` line for each removed line that the rendered configuration has in a different form."""
    for name, changes in changes_by_router.items():
        router, built_router = topology.node(name), built.node(name)
        if isinstance(router, Router) and isinstance(built_router, Router) and built_router.runs_frr:
            built_text = full_text(built, name)
            unmatched = [
                change
                for change in changes
                if change.kind == "removed" and not difference(built_text, apply_changes(built_text, [change]))
            ]
            custom = joined([router.frr_conf, as_own_lines(unmatched)]) if unmatched else router.frr_conf
            topology = with_router(topology, router.model_copy(update={"frr_conf": custom}))
    return topology


def as_settings(
    topology: Topology, router: str, changes: Iterable[ConfigChange], *, careful: bool = True
) -> tuple[Topology, tuple[ConfigChange, ...]]:
    """The topology with changes adopted as settings if possible, and the remaining changes.

    Args:
        topology: the topology.
        router: name of the router.
        changes: changes of its configuration.
        careful: whether settings that would keep a lab from starting remain text, which only FRR checks.

    If there are too many changes, all of them remain text, since trying them would take minutes.
    """
    remaining = tuple(changes)
    candidates = [change for change in remaining if _setting_of(change)]
    if not candidates or len(candidates) > _MOST_SETTINGS:
        return topology, remaining
    adoption = _Adoption(topology, router, remaining, careful)
    adoption.adopt(candidates)
    return adoption.topology, adoption.remaining


class _Adoption:
    """Adopts changes as settings, many at a time if possible, since each attempt renders a configuration.

    Attributes:
        topology: the topology with the changes adopted so far.
        remaining: the changes not adopted yet.
    """

    def __init__(self, topology: Topology, router: str, remaining: tuple[ConfigChange, ...], careful: bool) -> None:
        self.topology, self.remaining, self._router = topology, remaining, router
        self._base = base_text(topology, router)
        self._errors = errors_of(topology) if careful else None

    def adopt(self, changes: list[ConfigChange]) -> None:
        """Adopt these changes together, else each half of them."""
        changes = [change for change in changes if change in self.remaining]
        if changes and not self._adopt_all(changes) and len(changes) > 1:
            middle = len(changes) // 2
            self.adopt(changes[:middle])
            self.adopt(changes[middle:])

    def _adopt_all(self, changes: list[ConfigChange]) -> bool:
        topology = self.topology
        for change in changes:
            tried = _as_setting(topology, self._router, change)
            if tried is None:
                return False
            topology = tried
        base = base_text(topology, self._router)
        rendered = difference(self._base, base)
        is_expected = all(change in self.remaining or _is_implied(change, changes) for change in rendered)
        if not is_expected or not set(changes) <= set(rendered):
            return False
        if self._errors is not None and errors_of(topology) - self._errors:
            return False
        self.topology, self._base = topology, base
        self.remaining = tuple(change for change in self.remaining if change not in rendered)
        return True


def errors_of(topology: Topology) -> set[Problem]:
    """The problems that keep a lab of the topology from starting."""
    return {problem for problem in check(topology) if problem.severity == Severity.ERROR}


def base_text(topology: Topology, router: str) -> str:
    """A router's configuration from its settings alone, without custom lines."""
    node = topology.node(router)
    assert isinstance(node, Router)
    return full_text(with_router(topology, node.model_copy(update={"frr_conf": ""})), router)


def full_text(topology: Topology, router: str) -> str:
    """The rendered configuration of a router."""
    filled = addressed(topology)
    node = filled.node(router)
    assert isinstance(node, Router)
    return frr_conf(filled, node)


def with_router(topology: Topology, router: Router) -> Topology:
    """The topology with the router of this name replaced."""
    return with_nodes(topology, {router.name: router})


def _adopt_router(
    topology: Topology, router: Router, typed_changes: tuple[ConfigChange, ...], careful: bool
) -> Topology:
    old_text = full_text(topology, router.name)
    new_text = apply_changes(old_text, typed_changes)
    changes = difference(old_text, new_text)  # without lines that the topology already renders
    if not changes:
        return topology
    topology, remaining = as_settings(topology, router.name, changes, careful=careful)
    # Lines that a setting adds by itself are accepted, unless another line about the same subject was typed.
    adopted = [change for change in changes if change not in remaining]
    base = base_text(topology, router.name)
    subjects = {(change.section, key_of(change.line) or change.line) for change in changes}
    implied = [
        change
        for change in difference(new_text, base)
        if change.kind == "added" and _is_implied(change, adopted)
        if (change.section, key_of(change.line) or change.line) not in subjects
    ]
    new_text = apply_changes(new_text, implied)
    node = topology.node(router.name)
    assert isinstance(node, Router)
    return with_router(
        topology, node.model_copy(update={"frr_conf": _custom_lines(base, node.frr_conf, remaining, new_text)})
    )


def _custom_lines(base: str, custom: str, changes: Iterable[ConfigChange], new_text: str) -> str:
    """Custom lines that turn `base` into the new text: the old lines with the changes, or new ones if necessary."""
    custom = merged(custom, as_own_lines(changes)) if custom.strip() else as_own_lines(changes)
    for _ in range(2):
        missing = difference(merged(base, custom), new_text)
        if not missing:
            return custom
        custom = joined([custom, as_own_lines(missing)])
    return as_own_lines(difference(base, new_text))


# --- lines that are settings ------------------------------------------------------------------------------------------


def _as_setting(topology: Topology, router: str, change: ConfigChange) -> Topology | None:
    node, setting = topology.node(router), _setting_of(change)
    if setting is None or not isinstance(node, Router):
        return None
    try:
        return setting(topology, node, change, change.line.split())
    except ValueError:  # an address, a number or a value that the settings reject
        return None


def _network(topology: Topology, router: Router, change: ConfigChange, words: list[str]) -> Topology | None:
    bgp = router.bgp
    if bgp is None or len(words) != 2:
        return None
    network = ip_network(words[1])
    remaining = tuple(announced for announced in bgp.networks if announced != network)
    networks = (*remaining, network) if change.kind == "added" else remaining
    return _with(topology, router, bgp=_updated(bgp, networks=networks))


def _neighbor(topology: Topology, router: Router, change: ConfigChange, words: list[str]) -> Topology | None:
    bgp = router.bgp
    if bgp is None or len(words) < 4:
        return None
    address = ip_address(words[1])
    old = next((neighbor for neighbor in bgp.neighbors if neighbor.address == address), None)
    remaining = tuple(neighbor for neighbor in bgp.neighbors if neighbor.address != address)
    if words[2] == "remote-as" and change.kind == "added":
        new = _updated(old, remote_as=int(words[3])) if old else BgpNeighbor(address=address, remote_as=int(words[3]))
    elif words[2] == "description" and old is not None:
        new = _updated(old, description=" ".join(words[3:]) if change.kind == "added" else "")
    elif words[2] == "remote-as":
        return _with(topology, router, bgp=_updated(bgp, neighbors=remaining))
    else:
        return None
    at = bgp.neighbors.index(old) if old else len(remaining)
    return _with(topology, router, bgp=_updated(bgp, neighbors=(*remaining[:at], new, *remaining[at:])))


def _static(topology: Topology, router: Router, change: ConfigChange, words: list[str]) -> Topology | None:
    if len(words) not in (4, 5):
        return None
    distance = int(words[4]) if len(words) == 5 else None
    route = StaticRoute.model_validate({"prefix": words[2], "via": words[3], "distance": distance})
    if (words[0] == "ip") != isinstance(route.prefix, IPv4Network):
        return None
    remaining = tuple(existing for existing in router.static_routes if existing != route)
    return _with(topology, router, static_routes=(*remaining, route) if change.kind == "added" else remaining)


def _cost(topology: Topology, router: Router, change: ConfigChange, words: list[str]) -> Topology | None:
    if len(words) != 4 or router.ospf is None or router.ospf6 is not None:
        return None  # the setting applies to both versions of OSPF
    interface = change.section[0].split()[1]
    cost = int(words[3]) if change.kind == "added" else None
    return with_end(topology, addressed(topology), (router.name, interface), {"ospf_cost": cost})


def _ospf_field(field: str, convert: Callable[[str], Any], empty: Any) -> Setting:
    """The setting for a line `ip ospf WORD VALUE`, which is `field` in the interface's row."""

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


def _mtu_ignore(topology: Topology, router: Router, change: ConfigChange, words: list[str]) -> Topology | None:
    ospf = router.ospf
    if ospf is None or len(words) != 3:
        return None
    row = ospf.at(change.section[0].split()[1])
    new = _updated(row, mtu_ignore=change.kind == "added")
    rows = tuple(new if existing == row else existing for existing in ospf.interfaces)
    return _with(topology, router, ospf=_updated(ospf, interfaces=rows if row in ospf.interfaces else (*rows, new)))


def _lsp_mtu(topology: Topology, router: Router, change: ConfigChange, words: list[str]) -> Topology | None:
    if router.isis is None or len(words) != 2:
        return None
    size_bytes = int(words[1]) if change.kind == "added" else None
    return _with(topology, router, isis=_updated(router.isis, lsp_mtu_bytes=size_bytes))


def _router_id(protocol: str) -> Setting:
    def setting(topology: Topology, router: Router, change: ConfigChange, words: list[str]) -> Topology | None:
        value = getattr(router, protocol)
        if value is None or change.kind != "added":
            return None
        return _with(topology, router, **{protocol: _updated(value, router_id=words[-1])})

    return setting


#: For each line that may be a setting: kinds of the sections above it, beginning of the innermost heading, first words
#: of the line, and the setting.
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
    (("interface",), "interface ", "ip ospf mtu-ignore", _mtu_ignore),
    (("router",), "router isis ", "lsp-mtu ", _lsp_mtu),
)


def _setting_of(change: ConfigChange) -> Setting | None:
    if any(" vrf " in heading or " view " in heading for heading in change.section):
        return None
    innermost = change.section[-1] if change.section else ""
    for within, heading, start, setting in _SETTINGS:
        if change.within == within and innermost.startswith(heading) and change.line.startswith(start):
            return setting
    return None


def _is_implied(line_change: ConfigChange, changes: Iterable[ConfigChange]) -> bool:
    """Whether one of the changes adds a line by itself: a new neighbor's connect timer or advertisement interval."""
    words = line_change.line.removeprefix("no ").split()
    causes = [["neighbor", words[1], "remote-as"]] if words[0] == "neighbor" and len(words) > 2 else []
    timed = words[2:3] in (["timers"], ["advertisement-interval"])
    return timed and any(change.line.split()[:3] in causes for change in changes)


def _updated(value: Any, **fields: Any) -> Any:
    """A copy of the value with some fields changed, validated. Raises ValueError (pydantic's error is one)."""
    return type(value).model_validate({**{name: getattr(value, name) for name in type(value).model_fields}, **fields})


def _with(topology: Topology, router: Router, **fields: Any) -> Topology:
    return with_router(topology, _updated(router, **fields))


def with_end(topology: Topology, named: Topology, place: tuple[str, str], fields: Mapping[str, Any]) -> Topology | None:
    """The topology with some fields of a link's end changed; None if the end does not exist.

    Args:
        topology: the topology.
        named: the topology with names for all interfaces.
        place: node and interface.
        fields: the new fields.
    """
    for number, link in enumerate(named.links):
        for side, end in zip("ab", link.ends, strict=True):
            if (end.node, end.interface) == place:
                old = topology.links[number]
                new = old.model_copy(update={side: _updated(getattr(old, side), **fields)})
                return topology.model_copy(
                    update={"links": (*topology.links[:number], new, *topology.links[number + 1 :])}
                )
    return None
