"""The replay in a real browser: time, keys, values, announcements, and texts that try to execute something."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from frrlib.replay.page import replay_page
from frrlib.results.read import open_results
from tests.replay.browser import CHROMIUM, Page, browser
from tests.replay.test_page import ATTACK, RUN, hostile_run
from tests.waiting import wait_for

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


@pytest.fixture(scope="module")
def web() -> Iterator[Page]:
    with browser() as page:
        page.look(1280, 800)
        yield page


def clock_s(page: Page) -> float:
    """The time at the cursor in seconds, as the page shows it."""
    return float(page.value("document.getElementById('clock').firstChild.textContent").split()[0])


def test_a_run_is_played(web: Page, tmp_path: Path) -> None:
    file = tmp_path / "replay.html"
    file.write_text(replay_page(open_results(RUN)), encoding="utf-8")
    web.open(file, "#t=2.55")
    assert clock_s(web) == 2.55
    # values at the cursor
    rows = pd.read_csv(RUN / "samples/tcp.csv").query("flow == 'bbr' and side == 'sender' and time_s <= 2.55")
    assert web.value("document.getElementById('values-1').firstChild.lastChild.textContent") == str(
        int(rows.cwnd_packets.iloc[-1])
    )
    # keys; the slider and the clock agree
    for key, shift, time_s in (("ArrowRight", False, 3.05), ("ArrowRight", True, 7.39), ("Home", False, 0.0)):
        web.press(key, shift=shift)
        assert clock_s(web) == time_s
        assert web.value("document.getElementById('slider').value / 1000") == pytest.approx(clock_s(web), abs=0.006)
    # the next important events, up to the fault and the path after it
    path = "document.getElementById('state').textContent"
    assert "h1 → r1 → r2 → r3 → r6 → h2" in web.value(path) and "Faultsnone" in web.value(path)
    while "lost its carrier" not in web.value(path):
        web.press("n")
    assert clock_s(web) < 4 and web.value("document.querySelectorAll('.link.broken').length") == 1
    web.press("End")
    assert "h1 → r1 → r5 → r4 → r3 → r6 → h2" in web.value(path)
    assert web.value("document.querySelectorAll('#neighbor-marks .mark.lost').length") == 2
    # playing: from the end it starts again, and announces what happens
    web.value(
        "document.getElementById('speed').value = '8'; window.said = [];"
        "const box = document.getElementById('announcement');"
        "new MutationObserver(() => said.push(box.textContent)).observe(box, {childList: true})"
    )
    web.press(" ")
    wait_for(lambda: web.value("document.getElementById('play').getAttribute('aria-label')") == "Play", "the end")
    assert "l1" in " ".join(web.value("said")) and "flow" in " ".join(web.value("said")).lower()
    assert clock_s(web) == 7.39
    assert web.errors() == [] and web.requests() == [file.resolve().as_uri()]
    # a narrow window has no scroll bar across
    web.look(390, 844)
    assert web.value("document.documentElement.scrollWidth") <= 390
    web.look(1280, 800)


def test_hostile_texts_execute_nothing(web: Page, tmp_path: Path) -> None:
    file = tmp_path / "hostile.html"
    file.write_text(replay_page(open_results(hostile_run(tmp_path))), encoding="utf-8")
    web.open(file, "#t=2")
    assert web.value("document.querySelector('h1').textContent").startswith(ATTACK[:60])
    assert web.errors() == []
    web.press("End")
    assert web.value("typeof window.hacked") == "undefined" and web.value("document.images.length") == 0
    # even elements that were not escaped execute nothing
    blocked = (
        "new Promise((done) => document.addEventListener('securitypolicyviolation', (e) => done(e.violatedDirective)))"
    )
    web.value(
        f"window.blocked = {blocked}; document.body.insertAdjacentHTML('beforeend', '<b onclick=\"hacked=1\">x</b>')"
    )
    web.value("document.body.lastChild.click()")
    assert web.value("window.blocked").startswith("script-src")
    assert web.value("typeof window.hacked") == "undefined"
