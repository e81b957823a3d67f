"""Makes the editor's pictures, docs/images/editor-*.png; with --all those of the dialogs and of running labs too.

python docs/tools/make_screenshots.py [--all] [FOLDER]

Needs Xvfb. Every picture is the window as it opens on a display of its own: nothing is painted over.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tkinter as tk
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
from PIL import Image, ImageGrab  # noqa: E402

from frrlib.edits import annotations as annotating  # noqa: E402
from frrlib.edits.changes import replace_link  # noqa: E402
from frrlib.edits.generators import fat_tree  # noqa: E402
from frrlib.formats import mn  # noqa: E402
from frrlib.model.topology import Topology  # noqa: E402
from frrlib.picture.labels import Labels  # noqa: E402
from frrlib.picture.scene import Key  # noqa: E402
from miniedit_frr.app.app import Editor  # noqa: E402
from miniedit_frr.document.document import Document  # noqa: E402
from miniedit_frr.user import window_state as settings  # noqa: E402
from miniedit_frr.user.preferences import Preferences, PreferenceStore  # noqa: E402
from miniedit_frr.window.help_menu import show_keys  # noqa: E402

#: Width and height of the editor, and of the display that it is on.
SIZE = (1280, 800)
#: The scripts that make the other pictures.
_OTHERS = (
    "make_problem_pictures.py",
    "make_dialog_pictures.py",
    "make_file_pictures.py",
    "make_running_screenshots.py",
    "make_routing_screenshots.py",
    "make_config_screenshots.py",
    "make_fault_screenshots.py",
    "make_worth_pictures.py",
    "make_scenario_pictures.py",
    "make_flow_pictures.py",
    "make_live_pictures.py",
    "make_first_picture.py",
    "make_animation.py",
)
#: Colours of a picture's palette, and how many of them are the most frequent ones, as they are.
_COLOURS, _EXACT = 256, 192
_MANY = Labels(interfaces=True, addresses=True)


@cache
def _pages() -> str:
    return "".join(path.read_text(encoding="utf-8") for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))


def is_wanted(path: Path) -> bool:
    """Whether to write a picture: docs/images holds only pictures that a page shows, any other folder takes all."""
    return path.parent.resolve() != IMAGES or path.name in _pages()


def write_png(image: Image.Image, path: Path) -> None:
    """Write a picture of a screen as a small PNG with a palette, in which large areas keep their exact color.

    A picture for docs/images that no page shows is not written.
    """
    if not is_wanted(path):
        return
    rgb = image.convert("RGB")
    pixels = np.asarray(rgb, np.int32).reshape(-1, 3)
    found, which, counts = np.unique(pixels, axis=0, return_inverse=True, return_counts=True)
    palette = found[np.argsort(-counts)[:_EXACT]]
    if len(found) > _EXACT:
        # What is left are shades at the edges of letters and lines.
        shades = rgb.quantize(_COLOURS - _EXACT, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        palette = np.vstack((palette, np.array(shades.getpalette(), np.int32).reshape(-1, 3)[: _COLOURS - _EXACT]))
    nearest = np.array([((palette - colour) ** 2).sum(axis=1).argmin() for colour in found], np.uint8)
    written = Image.fromarray(nearest[which.reshape(-1)].reshape(rgb.height, rgb.width), "P")
    written.putpalette(palette.astype(np.uint8).tobytes())
    written.save(path, optimize=True)


def grab(window: tk.Misc | None = None) -> Image.Image:
    """What is on the screen now: all of it, or what a window takes of it."""
    image = ImageGrab.grab(xdisplay=os.environ["DISPLAY"])
    if window is None:
        return image
    x, y = window.winfo_rootx(), window.winfo_rooty()
    return image.crop((x, y, x + window.winfo_width(), y + window.winfo_height()))


def example(name: str) -> Topology:
    """One of the examples."""
    return mn.load(ROOT / "examples" / name).topology


def file_name(topology: Topology) -> str:
    """What somebody would have called its file: as its example, or by its title."""
    files = (ROOT / "examples").glob("*.mn")
    named = next((file.name for file in files if mn.load(file).topology.title == topology.title), "")
    return named or f"{topology.title.split(',')[0].strip().lower().replace(' ', '-') or 'lab'}.mn"


def save_as(editor: Editor, file: Path) -> None:
    """Save the drawing, so that the window has the file's name."""
    editor.document.save(file)
    editor.note_file(file)


def noted() -> Topology:
    """The two autonomous systems with what people add: grounds, a note, colours."""
    topology = example("two-as-bgp.mn")
    for text, x, colour in (("AS 100", 40.0, "blue"), ("AS 200", 434.0, "green")):
        topology, ground = annotating.annotate(topology, "rectangle", x, 80.0, 266.0, 220.0, text)
        topology = annotating.change(topology, [ground], fill=colour, line=colour)
    note = "The bottleneck: 10 Mbit/s, 20 ms each way, a queue of one BDP."
    topology, _ = annotating.annotate(topology, "note", 285.0, 330.0, 190.0, 60.0, note)
    return annotating.color_nodes(topology, ["h1"], "purple")


def wrong() -> Topology:
    """A drawing with mistakes: an address that is in no network, a link that is nobody's."""
    topology = example("two-as-bgp.mn")
    link = topology.links[0]
    a = link.a.model_copy(update={"addresses": topology.links[2].b.addresses})
    return replace_link(topology, link.id, link.model_copy(update={"a": a}))


@dataclass(frozen=True)
class Picture:
    """One picture: its name, what is drawn, how it is looked at, and what is done before it is taken.

    Attributes:
        act: what is done.
        alone: whether only the window that was opened is in the picture.
    """

    name: str
    drawn: Callable[[], Topology] = Topology
    theme: str = "light"
    labels: Labels = field(default_factory=Labels)
    selected: tuple[Key, ...] = ()
    act: Callable[[Editor], object] = lambda editor: None
    alone: bool = False


def _two() -> Topology:
    return example("two-as-bgp.mn")


def _ospf() -> Topology:
    return example("ospf-multihop.mn")


def _queues() -> Topology:
    return example("queues.mn")


def _find(editor: Editor) -> None:
    editor.find_bar.open()
    editor.find_bar.words.set("r3")


def _soon(what: Callable[[Editor], object]) -> Callable[[Editor], object]:
    """For what waits for an answer: the window works on meanwhile."""
    return lambda editor: editor.window.after(1, what, editor)


def _leave(editor: Editor) -> None:
    """Go away from a drawing that has changed."""
    editor.document.apply("Draw", noted())
    editor.view.fit()
    editor.files.new()


PICTURES = (
    Picture("editor-start"),
    Picture("editor-start-dark", theme="dark"),
    Picture("editor-two-as-bgp", _two, selected=(Key("node", "r1"),)),
    Picture("editor-ospf-multihop", _ospf, labels=Labels(interfaces=True, addresses=True)),
    Picture("editor-ospf-multihop-dark", _ospf, "dark", selected=(Key("node", "r3"),)),
    Picture("editor-labels", _two, labels=_MANY),
    Picture("editor-notes", noted),
    Picture("editor-notes-dark", noted, "dark"),
    Picture("editor-problems", wrong, selected=(Key("node", "h1"),)),
    Picture("editor-fat-tree", lambda: fat_tree(4), selected=(Key("link", "l1"),)),
    Picture("editor-queues", _queues, selected=(Key("link", "l2"),)),
    Picture("editor-queues-dark", _queues, "dark", selected=(Key("link", "l2"),)),
    Picture("editor-find", _ospf, act=_find),
    Picture("editor-keys", _two, act=_soon(lambda editor: show_keys(editor.window)), alone=True),
    Picture("editor-unsaved", act=_soon(_leave)),
    Picture("editor-insert", _two, act=lambda editor: editor.canvas_commands.ask_topology(), alone=True),
    Picture("editor-insert-dark", _two, "dark", act=lambda editor: editor.canvas_commands.ask_topology(), alone=True),
)


#: How high a window's title is in pictures with frames, and how wide a frame is at the other sides.
TITLE_PX, FRAME_PX = 26, 1
#: A window manager's frames for pictures of several windows, so that they can be told apart.
_FRAMES = """<?xml version="1.0"?>
<JWM>
    <Group><Name>.*</Name><Option>icon:none</Option></Group>
    <WindowStyle>
        <Font>Sans-10:bold</Font><Width>{frame}</Width><Height>{title}</Height><Corner>0</Corner>
        <Foreground>#52606d</Foreground><Background>#e4e7eb</Background><Outline>#9aa5b1</Outline>
        <Active><Foreground>#1f2933</Foreground><Background>#cbd2d9</Background><Outline>#7b8794</Outline></Active>
    </WindowStyle>
    <Desktops width="1" height="1"><Background type="solid">#9fb3c8</Background></Desktops>
    <FocusModel>click</FocusModel>
    <StartupCommand>touch {ready}</StartupCommand>
</JWM>
"""


@contextmanager
def screen(wide: int = SIZE[0], high: int = SIZE[1]) -> Iterator[str]:
    """A display of our own; its name."""
    readable, writable = os.pipe()
    argv = ["Xvfb", "-displayfd", str(writable), "-screen", "0", f"{wide}x{high}x24", "-dpi", "96"]
    server = subprocess.Popen(argv, pass_fds=[writable], stderr=subprocess.DEVNULL)
    os.close(writable)
    try:
        with os.fdopen(readable) as said:
            yield f":{said.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


@contextmanager
def framed_screen(wide: int = SIZE[0], high: int = SIZE[1]) -> Iterator[str]:
    """As `screen`, with frames around windows by jwm, and room for those of a window that fills the rest; where jwm is
    not installed, windows stay bare."""
    if not shutil.which("jwm"):
        with screen(wide, high) as display:
            yield display
        return
    with screen(wide + 2 * FRAME_PX, high + TITLE_PX + FRAME_PX) as display, tempfile.TemporaryDirectory() as below:
        settings_file, ready = Path(below, "jwm.xml"), Path(below, "ready")
        text = _FRAMES.format(title=TITLE_PX, frame=FRAME_PX, ready=shlex.quote(str(ready)))
        settings_file.write_text(text, encoding="utf-8")
        env = {**os.environ, "DISPLAY": display}
        manager = subprocess.Popen(["jwm", "-f", str(settings_file)], env=env, stderr=subprocess.DEVNULL)
        try:
            while not ready.exists() and manager.poll() is None:
                time.sleep(0.05)
            yield display
        finally:
            manager.terminate()
            manager.wait()


def take(picture: Picture, folder: Path, memory: Path) -> None:
    """Open the window, look at it, keep what is on the screen."""
    # The menu bar is above the size that Tk is asked for.
    kept = settings.WindowState(geometry=f"{SIZE[0]}x{SIZE[1] - 32}+0+0", labels=picture.labels)
    settings.save(kept, memory)
    PreferenceStore(memory.with_name("preferences.json")).change(Preferences(theme=picture.theme))  # type: ignore[arg-type]
    drawn = picture.drawn()
    editor = Editor(Document(drawn), memory)
    if drawn.nodes:
        save_as(editor, memory.parent / file_name(drawn))
    _wait(editor, lambda: not editor.checker.is_busy)
    editor.view.fit()
    editor.view.select(picture.selected)
    editor.window.event_generate("<Motion>", warp=True, x=1, y=1)  # nothing shall stand out under the pointer
    # A question waits inside of what opens it, so the picture is taken by a timer.
    editor.window.after(900, lambda: _keep(editor, picture, folder))
    picture.act(editor)
    end = time.monotonic() + 1.4
    _wait(editor, lambda: time.monotonic() > end)
    editor.close()


def _keep(editor: Editor, picture: Picture, folder: Path) -> None:
    windows = [each for each in _below(editor.window) if isinstance(each, tk.Toplevel) and each.winfo_viewable()]
    write_png(grab(windows[-1] if picture.alone else None), folder / f"{picture.name}.png")
    for each in windows:
        each.destroy()


def _below(widget: tk.Misc) -> Iterator[tk.Misc]:
    for child in widget.winfo_children():
        yield child
        yield from _below(child)


def _wait(editor: Editor, until: Callable[[], bool]) -> None:
    editor.window.update()
    while not until():
        editor.window.update()
        time.sleep(0.01)


def main() -> None:
    """Take every picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="the dialogs and running labs too; takes some minutes")
    parser.add_argument("folder", nargs="?", type=Path, default=IMAGES)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    with framed_screen() as display, tempfile.TemporaryDirectory() as below:
        os.environ["DISPLAY"] = display
        for picture in PICTURES:
            take(picture, asked.folder, Path(below) / "window.json")
    for name in _OTHERS if asked.all else ():
        subprocess.run([sys.executable, str(Path(__file__).with_name(name)), str(asked.folder)], check=True)


if __name__ == "__main__":
    main()
