"""Fixtures for figures: results folders of the tests of `frrlib.results`."""

from tests.results.conftest import make, two_flows  # noqa: F401  (fixtures)
