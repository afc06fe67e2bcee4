"""Writing scenarios, and reading the same back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from vedette.datasets.instants import Instant, boxes_velo, vehicle_ids
from vedette.datasets.opv2v.scenario import Opv2vScenario
from vedette.datasets.opv2v.write import write_opv2v
from vedette.errors import ConfigError, InvalidFrameError
from vedette.frames import BadFrame
from vedette.geometry import SE3

MakeInstants = Callable[..., list[Instant]]


def close(one: SE3 | None, other: SE3 | None) -> None:
    assert one is not None
    assert other is not None
    np.testing.assert_allclose(one.matrix, other.matrix, rtol=0, atol=1e-9)


def test_round_trip(tmp_path: Path, make_instants: MakeInstants) -> None:
    """Poses, points, pictures, cameras, boxes, classes and speeds of all vehicles come back."""
    written = make_instants(2)
    assert write_opv2v(written, tmp_path / "out", world="test:0") == tmp_path / "out" / "2026_01_01_12_00_00"
    read = list(Opv2vScenario.find(tmp_path / "out").instants())
    assert [instant.index for instant in read] == [0, 1]
    for one, other in zip(written, read, strict=True):
        for ours, theirs in zip(one.frames, other.frames, strict=True):
            assert ours.vehicle_id == theirs.vehicle_id
            assert ours.frame.sweep is not None
            assert theirs.frame.sweep is not None
            np.testing.assert_array_equal(ours.frame.sweep.points_velo, theirs.frame.sweep.points_velo)
            assert ours.frame.image is not None
            assert theirs.frame.image is not None
            np.testing.assert_array_equal(ours.frame.image.pixels_bgr, theirs.frame.image.pixels_bgr)
            close(ours.frame.world_SE3_ego, theirs.frame.world_SE3_ego)
            close(ours.world_SE3_vehicle, theirs.world_SE3_vehicle)
            close(ours.estimated_SE3_vehicle, theirs.estimated_SE3_vehicle)
            assert theirs.speed_m_s == pytest.approx(12.5)


def test_round_trip_of_boxes_and_camera(tmp_path: Path, make_instants: MakeInstants) -> None:
    """Boxes of leaning vehicles, seen from a leaning LiDAR; a camera beside its reference camera."""
    written = make_instants(1)
    write_opv2v(written, tmp_path / "out", world="test:0")
    (read,) = Opv2vScenario.find(tmp_path / "out").instants()
    for ours, theirs in zip(written[0].frames, read.frames, strict=True):
        assert ours.frame.world_SE3_ego is not None
        expected = boxes_velo(ours.vehicles, ours.frame.world_SE3_ego)
        np.testing.assert_allclose(boxes_velo(theirs.vehicles, ours.frame.world_SE3_ego), expected, atol=1e-9)
        assert vehicle_ids(theirs.vehicles).tolist() == [90, 91]
        assert [one.object_class for one in theirs.vehicles] == [one.object_class for one in ours.vehicles]
        assert [one.speed_m_s for one in theirs.vehicles] == pytest.approx([8.0, 0.0])
        camera, expected_camera = theirs.frame.camera, ours.frame.camera
        np.testing.assert_allclose(camera.projection_velo, expected_camera.projection_velo, atol=1e-9)
        assert (camera.width_px, camera.height_px) == (40, 20)


def test_same_bytes(tmp_path: Path, make_instants: MakeInstants) -> None:
    """The same instants give the same files."""
    contents = []
    for name in ("one", "two"):
        write_opv2v(make_instants(1), tmp_path / name, world="test:0")
        files = sorted(path for path in (tmp_path / name).rglob("*") if path.is_file())
        contents.append([(path.relative_to(tmp_path / name), path.read_bytes()) for path in files])
    assert contents[0] == contents[1]
    assert len(contents[0]) == 1 + 2 * 3


def test_frame_that_cannot_be_used(tmp_path: Path, make_instants: MakeInstants) -> None:
    """Would leave a hole: what there is stays in a folder that says so."""
    (instant,) = make_instants(1)
    error = InvalidFrameError("sweep has 0 points")
    bad = Instant(1, instant.stamp_ns, instant.frames, {12: BadFrame(1, "test/12", instant.stamp_ns, error)})
    with pytest.raises(InvalidFrameError, match="0 points"):
        write_opv2v([instant, bad], tmp_path / "out", world="test:0")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["unfinished"]


def test_folder_in_use(tmp_path: Path, make_instants: MakeInstants) -> None:
    """Nothing is overwritten."""
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ConfigError, match="is not empty"):
        write_opv2v(make_instants(1), tmp_path, world="test:0")
