"""Pictures of generated worlds."""

import numpy as np
import pytest

pytest.importorskip("open3d")

from vedette.datasets.synth.rig import KITTI_RIG
from vedette.errors import ConfigError
from vedette.models.camera2d.training.pictures import described, make_shard, observed_again, scaled_rig
from vedette.models.camera2d.training.samples import PictureSet


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three small pictures of a small world."""
    out = tmp_path_factory.mktemp("pictures")
    make_shard(out, "hidden-cyclist", 991, 3, scale=0.2)
    return out


def test_what_shows_of_an_object_lies_in_its_box(folder):
    """At least one object shows in some picture, and all of its pixels are in its box, give or take one."""
    shown = 0
    for stored in PictureSet(folder).pictures:
        picture = stored.read()
        for row, (x1, y1, x2, y2) in enumerate(picture.boxes_px):
            rows, columns = np.nonzero(picture.owners == row)
            shown += len(rows) > 0
            assert ((columns + 0.5 > x1 - 1) & (columns + 0.5 < x2 + 1)).all()
            assert ((rows + 0.5 > y1 - 1) & (rows + 0.5 < y2 + 1)).all()
    assert shown > 0


def test_the_same_seed_gives_the_same_files(folder, tmp_path):
    """Byte for byte: the shard's hash holds those of all its files."""
    make_shard(tmp_path, "hidden-cyclist", 991, 3, scale=0.2)
    assert PictureSet(tmp_path).fingerprint == PictureSet(folder).fingerprint


def test_a_shard_that_is_there_is_not_made_again(folder):
    """Not even with another number of pictures."""
    before = PictureSet(folder).fingerprint
    make_shard(folder, "hidden-cyclist", 991, 1)
    assert PictureSet(folder).fingerprint == before


def test_worlds_that_are_shown_are_not_learnt_from(tmp_path):
    """Seeds 0 to 99."""
    with pytest.raises(ConfigError, match="seed 99: worlds below 100"):
        make_shard(tmp_path, "town", 99, 1)


def test_stored_objects_are_observed_again(folder):
    """What is kept is enough for labels in KITTI's form."""
    objects = [stored.entry["objects"] for stored in PictureSet(folder).pictures]
    for some in objects:
        assert described(observed_again(some)) == some


def test_a_smaller_picture_shows_the_same_view():
    """A point 20 m ahead is found at the same share of both pictures: centres of pixels have whole coordinates."""
    small = scaled_rig(KITTI_RIG, 0.5).camera
    point = np.array([[20.0, 3.0, -1.0]])
    whole_px = KITTI_RIG.camera.project_velo(point)[0][0] + 0.5
    small_px = small.project_velo(point)[0][0] + 0.5
    np.testing.assert_allclose(small_px, 0.5 * whole_px, atol=1e-9)
    assert (small.width_px, small.height_px) == (621, 188)
