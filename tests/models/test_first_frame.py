"""Inputs to try a model on."""

import numpy as np

from vedette.models.trial_inputs import trial_camera, trial_image, trial_sweep


def test_the_picture_is_the_same_every_time():
    """And no single grey."""
    first, second = trial_image().pixels_bgr, trial_image().pixels_bgr
    np.testing.assert_array_equal(first, second)
    assert first.std() > 30


def test_the_camera_sees_the_point():
    """In the middle of the picture."""
    camera, image = trial_camera(), trial_image()
    assert (camera.width_px, camera.height_px) == image.size_px
    u, v, depth_m = camera.projection_velo @ [*trial_sweep().points_velo[0, :3], 1.0]
    np.testing.assert_allclose([u / depth_m, v / depth_m, depth_m], [621, 187.5, 10])
