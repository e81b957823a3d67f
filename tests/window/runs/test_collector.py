"""Figures of untrusted results folders are scaled without any other program, or left out."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from miniedit_frr.runs.collector import figure_image

_POSTSCRIPT = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\nshowpage\n%%EOF\n"


def _png(width: int, height: int) -> bytes:
    """The beginning of a PNG picture of that size, which has no pixels."""
    chunks = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0), b"IDAT" + zlib.compress(b"")
    framed = (struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) for chunk in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(framed)


def test_postscript_named_png_does_not_start_ghostscript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = tmp_path / "started"
    (tool := tmp_path / "gs").write_text(f"#!/bin/sh\n: > {started}\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    (figure := tmp_path / "series.png").write_bytes(_POSTSCRIPT)
    with pytest.raises(OSError, match="cannot identify"):
        figure_image(figure)
    assert not started.exists()


@pytest.mark.parametrize("size", [(8_000, 8_000), (20_000, 20_000)])
def test_a_picture_with_too_many_pixels_is_rejected(tmp_path: Path, size: tuple[int, int]) -> None:
    (figure := tmp_path / "series.png").write_bytes(_png(*size))
    with pytest.raises(OSError, match="pixels"):
        figure_image(figure)


def test_a_figure_is_read(tmp_path: Path) -> None:
    Image.new("RGBA", (30, 20), "red").save(figure := tmp_path / "series.png")
    assert figure_image(figure).size == (30, 20)
