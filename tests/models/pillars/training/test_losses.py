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


def test_box_loss_counts_sizes_half_as_much_again():
    """An error of 1 in the first number, and of 1 in the length: 1 + 1.5."""
    regression = torch.zeros(1, 8, 1, 2)
    code = torch.tensor([[1.0, 0, 0, 1.0, 0, 0, 0, 0]])
    loss = losses.box_loss(regression, torch.tensor([1]), code, torch.tensor([1.0]))
    assert loss.item() == pytest.approx(2.5, rel=2e-3)


def test_no_cars_cost_no_boxes():
    """And no division by zero."""
    nothing = torch.zeros(0, dtype=torch.int64)
    assert losses.box_loss(torch.zeros(1, 8, 1, 1), nothing, torch.zeros(0, 8), torch.zeros(0)).item() == 0.0
