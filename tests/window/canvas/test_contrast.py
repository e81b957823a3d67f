"""Adjacent colors have the minimum contrast of WCAG 2: 4.5 for texts, 3 for graphics."""

from __future__ import annotations

import dataclasses
import tkinter as tk
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from tkinter import font as tkfont
from tkinter import ttk
from typing import Any

import pytest

from frrlib.model.annotations import PALETTE
from frrlib.picture import colors, contrast, icons
from frrlib.picture.scene import Key
from frrlib.picture.theme import DECORATION, DISTINCT_COLORS, GRAPHICS, TEXTS, THEMES, Theme
from frrlib.results import palette
from miniedit_frr.canvas.load_layer import LOAD_CLASSES
from miniedit_frr.dialogs.subjects import Links, Nodes, TopologySettings
from miniedit_frr.document.document import Document
from miniedit_frr.user.preferences import Preferences, PreferenceStore
from tests.window.hands_on_window import editor_on
from tests.window.topologies import EVERY_KIND

BOTH = pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))


def named(theme: Theme, name: str) -> str:
    """A colour of a theme, or the background of one of its icons."""
    return theme.icons[name] if name in theme.icons else str(getattr(theme, name))


def test_the_contrast_formula_matches_wcag() -> None:
    """The expected contrasts are from WebAIM's checker and from the guidelines."""
    assert contrast.ratio("#000000", "#ffffff") == pytest.approx(21)
    assert contrast.ratio("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast.ratio("#ffffff", "#767676") == pytest.approx(4.54, abs=0.005)
    assert contrast.ratio("#ff0000", "#ffffff") == pytest.approx(4.0, abs=0.005)
    assert contrast.difference("#000000", "#ffffff") == pytest.approx(100, abs=0.05)
    assert contrast.difference("#ff0000", "#00ff00") == pytest.approx(170.6, abs=0.5)


@BOTH
def test_texts_and_graphics_have_enough_contrast(theme: Theme) -> None:
    weak = [
        f"{front} on {ground}: {ratio:.2f}"
        for table, least in ((TEXTS, contrast.TEXT), (GRAPHICS, contrast.GRAPHICS))
        for front, grounds in table.items()
        for ground in grounds
        if (ratio := contrast.ratio(named(theme, front), named(theme, ground))) < least
    ]
    assert not weak


@BOTH
def test_colors_of_different_meaning_are_distinct(theme: Theme) -> None:
    alike = {
        f"{first}, {second}: {difference:.0f}"
        for group in DISTINCT_COLORS
        for first, second in combinations(sorted(group), 2)
        if (difference := contrast.difference(named(theme, first), named(theme, second))) < contrast.APART
    }
    assert not alike


@BOTH
def test_icons_and_user_colors_have_enough_contrast(theme: Theme) -> None:
    for name in icons.NAMES:
        paints = icons.paints_of(name, theme)
        ground = theme.canvas if name in theme.icons or name in icons.BADGES else theme.base_ground
        assert contrast.ratio(paints["ground"], ground) >= contrast.GRAPHICS, name
        if "ink" in {stroke.colour for stroke in icons.strokes(name)} and (name in theme.icons or name in icons.BADGES):
            assert contrast.ratio(paints["ink"], paints["ground"]) >= contrast.GRAPHICS, name
    for name in PALETTE:
        strong, pale = colors.strong(name, theme), colors.ground(name, theme)
        assert contrast.ratio(strong, theme.canvas) >= contrast.GRAPHICS, name
        assert contrast.ratio(strong, theme.ink) >= contrast.GRAPHICS, name
        assert contrast.ratio(colors.text_on(pale, theme), pale) >= contrast.TEXT, name


@BOTH
def test_colors_of_loads_and_flows_have_contrast_and_are_distinct(theme: Theme) -> None:
    loads = [colors.load(grade, theme) for grade in range(len(LOAD_CLASSES))]
    flows = [colors.curve(colour, theme) for colour in (*palette.CONTROL_COLORS.values(), palette.FAULT)]
    assert all(contrast.ratio(color, theme.canvas) >= contrast.GRAPHICS for color in (*loads, *flows))
    # Only flows have texts, so loads need a larger difference.
    for several, least in ((loads, contrast.APART), (flows[:-1], contrast.APART / 2)):
        assert min(contrast.difference(*pair) for pair in combinations(several, 2)) >= least


def test_every_color_of_a_theme_is_checked() -> None:
    checked = {*TEXTS, *GRAPHICS, *DECORATION, "ink", "on_full"}
    checked |= {ground for table in (TEXTS, GRAPHICS) for grounds in table.values() for ground in grounds}
    assert {field.name for field in dataclasses.fields(Theme)} - {"name", "base", "icons"} <= checked


# --- widgets, as they are on a screen ---------------------------------------------------------------------------------

#: States in which a widget shows a text. Disabled widgets need no contrast, except fields with a value.
_STATES = ((), ("readonly",), ("selected",), ("pressed",), ("hover",), ("active",))
_READ_WHILE_OFF = ("TEntry", "TCombobox", "TCheckbutton", "Toggle")
_WITHOUT_TEXT = ("Frame", "Scrollbar", "Separator", "Progressbar", "Panedwindow", "TNotebook", "Scale", "Sizegrip")


def below(widget: Any) -> Iterator[Any]:
    for child in widget.winfo_children():
        yield child
        yield from below(child)


def weak_style(name: str) -> Iterator[str]:
    """The unreadable states of a style, among those that its widgets may be in."""
    style = ttk.Style()
    off = (("disabled",), ("disabled", "readonly")) if name.endswith(_READ_WHILE_OFF) else ()
    for state in (*_STATES, *off):
        if "disabled" not in state and name.endswith(("TEntry", "TCombobox")) and state in (("hover",), ("active",)):
            continue
        front = str(style.lookup(name, "foreground", state))
        is_field = name.endswith(("TEntry", "TCombobox", "Treeview")) and state != ("selected",)
        ground = str(style.lookup(name, "fieldbackground" if is_field else "background", state))
        if (ratio := contrast.ratio(front, ground)) < contrast.TEXT:
            yield f"{name} {' '.join(state)}: {front} on {ground} is {ratio:.2f}"


@pytest.mark.gui
@pytest.mark.parametrize("name", list(THEMES))
def test_every_widget_of_the_window_and_its_dialogs_has_readable_text(display: str, tmp_path: Path, name: str) -> None:
    PreferenceStore(tmp_path / "preferences.json").change(Preferences(theme=name))  # type: ignore[arg-type]
    with editor_on(Document(EVERY_KIND), tmp_path) as editor:
        theme = THEMES[name]
        assert editor.theme is theme
        for theme_name in (*reversed(THEMES), name):  # there and back: a switch does not undo changes
            editor.preferences.store.change(Preferences(theme=theme_name))
            editor.window.update()
        styles, weak = set[str](), []
        link = EVERY_KIND.links[0].id
        for subject in (Nodes("router", ["r1"]), Nodes("host", ["h1"]), Links([link]), TopologySettings("flows")):
            form = editor.dialogs.open(subject).form
            for index in range(len(form.tabs)):
                if form.book is not None:
                    form.book.select(index)
                editor.window.update()
        editor.view.select({Key("node", "r1")})
        editor.window.update()
        for widget in below(editor.window):
            if isinstance(widget, ttk.Widget):
                style = str(widget.cget("style")) or widget.winfo_class()
                if not style.endswith(_WITHOUT_TEXT):
                    styles.add(style)
                if isinstance(widget, ttk.Label) and str(widget.cget("foreground")) and widget.cget("text"):
                    ground = str(ttk.Style().lookup(style, "background"))
                    if contrast.ratio(str(widget.cget("foreground")), ground) < contrast.TEXT:
                        weak.append(f"{widget}: {widget.cget('text')!r}")
            elif isinstance(widget, tk.Label) and widget.cget("text") and widget.winfo_viewable():
                front, ground = str(widget.cget("foreground")), str(widget.cget("background"))
                is_off = front == theme.down  # a disabled tool
                if not is_off and contrast.ratio(front, ground) < contrast.TEXT:
                    weak.append(f"{widget}: {widget.cget('text')!r} {front} on {ground}")
        assert {"success.TButton", "primary.TButton", "TEntry", "TCombobox", "Treeview", "danger.TButton"} <= styles
        assert not [*weak, *(finding for style in sorted(styles) for finding in weak_style(style))]


@pytest.mark.gui
def test_automatic_values_do_not_look_like_typed_values(display: str, tmp_path: Path) -> None:
    """It is slanted, besides being fainter: in the dark both are bright enough to be read."""
    PreferenceStore(tmp_path / "preferences.json").change(Preferences(theme="dark"))
    with editor_on(Document(EVERY_KIND), tmp_path) as editor:
        editor.view.select({Key("node", "h1")})
        editor.window.update()
        field = editor.properties.form.inputs["node.cpu_percent"]
        (hint,) = field.entry.winfo_children()
        assert hint.winfo_viewable() and field.variable.get() == ""
        assert tkfont.Font(font=hint.cget("font"), root=editor.window).actual("slant") == "italic"
        assert tkfont.Font(font="TkDefaultFont", root=editor.window).actual("slant") == "roman"
        value = str(ttk.Style().lookup("TEntry", "foreground"))
        assert contrast.luminance(str(hint.cget("foreground"))) < contrast.luminance(value) / 1.5
