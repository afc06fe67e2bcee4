"""Sizes from headers."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.datasets.kitti.image_size import image_size_px


def encoded(suffix: str, width_px: int, height_px: int, *options: int) -> bytes:
    """A grey picture."""
    ok, data = cv2.imencode(suffix, np.full((height_px, width_px, 3), 90, np.uint8), list(options))
    assert ok
    return data.tobytes()


@pytest.mark.parametrize(
    ("suffix", "options"),
    [
        (".png", ()),
        (".jpg", ()),
        (".jpg", (cv2.IMWRITE_JPEG_PROGRESSIVE, 1)),
        (".jpg", (cv2.IMWRITE_JPEG_RST_INTERVAL, 2)),
    ],
)
@pytest.mark.parametrize("size_px", [(1, 1), (1242, 375), (3, 700)])
def test_size_of_what_opencv_writes(suffix: str, options: tuple[int, ...], size_px: tuple[int, int]) -> None:
    """Width first, for both formats, baseline and progressive."""
    assert image_size_px(encoded(suffix, *size_px, *options)) == size_px


def test_jpeg_with_fill_bytes_and_a_comment_before_its_frame() -> None:
    """Cameras write long application segments; the standard lets fill bytes stand before any marker."""
    data = encoded(".jpg", 40, 30)
    comment = b"\xff\xff\xff\xfe\x00\x0a" + b"\xff\xc0\x00\x11!!!!"
    assert image_size_px(data[:2] + comment + data[2:]) == (40, 30)


@pytest.mark.parametrize("data", [b"", b"\x89PNG", b"\xff\xd8", b"\xff\xd8\xff\xe0", b"BM" + b"\0" * 60, b"\0" * 100])
def test_no_size(data: bytes) -> None:
    """Neither format, or not enough of it."""
    assert image_size_px(data) is None


@given(st.sampled_from([b"\x89PNG\r\n\x1a\n", b"\xff\xd8", b"\xff\xd8\xff"]), st.binary(max_size=200))
def test_any_bytes_end(start: bytes, rest: bytes) -> None:
    """Whatever follows, there is a size or there is none, and the search comes to an end."""
    met = image_size_px(start + rest)
    assert met is None or all(0 <= side < 2**32 for side in met)


@given(st.integers(0, 400))
def test_a_cut_file_has_its_size_or_none(length: int) -> None:
    """Never another one."""
    assert image_size_px(encoded(".jpg", 40, 30)[:length]) in {None, (40, 30)}
