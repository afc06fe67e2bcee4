"""The network's shapes, and how its score is made."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'vedette[train]'")

from vedette.models.pillars.features import pillarise  # noqa: E402
from vedette.models.pillars.training.batches import scenes_of  # noqa: E402
from vedette.models.pillars.training.network import SIZES, Answer, NetworkConfig, PillarNet, scores_of  # noqa: E402

SMALL = NetworkConfig(point_width=8, widths=(8, 8, 8), depths=(0, 1, 1), neck_width=8, head_width=8)


def answer_of(network, scenes):
    with torch.no_grad():
        return network(scenes.features, scenes.slots, scenes.cells, scenes.count)


@pytest.mark.parametrize(("size", "stride"), [("nano", 2), ("large", 1)])
def test_sizes_answer_in_their_grids(size, stride):
    """Nano at half size, large at full; a million and a half weights at most, two bytes less than 2 MB in integers."""
    config = SIZES[size]
    assert config.stride == stride
    assert (config.grid.rows, config.grid.columns) == (256 // stride, 224 // stride)
    assert sum(weight.numel() for weight in PillarNet(config).parameters()) < 2_000_000


def test_scenes_of_a_batch_do_not_see_each_other(make_scene):
    """Each answers as it would alone, in use."""
    torch.manual_seed(0)
    network = PillarNet(SMALL).eval()
    scenes = [make_scene([(10, 2, 0.3)]), make_scene([]), make_scene([(30, -4, 1.0), (20, 5, 0)])]
    together = answer_of(network, scenes_of(scenes))
    for number, scene in enumerate(scenes):
        alone = answer_of(network, scenes_of([scene]))
        for name in ("heat", "code", "quality"):
            torch.testing.assert_close(getattr(together, name)[number], getattr(alone, name)[0], atol=1e-5, rtol=1e-4)


def test_slots_and_cells_of_a_batch_are_counted_over_its_scenes(make_scene):
    """Four quarters a pillar, 256 x 224 cells a scene."""
    one, other = make_scene([(10, 2, 0.3)]), make_scene([(20, 2, 0.3)])
    scenes = scenes_of([one, other])
    first, second = pillarise(one.points_velo_m), pillarise(other.points_velo_m)
    assert scenes.count == 2
    np.testing.assert_array_equal(scenes.slots[len(first.slots) :], second.slots + 4 * len(first.cells))
    np.testing.assert_array_equal(scenes.cells[len(first.cells) :], second.cells + 256 * 224)


def test_the_score_is_heat_and_quality_together():
    """0.8 to the power of 0.7 times 0.5 to the power of 0.3, for both classes with their own heat."""
    heat = torch.logit(torch.tensor([0.8, 0.3])).view(1, 2, 1, 1)
    quality = torch.logit(torch.tensor([0.5])).view(1, 1, 1)
    scores = scores_of(Answer(heat, torch.zeros(1, 10, 1, 1), quality))
    np.testing.assert_allclose(scores.flatten(), [0.8**0.7 * 0.5**0.3, 0.3**0.7 * 0.5**0.3], rtol=1e-5)
