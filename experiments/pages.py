"""Experiments in the project's documents: a page of Markdown for each, pictures, and a list with every verdict.

The output depends on nothing but the folder of experiments: writing twice gives the same files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from experiments.contents import ExperimentResults, all_totals, elapsed_text, experiment_results, small_png
from experiments.verdict import OUTCOMES, Outcome, Verdict, band_text
from experiments.words import ABOUT, FAMILIES, OUTCOME_MARKS, SETUP_WORDS, TITLE, OUTCOME_WORDS, family_of, counted, values_text
from frrlib.formats.files import replace_file

#: The list of all, under the name that a folder is shown by, and the folder of pictures beside it.
INDEX, IMAGES = "README.md", "images"
_MADE = "docs/tools/make_experiment_pages.py"
#: Width of pictures, so that the pages load quickly.
_FIGURE_PX, _LAB_PX = 1100, 800
_MOST_BYTES = 130_000


def write(out: Path, to: Path, listener: Callable[[str], None] = lambda name: None) -> tuple[Path, ...]:
    """Write a page for each experiment in a folder, and the list of all.

    Pages of experiments that are not in the folder stay as they are, but are not in the list.

    Args:
        out: a folder of experiments.
        to: where pages go.
        listener: is called with the name of each experiment when its turn comes.

    Returns:
        The files.

    Raises:
        ResultsError: the folder holds no experiments.
    """
    shown = experiment_results(out)
    (to / IMAGES).mkdir(parents=True, exist_ok=True)
    written = []
    for each in shown:
        listener(each.name)
        pictures = _pictures(each)
        for old in set((to / IMAGES).glob(f"{each.name}_*.png")) - {to / IMAGES / name for name in pictures}:
            old.unlink()
        files = {to / IMAGES / name: content for name, content in pictures.items()}
        files[to / f"{each.name}.md"] = _text(_page(each)).encode()
        for path, content in files.items():
            replace_file(path, content)
        written += list(files)
    replace_file(to / INDEX, _text(_index(shown)).encode())
    return (*written, to / INDEX)


def _pictures(each: ExperimentResults) -> dict[str, bytes]:
    """Its pictures by the names of their files; those that are too large are made narrower."""
    made = {_file(each, "lab"): _small(each.lab_picture("png"), _LAB_PX)}
    for picture in each.experiment.pictures:
        made[_file(each, picture.name)] = _small(each.figure_png(picture), _FIGURE_PX)
    return made


def _small(content: bytes, width_px: int) -> bytes:
    made = small_png(content, width_px)
    while len(made) > _MOST_BYTES:
        width_px = round(width_px * 0.85)
        made = small_png(content, width_px)
    return made


def _file(each: ExperimentResults, name: str) -> str:
    return f"{each.name}_{name}.png"


# --- a page ----------------------------------------------------------------------------------------------------------


def _page(each: ExperimentResults) -> Iterator[str]:
    one = each.experiment
    yield f"# {one.name}: {one.title}"
    yield f"Source: {one.source}"
    yield f"**{_totals(each.totals)}** [All experiments]({INDEX})" if each.verdicts else f"[All experiments]({INDEX})"
    if each.runs.is_quick:
        yield "*These are the shortened runs for a class; bands are made for the whole ones.*"
    yield "## As it was published"
    yield one.setup.strip()
    yield f"![The lab of case {each.cases[0].name}]({IMAGES}/{_file(each, 'lab')})"
    yield "## What came out"
    for picture in one.pictures:
        yield f"![{picture.title}]({IMAGES}/{_file(each, picture.name)})"
        yield f"*{picture.title}*"
    if each.verdicts:
        yield "## Verdict"
        yield _table(each.verdicts)
        yield "What the bands rest on:"
        yield "\n".join(_basis(each.verdicts))
    for verdict in each.verdicts:
        if why := verdict.reason:
            yield f"**{verdict.id} {OUTCOME_WORDS[verdict.outcome]}**: {why}"
    yield "## What it teaches"
    yield one.lesson.strip()
    yield f"<details><summary>All {counted(len(each.cases), 'case')}</summary>"
    yield _cases(each)
    yield "</details>"
    yield "## Repeat it"
    yield f"    {each.command}"
    yield "*File > Experiments* in the editor opens any of its cases as a drawing."
    yield f"*{_made(each)}*"


def _table(verdicts: Sequence[Verdict]) -> str:
    rows = ["| Statement | Published | Ours | Band | Verdict |", "| --- | --- | --- | --- | --- |"]
    for each in verdicts:
        said = each.statement
        unit = f" ({said.unit})" if said.unit else ""
        cells = (
            f"**{said.id}** {_cell(said.metric)}{unit}<br>{_cell(said.about)}",
            _cell(said.published), _ours(each), band_text(said),
            f"{OUTCOME_MARKS[each.outcome]} {OUTCOME_WORDS[each.outcome]}",
        )  # fmt: skip
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _ours(verdict: Verdict) -> str:
    """The numbers below each other; those that are not as stated stand out."""
    return "<br>".join(
        f"{_cell(name)}{': ' if name else ''}{text if holds else f'**{text}**'}" for name, text, holds in verdict.number_texts
    )


def _basis(verdicts: Sequence[Verdict]) -> Iterator[str]:
    for each in verdicts:
        said = each.statement
        yield f"- **{said.id}**: {'; '.join(filter(None, (said.basis, said.note)))}"


def _cases(each: ExperimentResults) -> str:
    rows = ["| Case | Set-up | What varies | Runs |", "| --- | --- | --- | --- |"]
    for case in each.cases:
        values, ran = _cell(values_text(case.values)), _cell(each.run_count_text(case.name))
        rows.append(f"| {case.name} | {SETUP_WORDS[case.setup]} | {values} | {ran} |")
    return "\n".join(rows)


def _made(each: ExperimentResults) -> str:
    time = "virtual" if each.settings.get("virtual_time", True) else "real"
    return (
        f"Written by {_MADE} from {counted(len(each.runs.runs), 'run')} in {time} time ({elapsed_text(each.lab_s)} in the labs,"
        f" {elapsed_text(each.wall_s)} of computing), first seed {each.settings.get('seed', 1)}: {each.versions}."
    )


# --- the list --------------------------------------------------------------------------------------------------------


def _index(shown: Sequence[ExperimentResults]) -> Iterator[str]:
    yield f"# {TITLE}"
    yield f"{ABOUT.strip()} How to run them, and how to write one: [experiments](../experiments.md)."
    yield f"**{_totals(all_totals(shown))}**"
    for family in dict.fromkeys(family_of(each.name) for each in shown):
        yield f"## {FAMILIES.get(family, family)}"
        yield _family([each for each in shown if family_of(each.name) == family])
    yield "## Every verdict"
    yield _table([verdict for each in shown for verdict in each.verdicts])
    yield f"*Written by {_MADE}; each page says from which runs.*"


def _family(shown: Sequence[ExperimentResults]) -> str:
    heads = " | ".join(f"{OUTCOME_MARKS[each]} {OUTCOME_WORDS[each]}" for each in OUTCOMES)
    rows = [f"| Experiment | About | {heads} |", "| --- | --- | ---: | ---: | ---: |"]
    for each in shown:
        counts = " | ".join(str(each.totals[outcome] or "") for outcome in OUTCOMES)
        rows.append(f"| [{each.name}]({each.name}.md) | {_cell(each.experiment.title)} | {counts} |")
    return "\n".join(rows)


def _totals(counted: dict[Outcome, int]) -> str:
    told = ", ".join(f"{counted[each]} {OUTCOME_WORDS[each]}" for each in OUTCOMES if counted[each])
    return f"{counted(sum(counted.values()), 'statement')}: {told}."


def _text(parts: Iterator[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def _cell(text: str) -> str:
    """Text within a table: no line ends in it, and no column either."""
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()
