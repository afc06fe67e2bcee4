"""Rows of numbers in byte planes, and frames that are not what they should be."""

from __future__ import annotations

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from vedette.codecs.sweep.planes import compress, decompress, difference_planes, undo_differences
from vedette.errors import CorruptBlobError


@pytest.mark.parametrize(
    ("row", "planes"),
    [
        ([0], ["00"]),
        ([-1], ["01"]),
        ([127, 127], ["fe00"]),
        ([128], ["00", "01"]),
        ([3, 2, 4, 4], ["06010400"]),
        ([0, -32768], ["00ff", "00ff"]),
        ([0, 32768], ["0000", "0000", "0001"]),
        ([2**31 - 1], ["fe", "ff", "ff", "ff"]),
        ([-(2**31), 2**31 - 1], ["ff01", "ff00", "ff00", "ff00"]),
    ],
)
def test_planes_by_hand(row: list[int], planes: list[str]) -> None:
    """Zigzag differences, lowest byte first; the last wraps: from the least to the greatest number is one down."""
    written = difference_planes(np.array(row, np.int32))
    assert [plane.hex() for plane in written] == planes
    read = undo_differences(np.stack([np.frombuffer(plane, np.uint8) for plane in written]))
    np.testing.assert_array_equal(read, row)


@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=30))
def test_any_row_comes_back(row: list[int]) -> None:
    """Differences wrap modulo 2**32 and back."""
    planes = [np.frombuffer(plane, np.uint8) for plane in difference_planes(np.array(row, np.int32))]
    np.testing.assert_array_equal(undo_differences(np.stack(planes)), row)


def test_planes_have_a_code_each() -> None:
    """Two planes of different values are smaller than as one block: entropies of 3 and 3 bits instead of 4."""
    random = np.random.default_rng(0)
    planes = [random.integers(low, low + 8, 20_000, np.uint8).tobytes() for low in (0, 100)]
    together = zstandard.ZstdCompressor(level=1).compress(b"".join(planes))
    assert len(compress(planes)) < 0.8 * len(together)
    assert decompress(compress(planes), 40_000).tobytes() == b"".join(planes)


@pytest.mark.parametrize(
    ("frame", "cause"),
    [
        (b"", "damaged or truncated"),
        (b"no frame", "damaged or truncated"),
        (compress([b"abcdef"])[:-1], "damaged or truncated"),
        (compress([b"abcdef"]) + b"\0", "damaged or truncated"),
        (compress([b"abcde"]), "unpacks to 5 bytes; expected 6"),
        (zstandard.ZstdCompressor(write_content_size=False).compress(b"abcdef"), "expected 6"),
        (compress([bytes(10**7)]), "unpacks to 10000000 bytes; expected 6"),
    ],
)
def test_other_frames_are_refused(frame: bytes, cause: str) -> None:
    """Each with what was met."""
    with pytest.raises(CorruptBlobError, match=cause):
        decompress(frame, 6)
