"""Losses of answers that are known to be right or wrong."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from vedette.models.camera2d.decode import STRIDES_PX, cell_centres, encode_boxes
from vedette.models.camera2d.training.augment import ModelSample
from vedette.models.camera2d.training.losses import Batch, Cells, detection_losses
from vedette.models.camera2d.training.targets import batch_of
from vedette.models.grids import Grid

GRID = Grid.of_strides(128, 64, STRIDES_PX)
CELLS = Cells(torch.from_numpy(cell_centres(GRID)).float(), torch.from_numpy(GRID.strides_px).float())
SURE = 12.0
"""A logit that means certainty."""


@pytest.fixture
def batch():
    """A picture with one object of the second class, that shows in the left half of its box."""
    owners = np.full((32, 64), -1, np.int32)
    owners[8:24, 16:24] = 0
    box = np.array([[32.0, 16.0, 64.0, 48.0]])
    arrays = batch_of(
        [ModelSample(np.zeros((64, 128, 3), np.uint8), owners, box, np.array([1]), np.array([False]))], GRID
    )
    return Batch(
        *(torch.from_numpy(getattr(arrays, n)) for n in ("owners", "objects", "counts", "boxes_px", "channels"))
    )


@pytest.fixture
def right(batch):
    """Rows and maps that say just that: one map, positive where the object shows."""
    rows = torch.zeros(1, len(GRID), 2 + 4 + 1 + 5)
    rows[..., :2] = -SURE
    cells = np.flatnonzero(batch.objects[0].numpy() >= 0)
    rows[0, cells, 1] = SURE
    rows[0, cells, 2:6] = torch.from_numpy(
        encode_boxes(GRID.select(cells), np.tile([[32.0, 16.0, 64.0, 48.0]], (len(cells), 1)))
    )
    rows[0, cells, 6] = 1.0
    maps = torch.where(batch.owners >= 0, SURE, -SURE)[:, None].float()
    return rows, maps


def losses_of(rows, maps, batch):
    """With the same draw of points each time."""
    return detection_losses(rows, maps, batch, CELLS, class_count=2, generator=torch.Generator().manual_seed(0))


def test_a_right_answer_costs_next_to_nothing(batch, right):
    """All three parts."""
    losses = losses_of(*right, batch)
    assert float(losses.score) < 1e-3
    assert float(losses.box) < 1e-5
    assert float(losses.mask) < 1e-2


def test_each_mistake_costs_its_own_part(batch, right):
    """A wrong class, a moved box, the mask of what is beside the object."""
    rows, maps = right
    good = losses_of(rows, maps, batch)
    other_class = rows.clone()
    other_class[..., [0, 1]] = rows[..., [1, 0]]
    assert float(losses_of(other_class, maps, batch).score) > 1.0
    moved = rows.clone()
    moved[..., 2] += 0.5
    wrong_box = losses_of(moved, maps, batch)
    assert float(wrong_box.box) > float(good.box) + 0.1
    wrong_mask = losses_of(rows, -maps, batch)
    assert float(wrong_mask.mask) > 1.0
    assert float(wrong_mask.box) == float(good.box)


def test_the_place_in_the_box_can_stand_for_a_map(batch, right):
    """The left half of the box is where -u is above 0."""
    rows, maps = right
    rows[..., 6:] = 0.0
    rows[..., 8] = -40.0
    assert float(losses_of(rows, maps * 0.0, batch).mask) < 0.2


def test_a_picture_of_nothing_has_a_loss_too():
    """Only its scores."""
    empty = ModelSample(
        np.zeros((64, 128, 3), np.uint8),
        np.full((32, 64), -1, np.int32),
        np.zeros((0, 4)),
        np.zeros(0, np.int64),
        np.zeros(0, bool),
    )
    arrays = batch_of([empty], GRID)
    batch = Batch(
        *(torch.from_numpy(getattr(arrays, n)) for n in ("owners", "objects", "counts", "boxes_px", "channels"))
    )
    rows = torch.zeros(1, len(GRID), 12, requires_grad=True)
    losses = losses_of(rows, torch.zeros(1, 1, 32, 64), batch)
    losses.total.backward()
    assert losses.box.item() == losses.mask.item() == 0.0
    assert losses.score.item() > 0.0
    assert torch.isfinite(rows.grad).all()
