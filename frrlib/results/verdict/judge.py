"""All findings of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from frrlib.results.records import Results
from frrlib.results.series import FlowSamples, flow_samples
from frrlib.results.verdict import capacity, drops, flows, losses, machine, queues, round_trips
from frrlib.results.verdict.finding import Finding


def findings(results: Results, sampled: Sequence[FlowSamples] | None = None) -> tuple[Finding, ...]:
    """All findings about a run, from its results folder alone.

    Args:
        sampled: the flows of the run; None to compute them.
    """
    known_flows = flow_samples(results) if sampled is None else sampled
    of_machine = tuple(machine.findings(results, known_flows))
    calm = all(finding.severity == "ok" for finding in of_machine)
    return (
        *(Finding(what="damage", subject="", severity="doubt", message=sentence) for sentence in results.damage),
        *flows.findings(results, known_flows, calm=calm),
        *round_trips.findings(results, known_flows, calm=calm),
        *capacity.findings(results, known_flows, calm=calm),
        *queues.findings(results, calm=calm),
        *drops.findings(results),
        *_fifo(results, calm),
        *losses.findings(results),
        *of_machine,
    )


def _fifo(results: Results, calm: bool) -> Iterator[Finding]:
    """The findings about FIFO queues of runs with captures, which need a library that takes time to load."""
    if results.info.captures:
        from frrlib.results.verdict import fifo

        yield from fifo.findings(results, calm=calm)
