"""Summary and figure of a results folder, made when its run ends."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from frrlib.results.read import open_results
from frrlib.results.statistics.summary import Summary, save_summary


def evaluate(out: Path, figure: bool = True) -> Summary:
    """Write the summary and the figure of a results folder into it; also while a run still writes there."""
    from frrlib.results.statistics.summary import summarize

    results = open_results(out)
    summary = summarize(results)
    save_summary(summary, out)
    if figure and results.has_flow_samples:
        # Its library takes half a second to import, so it is imported only for a figure.
        from frrlib.plots.run import save_figure

        save_figure(results, out)
    return summary


def load_figures() -> None:
    """Load the libraries that draw figures, before they are needed."""
    with suppress(ImportError):  # reported where it is used
        import frrlib.results.statistics.summary  # noqa: F401
        from frrlib.plots.run import warm_up

        warm_up()
