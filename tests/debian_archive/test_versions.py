"""The order of versions is that of dpkg."""

from __future__ import annotations

import itertools
import subprocess

from frrlib.debian_archive.versions import compare, satisfies

#: Versions of Debian's packages, and the examples of its policy.
_VERSIONS = (
    "1.0", "1.0-1", "1.0-1+b1", "1.0-1+deb13u1", "1.0-1~bpo12+1", "1.0~rc1-1", "1.0+dfsg-1", "1.00-1", "1:0.9-1",
    "2.36-9+deb12u10", "2.36-9+deb12u9", "10.3-3", "1.0-0", "1.0.", "1.0a", "1.0+", "1.0~~", "1.0~~a", "0-1",
    "20240905-1",
)  # fmt: skip


def test_the_order_is_that_of_dpkg() -> None:
    pairs = [*itertools.combinations(_VERSIONS, 2), *((version, version) for version in _VERSIONS)]
    lines = "".join(f"{first} {second}\n" for first, second in pairs)
    script = 'while read -r a b; do if dpkg --compare-versions "$a" lt "$b"; then echo -1; '
    script += 'elif dpkg --compare-versions "$a" eq "$b"; then echo 0; else echo 1; fi; done'
    output = subprocess.run(["sh", "-c", script], input=lines, capture_output=True, text=True, check=True).stdout
    expected = dict(zip(pairs, map(int, output.split()), strict=True))
    orders = {pair: (order > 0) - (order < 0) for pair, order in ((pair, compare(*pair)) for pair in pairs)}
    assert orders == expected
    assert all(compare(second, first) == -compare(first, second) for first, second in pairs)


def test_relations_of_versions() -> None:
    assert satisfies("1.0", "", "") and satisfies("1.0", ">=", "1.0") and satisfies("1.0", "<<", "1:0.1")
    assert not satisfies("1.0~rc1", ">=", "1.0") and not satisfies("1.0-1", "=", "1.0-2")
