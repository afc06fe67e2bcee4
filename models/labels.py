"""What a model's output channels mean in our classes."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.classes import (
    AUTOWARE_TO_CLASS,
    CITYSCAPES_TO_CLASS,
    COCO_TO_CLASS,
    KITTI_TO_CLASS,
    NUSCENES_TO_CLASS,
    ObjectClass,
)
from vedette.errors import ModelCardError
from vedette.geometry import NDArrayInt
from vedette.models.cards import Labels, ModelCard

NOT_AN_OBJECT: Final = -1
"""Class id of a channel that is none of ours: background, road, a toaster."""

TABLES: Final[dict[Labels, dict[str, ObjectClass]]] = {
    "coco": COCO_TO_CLASS,
    "cityscapes": CITYSCAPES_TO_CLASS,
    "kitti": KITTI_TO_CLASS,
    "nuscenes": NUSCENES_TO_CLASS,
    "autoware": AUTOWARE_TO_CLASS,
    "vedette": {member.label: member for member in ObjectClass},
}
"""Of names that are objects for us."""


def channel_class_ids(card: ModelCard) -> NDArrayInt:
    """Our class of each of a model's classes.

    Args:
        card: its `labels` name the table, its `classes` the channels.

    Returns:
        ``(C,) int64`` values of `ObjectClass`, or `NOT_AN_OBJECT`.

    Raises:
        ModelCardError: not one of them is any of ours, so that the model could never find anything.
    """
    table = TABLES[card.labels]
    if not any(name in table for name in card.classes):
        raise ModelCardError(
            f"{card.label}: none of its classes ({', '.join(card.classes[:5])}, ...) is in the table {card.labels!r},"
            f" which has {', '.join(table)}"
        )
    return np.array([table.get(name, NOT_AN_OBJECT) for name in card.classes], dtype=np.int64)
