"""Worlds on disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from vedette.datasets.source_spec import open_recording
from vedette.datasets.synth import recording, write
from vedette.datasets.synth.layouts import Layout
from vedette.datasets.synth.world import World
from vedette.datasets.synth.write import WriteRequest, write_synth
from vedette.errors import ConfigError
from vedette.frames import Frame

MakeWorld = Callable[..., World]


def test_written_and_streamed_are_one(tmp_path: Path, make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name that writing returns reads what the name of the world streams: points, pictures, times, labels."""
    for module in (write, recording):
        monkeypatch.setattr(module, "world_of", lambda *_: make_world())
    source = write_synth(WriteRequest("crossing", 3, 1, Layout.KITTI_TRACKING), tmp_path / "out", lambda: None)
    written, streamed = open_recording(source), open_recording("synth:crossing:3:0-0")
    ((one,), (other,)) = (list(written), list(streamed))
    assert isinstance(one, Frame)
    assert isinstance(other, Frame)
    assert one.stamp_ns == other.stamp_ns
    assert one.sweep is not None
    assert other.sweep is not None
    np.testing.assert_array_equal(one.sweep.points_velo, other.sweep.points_velo)
    assert one.image is not None
    assert other.image is not None
    np.testing.assert_array_equal(one.image.pixels_bgr, other.image.pixels_bgr)
    labels, expected = written.labels(0), streamed.labels(0)
    assert labels is not None
    assert expected is not None
    assert labels.types == expected.types
    np.testing.assert_allclose(labels.boxes_cam, expected.boxes_cam, atol=1e-6)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (WriteRequest("nowhere", 0, 1, Layout.KITTI_RAW), "nowhere.*expected one of town"),
        (WriteRequest("crossing", 0, 0, Layout.KITTI_RAW), "0 frames; expected 1 to"),
        (WriteRequest("crossing", -1, 1, Layout.KITTI_RAW), "seed -1"),
        (WriteRequest("convoy", 0, 1, Layout.OPV2V, vehicles=7), "expected 2 to 6"),
        (WriteRequest("convoy", 0, 1, Layout.OPV2V, vehicles=1), "expected 2 to 6"),
    ],
)
def test_impossible_requests(tmp_path: Path, request_: WriteRequest, message: str) -> None:
    """Each says what would be right, and nothing is written."""
    with pytest.raises(ConfigError, match=message):
        write_synth(request_, tmp_path / "out", lambda: None)
    assert not (tmp_path / "out").exists()


def test_opv2v_needs_company(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names a scenario that has it, before a world is built."""
    monkeypatch.setattr(write, "world_of", None)
    with pytest.raises(ConfigError, match=r"one connected vehicle; expected two or more .* convoy"):
        write_synth(WriteRequest("crossing", 0, 1, Layout.OPV2V), tmp_path / "out", lambda: None)
    assert not (tmp_path / "out").exists()


def test_folder_in_use(tmp_path: Path) -> None:
    """Found out before a world is built."""
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ConfigError, match="is not empty"):
        write_synth(WriteRequest("nowhere", 0, 1, Layout.KITTI_RAW), tmp_path, lambda: None)
