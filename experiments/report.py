"""One HTML file of all experiments in a folder: verdicts, figures, set-ups and lessons, for screens, phones and paper.

The section of an experiment contains the published results, ours, a verdict on each statement, and the command that
repeats it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt

from frrlib.formats.files import replace_file
from frrlib.results import web_page
from miniedit_frr.experiments.contents import ExperimentResults, all_totals, elapsed_text, experiment_results
from miniedit_frr.experiments.verdict import OUTCOMES, Outcome, Verdict, band_text
from miniedit_frr.experiments.words import (
    ABOUT,
    FAMILIES,
    OUTCOME_MARKS,
    OUTCOME_WORDS,
    SETUP_WORDS,
    TITLE,
    count_text,
    family_of,
    values_text,
)

FILE = "report.html"
_CLASSES: dict[Outcome, str] = {"pass": "pass", "fail": "fail", "not run": "open"}

#: Blue and vermilion of Okabe and Ito (2008), which color-blind people can distinguish, and gray.
_STYLE = """
:root { --pass: #0072b2; --fail: #c04a00; --open: #6b7480; }
@media (prefers-color-scheme: dark) { :root { --pass: #6cb9f0; --fail: #ff9d5c; --open: #9aa6b2; } }
.pass { color: var(--pass); } .fail { color: var(--fail); } .open { color: var(--open); }
.pass, .fail { font-weight: 600; }
.bar { display: flex; height: .9rem; margin: .8rem 0 .4rem; gap: 2px; print-color-adjust: exact; }
.bar span { background: currentColor; min-width: 3px; }
.count { margin-right: 1.4rem; white-space: nowrap; } .large .count strong { font-size: 1.5rem; }
nav.contents { columns: 3 15rem; font-size: .9rem; } nav.contents section { break-inside: avoid; margin-bottom: .7rem; }
nav.contents p { margin: 0; font-weight: 600; } nav.contents a { display: block; margin: 0; text-decoration: none; }
table.statements { width: 100%; table-layout: fixed; }
table.statements th:nth-child(n + 2) { width: 17%; } table.statements th:nth-child(n + 4) { width: 11%; }
table.statements td { white-space: normal; padding: .4rem .8rem .4rem 0; }
table.statements small { display: block; color: var(--faint); }
table.statements td:last-child { white-space: nowrap; }
.finding { border-left: 3px solid var(--fail); padding-left: .6rem; margin-top: .3rem; }
.lesson { background: var(--ground); padding: .3rem 1.1rem .6rem; margin: 1rem 0; border-left: 4px solid var(--pass); }
.lesson h3 { margin-top: .6rem; }
.drawing { max-width: 40rem; } .drawing figure { margin: .6rem 0; }
details { margin: .6rem 0; } summary { cursor: pointer; color: var(--faint); font-size: .9rem; }
.up { float: right; font-size: .8rem; font-weight: 400; text-decoration: none; }
@media (max-width: 42rem) {
  body { margin: 1rem auto; padding: 0 .9rem; }
  table.overview :is(th, td):is(:nth-child(2), :nth-child(n + 6)) { display: none; }
  table.statements thead { display: none; }
  table.statements, table.statements tbody, table.statements tr, table.statements td { display: block; border: 0; }
  table.statements tr { border-bottom: 1px solid var(--edge); padding: .5rem 0; }
  table.statements td { padding: .05rem 0; }
  table.statements td[data-label]::before { content: attr(data-label) ": "; color: var(--faint); }
}
@media print { .up { display: none; } nav.contents { display: block; } table.statements { break-inside: auto; }
  table.statements tr { break-inside: avoid; } .lesson { background: none; } h2 { break-before: page; }
  h2.first { break-before: auto; } }
"""

_QUICK = (
    '<p class="finding">These are the shortened runs for a class. The bands are for full runs, so these verdicts are'
    " only a hint.</p>"
)

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


def write(out: Path, listener: Callable[[str], None] = lambda name: None) -> Path:
    """Write the report on all experiments in a folder into this folder.

    Existing verdicts and figures are shown unchanged (`conclusion.conclude` renews them).

    Args:
        out: a folder of experiments, or the folder of one.
        listener: is called with the name of each experiment before it is added.

    Returns:
        The path of the report.

    Raises:
        ResultsError: the folder contains no experiments.
    """
    file = out / FILE
    replace_file(file, page(experiment_results(out), listener).encode())
    return file


def page(experiments: Sequence[ExperimentResults], listener: Callable[[str], None] = lambda name: None) -> str:
    """The report as text."""
    body = [*_head(experiments), *_contents(experiments), *_overview(experiments), *_failed_statements(experiments)]
    for results in experiments:
        listener(results.name)
        body += _experiment(results)
    return web_page.page(TITLE, [part for part in body if part], _STYLE)


# --- all experiments -------------------------------------------------------------------------------------------------


def _head(experiments: Sequence[ExperimentResults]) -> Iterator[str]:
    runs = sum(len(results.runs.runs) for results in experiments)
    days = sorted({info.started[:10] for results in experiments for info in results.infos if info.started})
    computing_s, lab_s = sum(results.wall_s for results in experiments), sum(results.lab_s for results in experiments)
    yield f"<h1>{TITLE}</h1>"
    facts = [
        f"{count_text(len(experiments), 'experiment')}, {count_text(runs, 'run')}",
        f"{elapsed_text(lab_s)} in the labs' time, {elapsed_text(computing_s)} of computing",
        " to ".join(dict.fromkeys((*days[:1], *days[-1:]))),
    ]
    yield web_page.paragraph(" · ".join(filter(None, facts)), "faint")
    versions = dict.fromkeys(results.versions for results in experiments if results.versions)
    yield web_page.paragraph("; ".join(versions), "faint")
    yield _outcome_bar(all_totals(experiments))
    if any(results.runs.is_quick for results in experiments):
        yield _QUICK
    yield _markdown.render(ABOUT)


def _outcome_counts(count_by_outcome: dict[Outcome, int]) -> str:
    """The number of statements with each outcome, in colors; outcomes without statements are omitted."""
    counts = (
        f'<span class="count {kind}"><strong>{count_by_outcome[outcome]}</strong>'
        f" {OUTCOME_MARKS[outcome]} {OUTCOME_WORDS[outcome]}</span>"
        for outcome, kind in _CLASSES.items()
        if count_by_outcome[outcome]
    )
    return f'{"".join(counts)}<span class="faint">of {count_text(sum(count_by_outcome.values()), "statement")}</span>'


def _outcome_bar(count_by_outcome: dict[Outcome, int]) -> str:
    parts = (
        f'<span class="{kind}" style="flex: {count_by_outcome[outcome]}"></span>'
        for outcome, kind in _CLASSES.items()
        if count_by_outcome[outcome]
    )
    counts, bar = _outcome_counts(count_by_outcome), "".join(parts)
    return f'<p class="large">{counts}</p><div class="bar" aria-hidden="true">{bar}</div>'


def _contents(experiments: Sequence[ExperimentResults]) -> Iterator[str]:
    families: dict[str, list[ExperimentResults]] = {}
    for results in experiments:
        families.setdefault(family_of(results.name), []).append(results)
    blocks = (
        f"<section><p>{escape(FAMILIES.get(family, family))}</p>"
        + "".join(
            f'<a href="#{_anchor(member)}">{escape(member.name)}: {escape(member.experiment.title)}</a>'
            for member in members
        )
        + "</section>"
        for family, members in families.items()
    )
    yield f'<h3 id="contents">Contents</h3><nav class="contents">{"".join(blocks)}</nav>'


def _overview(experiments: Sequence[ExperimentResults]) -> Iterator[str]:
    rows = "".join(
        f'<tr><td><a href="#{_anchor(results)}">{escape(results.name)}</a></td>'
        f'<td class="long">{escape(results.experiment.title)}</td>'
        + "".join(
            f'<td class="number {_CLASSES[outcome] if count else ""}">{count or "·"}</td>'
            for outcome, count in results.totals.items()
        )
        + f'<td class="number">{len(results.runs.runs)}</td><td class="number">{elapsed_text(results.lab_s)}</td>'
        f'<td class="number">{elapsed_text(results.wall_s)}</td></tr>'
        for results in experiments
    )
    heads = "".join(
        f'<th class="number">{OUTCOME_MARKS[outcome]} {OUTCOME_WORDS[outcome]}</th>' for outcome in OUTCOMES
    )
    yield (
        '<h3>Overview</h3><div class="scroll"><table class="overview"><thead>'
        f"<tr><th>Experiment</th><th>About</th>{heads}"
        '<th class="number">runs</th><th class="number">labs\' time</th><th class="number">computing</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _failed_statements(experiments: Sequence[ExperimentResults]) -> Iterator[str]:
    """All failed statements in one table: a reviewer reads these first."""
    failed = [verdict for results in experiments for verdict in results.verdicts if verdict.outcome == "fail"]
    if failed:
        yield f"<h3>Failed statements</h3>{_statements(failed)}"


# --- one experiment --------------------------------------------------------------------------------------------------


def _experiment(results: ExperimentResults) -> Iterator[str]:
    experiment = results.experiment
    yield (
        f'<h2 id="{_anchor(results)}">{escape(experiment.name)}: {escape(experiment.title)}'
        '<a class="up" href="#contents">contents</a></h2>'
    )
    yield f'<div class="faint">{_markdown.renderInline(f"Source: {experiment.source}")}</div>'
    yield f"<p>{_outcome_counts(results.totals)}</p>" if results.verdicts else ""
    yield f"<h3>Published set-up</h3>{_markdown.render(experiment.setup)}"
    lab_title = f"The lab of case {results.cases[0].name}"
    yield f'<div class="drawing">{web_page.picture(results.lab_picture("svg"), lab_title)}</div>'
    for picture in experiment.pictures:
        yield web_page.picture(results.figure_png(picture), picture.title, kind="png")
    if results.verdicts:
        yield f"<h3>Verdict</h3>{_statements(results.verdicts)}"
    if results.runs.doubts:
        yield f'<p class="finding">{escape(results.runs.doubts_text)}</p>'
    yield f'<div class="lesson"><h3>Lesson</h3>{_markdown.render(experiment.lesson)}</div>'
    yield _cases(results)
    yield (
        f"<h3>Repeat it</h3><pre>{escape(results.command)}</pre>"
        '<p class="faint">In the editor: File &gt; Experiments opens any of its cases.</p>'
    )


def _statements(verdicts: Sequence[Verdict]) -> str:
    heads = "".join(f"<th>{head}</th>" for head in ("Statement", "Published", "Ours", "Band", "Verdict"))
    return (
        f'<table class="statements"><thead><tr>{heads}</tr></thead><tbody>'
        + "".join(_statement(verdict) for verdict in verdicts)
        + "</tbody></table>"
    )


def _statement(verdict: Verdict) -> str:
    statement = verdict.statement
    unit = f" ({statement.unit})" if statement.unit else ""
    notes = [statement.about, f"Band: {statement.basis}" if statement.basis else "", statement.note]
    small = "".join(f"<small>{escape(note)}</small>" for note in notes if note)
    finding = f'<div class="finding">{escape(verdict.reason)}</div>' if verdict.reason else ""
    source = (
        f"<small>{escape(statement.published_source)}</small>" if statement.published_source not in ("", "-") else ""
    )
    kind = _CLASSES[verdict.outcome]
    return (
        f"<tr><td><strong>{statement.id}</strong> {escape(statement.metric)}{escape(unit)}{small}{finding}</td>"
        f'<td data-label="published">{escape(statement.published) or "-"}{source}</td>'
        f'<td data-label="ours">{_ours(verdict)}</td><td data-label="band">{band_text(statement)}</td>'
        f'<td class="{kind}">{OUTCOME_MARKS[verdict.outcome]} {OUTCOME_WORDS[verdict.outcome]}</td></tr>'
    )


def _ours(verdict: Verdict) -> str:
    """The numbers below each other; numbers outside the band are in the color of failures."""
    lines = (
        f"{escape(name)}{': ' if name else ''}{escape(text) if holds else f'<span class=fail>{escape(text)}</span>'}"
        for name, text, holds in verdict.number_texts
    )
    return "<br>".join(lines) or "-"


def _cases(results: ExperimentResults) -> str:
    """All cases in a collapsed list, since an experiment may have a hundred."""
    rows = "".join(
        f"<tr><td>{escape(case.name)}</td><td>{SETUP_WORDS[case.setup]}</td><td>{escape(values_text(case.values))}</td>"
        f'<td class="long">{escape(results.run_count_text(case.name))}</td></tr>'
        for case in results.cases
    )
    return (
        f"<details><summary>All {count_text(len(results.cases), 'case')}</summary>"
        '<div class="scroll"><table><thead><tr><th>Case</th><th>Set-up</th><th>Values</th><th>Runs</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div></details>"
    )


def _anchor(results: ExperimentResults) -> str:
    return results.name.lower()
