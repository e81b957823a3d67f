"""Makes the editor's pictures, docs/images/editor-*.png; with --all those of the dialogs and of running labs too.

python docs/tools/make_editor_pictures.py [--all] [FOLDER]

Needs Xvfb. Every picture is the unedited window on a display of its own.
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

#: Width and height of the editor and its display.
SIZE = (1280, 800)
#: The scripts of the other pictures.
_OTHERS = (
    "make_problem_pictures.py",
    "make_dialog_pictures.py",
    "make_file_pictures.py",
    "make_running_pictures.py",
    "make_routing_pictures.py",
    "make_configuration_pictures.py",
    "make_fault_pictures.py",
    "make_verdict_pictures.py",
    "make_scenario_pictures.py",
    "make_flow_pictures.py",
    "make_live_pictures.py",
    "make_first_picture.py",
    "make_animation.py",
)
#: Number of colors in a picture's palette, and how many of them are the most frequent ones, unchanged.
_COLORS, _EXACT = 256, 192
_MANY = Labels(interfaces=True, addresses=True)


@cache
def _pages() -> str:
    return "".join(path.read_text(encoding="utf-8") for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))


def is_shown(path: Path) -> bool:
    """Whether to write a picture: docs/images holds only pictures that a page shows, any other folder takes all."""
    return path.parent.resolve() != IMAGES or path.name in _pages()


def write_png(image: Image.Image, path: Path, colors_kept: int = _COLORS, exact: int = _EXACT) -> None:
    """Write a picture of a screen as a small PNG with a palette, in which large areas keep their exact color.

    A picture for docs/images that no page shows is not written.

    Args:
        colors_kept, exact: the number of colors in the palette, and how many of them are the most frequent ones.
    """
    if not is_shown(path):
        return
    rgb = image.convert("RGB")
    pixels = np.asarray(rgb, np.int32).reshape(-1, 3)
    colors, which, counts = np.unique(pixels, axis=0, return_inverse=True, return_counts=True)
    palette = colors[np.argsort(-counts)[:exact]]
    if len(colors) > exact:
        # The rest are shades at the edges of letters and lines.
        shades = rgb.quantize(colors_kept - exact, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        palette = np.vstack((palette, np.array(shades.getpalette(), np.int32).reshape(-1, 3)[: colors_kept - exact]))
    nearest = np.array([((palette - color) ** 2).sum(axis=1).argmin() for color in colors], np.uint8)
    written = Image.fromarray(nearest[which.reshape(-1)].reshape(rgb.height, rgb.width), "P")
    written.putpalette(palette.astype(np.uint8).tobytes())
    written.save(path, optimize=True)


def screenshot(window: tk.Misc | None = None) -> Image.Image:
    """The current content of the screen, or of a window on it."""
    image = ImageGrab.grab(xdisplay=os.environ["DISPLAY"])
    if window is None:
        return image
    x, y = window.winfo_rootx(), window.winfo_rooty()
    return image.crop((x, y, x + window.winfo_width(), y + window.winfo_height()))


def example(name: str) -> Topology:
    """One of the examples."""
    return mn.load(ROOT / "examples" / name).topology


def file_name(topology: Topology) -> str:
    """A plausible name of its file: the name of its example, or one from its title."""
    files = (ROOT / "examples").glob("*.mn")
    named = next((file.name for file in files if mn.load(file).topology.title == topology.title), "")
    return named or f"{topology.title.split(',')[0].strip().lower().replace(' ', '-') or 'lab'}.mn"


def save_as(editor: Editor, file: Path) -> None:
    """Save the topology, so that the window shows the file's name."""
    editor.document.save(file)
    editor.note_file(file)


def annotated() -> Topology:
    """The two autonomous systems with colored areas, a note and a colored node."""
    topology = example("two-as-bgp.mn")
    for text, x, color in (("AS 100", 40.0, "blue"), ("AS 200", 434.0, "green")):
        topology, ground = annotating.annotate(topology, "rectangle", x, 80.0, 266.0, 220.0, text)
        topology = annotating.change(topology, [ground], fill=color, line=color)
    note = "The bottleneck: 10 Mbit/s, 20 ms each way, a queue of one BDP."
    topology, _ = annotating.annotate(topology, "note", 285.0, 330.0, 190.0, 60.0, note)
    return annotating.color_nodes(topology, ["h1"], "purple")


def faulty() -> Topology:
    """The two autonomous systems with a mistake: the address of another link."""
    topology = example("two-as-bgp.mn")
    link = topology.links[0]
    a = link.a.model_copy(update={"addresses": topology.links[2].b.addresses})
    return replace_link(topology, link.id, link.model_copy(update={"a": a}))


@dataclass(frozen=True)
class Picture:
    """One picture of the editor.

    Attributes:
        name: of the file.
        topology: returns the topology in the editor.
        theme, labels, selected: the appearance of the canvas.
        prepare: an action before the picture is taken.
        dialog_only: whether the picture contains only the last opened window.
    """

    name: str
    topology: Callable[[], Topology] = Topology
    theme: str = "light"
    labels: Labels = field(default_factory=Labels)
    selected: tuple[Key, ...] = ()
    prepare: Callable[[Editor], object] = lambda editor: None
    dialog_only: bool = False


def _two() -> Topology:
    return example("two-as-bgp.mn")


def _ospf() -> Topology:
    return example("ospf-multihop.mn")


def _queues() -> Topology:
    return example("queues.mn")


def _find(editor: Editor) -> None:
    editor.find_bar.open()
    editor.find_bar.words.set("r3")


def _insert(editor: Editor) -> None:
    editor.canvas_commands.ask_topology()


def _soon(action: Callable[[Editor], object]) -> Callable[[Editor], object]:
    """The action as a Tk timer, for actions that wait for an answer."""
    return lambda editor: editor.window.after(1, action, editor)


def _leave(editor: Editor) -> None:
    """Choose New while the topology has unsaved changes."""
    editor.document.apply("Draw", annotated())
    editor.view.fit()
    editor.files.new()


PICTURES = (
    Picture("editor-start"),
    Picture("editor-start-dark", theme="dark"),
    Picture("editor-two-as-bgp", _two, selected=(Key("node", "r1"),)),
    Picture("editor-ospf-multihop", _ospf, labels=Labels(interfaces=True, addresses=True)),
    Picture("editor-ospf-multihop-dark", _ospf, "dark", selected=(Key("node", "r3"),)),
    Picture("editor-labels", _two, labels=_MANY),
    Picture("editor-notes", annotated),
    Picture("editor-notes-dark", annotated, "dark"),
    Picture("editor-problems", faulty, selected=(Key("node", "h1"),)),
    Picture("editor-fat-tree", lambda: fat_tree(4), selected=(Key("link", "l1"),)),
    Picture("editor-queues", _queues, selected=(Key("link", "l2"),)),
    Picture("editor-queues-dark", _queues, "dark", selected=(Key("link", "l2"),)),
    Picture("editor-find", _ospf, prepare=_find),
    Picture("editor-keys", _two, prepare=_soon(lambda editor: show_keys(editor.window)), dialog_only=True),
    Picture("editor-unsaved", prepare=_soon(_leave)),
    Picture("editor-insert", _two, prepare=_insert, dialog_only=True),
    Picture("editor-insert-dark", _two, "dark", prepare=_insert, dialog_only=True),
)


#: Height of a window's title in pictures with frames, and width of the frame at the other sides.
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
def display(wide: int = SIZE[0], high: int = SIZE[1]) -> Iterator[str]:
    """Start a display; yields its name."""
    readable, writable = os.pipe()
    argv = ["Xvfb", "-displayfd", str(writable), "-screen", "0", f"{wide}x{high}x24", "-dpi", "96"]
    server = subprocess.Popen(argv, pass_fds=[writable], stderr=subprocess.DEVNULL)
    os.close(writable)
    try:
        with os.fdopen(readable) as lines:
            yield f":{lines.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


@contextmanager
def framed_display(wide: int = SIZE[0], high: int = SIZE[1]) -> Iterator[str]:
    """As `display`, with frames around windows by jwm, and space for the frame of a window of this size.

    Without jwm, windows have no frames.
    """
    if not shutil.which("jwm"):
        with display(wide, high) as display_name:
            yield display_name
        return
    with (
        display(wide + 2 * FRAME_PX, high + TITLE_PX + FRAME_PX) as display_name,
        tempfile.TemporaryDirectory() as below,
    ):
        settings_file, ready = Path(below, "jwm.xml"), Path(below, "ready")
        text = _FRAMES.format(title=TITLE_PX, frame=FRAME_PX, ready=shlex.quote(str(ready)))
        settings_file.write_text(text, encoding="utf-8")
        env = {**os.environ, "DISPLAY": display_name}
        manager = subprocess.Popen(["jwm", "-f", str(settings_file)], env=env, stderr=subprocess.DEVNULL)
        try:
            while not ready.exists() and manager.poll() is None:
                time.sleep(0.05)
            yield display_name
        finally:
            manager.terminate()
            manager.wait()


def take(picture: Picture, folder: Path, memory: Path) -> None:
    """Open the window, and take its picture."""
    # The size for Tk does not include the menu bar.
    state = settings.WindowState(geometry=f"{SIZE[0]}x{SIZE[1] - 32}+0+0", labels=picture.labels)
    settings.save(state, memory)
    PreferenceStore(memory.with_name("preferences.json")).change(Preferences(theme=picture.theme))  # type: ignore[arg-type]
    topology = picture.topology()
    editor = Editor(Document(topology), memory)
    if topology.nodes:
        save_as(editor, memory.parent / file_name(topology))
    _wait(editor, lambda: not editor.checker.is_busy)
    editor.view.fit()
    editor.view.select(picture.selected)
    editor.window.event_generate("<Motion>", warp=True, x=1, y=1)  # so that nothing is highlighted under the pointer
    # A dialog may block the call that opens it, so a timer takes the picture.
    editor.window.after(900, lambda: _take_picture(editor, picture, folder))
    picture.prepare(editor)
    end = time.monotonic() + 1.4
    _wait(editor, lambda: time.monotonic() > end)
    editor.close()


def _take_picture(editor: Editor, picture: Picture, folder: Path) -> None:
    windows = [child for child in _below(editor.window) if isinstance(child, tk.Toplevel) and child.winfo_viewable()]
    write_png(screenshot(windows[-1] if picture.dialog_only else None), folder / f"{picture.name}.png")
    for window in windows:
        window.destroy()


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
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with framed_display() as display_name, tempfile.TemporaryDirectory() as below:
        os.environ["DISPLAY"] = display_name
        for picture in PICTURES:
            take(picture, arguments.folder, Path(below) / "window.json")
    for name in _OTHERS if arguments.all else ():
        subprocess.run([sys.executable, str(Path(__file__).with_name(name)), str(arguments.folder)], check=True)


if __name__ == "__main__":
    main()
