"""Samples on disk."""

import json

import numpy as np
import pytest

from vedette.errors import FileFormatError, MissingDataError
from vedette.models.pillars.training.shards import STEP_M, SampleSet, write_manifest, write_shard


def test_what_was_written_is_read(tmp_path, make_scene):
    """Coordinates to half a step, boxes to float32; scenes without objects too."""
    scenes = [make_scene([(10.0, 2.0, 0.3)]), make_scene([]), make_scene([(20, 1, 0), (30, -4, 1)])]
    write_manifest(tmp_path, {}, {"one.npz": write_shard(tmp_path / "one.npz", scenes)})
    back = list(SampleSet(tmp_path))
    assert len(back) == 3
    for got, put in zip(back, scenes, strict=True):
        np.testing.assert_allclose(got.points_velo_m, put.points_velo_m, atol=0.51 * STEP_M)
        np.testing.assert_array_equal(got.owners, put.owners)
        np.testing.assert_allclose(got.boxes_velo, put.boxes_velo, rtol=1e-6)
        np.testing.assert_array_equal(got.class_ids, put.class_ids)
        np.testing.assert_array_equal(got.points_hit, put.points_hit)


def test_points_are_counted_per_object(make_scene):
    """120 each, and none of the ground's."""
    np.testing.assert_array_equal(make_scene([(20, 1, 0), (30, -4, 1)]).points_hit, [120, 120])


def test_the_same_samples_give_the_same_fingerprint(sample_folder, samples):
    """It goes onto the model's card."""
    assert SampleSet(sample_folder).fingerprint == samples.fingerprint


def test_a_folder_without_a_manifest_was_not_finished(tmp_path):
    """Said with the command that makes one."""
    with pytest.raises(MissingDataError, match="vedette models samples"):
        SampleSet(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "{bad",
        "[]",
        "{}",
        '{"recipe": {}, "shards": {}}',
        '{"recipe": {}, "shards": {"../a.npz": "0"}}',
        '{"shards": {}}',
    ],
)
def test_a_manifest_of_something_else_is_told(sample_folder, text):
    """An empty set would be trained on without a word."""
    (sample_folder / "manifest.json").write_text(text)
    with pytest.raises(FileFormatError, match=r"manifest\.json: .*as vedette models samples writes them"):
        SampleSet(sample_folder)


def test_a_missing_shard_is_named(sample_folder):
    """Rather than trained without."""
    (sample_folder / "b.npz").unlink()
    with pytest.raises(MissingDataError, match=r"b\.npz"):
        SampleSet(sample_folder)


def test_a_changed_shard_is_refused(sample_folder):
    """The hash tells."""
    manifest = json.loads((sample_folder / "manifest.json").read_text())
    manifest["shards"]["a.npz"] = "0" * 64
    (sample_folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(FileFormatError, match=r"a\.npz"):
        SampleSet(sample_folder)
