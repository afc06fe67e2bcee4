"""Batches, and the losses of a network whose answer is known."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'vedette[train]'")

from vedette.models.pillars.grid import AnswerGrid  # noqa: E402
from vedette.models.pillars.training.batches import collate, losses_of  # noqa: E402
from vedette.models.pillars.training.network import Answer, NetworkConfig  # noqa: E402

COARSE = AnswerGrid(2)


class Knows:
    """Says the right code, moved by so many metres along x, and one and the same quality everywhere."""

    config = NetworkConfig()

    def __init__(self, answers, off_m=0.0, quality=0.5):
        self._answers, self._off_m, self._quality = answers, off_m, quality

    def __call__(self, features, slots, cells, scenes, *, bf16):
        shape = (scenes, COARSE.rows, COARSE.columns)
        flat = torch.zeros(scenes * COARSE.cells, 10)
        flat[self._answers.cells] = self._answers.code
        flat[:, 0] += self._off_m / 0.32
        heat = torch.logit(self._answers.heat.clamp(1e-4, 1 - 1e-4))
        quality = torch.full(shape, float(np.log(self._quality / (1 - self._quality))))
        return Answer(heat, flat.view(*shape, 10).permute(0, 3, 1, 2), quality)


@pytest.fixture
def batch(make_scene):
    """A scene of one car and a scene of another; far enough apart that no cell tells two."""
    return collate([make_scene([(10, 2, 0.3)]), make_scene([(30, -4, 1.0)])], COARSE)


def test_cells_are_counted_over_the_scenes(batch):
    """Nine of each scene."""
    _, answers = batch
    assert answers.heat.shape == answers.asked.shape == (2, 4, 128, 112)
    assert ((answers.cells < COARSE.cells).sum(), len(answers.cells)) == (9, 18)
    assert len(answers.boxes_velo) == len(answers.code) == len(answers.weights) == 18


def test_the_right_answer_costs_nothing_but_doubt(batch):
    """The quality that is right is the IoU of what was told: 1; a network that says 0.5 pays ln 2."""
    losses = losses_of(Knows(batch[1]), *batch, bf16=False)
    assert losses.box.item() == pytest.approx(0.0, abs=1e-5)
    assert losses.quality.item() == pytest.approx(np.log(2), rel=1e-2)
    sure = losses_of(Knows(batch[1], quality=0.999), *batch, bf16=False)
    assert sure.quality.item() < 0.01


def test_quality_is_asked_of_the_box_that_was_told(batch):
    """A car told 40 m off has IoU 0: to be sure of it costs ln 1000, to doubt it nothing."""
    sure = losses_of(Knows(batch[1], off_m=40.0, quality=0.999), *batch, bf16=False)
    doubtful = losses_of(Knows(batch[1], off_m=40.0, quality=0.001), *batch, bf16=False)
    assert sure.quality.item() == pytest.approx(np.log(1000), rel=1e-2)
    assert doubtful.quality.item() < 0.01
    assert sure.box.item() == pytest.approx(0.5 * 40.0 / 0.32, rel=1e-2)
