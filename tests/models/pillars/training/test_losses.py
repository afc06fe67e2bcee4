"""Losses against numbers worked out by hand."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'vedette[train]'")
losses = pytest.importorskip("vedette.models.pillars.training.losses")


def test_heat_loss_of_one_centre_and_one_slope():
    """At logits 0 every chance is 1/2: a quarter of ln 2 at the centre and off it, a sixteenth of that on the slope."""
    heat = torch.tensor([[[1.0, 0.5, 0.0]]])
    loss = losses.heat_loss(torch.zeros(1, 1, 3), heat, torch.ones(1, 1, 3, dtype=torch.bool))
    assert loss.item() == pytest.approx((0.25 + 0.25 / 16 + 0.25) * np.log(2), rel=1e-6)


def test_where_it_is_not_asked_heat_costs_nothing():
    """A van may be taken for a car."""
    asked = torch.tensor([[[False]]])
    assert losses.heat_loss(torch.full((1, 1, 1), 5.0), torch.zeros(1, 1, 1), asked).item() == 0.0


@pytest.mark.parametrize(
    ("place", "weight"), [(0, 0.5), (2, 1.0), (3, 1.5), (7, 1.0), (9, 0.2)], ids=["x", "z", "length", "axis", "heading"]
)
def test_box_loss_counts_each_number_by_its_weight(place, weight):
    """An error of 1 in one number of the code; the heading only has to tell front from rear."""
    code = torch.zeros(1, 10)
    code[0, place] = 1.0
    assert losses.box_loss(torch.zeros(1, 10), code, torch.ones(1)).item() == pytest.approx(weight, rel=2e-3)


def test_box_loss_is_the_mean_by_the_cells_weights():
    """Errors of 1 and 3 metres in height, the second cell counting a third as much: (3 * 1 + 1 * 3) / 4."""
    code = torch.zeros(2, 10)
    code[:, 2] = torch.tensor([1.0, 3.0])
    loss = losses.box_loss(torch.zeros(2, 10), code, torch.tensor([3.0, 1.0]))
    assert loss.item() == pytest.approx(1.5, rel=1e-3)


def test_quality_loss_is_least_where_the_iou_is_told():
    """At logit 0 it is ln 2 whatever the IoU; told rightly, the entropy: of 0.8, 0.5004."""
    half = losses.quality_loss(torch.zeros(2), torch.tensor([0.0, 0.8]), torch.ones(2))
    assert half.item() == pytest.approx(np.log(2), rel=1e-3)
    told = torch.logit(torch.tensor([0.8]))
    right = losses.quality_loss(told, torch.tensor([0.8]), torch.ones(1)).item()
    assert right == pytest.approx(0.5004, rel=2e-3)
    for off in (-0.3, 0.3):
        assert losses.quality_loss(told + off, torch.tensor([0.8]), torch.ones(1)).item() > right


def test_no_objects_cost_no_boxes():
    """And no division by zero."""
    nothing = torch.zeros(0)
    assert losses.box_loss(torch.zeros(0, 10), torch.zeros(0, 10), nothing).item() == 0.0
    assert losses.quality_loss(nothing, nothing, nothing).item() == 0.0


def test_rows_of_maps_are_those_of_the_cells():
    """Two scenes of 2 by 3 cells with two numbers each: cell 4 of the first, cell 1 of the second."""
    maps = torch.arange(24.0).view(2, 2, 2, 3)
    rows = losses.at_cells(maps, torch.tensor([4, 6 + 1]))
    np.testing.assert_array_equal(rows.numpy(), [[4, 10], [13, 19]])


def test_the_total_adds_the_parts_by_their_weights():
    """1 + 2 * 10 + 0.5 * 100."""
    parts = losses.Losses(torch.tensor(1.0), torch.tensor(10.0), torch.tensor(100.0))
    assert parts.total.item() == 71.0
