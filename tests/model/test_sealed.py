"""Sealed routers: what is hidden, what labs and checks use, and texts that nobody sealed."""

from __future__ import annotations

import base64
import json
import zlib
from ipaddress import ip_interface
from pathlib import Path

import pytest

from frrlib.addressing.resolved import resolved
from frrlib.checks.check import check
from frrlib.formats import mn
from frrlib.model.nodes import Router
from frrlib.model.routing import Ospf
from frrlib.model.sealed import MOST_BYTES, SEALED_FIELDS, is_sealed, seal, unseal
from frrlib.model.topology import Topology
from frrlib.render.plan import plan

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.mn"))


def with_seals(topology: Topology) -> Topology:
    """The topology with all routers sealed."""
    nodes = tuple(seal(node) if isinstance(node, Router) else node for node in topology.nodes)
    return topology.model_copy(update={"nodes": nodes})


def packed(text: str) -> str:
    """A text in the form of a seal."""
    return base64.b64encode(zlib.compress(text.encode())).decode()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_labs_and_checks_of_sealed_routers_are_those_of_readable_ones(path: Path) -> None:
    topology = mn.load(path).topology
    sealed = mn.loads(mn.dumps(with_seals(topology)), "sealed.mn").topology
    assert check(sealed) == check(topology)
    # The same plan; only the topologies differ, in the sealed texts themselves.
    assert plan(resolved(sealed)) == plan(resolved(topology))


def test_the_file_shows_no_setting_of_a_sealed_router() -> None:
    router = Router(
        name="r1", bgp={"asn": 65001, "networks": ("192.0.2.0/24",)}, frr_conf="ip route 198.51.100.0/24 lo"
    )  # type: ignore[arg-type]
    text = mn.dumps(Topology(nodes=(seal(router),)))
    assert not any(hidden in text for hidden in ("65001", "192.0.2.0", "198.51.100.0"))
    assert is_sealed(Topology(nodes=(seal(router),)), "r1") and not is_sealed(Topology(nodes=(router,)), "r1")


def test_unsealing_gives_all_settings_and_keeps_the_seal() -> None:
    router = Router(name="r1", ospf=Ospf(), frr_conf="hostname x", loopbacks=(ip_interface("10.9.9.9/32"),))
    sealed = seal(router)
    assert sealed.loopbacks == router.loopbacks and sealed.ospf is None and sealed.runs_frr
    readable = unseal(sealed)
    assert {name: getattr(readable, name) for name in SEALED_FIELDS} == {
        name: getattr(router, name) for name in SEALED_FIELDS
    }
    assert seal(sealed) == sealed and unseal(readable) == readable and readable.sealed == sealed.sealed


@pytest.mark.parametrize(
    "text",
    [
        "no base64!", base64.b64encode(b"no zlib").decode(), packed("no JSON"), packed("[]"), packed('{"name": "h1"}'),
        packed('{"start_command": "reboot"}'), packed('{"bgp": 5}'), packed("[" * 100_000),
        packed(json.dumps({"frr_conf": "x" * MOST_BYTES})),
    ],
    ids=["base64", "zlib", "JSON", "list", "name", "command", "invalid", "nested", "too long"],
)  # fmt: skip
def test_other_texts_are_no_seals(text: str) -> None:
    router = Router(name="r1", sealed=text)
    with pytest.raises(ValueError, match="the sealed settings of r1 cannot be read"):
        unseal(router)
    topology = Topology(nodes=(router,))
    assert resolved(topology).routers[0].sealed == text
    assert "unreadable-seal" in {problem.kind for problem in check(topology)}
