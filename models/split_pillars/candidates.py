"""What both heads give, and which of it stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.errors import ModelError
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayFloat32, NDArrayInt, rotated_nms, wrap_pi
from vedette.models.pillar_keys import AnchorHead, CentreHead, Span

MAX_LOG_SIZE: Final = 5.0
"""A box is at most 148 m long, or 148 times its anchor, and at least the inverse: positive and finite whatever a broken
output says."""
_MAX_LOGIT: Final = 80.0  # exp stays finite in float32; the score is 0 or 1 long before


@dataclass(frozen=True)
class Candidates:
    """Scored boxes, before those of one object are sorted out.

    Args:
        boxes: ``(N,7) float64`` x, y, z, length, width, height (m), yaw (rad, counter-clockwise from x), centre of
            volume, network's frame.
        scores: ``(N,) float64`` in [0, 1].
        channels: ``(N,) int64`` which of the card's classes.
    """

    boxes: NDArrayFloat
    scores: NDArrayFloat
    channels: NDArrayInt

    def select(self, keep: NDArrayInt | NDArrayBool) -> Candidates:
        """Some of them, in the given order."""
        return Candidates(self.boxes[keep], self.scores[keep], self.channels[keep])

    @classmethod
    def joined(cls, parts: Sequence[Candidates]) -> Candidates:
        """All of several.

        Args:
            parts: at least one.
        """
        return cls(
            np.concatenate([part.boxes for part in parts]),
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.channels for part in parts]),
        )


def probabilities(values: NDArrayFloat32, head: CentreHead | AnchorHead) -> NDArrayFloat32:
    """Scores in [0, 1] of what the network says.

    Args:
        values: any shape, finite.
        head: tells whether they are logits.

    Raises:
        ModelError: they are no probabilities although the card says so.
    """
    if head.scores == "logits":
        return (1.0 / (1.0 + np.exp(-np.clip(values, -_MAX_LOGIT, _MAX_LOGIT)))).astype(np.float32)
    if values.min() < 0.0 or values.max() > 1.0:
        raise ModelError(
            f"scores span {values.min():g} to {values.max():g}, which are no probabilities; the card may have to say"
            " `scores: logits`"
        )
    return values


def best(scores: NDArrayFloat32, head: CentreHead | AnchorHead) -> NDArrayInt:
    """Places of the best scores, best first, as many as the head's keys allow; of equal ones the first.

    Args:
        scores: ``(N,) float32``.
        head: least score and greatest number.
    """
    places = np.flatnonzero(scores >= np.float32(head.min_score))
    order: NDArrayInt = places[np.argsort(-scores[places], kind="stable")[: head.max_candidates]]
    return order


def with_good_at_half(scores: NDArrayFloat, head: CentreHead | AnchorHead) -> NDArrayFloat:
    """Scores on our scale, on which 0.5 is a good cut whatever the model: the same odds factor for all.

    Args:
        scores: ``(N,) float64`` in [0, 1].
        head: which score is to be 0.5.

    Returns:
        ``(N,) float64`` in [0, 1], in the same order.
    """
    good, bad = scores * (1.0 - head.good_score), (1.0 - scores) * head.good_score
    ours: NDArrayFloat = good / (good + bad)
    return ours


def boxes_from(
    centres: NDArrayFloat, sizes_m: NDArrayFloat, yaws_rad: NDArrayFloat, head: CentreHead | AnchorHead
) -> NDArrayFloat:
    """Our boxes of a network's.

    Args:
        centres: ``(N,3)`` of volume, metres.
        sizes_m: ``(N,3)`` in the head's order.
        yaws_rad: ``(N,)`` in the head's sense.
        head: order and sense.

    Returns:
        ``(N,7) float64``, yaw in [-pi, pi).
    """
    ordered = sizes_m if head.size_order == "length_width_height" else sizes_m[:, [1, 0, 2]]
    yaws = yaws_rad if head.yaw == "counter_clockwise_from_x" else -yaws_rad - np.pi / 2
    return np.column_stack([centres, ordered, wrap_pi(yaws)])


def settle(found: Candidates, head: CentreHead | AnchorHead) -> Candidates:
    """Of boxes that overlap, the best stay.

    Args:
        found: in any order.
        head: how much overlap, between which classes, and where centres may be.

    Returns:
        Best first.
    """
    if head.centre_range_m is not None:
        found = found.select(_inside(found.boxes[:, :3], head.centre_range_m))
    found = found.select(np.argsort(-found.scores, kind="stable")[: head.max_candidates])
    rivals = None if head.nms_across_classes else found.channels
    return found.select(rotated_nms(found.boxes, found.scores, head.nms_iou, rivals))


def _inside(centres: NDArrayFloat, span: Span) -> NDArrayBool:
    inside = np.logical_and(centres >= np.array(span[:3]), centres <= np.array(span[3:]))
    return np.asarray(inside.all(axis=1), dtype=np.bool_)
