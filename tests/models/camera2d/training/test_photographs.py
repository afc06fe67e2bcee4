"""Folders of photographs: what is read, what is not, and that all of it fits into memory."""

import hashlib

import cv2
import numpy as np
import pytest

from vedette.errors import MissingDataError
from vedette.models.camera2d.training import photographs as module
from vedette.models.camera2d.training.photographs import Photographs, drawn_part, read_photographs


def write(path, shape=(40, 60), value=100):
    """A picture of one grey."""
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), np.full((*shape, 3), value, np.uint8))


def of(*pictures):
    """Photographs that are in memory alone."""
    return Photographs(None, pictures, "", (), 0)


def test_pictures_are_read_in_the_order_of_their_paths(tmp_path):
    """Those of folders in it too; a text is no picture, and the fingerprint is of the contents, not the place."""
    for folder in (tmp_path / "one", tmp_path / "two"):
        for name, value in (("b.png", 50), ("a/z.PNG", 20), ("c.webp", 90)):
            write(folder / name, value=value)
        (folder / "LICENCE.txt").write_text("CC0")
    one, two = read_photographs(tmp_path / "one"), read_photographs(tmp_path / "two")
    assert [int(picture[0, 0, 0]) for picture in one.pictures_bgr] == pytest.approx([20, 50, 90], abs=1)
    assert one.fingerprint == two.fingerprint
    hashes = "".join(
        hashlib.sha256((tmp_path / "one" / name).read_bytes()).hexdigest() for name in ("a/z.PNG", "b.png", "c.webp")
    )
    assert one.described == {
        "folder": str(tmp_path / "one"),
        "count": 3,
        "sha256": hashlib.sha256(hashes.encode()).hexdigest(),
    }
    assert one.summary == f"photographs of {tmp_path / 'one'}: 3 used"
    write(tmp_path / "two" / "b.png", value=51)
    assert read_photographs(tmp_path / "two").fingerprint != one.fingerprint


def test_what_cannot_be_read_is_skipped_named_and_counted(tmp_path):
    """And has no part in the fingerprint."""
    write(tmp_path / "b.png")
    alone = read_photographs(tmp_path).fingerprint
    (tmp_path / "a.jpg").write_bytes(b"")
    (tmp_path / "c.jpg").write_text("no picture")
    read = read_photographs(tmp_path)
    assert read.unreadable == [tmp_path / "a.jpg", tmp_path / "c.jpg"]
    assert read.summary.endswith(f": 1 used; 2 skipped that cannot be read, the first is {tmp_path / 'a.jpg'}")
    assert read.fingerprint == alone


def test_a_folder_without_a_picture_is_refused(tmp_path):
    """Told apart: no folder, nothing in it, nothing in it that can be read."""
    with pytest.raises(MissingDataError, match="nowhere: no such folder; expected one with photographs"):
        read_photographs(tmp_path / "nowhere")
    with pytest.raises(MissingDataError, match=r"no photographs; expected files that end in \.jpg"):
        read_photographs(tmp_path)
    (tmp_path / "a.jpg").write_text("no picture")
    with pytest.raises(MissingDataError, match=r"none of 1 pictures can be read, the first is .*a\.jpg"):
        read_photographs(tmp_path)


def test_memory_is_bounded(tmp_path, monkeypatch):
    """By the number of photographs, spread over all, and by the pixels of each; proportions stay."""
    monkeypatch.setattr(module, "MOST_PHOTOGRAPHS", 3)
    monkeypatch.setattr(module, "MOST_PIXELS", 200)
    for value in range(5):
        write(tmp_path / f"{value}.png", (20, 40), value)
    read = read_photographs(tmp_path)
    assert [picture.shape for picture in read.pictures_bgr] == [(10, 20, 3)] * 3
    assert [int(picture[0, 0, 0]) for picture in read.pictures_bgr] == [0, 2, 4]
    assert ": 3 used; 2 left out, evenly, for 3 are the most" in read.summary


@pytest.mark.parametrize("size_px", [(512, 160), (3, 90), (1, 1), (7, 400)])
@pytest.mark.parametrize("shape", [(50, 70), (200, 20), (1, 1)])
def test_a_part_has_the_size_that_is_asked_for(shape, size_px):
    """Whatever the photograph's."""
    picture = np.full((*shape, 3), 77, np.uint8)
    for seed in range(10):
        part = drawn_part(np.random.default_rng(seed), of(picture), size_px)
        assert part.shape == (size_px[1], size_px[0], 3)
        assert (part == 77).all()


def test_parts_are_mirrored_every_other_time():
    """Left of it is dark, right of it bright: the same way up always."""
    ramp = np.tile(np.linspace(0, 255, 200).astype(np.uint8), (100, 1))
    photographs = of(np.dstack([ramp] * 3))
    parts = [drawn_part(np.random.default_rng(seed), photographs, (40, 20)) for seed in range(100)]
    mirrored = sum(int(part[0, 0, 0]) > int(part[0, -1, 0]) for part in parts)
    assert 35 < mirrored < 65
    assert all((part[0] == part[-1]).all() for part in parts)


def test_every_photograph_is_shown():
    """Of three, in thirty draws."""
    photographs = of(*(np.full((30, 30, 3), value, np.uint8) for value in (10, 20, 30)))
    rng = np.random.default_rng(0)
    assert {int(drawn_part(rng, photographs, (5, 5))[0, 0, 0]) for _ in range(30)} == {10, 20, 30}
