"""Pictures on disk."""

import json

import numpy as np
import pytest

pytest.importorskip("torch")

from vedette.errors import DataError, MissingDataError
from vedette.models.camera2d.training.samples import PictureSet
from vedette.models.store import sha256_of


def test_a_picture_comes_back_as_it_was_drawn(make_shard, tmp_path):
    """Rows of owners are those of the boxes; nothing of an object lies outside its box."""
    make_shard(tmp_path, pictures=2, count=5)
    pictures = PictureSet(tmp_path).pictures
    assert len(pictures) == 2
    picture = pictures[0].read()
    assert len(picture) == 5
    for row, (x1, y1, x2, y2) in enumerate(picture.boxes_px.astype(int)):
        shown = picture.owners == row
        assert shown.sum() == shown[y1:y2, x1:x2].sum()
    assert set(np.unique(picture.owners)) <= {-1, 0, 1, 2, 3, 4}


def test_a_shard_names_the_hash_of_every_file(make_shard, tmp_path):
    """So that a training run is tied to its data."""
    shard = make_shard(tmp_path, pictures=2)
    written = json.loads((shard / "shard.json").read_text())
    assert written["sha256"] == {path.name: sha256_of(path) for path in shard.glob("0*")}


def test_an_unfinished_shard_is_not_there(make_shard, tmp_path):
    """Its last file makes it complete."""
    shard = make_shard(tmp_path, pictures=1)
    (shard / "shard.json").unlink()
    with pytest.raises(MissingDataError, match="no pictures; expected a folder that vedette models samples"):
        PictureSet(tmp_path)


def test_a_set_tells_how_it_was_made(make_shard, tmp_path):
    """From the shards, whose hashes make its own: another picture, another hash."""
    make_shard(tmp_path, "one", seed=3, pictures=2)
    one = PictureSet(tmp_path)
    make_shard(tmp_path, "two", seed=7, pictures=4)
    both = PictureSet(tmp_path)
    assert (len(one), len(both)) == (2, 6)
    assert both.recipe == {"worlds": 2, "first_seed": 3, "last_seed": 7, "each": 4, "scale": [0.7]}
    assert one.fingerprint != both.fingerprint == PictureSet(tmp_path).fingerprint


def test_a_damaged_picture_is_named(make_shard, tmp_path):
    """Not a None that fails later."""
    shard = make_shard(tmp_path, pictures=1)
    (shard / "0000.jpg").write_bytes(b"")
    with pytest.raises(DataError, match=r"0000\.jpg: cannot be decoded"):
        PictureSet(tmp_path).pictures[0].read()


@pytest.mark.parametrize(
    "change",
    [
        lambda shard: [],
        lambda shard: {**shard, "made_from": {"seed": 3}},
        lambda shard: {**shard, "pictures": [{"picture": "a.png"}]},
        lambda shard: {"schema": shard["schema"]},
    ],
)
def test_a_shard_that_is_none_is_told(make_shard, tmp_path, change):
    """By its file, and what to do."""
    path = make_shard(tmp_path, pictures=1) / "shard.json"
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(DataError, match=r"shard\.json: .*make it anew"):
        PictureSet(tmp_path)


def test_a_shard_of_another_schema_is_refused(make_shard, tmp_path):
    """A newer build made it."""
    shard = make_shard(tmp_path, pictures=1)
    document = json.loads((shard / "shard.json").read_text())
    (shard / "shard.json").write_text(json.dumps({**document, "schema": 99}))
    with pytest.raises(DataError, match="schema 99; expected 1"):
        PictureSet(tmp_path)
