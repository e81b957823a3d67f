"""Causes below the protocols: stopped processes, interfaces and links that are down, and addresses that do not fit."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.diagnosis.explanation import Step, cause
from frrlib.diagnosis.facts import InterfaceFacts, LabFacts
from frrlib.diagnosis.wiring import Port, SharedLink


def node_causes(facts: LabFacts, node: str, daemon: str = "") -> Iterator[Step]:
    """Causes at a node: its processes are stopped, or a daemon does not run.

    Args:
        daemon: the daemon that must run; empty for none.
    """
    if node in facts.faults["frozen"]:
        yield cause(
            node, "", f"All processes of {node} are stopped.", f"Continue them: `miniedit-frr fault thaw {node}`."
        )
    elif stopped := [name for name in facts.faults["stopped"] if name.partition(":")[0] == node]:
        name = stopped[0].partition(":")[2]
        yield cause(node, "", f"The daemon {name} of {node} is stopped.", f"Continue {name}, or restart it.")
    elif daemon and not facts.runs(node, daemon):
        died = f"{node}:{daemon}" in facts.faults["dead"]
        remedy = f"Restart {daemon}." if died else f"Enable the protocol at {node}, so that {daemon} starts."
        yield cause(node, "", f"The daemon {daemon} does not run on {node}.", remedy)


def link_causes(facts: LabFacts, link: SharedLink) -> Iterator[Step]:
    """Causes at the two interfaces of a link: it is down, or an interface is."""
    ports = [(port, facts.interface(port.node, port.interface)) for port in link.ends]
    down = [port for port in dict.fromkeys((link.a.link, link.b.link)) if port in facts.faults["links_down"]]
    if down:
        yield cause(
            link.a.node,
            link.a.interface,
            f"The link between {link.a} and {link.b} is down.",
            f"Set the link {down[0]} up.",
        )
        return
    for port, interface in ports:
        if not interface.is_enabled:
            yield disabled_cause(facts, port)
    if all(interface.is_enabled for _, interface in ports):
        for port, interface in ports:
            if not interface.has_carrier:
                yield cause(
                    port.node,
                    port.interface,
                    f"{port} has no carrier.",
                    f"Set the other end of the link {port.link} up.",
                )


def disabled_cause(facts: LabFacts, port: Port) -> Step:
    """The cause that an interface is down."""
    remedy = f"In vtysh of {port.node}: `interface {port.interface}`, `no shutdown`."
    if port.node not in facts.routers:
        remedy = f"At {port.node}: `ip link set {port.interface} up`."
    return cause(port.node, port.interface, f"{port} is down.", remedy)


def address_causes(facts: LabFacts, link: SharedLink, *, same_mask: bool = False) -> Iterator[Step]:
    """Causes in the IPv4 addresses of a link: one is missing, or they are in different networks.

    Args:
        same_mask: whether networks of different sizes are a cause although each contains the other end's address.
    """
    interfaces = [facts.interface(port.node, port.interface) for port in link.ends]
    missing = False
    for port, interface in zip(link.ends, interfaces, strict=True):
        if not interface.of_version(4):
            missing = True
            remedy = f"In vtysh of {port.node}: `interface {port.interface}`, `ip address ADDRESS/LENGTH`."
            yield cause(port.node, port.interface, f"{port} has no IPv4 address.", remedy)
    if missing or (pair := _misfit(*interfaces, same_mask=same_mask)) is None:
        return
    a, b, word = pair
    yield cause(
        link.a.node,
        link.a.interface,
        f"The {word} of the addresses differ: {link.a} has {a}, {link.b} has {b}.",
        "Give both interfaces addresses in one network, with one prefix length.",
    )


def _misfit(a: InterfaceFacts, b: InterfaceFacts, *, same_mask: bool) -> tuple[str, str, str] | None:
    """The addresses of two interfaces, and the part that differs; None if a pair of them fits."""
    pairs = [(x, y) for x in a.of_version(4) for y in b.of_version(4)]
    fitting = [(x, y) for x, y in pairs if y.ip in x.network and x.ip in y.network]
    if any(x.network == y.network for x, y in fitting) or (fitting and not same_mask):
        return None
    if all(x.network.prefixlen == 32 and y.network.prefixlen == 32 for x, y in pairs):
        return None  # unnumbered
    x, y = (fitting or pairs)[0]
    return str(x), str(y), "masks" if x.network.prefixlen != y.network.prefixlen else "networks"
