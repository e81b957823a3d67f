"""`lib.topotest`: compares replies, waits for them, and reads the tables of the kernel and FRR."""

from __future__ import annotations

import difflib
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from frrlib.expect.comparison import Difference, differences, exact, from_topotest
from frrlib.topotest.frr import RouterNode as Router
from frrlib.topotest.interfaces import interface_set_status
from frrlib.topotest.log import logger
from frrlib.topotest.versions import compare as version_cmp

__all__ = ["Router", "interface_set_status", "version_cmp"]

#: Maximum number of differences in a report.
TOLD = 20
#: The kernel's numbers of the sources of routes, by the names that `ip` prints.
_PROTOCOLS = {
    name: str(number)
    for number, name in enumerate(
        ("bgp", "isis", "ospf", "rip", "ripng", "nhrp", "eigrp", "ldp", "sharp", "pbr", "static", "ospf6"), 186
    )
}


class json_cmp_result:  # noqa: N801  (the tests' name)
    """The differences between two values of JSON."""

    def __init__(self, found_differences: Sequence[Difference] = ()) -> None:
        self.errors = [str(difference) for difference in found_differences]

    def has_errors(self) -> bool:
        """Whether the values differ."""
        return bool(self.errors)

    def __str__(self) -> str:
        omitted = [f"... and {len(self.errors) - TOLD} more differences"] if len(self.errors) > TOLD else []
        return "\n".join([*self.errors[:TOLD], *omitted])

    __repr__ = __str__


# --- comparing ------------------------------------------------------------------------------------------------------


def json_cmp(d1: Any, d2: Any, exact: bool = False) -> json_cmp_result | None:
    """None if a value has all expected content, else its difference.

    Args:
        d1: the actual value.
        d2: the expected value, in the notation of the tests; see `frrlib.expect.comparison.from_topotest`.
        exact: whether further content is a difference.
    """
    found_differences = differences(_numbers(d1), _wanted(_numbers(d2), exact))
    return json_cmp_result(found_differences) if found_differences else None


def _numbers(value: Any) -> Any:
    """The same with 1 for true and 0 for false, which the tests treat as equal."""
    if isinstance(value, Mapping):
        return {key: _numbers(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_numbers(inner) for inner in value]
    return int(value) if isinstance(value, bool) else value


def _wanted(value: Any, is_exact: bool) -> Any:
    return exact(from_topotest(value)) if is_exact else from_topotest(value)


def router_json_cmp(router: Any, cmd: str, data: Any, exact: bool = False) -> json_cmp_result | None:
    """The same for the output of a router's vtysh."""
    return json_cmp(router.vtysh_cmd(cmd, isjson=True), data, exact)


def router_json_cmp_retry(router: Any, cmd: str, data: Any, exact: bool = False, retry_timeout: float = 10.0) -> bool:
    """Whether the output is as expected within some seconds."""
    return run_and_expect(lambda: router_json_cmp(router, cmd, data, exact), None, int(retry_timeout), 1)[0]


def router_output_cmp(router: Any, cmd: str, expected: str) -> str:
    """The differences between a router's output and a text, ignoring white space; empty for none."""
    return difflines(
        normalize_text(router.vtysh_cmd(cmd)), normalize_text(expected), title1="Current output", title2="Expected"
    )


def get_textdiff(text1: Iterable[str], text2: Iterable[str], title1: str = "", title2: str = "", **opts: Any) -> str:
    """The unified difference of two lists of lines."""
    text1, text2 = [str(line).rstrip("\n") for line in text1], [str(line).rstrip("\n") for line in text2]
    return "\n".join(difflib.unified_diff(text1, text2, title1, title2, lineterm="", **opts))


def difflines(text1: str, text2: str, title1: str = "", title2: str = "", **opts: Any) -> str:
    """The differences between two texts."""
    first, second = ("\n".join(text.rstrip().splitlines()).splitlines() for text in (text1, text2))
    return get_textdiff(first, second, title1, title2, **opts)


def normalize_text(text: str) -> str:
    """A text with single blanks, and without blanks at the end of a line or of the text."""
    lines = (re.sub(r"[ \t]+", " ", line) for line in text.replace("\r", "").split("\n"))
    return "\n".join(line.rstrip(" ") for line in lines).rstrip()


def is_mapping(o: Any) -> bool:
    """Whether a value has keys."""
    return isinstance(o, Mapping)


def frr_unicode(s: str) -> str:
    """The text itself."""
    return s


# --- waiting --------------------------------------------------------------------------------------------------------


def run_and_expect(func: Callable[[], Any], what: Any, count: int = 20, wait: float = 3) -> tuple[bool, Any]:
    """Call a function until it returns the expected result. Returns whether it did, and the last result.

    Args:
        func: the function.
        what: the expected result.
        count: maximum number of calls.
        wait: seconds between two calls.
    """
    return _until(func, lambda result: bool(result == what), count, wait)


def run_and_expect_type(
    func: Callable[[], Any], etype: type, count: int = 20, wait: float = 3, avalue: Any = None
) -> tuple[bool, Any]:
    """The same for a result of a type and, if `avalue` is not None, of that value."""

    def fits(result: Any) -> bool:
        return isinstance(result, etype) and (avalue is None or etype is type(None) or bool(result == avalue))

    return _until(func, fits, count, wait)


def _until(func: Callable[[], Any], fits: Callable[[Any], bool], count: int, wait: float) -> tuple[bool, Any]:
    result = None
    for _ in range(int(count)):
        result = func()
        if fits(result):
            return True, result
        time.sleep(wait)
    return False, result


def sleep(amount: float, reason: str | None = None) -> None:
    """Wait for this many seconds."""
    if reason:
        logger.info("%s (%s seconds)", reason, amount)
    time.sleep(amount)


# --- reading --------------------------------------------------------------------------------------------------------


def ip4_route_zebra(node: Any, vrf_name: str | None = None) -> str:
    """FRR's IPv4 routes as text, without the legend, and times of day and ages hidden."""
    return _routes_text(node, "ip", vrf_name)


def ip6_route_zebra(node: Any, vrf_name: str | None = None) -> str:
    """The same for IPv6; link-local addresses are hidden, too."""
    return re.sub(r"fe80::[^ ]+,", "fe80::XXXX:XXXX:XXXX:XXXX,", _routes_text(node, "ipv6", vrf_name))


def _routes_text(node: Any, family: str, vrf_name: str | None) -> str:
    output = node.vtysh_cmd(f"show {family} route" + (f" vrf {vrf_name}" if vrf_name else ""))
    output = re.sub(r" [0-2]\d:[0-5]\d:[0-5]\d", " XX:XX:XX", output)
    lines = output.splitlines()
    legend_end = next((index + 1 for index, line in enumerate(lines) if "o - offload failure" in line), len(lines))
    routes = lines[legend_end:]
    while routes and not routes[0].strip():
        routes.pop(0)
    return "\n".join(routes)


def ip4_route(node: Any) -> dict[str, dict[str, str]]:
    """The kernel's IPv4 routes: prefix to dev, via, proto (as a number), metric and scope."""
    return _kernel_routes(node, "ip route", "scope")


def ip6_route(node: Any) -> dict[str, dict[str, str]]:
    """The kernel's IPv6 routes: prefix to dev, via, proto (as a number), metric and pref."""
    return _kernel_routes(node, "ip -6 route", "pref")


def ip4_vrf_route(node: Any) -> dict[str, dict[str, str]]:
    """The same in the VRF that is named after the router, "NAME-cust1"."""
    return _kernel_routes(node, f"ip route show vrf {node.name}-cust1", "scope")


def ip6_vrf_route(node: Any) -> dict[str, dict[str, str]]:
    """The same for IPv6."""
    return _kernel_routes(node, f"ip -6 route show vrf {node.name}-cust1", "pref")


def _kernel_routes(node: Any, command: str, last: str) -> dict[str, dict[str, str]]:
    routes = {}
    for line in normalize_text(node.run(command)).splitlines():
        words = line.split(" ")
        values = _after(words, ("dev", "via", "proto", "metric", last))
        if "proto" in values:
            values["proto"] = _PROTOCOLS.get(values["proto"], values["proto"])
        routes[words[0]] = values
    return routes


def ip_rules(node: Any) -> list[dict[str, str]]:
    """The kernel's rules: pref, from, to, proto, iif and fwmark of each."""
    rules = []
    for line in normalize_text(node.run("ip rule")).splitlines():
        words = line.split(" ")
        rules.append({"pref": words[0].rstrip(":"), **_after(words, ("from", "to", "proto", "iif", "fwmark"))})
    return rules


def _after(words: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """The word that follows each of `names`."""
    return {name: value for name, value in pairwise(words) if name in names}


# --- the machine ----------------------------------------------------------------------------------------------------


def iproute2_is_vrf_capable() -> bool:
    """Whether `ip` supports VRFs."""
    return True


def sysctl_assure(commander: Any, variable: str, value: Any, raises: bool = False) -> None:
    """Set a sysctl of a node; an unknown one is ignored unless `raises`."""
    words = " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    path = "/proc/sys/" + variable.replace(".", "/")
    status, _, error = commander.cmd_status(f"echo {words} > {path}")
    if status and raises:
        raise ValueError(f"{variable} = {words}: {error.strip()}")
