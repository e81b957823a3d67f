"""Pictures of topologies as files: formats, contents, and painting without a display."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from PIL import Image
from typer.testing import CliRunner, Result

from frrlib.addressing.addressing import addressed
from frrlib.edits.annotations import color_nodes
from frrlib.formats import mn
from frrlib.model.annotations import Annotation
from frrlib.model.topology import Topology
from frrlib.picture.export import FORMATS, PAPER, measure, picture_bytes
from frrlib.picture.labels import Labels
from frrlib.picture.theme import DARK
from miniedit_frr.cli.main import app
from tests.example_counts import examples
from tests.strategies.topologies import topologies

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "two-as-bgp.mn"
DRAWING = mn.load(EXAMPLE).topology
NOTED = DRAWING.model_copy(
    update={
        "annotations": (
            Annotation(id="a1", kind="rectangle", x=20, y=100, width=300, height=200, fill="#336699", text="<&> 5"),
            Annotation(id="a2", kind="ellipse", x=400, y=100, width=300, height=200, fill="green", line="red"),
            Annotation(id="a3", text="costs $5 and x_1^2, 20 → 30 ms", x=50, y=350, fill="yellow"),
        )
    }
)
SVG = "{http://www.w3.org/2000/svg}"
MAGIC = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


def texts(svg: bytes) -> list[str]:
    return ["".join(element.itertext()) for element in ET.fromstring(svg).iter(f"{SVG}text")]


def command(*words: str) -> Result:
    """The result of `miniedit-frr WORDS`, run in this process."""
    return CliRunner().invoke(app, words)


def image(png: bytes) -> Image.Image:
    return Image.open(BytesIO(png)).convert("RGB")


@pytest.mark.parametrize("kind", FORMATS)
def test_each_format_is_valid_and_reproducible(kind: str) -> None:
    content = picture_bytes(NOTED, kind)
    assert content.startswith(MAGIC[kind])
    assert content == picture_bytes(NOTED, kind)


def test_an_unknown_format_is_rejected() -> None:
    with pytest.raises(ValueError, match="gif"):
        picture_bytes(DRAWING, "gif")


def test_vector_graphics_contain_no_image() -> None:
    svg = picture_bytes(NOTED, "svg")
    assert not list(ET.fromstring(svg).iter(f"{SVG}image"))
    assert b"/Subtype /Image" not in picture_bytes(NOTED, "pdf")


def test_pictures_have_the_visible_texts_as_texts() -> None:
    usual = texts(picture_bytes(NOTED, "svg"))
    assert {"h1", "h2", "r1", "r2", "AS 100", "AS 200", "<&> 5", "10 Mbit/s, 20 ms, 1 BDP"} <= set(usual)
    assert " ".join(usual).count("$5 and") == 1
    bare = Labels(names=False, values=False, areas=False)
    assert not {"h1", "AS 100", "10 Mbit/s, 20 ms, 1 BDP"} & set(texts(picture_bytes(DRAWING, "svg", bare)))
    filled = addressed(DRAWING)
    texts_with_addresses = texts(picture_bytes(DRAWING, "svg", Labels(addresses=True), filled))
    expected = {str(address) for link in filled.links for end in link.ends for address in end.addresses}
    assert expected <= set(texts_with_addresses)


def test_icons_lines_and_shapes_have_their_colors() -> None:
    at = {node.name: (node.x, node.y) for node in NOTED.nodes}
    picture = image(picture_bytes(color_nodes(NOTED, ["r2"], "#00ff00"), "png", scale=1))
    colours = {colour for _, colour in picture.getcolors(picture.width * picture.height) or ()}
    rgb = lambda text: tuple(int(text[i : i + 2], 16) for i in (1, 3, 5))  # noqa: E731
    expected = ("#00ff00", "#336699", PAPER.icons["router"], PAPER.icons["host"], PAPER.shaped, PAPER.canvas)
    assert {rgb(color) for color in expected} <= colours
    assert at.keys() == {"h1", "h2", "r1", "r2"}


def test_the_size_of_a_png_follows_the_scale_and_it_shows_everything() -> None:
    small, large = image(picture_bytes(NOTED, "png", scale=1)), image(picture_bytes(NOTED, "png", scale=3))
    assert large.width == pytest.approx(3 * small.width, abs=3)
    assert small.width >= 680 and small.height >= 250
    ground = small.getpixel((0, 0))
    edge = [small.getpixel((x, y)) for x in range(small.width) for y in (0, 1, small.height - 1)]
    assert set(edge) == {ground}  # nothing is cut off


def test_the_dark_theme_is_dark() -> None:
    assert sum(image(picture_bytes(DRAWING, "png", theme=DARK)).getpixel((1, 1))) < 120  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", FORMATS)
def test_an_empty_topology_gives_an_empty_picture(kind: str) -> None:
    assert picture_bytes(Topology(), kind).startswith(MAGIC[kind])


@settings(max_examples=examples(8), deadline=None, phases=[Phase.explicit, Phase.generate])
@given(topologies())
def test_any_topology_can_be_painted(topology: Topology) -> None:
    near = topology.model_copy(
        update={
            "nodes": tuple(node.model_copy(update={"x": node.x % 500, "y": node.y % 500}) for node in topology.nodes),
            "annotations": tuple(
                annotation.model_copy(update={"x": annotation.x % 500, "width": 100.0, "height": 50.0})
                for annotation in topology.annotations
            ),
        }
    )
    ET.fromstring(picture_bytes(near, "svg"))


@pytest.mark.parametrize("kind", FORMATS)
def test_characters_that_files_cannot_contain_are_replaced(kind: str) -> None:
    odd = DRAWING.nodes[0].model_copy(update={"label": "a\x1fb\udc80\u0000"})
    content = picture_bytes(DRAWING.model_copy(update={"nodes": (odd, *DRAWING.nodes[1:])}), kind)
    if kind == "svg":
        assert "a\ufffdb\ufffd\ufffd" in texts(content)


def test_measure_grows_with_the_text_and_the_size() -> None:
    assert measure("mmm", 10) > measure("iii", 10) > 0
    assert measure("abc", 20) == pytest.approx(2 * measure("abc", 10))


@pytest.mark.parametrize("kind", FORMATS)
def test_the_command_paints_without_a_display(kind: str, tmp_path: Path) -> None:
    out = tmp_path / f"lab.{kind}"
    env = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    words = ["export", str(EXAMPLE), "--to", kind, "--out", str(out)]
    argv = [sys.executable, "-m", "miniedit_frr", *words, "--show", "names,addresses"]
    done = subprocess.run(argv, env={**env, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    labels = Labels(values=False, areas=False, addresses=True, flows=False)
    assert out.read_bytes() == picture_bytes(DRAWING, kind, labels, addressed(DRAWING))
    assert command(*words).exit_code == 2  # it is there already
    assert command(*words, "--overwrite").exit_code == 0


def test_the_command_rejects_unknown_labels(tmp_path: Path) -> None:
    done = command("export", str(EXAMPLE), "--to", "svg", "--show", "names,prices")
    assert done.exit_code == 2
    assert "prices" in done.stderr


def test_importing_the_export_loads_neither_matplotlib_nor_tkinter() -> None:
    code = "import sys, frrlib.picture.export; print({'matplotlib', 'tkinter'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.gui
def test_the_window_exports_the_shown_labels(user: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from miniedit_frr.edit_commands import canvas as canvas_commands

    user.document.apply("Load", NOTED)
    user.press_key("<Control-Key-3>")
    monkeypatch.setattr(canvas_commands.filedialog, "asksaveasfilename", lambda **_: str(tmp_path / "lab.svg"))
    user.editor.canvas_commands.export_picture()
    user.wait((tmp_path / "lab.svg").exists)
    exported_texts = texts((tmp_path / "lab.svg").read_bytes())
    assert "<&> 5" in exported_texts
    assert any(re.fullmatch(r"[\d.]+/\d+", text) for text in exported_texts)
    user.editor.canvas_commands.save_picture(tmp_path / "no ending", "pdf")
    user.wait((tmp_path / "no ending.pdf").exists)


@pytest.mark.gui
@pytest.mark.parametrize("answer", ["Cancel", "Replace"])
def test_replacing_a_file_with_the_added_suffix_is_asked_about(
    user: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    from miniedit_frr.edit_commands import canvas as canvas_commands

    user.document.apply("Load", DRAWING)
    (tmp_path / "lab.png").write_bytes(b"mine")
    questions = []
    monkeypatch.setattr(canvas_commands.filedialog, "asksaveasfilename", lambda **_: str(tmp_path / "lab"))
    monkeypatch.setattr(
        canvas_commands.Messagebox, "show_question", lambda text, *_, **__: questions.append(text) or answer
    )
    user.editor.canvas_commands.export_picture()
    assert questions == ["lab.png already exists in this folder. Replace it?"]
    if answer == "Replace":
        user.wait(lambda: (tmp_path / "lab.png").read_bytes()[:4] == b"\x89PNG")
    else:
        user.editor.canvas_commands.save_picture(tmp_path / "other.png")
        user.wait((tmp_path / "other.png").exists)  # pictures are painted one after the other
        assert (tmp_path / "lab.png").read_bytes() == b"mine"


@pytest.mark.gui
def test_a_picture_that_cannot_be_written_is_reported(user: Any, tmp_path: Path) -> None:
    user.document.apply("Load", DRAWING)
    user.editor.canvas_commands.save_picture(tmp_path / "nowhere" / "lab.png")
    user.wait(lambda: "cannot be" in user.editor.log.text.get("1.0", "end"))
