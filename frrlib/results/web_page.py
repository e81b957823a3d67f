"""A report as one page for a web browser: text, tables and pictures in a single file, for the screen and for paper."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape

from frrlib.results.statistics.table import TextTable

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2733; --faint: #5b6875; --edge: #d9dfe5; --ground: #f6f8fa; --page: #fff;
  --good: #2a7f3f; --good-ground: #eef7f0; --doubt: #c98a00; --doubt-ground: #fff6df; --bad: #b3261e;
  --bad-ground: #fdecea; --link: #0b5394; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf0; --faint: #a3b0bd; --edge: #3a444e; --ground: #222a32;
  --page: #171c21; --good: #6cc287; --good-ground: #1c2f23; --doubt: #e5b04a; --doubt-ground: #352b14; --bad: #ff8a80;
  --bad-ground: #3a1f1e; --link: #8ab8ec; } }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: var(--ink); background: var(--page);
  max-width: 64rem; margin: 2.5rem auto; padding: 0 1.5rem; }
a { color: var(--link); }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.25rem; margin: 2.6rem 0 .6rem; padding-top: .8rem; border-top: 1px solid var(--edge); }
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
p { margin: .4rem 0; } .faint, figcaption { color: var(--faint); font-size: .86rem; }
.verdict { border-left: 4px solid; padding: .5rem .9rem; margin: 1rem 0; }
.verdict p { margin: .1rem 0; }
.trustworthy { border-color: var(--good); background: var(--good-ground); }
.doubtful { border-color: var(--doubt); background: var(--doubt-ground); }
.not-as-drawn, .unknown { border-color: var(--bad); background: var(--bad-ground); }
figure { margin: 1rem 0; break-inside: avoid; }
/* Figures are drawn for white paper. */
figure img { width: 100%; height: auto; display: block; background: #fff; }
figure.half { display: inline-block; width: 49%; vertical-align: top; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums; margin: .3rem 0 .8rem; }
th, td { padding: .22rem .7rem .22rem 0; text-align: left; vertical-align: top; white-space: nowrap; }
th { font-weight: 600; border-bottom: 1px solid var(--ink); } td { border-bottom: 1px solid var(--edge); }
td.number, th.number { text-align: right; } td.long { white-space: normal; }
pre { background: var(--ground); padding: .7rem .9rem; white-space: pre-wrap; font-size: .82rem; }
code { font-size: .9em; } :not(pre) > code { background: var(--ground); padding: 0 .2em; }
nav a { margin-right: 1rem; }
@media print { :root { --ink: #000; --faint: #444; --edge: #bbb; --ground: #f4f4f4; --page: #fff; --good: #2a7f3f;
    --good-ground: #fff; --doubt: #8a5f00; --doubt-ground: #fff; --bad: #b3261e; --bad-ground: #fff; --link: #000; }
  body { margin: 0; max-width: none; font-size: 10.5pt; } h2 { break-before: auto; } nav { display: none; }
  h2, h3 { break-after: avoid; }
  table { break-inside: avoid; font-size: 8pt; } th, td { white-space: normal; } }
@page { margin: 16mm; }
"""


def page(title: str, body: Sequence[str], style: str = "") -> str:
    """A complete page. The parts of its body are HTML, and `style` is additional CSS for this page."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}{style}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n"
        "</html>\n"
    )


def picture(image: bytes, caption: str, *, half: bool = False, kind: str = "svg") -> str:
    """A picture in the page with its caption; `kind` is "svg" or "png"."""
    data = base64.b64encode(image).decode()
    text, media = escape(caption), "image/svg+xml" if kind == "svg" else f"image/{kind}"
    opening = '<figure class="half">' if half else "<figure>"
    return f'{opening}<img alt="{text}" src="data:{media};base64,{data}"><figcaption>{text}</figcaption></figure>'


def table(content: TextTable, *, titled: bool = True) -> str:
    """A table with its title; empty for a table without rows."""
    if not content.rows:
        return ""
    kinds = [' class="number"' if numeric else "" for numeric in content.numeric]
    head = "".join(f"<th{kind}>{escape(text)}</th>" for kind, text in zip(kinds, content.headings, strict=True))
    rows = "".join(
        "<tr>" + "".join(f"<td{kind}>{escape(cell)}</td>" for kind, cell in zip(kinds, row, strict=True)) + "</tr>"
        for row in content.rows
    )
    title = f"<h3>{escape(content.title)}</h3>" if titled else ""
    return f'{title}<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def facts(pairs: Sequence[tuple[str, str]], title: str = "") -> str:
    """Names with their values, which may be long; empty without any."""
    rows = "".join(f'<tr><td>{escape(name)}</td><td class="long">{escape(value)}</td></tr>' for name, value in pairs)
    head = f"<h3>{escape(title)}</h3>" if title else ""
    return f"{head}<table><tbody>{rows}</tbody></table>" if rows else ""


def verdict(outcome: str, reasons: Sequence[str]) -> str:
    """The verdict on a run, with its reasons."""
    words = f"This run is {outcome}." if outcome else "This run recorded too little to be judged."
    notes = "".join(f"<p>{escape(reason)}</p>" for reason in reasons)
    return f'<div class="verdict {outcome.replace(" ", "-") or "unknown"}"><p><strong>{words}</strong></p>{notes}</div>'


def paragraph(text: str, kind: str = "") -> str:
    """A line of text; empty for an empty text."""
    return f"<p{f' class={chr(34)}{kind}{chr(34)}' if kind else ''}>{escape(text)}</p>" if text else ""
