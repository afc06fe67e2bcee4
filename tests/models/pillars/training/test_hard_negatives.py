"""What a detector that is wrong in a known way is wrong about."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'vedette[train]'")

from vedette.models.pillars.decode import Found
from vedette.models.pillars.training.hard_negatives import hard_negatives
from vedette.models.pillars.training.shards import NOBODY, Sample

BUSH = np.array([20.0, 8.0, -0.9, 4.0, 1.7, 1.5, 0.0])


@pytest.fixture
def scene(make_scene):
    """A car, and a bush of 50 points that goes on a metre above the box that might be seen in it."""
    sample = make_scene([(15.0, -3.0, 0.0)])
    bush = np.random.default_rng(0).uniform([18.2, 7.3, -1.6], [21.8, 8.7, 0.9], (50, 3)).astype(np.float32)
    points, owners = np.vstack([sample.points_velo_m, bush]), np.append(sample.owners, np.full(50, NOBODY))
    return Sample(points, owners, sample.boxes_velo, sample.class_ids)


def finder(*rows):
    """Finds the same everywhere."""
    boxes = np.array([box for box, _ in rows]).reshape(-1, 7)
    scores = np.array([score for _, score in rows], float)
    return lambda sample: Found(boxes, scores, np.zeros(len(rows), np.int64))


def test_what_it_was_fooled_by_is_cut_out_whole(scene):
    """With what goes on above the box; the class is that of nothing."""
    (cutting,) = hard_negatives([scene], finder((BUSH, 0.6), (scene.boxes_velo[0], 0.9)))
    assert cutting.class_id == NOBODY
    np.testing.assert_array_equal(cutting.box_velo, BUSH)
    assert (cutting.points_velo_m[:, 2] > -0.15).any()
    assert len(cutting.points_velo_m) >= 50


@pytest.mark.parametrize(
    ("box", "score"),
    [
        pytest.param(BUSH, 0.14, id="hardly believed"),
        pytest.param(BUSH + np.array([0, 0, 8.0, 0, 0, 0, 0]), 0.9, id="no points in it"),
        pytest.param(np.array([16.0, -2.0, -0.9, 4.0, 1.7, 1.5, 0.0]), 0.9, id="touches a label"),
    ],
)
def test_what_teaches_nothing_is_left(scene, box, score):
    """Nothing is cut out."""
    assert hard_negatives([scene], finder((box, score))) == []


def test_nothing_found_nothing_cut(scene):
    """And a scene without labels."""
    assert hard_negatives([scene], finder()) == []
