"""Sealed routers: their settings are one opaque text, so that students of an exercise do not read them in passing.

A seal hides settings from a glance at a file or a window, and from nobody who decodes the text on purpose. Labs, checks
and pictures use the settings (`addressing.resolved`). Names, positions, links and addresses stay readable.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib

from pydantic import ValidationError

from frrlib.model.nodes import Router
from frrlib.model.topology import Topology

#: The fields that a seal hides.
SEALED_FIELDS = tuple(
    name
    for name in Router.model_fields
    if name
    not in ("kind", "name", "x", "y", "number", "original_name", "label", "colour", "foreign", "start_command",
            "stop_command", "controllers", "loopbacks", "sealed")
)  # fmt: skip
#: No router has longer settings, in bytes of JSON.
MOST_BYTES = 1_000_000


def seal(router: Router) -> Router:
    """The router with its settings sealed; unchanged if it is sealed or has none."""
    settings = router.model_dump(mode="json", include=set(SEALED_FIELDS), exclude_defaults=True)
    if router.sealed or not settings:
        return router
    text = json.dumps(settings, sort_keys=True, separators=(",", ":"))
    defaults = {name: Router.model_fields[name].default for name in SEALED_FIELDS}
    sealed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
    return router.model_copy(update={**defaults, "sealed": sealed})


def unseal(router: Router) -> Router:
    """The router with its settings, and still with the sealed text, by which it is known as sealed.

    Raises:
        ValueError: `seal` did not write the sealed text.
    """
    if not router.sealed:
        return router
    try:
        unpacker = zlib.decompressobj()
        text = unpacker.decompress(base64.b64decode(router.sealed, validate=True), MOST_BYTES)
        settings = json.loads(text)
        if unpacker.unconsumed_tail or not isinstance(settings, dict) or set(settings) - set(SEALED_FIELDS):
            raise ValueError
        parsed = Router.model_validate({"kind": "router", "name": router.name, **settings})
    except (binascii.Error, zlib.error, ValueError, ValidationError, RecursionError):
        raise ValueError(f"the sealed settings of {router.name} cannot be read") from None
    return router.model_copy(update={name: getattr(parsed, name) for name in settings})


def unsealed(topology: Topology) -> Topology:
    """The topology with the settings of its sealed routers, except those that cannot be read."""
    if not any(router.sealed for router in topology.routers):
        return topology
    nodes = tuple(_readable(node) if isinstance(node, Router) else node for node in topology.nodes)
    return topology.model_copy(update={"nodes": nodes})


def is_sealed(topology: Topology, node: str) -> bool:
    """Whether a node is a sealed router. Its users get no shell in it, and its configuration is not shown."""
    router = topology.node(node)
    return isinstance(router, Router) and bool(router.sealed)


def _readable(router: Router) -> Router:
    try:
        return unseal(router)
    except ValueError:
        return router
