"""How many examples Hypothesis tries in a test: always the same and fewer in the suite, others in a search."""

from __future__ import annotations

import os

#: Whether `./test --explore` runs, which tries new examples.
IS_SEARCHING = os.environ.get("HYPOTHESIS_PROFILE") == "search"
#: The share of the examples that the suite tries, and how many it tries at least.
_SUITE_SHARE, _LEAST = 0.25, 10


def examples(in_search: int) -> int:
    """The number of examples that a test tries now, if it tries so many in a search."""
    return in_search if IS_SEARCHING else min(in_search, max(round(in_search * _SUITE_SHARE), _LEAST))
