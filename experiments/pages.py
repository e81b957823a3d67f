"""Experiments in the project's documents: a page of Markdown for each, pictures, and an index with every verdict.

The output depends only on the folder of experiments, so repeated calls write the same files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from frrlib.formats.files import replace_file
from miniedit_frr.experiments.contents import ExperimentResults, all_totals, elapsed_text, experiment_results, small_png
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

#: The index of all experiments, with the name that GitHub shows for a folder, and the folder of pictures.
INDEX, IMAGES = "README.md", "images"
_GENERATOR = "docs/tools/make_experiment_pages.py"
#: The largest width and size of pictures, so that the pages load quickly.
_FIGURE_PX, _LAB_PX = 1100, 800
_MAX_BYTES = 130_000


def write(out: Path, to: Path, listener: Callable[[str], None] = lambda name: None) -> tuple[Path, ...]:
    """Write a page for each experiment in a folder, and an index of all.

    Pages of experiments that are not in the folder are left unchanged, but are not in the index.

    Args:
        out: a folder of experiments.
        to: the folder of the pages.
        listener: is called with the name of each experiment before its page is written.

    Returns:
        The paths of all files.

    Raises:
        ResultsError: the folder contains no experiments.
    """
    experiments = experiment_results(out)
    (to / IMAGES).mkdir(parents=True, exist_ok=True)
    written = []
    for results in experiments:
        listener(results.name)
        pictures = _pictures(results)
        for old in set((to / IMAGES).glob(f"{results.name}_*.png")) - {to / IMAGES / name for name in pictures}:
            old.unlink()
        files = {to / IMAGES / name: content for name, content in pictures.items()}
        files[to / f"{results.name}.md"] = _text(_page(results)).encode()
        for path, content in files.items():
            replace_file(path, content)
        written += list(files)
    replace_file(to / INDEX, _text(_index(experiments)).encode())
    return (*written, to / INDEX)


def _pictures(results: ExperimentResults) -> dict[str, bytes]:
    """The pictures of an experiment by the names of their files; large pictures are scaled down."""
    images = {_image_name(results, "lab"): _scaled_down(results.lab_picture("png"), _LAB_PX)}
    for picture in results.experiment.pictures:
        images[_image_name(results, picture.name)] = _scaled_down(results.figure_png(picture), _FIGURE_PX)
    return images


def _scaled_down(content: bytes, width_px: int) -> bytes:
    image = small_png(content, width_px)
    while len(image) > _MAX_BYTES:
        width_px = round(width_px * 0.85)
        image = small_png(content, width_px)
    return image


def _image_name(results: ExperimentResults, name: str) -> str:
    return f"{results.name}_{name}.png"


# --- a page ----------------------------------------------------------------------------------------------------------


def _page(results: ExperimentResults) -> Iterator[str]:
    experiment = results.experiment
    yield f"# {experiment.name}: {experiment.title}"
    yield f"Source: {experiment.source}"
    yield (
        f"**{_totals(results.totals)}** [All experiments]({INDEX})"
        if results.verdicts
        else f"[All experiments]({INDEX})"
    )
    if results.runs.is_quick:
        yield "*These are the shortened runs for a class; bands are made for the whole ones.*"
    yield "## Published set-up"
    yield experiment.setup.strip()
    yield f"![The lab of case {results.cases[0].name}]({IMAGES}/{_image_name(results, 'lab')})"
    yield "## Results"
    for picture in experiment.pictures:
        yield f"![{picture.title}]({IMAGES}/{_image_name(results, picture.name)})"
        yield f"*{picture.title}*"
    if results.verdicts:
        yield "## Verdict"
        yield _table(results.verdicts)
        yield "Basis of the bands:"
        yield "\n".join(_basis(results.verdicts))
    for verdict in results.verdicts:
        if reason := verdict.reason:
            yield f"**{verdict.id} {OUTCOME_WORDS[verdict.outcome]}**: {reason}"
    yield "## Lesson"
    yield experiment.lesson.strip()
    yield f"<details><summary>All {count_text(len(results.cases), 'case')}</summary>"
    yield _cases(results)
    yield "</details>"
    yield "## Repeat it"
    yield f"    {results.command}"
    yield "*File > Experiments* in the editor opens any of its cases."
    yield f"*{_footer(results)}*"


def _table(verdicts: Sequence[Verdict]) -> str:
    rows = ["| Statement | Published | Ours | Band | Verdict |", "| --- | --- | --- | --- | --- |"]
    for verdict in verdicts:
        statement = verdict.statement
        unit = f" ({statement.unit})" if statement.unit else ""
        cells = (
            f"**{statement.id}** {_cell(statement.metric)}{unit}<br>{_cell(statement.about)}",
            _cell(statement.published), _ours(verdict), band_text(statement),
            f"{OUTCOME_MARKS[verdict.outcome]} {OUTCOME_WORDS[verdict.outcome]}",
        )  # fmt: skip
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _ours(verdict: Verdict) -> str:
    """The numbers below each other; numbers outside the band are bold."""
    return "<br>".join(
        f"{_cell(name)}{': ' if name else ''}{text if holds else f'**{text}**'}"
        for name, text, holds in verdict.number_texts
    )


def _basis(verdicts: Sequence[Verdict]) -> Iterator[str]:
    for verdict in verdicts:
        statement = verdict.statement
        yield f"- **{statement.id}**: {'; '.join(filter(None, (statement.basis, statement.note)))}"


def _cases(results: ExperimentResults) -> str:
    rows = ["| Case | Set-up | Values | Runs |", "| --- | --- | --- | --- |"]
    for case in results.cases:
        values, run_count = _cell(values_text(case.values)), _cell(results.run_count_text(case.name))
        rows.append(f"| {case.name} | {SETUP_WORDS[case.setup]} | {values} | {run_count} |")
    return "\n".join(rows)


def _footer(results: ExperimentResults) -> str:
    time = "virtual" if results.settings.get("virtual_time", True) else "real"
    run_count, seed = count_text(len(results.runs.runs), "run"), results.settings.get("seed", 1)
    return (
        f"Written by {_GENERATOR} from {run_count} in {time} time ({elapsed_text(results.lab_s)} in the labs,"
        f" {elapsed_text(results.wall_s)} of computing), first seed {seed}: {results.versions}."
    )


# --- the index -------------------------------------------------------------------------------------------------------


def _index(experiments: Sequence[ExperimentResults]) -> Iterator[str]:
    yield f"# {TITLE}"
    yield f"{ABOUT.strip()} How to run them, and how to write one: [experiments](../experiments.md)."
    yield f"**{_totals(all_totals(experiments))}**"
    for family in dict.fromkeys(family_of(results.name) for results in experiments):
        yield f"## {FAMILIES.get(family, family)}"
        yield _family([results for results in experiments if family_of(results.name) == family])
    yield "## Every verdict"
    yield _table([verdict for results in experiments for verdict in results.verdicts])
    yield f"*Written by {_GENERATOR}; each page lists its runs.*"


def _family(experiments: Sequence[ExperimentResults]) -> str:
    heads = " | ".join(f"{OUTCOME_MARKS[results]} {OUTCOME_WORDS[results]}" for results in OUTCOMES)
    rows = [f"| Experiment | About | {heads} |", "| --- | --- | ---: | ---: | ---: |"]
    for results in experiments:
        counts = " | ".join(str(results.totals[outcome] or "") for outcome in OUTCOMES)
        rows.append(f"| [{results.name}]({results.name}.md) | {_cell(results.experiment.title)} | {counts} |")
    return "\n".join(rows)


def _totals(count_by_outcome: dict[Outcome, int]) -> str:
    counts = ", ".join(
        f"{count_by_outcome[outcome]} {OUTCOME_WORDS[outcome]}" for outcome in OUTCOMES if count_by_outcome[outcome]
    )
    return f"{count_text(sum(count_by_outcome.values()), 'statement')}: {counts}."


def _text(parts: Iterator[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def _cell(text: str) -> str:
    """Text for a cell of a table: without line ends, and with escaped column marks."""
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()
