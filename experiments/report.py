"""One HTML file of all experiments in a folder: verdicts, figures, set-ups and lessons, for screens, phones and paper.

Each experiment stands by itself: published results, ours, a verdict on each statement, and how to repeat it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt

from experiments.contents import ExperimentResults, all_totals, elapsed_text, experiment_results
from experiments.verdict import OUTCOMES, Outcome, Verdict, band_text
from experiments.words import ABOUT, FAMILIES, OUTCOME_MARKS, SETUP_WORDS, TITLE, OUTCOME_WORDS, family_of, counted, values_text
from frrlib.formats.files import replace_file
from frrlib.results import web_page

FILE = "report.html"
_CLASSES: dict[Outcome, str] = {"pass": "pass", "fail": "fail", "not run": "open"}

#: Blue and vermilion of Okabe and Ito (2008), which colour-blind people tell apart, and grey.
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
    '<p class="finding">These are the shortened runs for a class. Bands are made for the whole ones, so that a verdict'
    " here may differ.</p>"
)

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


def write(out: Path, listener: Callable[[str], None] = lambda name: None) -> Path:
    """Write the report on all experiments in a folder into it.

    Verdicts and figures that are kept in it are shown as they are (`concluding.conclude` makes them anew).

    Args:
        out: a folder of experiments, or that of one.
        listener: is called with the name of each experiment when its turn comes.

    Returns:
        The file.

    Raises:
        ResultsError: the folder holds no experiments.
    """
    file = out / FILE
    replace_file(file, page(experiment_results(out), listener).encode())
    return file


def page(shown: Sequence[ExperimentResults], listener: Callable[[str], None] = lambda name: None) -> str:
    """The report as text."""
    body = [*_head(shown), *_contents(shown), *_overview(shown), *_failed(shown)]
    for each in shown:
        listener(each.name)
        body += _one(each)
    return web_page.page(TITLE, [part for part in body if part], _STYLE)


# --- all of them -----------------------------------------------------------------------------------------------------


def _head(shown: Sequence[ExperimentResults]) -> Iterator[str]:
    runs = sum(len(each.runs.runs) for each in shown)
    days = sorted({info.started[:10] for each in shown for info in each.infos if info.started})
    took, lab = sum(each.wall_s for each in shown), sum(each.lab_s for each in shown)
    yield f"<h1>{TITLE}</h1>"
    said = [
        f"{counted(len(shown), 'experiment')}, {counted(runs, 'run')}",
        f"{elapsed_text(lab)} in the labs' time, {elapsed_text(took)} of computing",
        " to ".join(dict.fromkeys((*days[:1], *days[-1:]))),
    ]
    yield web_page.paragraph(" · ".join(filter(None, said)), "faint")
    yield web_page.paragraph("; ".join(dict.fromkeys(filter(None, (each.versions for each in shown)))), "faint")
    yield _counts(all_totals(shown))
    if any(each.runs.is_quick for each in shown):
        yield _QUICK
    yield _markdown.render(ABOUT)


def _told(counted: dict[Outcome, int]) -> str:
    """How many passed, and so on, in coloured words; nothing of an outcome that no statement has."""
    told = (
        f'<span class="count {kind}"><strong>{counted[outcome]}</strong> {OUTCOME_MARKS[outcome]} {OUTCOME_WORDS[outcome]}</span>'
        for outcome, kind in _CLASSES.items()
        if counted[outcome]
    )
    return f'{"".join(told)}<span class="faint">of {counted(sum(counted.values()), "statement")}</span>'


def _counts(counted: dict[Outcome, int]) -> str:
    parts = (
        f'<span class="{kind}" style="flex: {counted[outcome]}"></span>'
        for outcome, kind in _CLASSES.items()
        if counted[outcome]
    )
    return f'<p class="large">{_told(counted)}</p><div class="bar" aria-hidden="true">{"".join(parts)}</div>'


def _contents(shown: Sequence[ExperimentResults]) -> Iterator[str]:
    families: dict[str, list[ExperimentResults]] = {}
    for each in shown:
        families.setdefault(family_of(each.name), []).append(each)
    blocks = (
        f"<section><p>{escape(FAMILIES.get(family, family))}</p>"
        + "".join(f'<a href="#{_anchor(one)}">{escape(one.name)}: {escape(one.experiment.title)}</a>' for one in ones)
        + "</section>"
        for family, ones in families.items()
    )
    yield f'<h3 id="contents">Contents</h3><nav class="contents">{"".join(blocks)}</nav>'


def _overview(shown: Sequence[ExperimentResults]) -> Iterator[str]:
    rows = "".join(
        f'<tr><td><a href="#{_anchor(each)}">{escape(each.name)}</a></td>'
        f'<td class="long">{escape(each.experiment.title)}</td>'
        + "".join(
            f'<td class="number {_CLASSES[outcome] if each.totals[outcome] else ""}">{each.totals[outcome] or "·"}</td>'
            for outcome in OUTCOMES
        )
        + f'<td class="number">{len(each.runs.runs)}</td><td class="number">{elapsed_text(each.lab_s)}</td>'
        f'<td class="number">{elapsed_text(each.wall_s)}</td></tr>'
        for each in shown
    )
    heads = "".join(f'<th class="number">{OUTCOME_MARKS[each]} {OUTCOME_WORDS[each]}</th>' for each in OUTCOMES)
    yield (
        '<h3>Overview</h3><div class="scroll"><table class="overview"><thead>'
        f"<tr><th>Experiment</th><th>About</th>{heads}"
        '<th class="number">runs</th><th class="number">labs\' time</th><th class="number">computing</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _failed(shown: Sequence[ExperimentResults]) -> Iterator[str]:
    """Everything that did not pass, in one place: a reviewer asks for it first."""
    failed = [verdict for each in shown for verdict in each.verdicts if verdict.outcome == "fail"]
    if failed:
        yield f"<h3>What failed, and why</h3>{_statements(failed)}"


# --- one of them -----------------------------------------------------------------------------------------------------


def _one(each: ExperimentResults) -> Iterator[str]:
    one = each.experiment
    yield (
        f'<h2 id="{_anchor(each)}">{escape(one.name)}: {escape(one.title)}'
        '<a class="up" href="#contents">contents</a></h2>'
    )
    yield f'<div class="faint">{_markdown.renderInline(f"Source: {one.source}")}</div>'
    yield f"<p>{_told(each.totals)}</p>" if each.verdicts else ""
    yield f"<h3>As it was published</h3>{_markdown.render(one.setup)}"
    yield f'<div class="drawing">{web_page.picture(each.lab_picture("svg"), f"The lab of case {each.cases[0].name}")}</div>'
    for picture in one.pictures:
        yield web_page.picture(each.figure_png(picture), picture.title, kind="png")
    if each.verdicts:
        yield f"<h3>Verdict</h3>{_statements(each.verdicts)}"
    if each.runs.doubts:
        yield f'<p class="finding">{escape(each.runs.doubts_text)}</p>'
    yield f'<div class="lesson"><h3>What it teaches</h3>{_markdown.render(one.lesson)}</div>'
    yield _cases(each)
    yield (
        f"<h3>Repeat it</h3><pre>{escape(each.command)}</pre>"
        '<p class="faint">In the editor: File &gt; Experiments opens any of its cases as a drawing.</p>'
    )


def _statements(verdicts: Sequence[Verdict]) -> str:
    heads = "".join(f"<th>{head}</th>" for head in ("Statement", "Published", "Ours", "Band", "Verdict"))
    return (
        f'<table class="statements"><thead><tr>{heads}</tr></thead><tbody>'
        + "".join(_statement(each) for each in verdicts)
        + "</tbody></table>"
    )


def _statement(verdict: Verdict) -> str:
    said = verdict.statement
    unit = f" ({said.unit})" if said.unit else ""
    notes = [said.about, f"Band: {said.basis}" if said.basis else "", said.note]
    small = "".join(f"<small>{escape(note)}</small>" for note in notes if note)
    finding = f'<div class="finding">{escape(verdict.reason)}</div>' if verdict.reason else ""
    source = f"<small>{escape(said.published_source)}</small>" if said.published_source not in ("", "-") else ""
    kind = _CLASSES[verdict.outcome]
    return (
        f"<tr><td><strong>{said.id}</strong> {escape(said.metric)}{escape(unit)}{small}{finding}</td>"
        f'<td data-label="published">{escape(said.published) or "-"}{source}</td>'
        f'<td data-label="ours">{_ours(verdict)}</td><td data-label="band">{band_text(said)}</td>'
        f'<td class="{kind}">{OUTCOME_MARKS[verdict.outcome]} {OUTCOME_WORDS[verdict.outcome]}</td></tr>'
    )


def _ours(verdict: Verdict) -> str:
    """The numbers below each other; those that are not as stated stand out."""
    lines = (
        f"{escape(name)}{': ' if name else ''}{escape(text) if holds else f'<span class=fail>{escape(text)}</span>'}"
        for name, text, holds in verdict.number_texts
    )
    return "<br>".join(lines) or "-"


def _cases(each: ExperimentResults) -> str:
    """All cases in a list that is folded up: there may be a hundred."""
    rows = "".join(
        f"<tr><td>{escape(case.name)}</td><td>{SETUP_WORDS[case.setup]}</td><td>{escape(values_text(case.values))}</td>"
        f'<td class="long">{escape(each.run_count_text(case.name))}</td></tr>'
        for case in each.cases
    )
    return (
        f"<details><summary>All {counted(len(each.cases), 'case')}</summary>"
        '<div class="scroll"><table><thead><tr><th>Case</th><th>Set-up</th><th>What varies</th><th>Runs</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div></details>"
    )


def _anchor(each: ExperimentResults) -> str:
    return each.name.lower()
